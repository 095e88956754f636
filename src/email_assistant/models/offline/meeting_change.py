"""Whether a message wishes a meeting that there is moved or called off, in plain words of English, German, French and Spanish.

Only the wish is recognised here. Which meeting is meant is for the calendar to say, and what a new time is for the reader of times.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Literal

from email_assistant.language.days import find_days
from email_assistant.language.words import WORDS
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words
from email_assistant.models.offline.meeting import PAST, MeetingRequest, request_of, said_in
from email_assistant.models.offline.reading import body_words, orders_an_assistant

Wish = Literal["move", "cancel"]
MOVE: Wish = "move"
CANCEL: Wish = "cancel"
_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MeetingChange:
    """What is wished."""

    wish: Wish
    request: MeetingRequest | None = None
    """The new time that the message names for a move, as far as it can be read."""


with WORDS.section("meeting_changes") as section:
    _FORMS = tuple(
        (
            forms.pattern(
                r"\b(?:{wants})\b[^.?!]{0,80}?\b(?:{moved}|{later})\b|^\W*(?:\w+\W+){0,2}(?:{later})\b"
            ),
            forms.pattern("{cancel}"),
            forms.pattern("{new_time}"),
            asked,
        )
        for language, asked in section.by_file("asked").items()
        for forms in [section.of(language)]
    )
    """Of each language the whole of a person's wish to move and to call off, for a verb alone is none ("to cancel, call …"); where the
    sentence names the new time; and a question for a meeting at it, which the reader of times understands."""
    _NOT_MEANT = section.pattern(r"\b(?:{not_meant})\b")
    """A condition, a denial, what was, or another thing than a meeting."""
    _SOME_THING = section.pattern(r"\b(?:{some_thing}) [^\W\d_]")
    _LATER = section.pattern(r"\b(?:{later})\b")
    """By how much, which is not reckoned: a person names the new time."""
    _RELATIVE = section.pattern(r"\b(?:{relative})\b")
    """What is meant from the day on which it was written."""


def change_wanted(
    conversation: Conversation, *, now: datetime, timezone: str, about: datetime | None = None
) -> MeetingChange | None:
    """The change that the current message wishes, or None, also where that is not understood.

    A message that cannot come and asks for another time wishes a move. `timezone` is the user's IANA zone; `about` is when the meeting
    is: a weekday without a date is one of that week ("can we move Thursday to Friday?"). May read time zone data.
    """
    message = conversation.current
    if message.calendars or orders_an_assistant(message):
        return None
    said = said_in(body_words(message))
    # The forms of one language are no words of another, and short mail does not say which it is in.
    for move, cancel, new_time, asked in _FORMS:
        reader = _NewTime(message, now, timezone, asked, about)
        for at, sentence in enumerate(said):
            found = new_time.search(sentence)
            besides = sentence.replace(found["new"], " ") if found else sentence
            if _says(move, sentence, besides):
                new = reader.read(found["new"]) if found else None
                return MeetingChange(MOVE, new or next(filter(None, map(reader.read, said[at + 1 :])), None))
        for at, sentence in enumerate(said):
            if _says(cancel, sentence, sentence):
                return _instead(said[:at] + said[at + 1 :], reader)
    return None


def wishes_change(message: Message) -> bool:
    """Whether the message by itself wishes that a meeting is moved or called off."""
    return change_wanted(Conversation(message), now=message.date or _SOME_DAY, timezone="UTC") is not None


def _says(form: re.Pattern[str], sentence: str, besides: str) -> bool:
    """Whether it wishes that of a meeting, or of its day, or of nothing that it names `besides` the new time."""
    if not form.search(sentence) or _NOT_MEANT.search(sentence) or PAST.search(sentence):
        return False
    _, rest = find_days(_LATER.sub(" ", besides), _SOME_DAY.date(), day_first=False)
    return bool(words.MEETING.search(besides) or not _SOME_THING.search(rest))


def _instead(rest: list[str], reader: "_NewTime") -> MeetingChange | None:
    """Of somebody who cannot come, and says this besides."""
    if not any(words.QUESTION.search(each) or words.REQUEST.search(each) for each in rest):
        return MeetingChange(CANCEL)
    # Whoever asks for something besides may want another time, or something else: only the first is understood.
    return next((MeetingChange(MOVE, request) for request in map(reader.read, rest) if request), None)


@dataclass(frozen=True, slots=True)
class _NewTime:
    """Reads a new time; it is asked about these words alone, so that the old time is not taken for the new."""

    message: Message
    now: datetime
    timezone: str
    asked: str
    about: datetime | None

    def read(self, text: str) -> MeetingRequest | None:
        """What the words name; a weekday of the meeting's week, or nothing where it may be another."""
        found = self._written(text, self.message.date)
        if self.about is None or _RELATIVE.search(text):
            return found
        # Read as if it were written on the day of the meeting: a weekday is the first one after it then, and a date is not.
        there = self._written(text, self.about)
        if there is None or (found and _first_day(found) == _first_day(there)):
            return found
        # "To Wednesday", of a meeting on Thursday: the day before, or a week on?
        is_that_week = _first_day(there).isocalendar()[:2] == self.about.isocalendar()[:2]
        return there if is_that_week else None

    def _written(self, text: str, date: datetime | None) -> MeetingRequest | None:
        asked = self.asked.format(text.strip(" ?!.,:"))
        message = replace(self.message, subject="", text=asked, quoted="", date=date)
        request = request_of(message, now=self.now, timezone=self.timezone)
        return request if request and (request.proposed or request.day_hints) else None


def _first_day(request: MeetingRequest) -> date:
    return min([*(each.date() for each in request.proposed), *request.day_hints])
