"""Drafts by rule: a short English acknowledgement that knows nothing and says nothing it does not know."""

import re
from collections.abc import Sequence

from email_assistant.language.languages import is_written_in
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.mail.threading import base_subject
from email_assistant.models.offline import gaps, words
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.reading import body_words, own_words

_TITLES = frozenset(
    {"dr", "prof", "mr", "mrs", "ms", "miss", "mx", "sir", "herr", "frau", "hr", "fr", "m", "mme", "mlle", "sr", "sra",
     "don", "doña", "ing", "mag", "dipl"}
)  # fmt: skip
_RELATIVES = frozenset(
    {"aunt", "auntie", "uncle", "grandma", "grandpa", "tante", "onkel", "oma", "opa", "tía", "tío"}
)
_NOT_A_PERSON = re.compile(
    r"\b(?:team|support|office|accounts?|billing|service|claims?|sales|info|news\w*|shop|store|house|bank|insurance|"
    r"monitor|scanner|system|admin|fund|gmbh|ltd|inc|llc|ag|sarl|company|studio|group|assistant|user)\b|株式会社|\d|@|://",
    re.IGNORECASE,
)
_NAME_PART = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LONGEST = 30

MAX_SUBJECT = 80
_MAX_WHEN = 120


def reply_body(
    conversation: Conversation, *, user_name: str, meeting: str | None, offered: Sequence[str] = ()
) -> str:
    """A reply to the current message, signed with `user_name`; `meeting` is the time that was put into the calendar, `offered` are
    times to choose from.

    What only the user can know is left as `[confirm: …]`; of the mail only the sender's name and the subject are repeated. No rule can
    tell what of the user's words, preferences or background belongs into a text, so none of them is asked for. Mail in another language
    than English gets one gap and no words: nobody who writes German is to be answered in English because a rule knows no better.
    """
    message = conversation.current
    signed = one_line(user_name)
    when = one_line(meeting or "")[:_MAX_WHEN]
    times = "\n".join(f"- {time}" for time in offered)
    if not is_written_in(body_words(message) or message.subject, ("en",)):
        return "\n\n".join(filter(None, (gaps.WHOLE, when, times, signed)))
    # Of a message that gives orders not even the names are repeated: they may be part of the orders.
    trusted = not orders_an_assistant(message)
    name = first_name(message.sender) if trusted else ""
    subject = _subject(message) if trusted else ""
    text = " ".join(own_words(message).split())
    is_complaint = words.COMPLAINT.search(text) is not None and words.ORDER.search(text) is None
    about = f"Thank you for your message about “{subject}”." if subject else "Thank you for your message."
    paragraphs = [
        f"Hi {name}," if name else "Hello,",
        f"{about} {'I am sorry that you had trouble.' if is_complaint else 'I have received it.'}",
        _of_times(when, times) or gaps.gaps_for(message, text, is_complaint),
        f"Best regards,\n{signed}" if signed else "Best regards",
    ]
    return "\n\n".join(paragraphs)


def _of_times(when: str, times: str) -> str:
    if times:
        return f"I could offer these times:\n{times}\nPlease tell me which of them suits you."
    return f"I suggest {when}; you will find it in the invitation." if when else ""


def _subject(message: Message) -> str:
    subject = base_subject(message.subject)
    return subject if len(subject) <= MAX_SUBJECT else f"{subject[: MAX_SUBJECT - 1].rstrip()}…"


def first_name(sender: Address) -> str:
    """The name to greet the sender by; "" when it is not clearly a person's."""
    name = one_line(sender.name)[:120]
    if not name or _NOT_A_PERSON.search(name):
        return ""
    if _JAPANESE.search(name):
        return name if len(name) <= _LONGEST else ""
    if name.count(",") == 1:  # "Nair, Priya"
        last, _, first = name.partition(",")
        name = f"{first.strip()} {last.strip()}"
    parts = name.split()
    while parts and parts[0].rstrip(".").lower() in _TITLES:
        parts = parts[1:]
    if not parts or len(parts) > 5 or not all(_NAME_PART.fullmatch(part) for part in parts):
        return ""
    named = " ".join(parts[:2]) if parts[0].lower() in _RELATIVES else parts[0]
    return named if len(named) <= _LONGEST else ""
