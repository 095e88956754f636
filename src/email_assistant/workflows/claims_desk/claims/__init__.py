"""Claims: customers, their policies, decisions and refunds, and the rules that no model can overrule.

Pure rules and types: no model, no database, no clock.
"""
