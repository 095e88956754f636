"""The embedding of the server's store, under the only kind of name that the server takes for it.

Graphs, web application and authentication are named in langgraph.json as `module:name`. For `store.index.embed` the server takes
`FILE.py:name`, relative to wherever it was started, or else anything that ends in `.py`, which it imports as a module: hence
`email_assistant.server.py:embed`, and a module called `py`.
"""

from email_assistant.server.app import embed

__all__ = ["embed"]
