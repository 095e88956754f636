"""Drafts by rule: a short acknowledgement that knows nothing and says nothing it does not know."""

import re
from dataclasses import dataclass

from email_assistant.language.languages import language_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.mail.threading import base_subject
from email_assistant.models.offline import words
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.names import first_name
from email_assistant.models.offline.phrases import PHRASES, Phrases
from email_assistant.models.offline.reading import body_words, own_words
from email_assistant.models.offline.when import local_when
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
    repeated. `meeting` is the time that was put into the calendar. `feedback` are the user's words about earlier
    drafts, newest last: those about style are followed (see `wishes`), none is repeated. Of `preferences` the learned
    wishes about style count. `background` describes the user; no rule can tell which of it may be passed on, so none
    of it is.
    """
    del background
    letter = _letter(conversation.current, one_line(user_name), one_line(meeting or "")[:_MAX_WHEN])
    return letter.draft(wishes_after(feedback, preferences))


@dataclass(frozen=True, slots=True)
class _Letter:
    """What is known before any wish."""

    language: str
    name: str
    subject: str
    is_complaint: bool
    gap: str
    """Which phrase names the gap."""
    questions: int
    user_name: str
    meeting: str

    def draft(self, wishes: Wishes) -> str:
        language = wishes.language or self.language
        phrases = PHRASES[language]
        said = [phrases.meeting.format(when=local_when(self.meeting, language))] if self.meeting else []
        said += [] if said else self._gaps(phrases)
        paragraphs = [
            self._greeting(phrases, wishes),
            self._opening(phrases, wishes),
            "\n".join(said),
            phrases.ending if wishes.brevity == 0 else "",
            self._closing(phrases, wishes),
        ]
        return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)

    def _greeting(self, phrases: Phrases, wishes: Wishes) -> str:
        if wishes.brevity >= 3:
            return ""
        if not self.name:
            return phrases.greeting_nobody
        return (phrases.formal_greeting if wishes.formal else phrases.greeting).format(name=self.name)

    def _opening(self, phrases: Phrases, wishes: Wishes) -> str:
        if wishes.brevity >= 2:
            return ""
        thanks = phrases.thanks.format(subject=self.subject) if self.subject else phrases.thanks_no_subject
        more = phrases.sorry if self.is_complaint else ""
        if not more and wishes.brevity == 0:
            more = phrases.received
        space = "" if thanks.endswith("。") else " "
        return f"{thanks}{space}{more}" if more else thanks

    def _gaps(self, phrases: Phrases) -> list[str]:
        if self.gap == "gap_answers":
            numbers = range(1, min(self.questions, MAX_GAPS) + 1)
            return [phrases.gap_answers.format(number=number) for number in numbers]
        return [str(getattr(phrases, self.gap))]

    def _closing(self, phrases: Phrases, wishes: Wishes) -> str:
        closing = phrases.formal_closing if wishes.formal else phrases.closing
        if not self.user_name:
            return re.sub(r",$", "", closing)
        return self.user_name if wishes.brevity >= 4 else f"{closing}\n{self.user_name}"


def _letter(message: Message, user_name: str, meeting: str) -> _Letter:
    text = " ".join(own_words(message).split())
    # Of a message that gives orders not even the names are repeated: they may be part of the orders.
    trusted = not orders_an_assistant(message)
    is_complaint = words.COMPLAINT.search(text) is not None and words.ORDER.search(text) is None
    questions = len(words.QUESTION.findall(body_words(message)))
    return _Letter(
        language=language_of(own_words(message), among=PHRASES) or "en",
        name=first_name(message.sender) if trusted else "",
        subject=_subject(message) if trusted else "",
        is_complaint=is_complaint,
        gap="gap_remedy" if is_complaint else _gap(text, questions),
        questions=questions,
        user_name=user_name,
        meeting=meeting,
    )


def _subject(message: Message) -> str:
    subject = base_subject(message.subject)
    return subject if len(subject) <= MAX_SUBJECT else f"{subject[: MAX_SUBJECT - 1].rstrip()}…"


def _gap(text: str, questions: int) -> str:
    """What only the user can say, by what the message asks for."""
    if words.ORDER.search(text):
        return "gap_order"
    if words.MEETING.search(text) and not words.CANCELLATION.search(text):
        return "gap_time"
    if questions:
        return "gap_answers" if questions > 1 else "gap_answer"
    asks = words.REQUEST.search(text) or words.DEADLINE.search(text)
    return "gap_action" if asks else "gap_plain"
