"""Warnings of a person's words that fixed rules could not follow: told on the next card, never part of a text."""

from email_assistant.mail.text import one_line
from email_assistant.tools.tool import Turn

_SHOWN = 5
_LENGTH = 160


def unheeded(turn: Turn) -> tuple[str, ...]:
    """A warning for each of the person's words, the newest first."""
    newest = list(dict.fromkeys(reversed(turn.unheeded)))[:_SHOWN]
    return tuple(
        f"Fixed rules wrote this and cannot follow “{one_line(words, limit=_LENGTH)}”: edit it yourself."
        for words in newest
    )


def changed_nothing(words: str) -> str:
    """The warning where somebody who can follow words has come to the same all the same."""
    return f"What you said changed nothing here: “{one_line(words, limit=_LENGTH)}”. Edit it yourself."
