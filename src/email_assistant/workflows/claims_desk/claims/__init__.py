"""What a claim is: customers, their policies, what a claim comes to, and the rules that no model can overrule.

Pure rules and types: no model, no database, no clock.
"""
