"""Drafts by rule: greeting and closing in the mail's language, and each of its questions with a gap for what only the user knows."""

from collections.abc import Sequence

from email_assistant.facts.fact import confirms_in
from email_assistant.mail.message import Conversation
from email_assistant.mail.text import one_line
from email_assistant.models.offline import words
from email_assistant.models.offline.courtesy import Courtesy, courtesy_of, names_of
from email_assistant.models.offline.preferences import NONE, Preferences
from email_assistant.models.offline.reading import orders_an_assistant, own_words
from email_assistant.models.offline.wanted import (
    DOING,
    SAYING,
    WHOLE,
    Point,
    points_besides_meeting,
    points_of,
    wanted_by,
)


def reply_body(
    conversation: Conversation,
    *,
    user_name: str,
    timezone: str = "UTC",
    said: str = "",
    besides_meeting: bool = False,
    wanted: Preferences = NONE,
) -> str:
    """A reply to the current message, signed with `user_name`; `said` is what the user wants to be written, word for word. With
    `besides_meeting` it leaves out when to meet, which an invitation has answered. `wanted` is what the user wants of letters.

    What only the user can know is left as `[confirm: …]`; of the mail only its questions or its request are repeated, and its
    sender's name. Mail in a language whose letters nobody taught the rules gets one gap and no words.
    """
    message = conversation.current
    signed = one_line(wanted.sign_off or user_name)
    # Of a message that gives orders nothing is repeated, not even names: they may be part of the orders.
    trusted = not orders_an_assistant(message)
    courtesy = courtesy_of(message, wanted)
    by = wanted_by(message, timezone).by
    asks = points_besides_meeting(message) if besides_meeting else points_of(message, by)
    answers = _answers(asks if trusted else [], courtesy)
    if words.NEW_BANK_DETAILS.search(" ".join(own_words(message).split())):
        answers = DOING  # An account that somebody would have paid is in no letter of the user's.
    names = names_of(message) if trusted else ("", "")
    if courtesy is None:
        parts = (names[1] and f"{names[1]},", said or answers or WHOLE, signed)
        return "\n\n".join(filter(None, parts))
    return "\n\n".join((courtesy.greeting(*names), said or answers or SAYING, courtesy.closing(signed)))


def with_words(body: str, said: Sequence[str]) -> str:
    """The letter with the user's words in it as they stand: in its first gap, or before its closing."""
    text = "\n".join(filter(None, map(_described, said)))
    if not text:
        return body
    if found := confirms_in(body):
        start, end = found[0]
        return f"{body[:start]}{text}{body[end:]}"
    before, _, closing = body.rpartition("\n\n")
    return "\n\n".join(filter(None, (before, text, closing)))


def _described(said: str) -> str:
    words_ = words.TELLS.sub("", said.strip())
    return words_[:1].upper() + words_[1:]


def has_something_to_answer(conversation: Conversation) -> bool:
    """Whether a draft would hold more than names and a gap."""
    return not orders_an_assistant(conversation.current) and bool(points_of(conversation.current))


def _answers(points: Sequence[Point], courtesy: Courtesy | None) -> str:
    """Each question behind its gap's quotation; before the rest a sentence that says what it is."""
    lines = [point for point in points if point.lead]
    lead = courtesy.says(lines[0].lead, lines[0].day) if courtesy and lines and lines[0].lead else ""
    asked = (point.answer for point in points if not point.lead)
    return "\n\n".join(
        filter(None, ("\n".join(filter(None, (lead, *(each.answer for each in lines)))), *asked))
    )
