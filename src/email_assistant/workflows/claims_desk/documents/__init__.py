"""Documents that a company answers by, cut into chunks that can be cited: no store, no LangChain, no clock."""
