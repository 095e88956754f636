"""How well similar past mail is found: labelled mail of an invented bicycle shop, and the measure of it."""
