"""Plain rules that stand in for a language model when there is none. They are deterministic and never claim to be one.

They see what a person sees of a message, obey nothing that stands in it, and leave gaps where they do not know.
"""
