"""Documents that a company answers by, cut into chunks that can be cited.

Pure: what a file says is read from its bytes; no store, no LangChain, no clock.
"""
