"""Whether a message may be about an appointment at all, by rule."""

from datetime import UTC, date

from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words
from email_assistant.models.offline.named_times import days_and_hours
from email_assistant.models.offline.offers import AGREES, answer_to_offer
from email_assistant.models.offline.reading import body_words, subject_words
from email_assistant.workflows.inbox_organizer.offline.category import WORDS

_SHORT_REPLY = 600
_SOME_DAY = date(2000, 1, 1)

with WORDS.section("events") as section:
    APPOINTMENT = section.pattern("{appointment}")
    """Speaks of an appointment of any kind."""


def mentions_meeting(conversation: Conversation) -> bool:
    """Whether the current message could be about an appointment, so that it is worth asking a model.

    True for a calendar part, for a day with a time, for words about appointments beside a day or a time, and for a
    short answer that agrees to what the message before proposed.
    """
    current = conversation.current
    if current.calendars or _speaks_of_meeting(current) or answer_to_offer(conversation):
        return True
    own = f"{current.subject[:500]} {current.text[:_SHORT_REPLY]}"
    if len(current.text) > _SHORT_REPLY or not AGREES.search(own):
        return False
    return any(_speaks_of_meeting(m) for m in conversation.earlier[-1:])


def about_appointment(message: Message, text: str) -> bool:
    """Whether its words are those of an appointment."""
    said = f"{subject_words(message)} {text}"
    return bool(words.MEETING.search(said) or APPOINTMENT.search(said))


def _speaks_of_meeting(message: Message) -> bool:
    text = body_words(message)
    base = message.date.date() if message.date else _SOME_DAY
    named = False
    for days, hours in days_and_hours(f"{subject_words(message)}\n{text}", base, UTC):
        if days and hours:
            return True
        named = named or bool(days or hours)
    return named and about_appointment(message, text)
