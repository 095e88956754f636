"""Drafts by rule: greeting and closing in the mail's language, and each of its questions with a gap for what only the user knows."""

import re
from collections.abc import Sequence

from email_assistant.facts.fact import confirms_in
from email_assistant.language.text import unaccented
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

_WORD = re.compile(r"[^\W\d_]{2,}")
_LONGEST_GREETING = 60


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
    sender's name, as the user has greeted them before. Mail in a language whose letters nobody taught the rules is greeted in the user's.
    """
    message = conversation.current
    signed = one_line(wanted.sign_off or user_name)
    # Of a message that gives orders nothing is repeated, not even names: they may be part of the orders.
    trusted = not orders_an_assistant(message)
    theirs = courtesy_of(message, wanted)
    courtesy = theirs or Courtesy(wanted.language_for("en"))
    by = wanted_by(message, timezone).by
    asks = points_besides_meeting(message) if besides_meeting else points_of(message, by)
    answers = _answers(asks if trusted else [], courtesy)
    if words.NEW_BANK_DETAILS.search(" ".join(own_words(message).split())):
        answers = DOING  # An account that somebody would have paid is in no letter of the user's.
    names = names_of(message) if trusted else ("", "")
    greeting = (trusted and not wanted.language and _as_before(conversation)) or courtesy.greeting(*names)
    return "\n\n".join((greeting, said or answers or (SAYING if theirs else WHOLE), courtesy.closing(signed)))


def _as_before(conversation: Conversation) -> str:
    """The line with which the user greeted the sender last in the conversation; "" where there is none."""
    sender = conversation.current.sender
    names = set(_WORD.findall(unaccented(f"{sender.name} {sender.email.partition('@')[0]}")))
    own = (each.text.strip() for each in reversed(conversation.earlier) if each.sent)
    lines = (one_line(text.partition("\n")[0]) for text in own)
    return next((line for line in lines if _greets(line, names)), "")


def _greets(line: str, names: set[str]) -> bool:
    is_theirs = not names.isdisjoint(_WORD.findall(unaccented(line)))
    return is_theirs and line.endswith((",", "!")) and len(line) <= _LONGEST_GREETING


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


def _answers(points: Sequence[Point], courtesy: Courtesy) -> str:
    """Each question with its gap; an order and a complaint behind a sentence that says what it is, a list behind what leads up to it."""
    blocks: list[str] = []
    for point in points:
        if not point.lead or not blocks:
            lead = courtesy.says(point.lead) if point.lead and point.lead != "item" else ""
            blocks.append("\n".join(filter(None, (lead, point.answer))))
        else:
            blocks[-1] = "\n".join(filter(None, (blocks[-1], point.answer)))
    return "\n\n".join(blocks)
