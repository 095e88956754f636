"""Drafts by rule: a short acknowledgement that knows nothing and says nothing it does not know."""

import re

from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.mail.threading import base_subject
from email_assistant.models.offline import words
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.language import Language, language_of
from email_assistant.models.offline.names import first_name
from email_assistant.models.offline.phrases import PHRASES, Phrases
from email_assistant.models.offline.reading import body_words, own_words
from email_assistant.models.offline.wishes import Wishes, wishes_after

MAX_GAPS = 3
MAX_SUBJECT = 80
_MAX_WHEN = 120


def reply_body(
    conversation: Conversation,
    *,
    user_name: str,
    background: str,
    preferences: str,
    meeting: str | None,
    feedback: tuple[str, ...],
) -> str:
    """A reply to the current message in its language, signed with `user_name`.

    What only the user can know is left as `[confirm: …]`; of the mail only the sender's name and the subject are
    repeated. `meeting` is the time that was put into the calendar. `feedback` are the user's corrections of
    earlier drafts, newest last: each one gives a draft that differs from all before it. Of `preferences` the
    learned wishes about style count. `background` describes the user; no rule can tell which of it may be
    passed on, so none of it is.
    """
    del background
    drafts: list[str] = []
    for count in range(len(feedback) + 1):
        wishes = wishes_after(feedback[:count], preferences)
        draft = _draft(conversation.current, user_name, meeting, wishes)
        if draft in drafts:
            draft = _draft(conversation.current, user_name, meeting, _insisting(wishes, feedback[:count]))
        drafts.append(draft)
    return drafts[-1]


def _insisting(wishes: Wishes, feedback: tuple[str, ...]) -> Wishes:
    """The wishes, where the newest correction changed nothing and is therefore put before the user again."""
    newest = one_line(feedback[-1])[:MAX_SUBJECT] or "…"
    return Wishes(
        wishes.brevity,
        wishes.formal,
        wishes.language,
        wishes.sentences,
        (*wishes.unclear, f"{newest} ({len(feedback)})"),
    )


def _draft(message: Message, user_name: str, meeting: str | None, wishes: Wishes) -> str:
    language = wishes.language or language_of(own_words(message))
    phrases = PHRASES[language]
    opening = _opening(message, phrases, wishes)
    said = [phrases.meeting.format(when=one_line(meeting)[:_MAX_WHEN])] if meeting else []
    said += wishes.sentences
    # The user's own words take the place of the gaps.
    said += [] if said else _gaps(message, phrases)
    said += [phrases.gap_wish.format(wish=wish) for wish in wishes.unclear]
    ending = [phrases.ending] if wishes.brevity == 0 else []
    paragraphs = [_greeting(message, phrases, wishes), opening, "\n".join(said), *ending]
    closing = _closing(phrases, wishes, user_name)
    return "\n\n".join([*(_for_language(paragraphs, language)), closing])


def _for_language(paragraphs: list[str], language: Language) -> list[str]:
    """The paragraphs there are; after a greeting's comma a German letter goes on in lower case, if words follow."""
    found = [paragraph for paragraph in paragraphs if paragraph]
    if language == "de" and len(found) > 1 and not found[0].endswith(","):
        found[1] = found[1][0].upper() + found[1][1:]
    return found


def _greeting(message: Message, phrases: Phrases, wishes: Wishes) -> str:
    if wishes.brevity >= 3:
        return ""
    name = first_name(message.sender)
    if not name:
        return phrases.greeting_nobody
    return (phrases.formal_greeting if wishes.formal else phrases.greeting).format(name=name)


def _opening(message: Message, phrases: Phrases, wishes: Wishes) -> str:
    if wishes.brevity >= 2:
        return ""
    subject = _subject(message)
    thanks = phrases.thanks.format(subject=subject) if subject else phrases.thanks_no_subject
    if words.COMPLAINT.search(own_words(message)) and not words.ORDER.search(own_words(message)):
        return f"{thanks} {phrases.sorry}"
    return f"{thanks} {phrases.received}" if wishes.brevity == 0 and not wishes.sentences else thanks


def _subject(message: Message) -> str:
    """The subject as it may be repeated: short, and nothing that gives orders."""
    subject = base_subject(message.subject)
    if not subject or orders_an_assistant(message):
        return ""
    return subject if len(subject) <= MAX_SUBJECT else f"{subject[: MAX_SUBJECT - 1].rstrip()}…"


def _gaps(message: Message, phrases: Phrases) -> list[str]:
    """What only the user can say, by what the message asks for."""
    text = " ".join(own_words(message).split())
    if words.COMPLAINT.search(text) and not words.ORDER.search(text):
        return [phrases.gap_remedy]
    if words.ORDER.search(text):
        return [phrases.gap_order]
    if words.MEETING.search(text) and not words.CANCELLATION.search(text):
        return [phrases.gap_time]
    count = len(words.QUESTION.findall(body_words(message)))
    if count > 1:
        return [phrases.gap_answers.format(number=n) for n in range(1, min(count, MAX_GAPS) + 1)]
    if count == 1:
        return [phrases.gap_answer]
    if words.REQUEST.search(text) or words.DEADLINE.search(text):
        return [phrases.gap_action]
    return [phrases.gap_plain]


def _closing(phrases: Phrases, wishes: Wishes, user_name: str) -> str:
    closing = phrases.formal_closing if wishes.formal else phrases.closing
    name = one_line(user_name)
    if not name:
        return re.sub(r"[,、]$", "", closing)
    return name if wishes.brevity >= 4 else f"{closing}\n{name}"
