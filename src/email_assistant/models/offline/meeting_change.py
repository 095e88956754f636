"""Whether a message wishes a meeting that there is moved or called off, in English, German, French and Spanish.

Only the wish is recognised here. Which meeting is meant is for the calendar to say, and what a new time is for the reader of times.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from email_assistant.language.days import find_days
from email_assistant.language.measures import lengths
from email_assistant.language.text import fold
from email_assistant.language.time_words import ANEW
from email_assistant.language.words import WORDS
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words
from email_assistant.models.offline.meeting import PAST, MeetingRequest, request_of
from email_assistant.models.offline.reading import body_words, orders_an_assistant, sentences

Wish = Literal["move", "cancel"]
MOVE: Wish = "move"
CANCEL: Wish = "cancel"
_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_MAX_SENTENCES = 60
_MAX_SENTENCE = 500
_FEW = 6
"""Words of a sentence that says by how much, politely, and nothing else."""


@dataclass(frozen=True, slots=True)
class MeetingChange:
    """What is wished."""

    wish: Wish
    request: MeetingRequest | None = None
    """The new time that the message names for a move, as far as it can be read."""
    by: timedelta | None = None
    """How much later it is to be, where the message says that and no time; earlier where it is negative."""


@dataclass(frozen=True, slots=True)
class _Forms:
    """How one language says it. A form is the whole of a person's wish: a verb alone is none ("to cancel, call …")."""

    move: re.Pattern[str]
    cancel: re.Pattern[str]
    new_time: re.Pattern[str]
    """Where the sentence that wishes a move names the new time."""
    asked: str
    """A question for a meeting at a time, which the reader of times understands."""


with WORDS.section("meeting_changes") as section:
    _FORMS = tuple(
        _Forms(forms.pattern("{move}"), forms.pattern("{cancel}"), forms.pattern("{new_time}"), asked)
        for language, asked in section.by_file("asked").items()
        for forms in [section.of(language)]
    )
    """English, German, French, Spanish."""
    _NOT_MEANT = section.pattern("{not_meant}")
    """A condition, a denial, or what was: nobody wishes it now."""
    _OTHER_THINGS = section.pattern("{other_things}")
    """What else is moved and cancelled."""
    _SOME_THING = section.pattern(r"\b(?:{some_thing}) \w")
    _RELATIVE = section.pattern("{relative}")
    """What is meant from the day on which it was written."""
    _INSTEAD = section.pattern(r"\b(?:{instead})\b")
    _LATER = section.pattern(r"\s(?:{later})\b")
    _EARLIER = section.pattern(r"\s(?:{earlier})\b")
    """Right behind a length: "an hour later"."""
    _POLITELY = section.pattern(r"(?<!\w)(?:{politely})(?!\w)")
    _BY = section.pattern(r"(?<!\w)(?:{by})$")
    """Right before it: "by a day"."""


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
    said = [each[:_MAX_SENTENCE] for each in sentences(body_words(message))[:_MAX_SENTENCES]]
    # The forms of one language are no words of another, and short mail does not say which it is in.
    for forms in _FORMS:
        if found := _Reader(conversation, now, timezone, forms, about).wish(said):
            return found
    return None


def wishes_change(message: Message) -> bool:
    """Whether the message by itself wishes that a meeting is moved or called off."""
    return change_wanted(Conversation(message), now=message.date or _SOME_DAY, timezone="UTC") is not None


@dataclass(frozen=True, slots=True)
class _Reader:
    conversation: Conversation
    now: datetime
    timezone: str
    forms: _Forms
    about: datetime | None

    def wish(self, said: list[str]) -> MeetingChange | None:
        """What these sentences wish in this language."""
        moved = next((number for number, each in enumerate(said) if self._wishes_a_move(each)), None)
        if moved is not None:
            by, _ = _shift(said[moved])
            return MeetingChange(MOVE, None if by else self._new_time(said, moved), by)
        gone = next((number for number, each in enumerate(said) if self._says(self.forms.cancel, each)), None)
        return None if gone is None else self._instead(said[:gone] + said[gone + 1 :])

    def _wishes_a_move(self, sentence: str) -> bool:
        if self._says(self.forms.move, sentence):
            return True
        is_meant = not any(each.search(sentence) for each in (_NOT_MEANT, _OTHER_THINGS, PAST))
        asks = ANEW.search(sentence) and words.MEETING.search(sentence)
        # "An hour later, please" says nothing else.
        by, rest = _shift(sentence)
        is_all = _POLITELY.search(rest) and len(rest.split()) <= _FEW and not _SOME_THING.search(rest)
        return bool(by and is_meant and (asks or is_all))

    def _instead(self, rest: list[str]) -> MeetingChange | None:
        """Of somebody who cannot come, and says this besides."""
        if not any(words.QUESTION.search(each) or words.REQUEST.search(each) for each in rest):
            return MeetingChange(CANCEL)
        # Whoever asks for something besides may want another time, or something else: only the first is understood.
        request = self._named_in(rest)
        return MeetingChange(MOVE, request) if request else None

    def _says(self, form: re.Pattern[str], sentence: str) -> bool:
        meant = form.search(sentence) and not any(
            each.search(sentence) for each in (_NOT_MEANT, _OTHER_THINGS, PAST)
        )
        return bool(meant) and self._is_of_meeting(sentence)

    def _is_of_meeting(self, sentence: str) -> bool:
        """Whether what is moved or called off is a meeting, or its day, or not named at all."""
        found = self.forms.new_time.search(sentence)
        rest = f"{sentence[: found.start('new')]} {sentence[found.end('new') :]}" if found else sentence
        days, _ = find_days(rest, self.now.date(), day_first=False)
        return bool(words.MEETING.search(rest) or days or not _SOME_THING.search(rest))

    def _new_time(self, said: list[str], at: int) -> MeetingRequest | None:
        """What the sentence says behind its "to", else what those after it name."""
        found = self.forms.new_time.search(said[at])
        request = self._read(found["new"]) if found else None
        return request or self._named_in(said[at + 1 :])

    def _named_in(self, said: list[str]) -> MeetingRequest | None:
        """The first sentence that names a time."""
        return next((request for each in said if (request := self._read(each))), None)

    def _read(self, text: str) -> MeetingRequest | None:
        """A time, by the reader of times; it is asked about these words alone, so that the old time is not taken for the new."""
        asked = self.forms.asked.format(_INSTEAD.sub("", text).strip(" ?!.,:"))
        found = self._asked(asked, self.conversation.current.date)
        if self.about is None or _RELATIVE.search(text):
            return found
        # Read as if it were written on the day of the meeting: a weekday is the first one after it then, and a date is not.
        there = self._asked(asked, self.about)
        if there is None or (found and _first_day(found) == _first_day(there)):
            return found
        # "To Wednesday", of a meeting on Thursday: the day before, or a week on?
        is_that_week = _first_day(there).isocalendar()[:2] == self.about.isocalendar()[:2]
        return there if is_that_week else None

    def _asked(self, text: str, written: datetime | None) -> MeetingRequest | None:
        current: Message = replace(self.conversation.current, subject="", text=text, quoted="", date=written)
        request = request_of(current, now=self.now, timezone=self.timezone)
        return request if request and (request.proposed or request.day_hints) else None


def _shift(sentence: str) -> tuple[timedelta | None, str]:
    """How much later than it was a meeting is to be, and what else the sentence says."""
    text = fold(sentence)
    for length in lengths(text):
        by, rest = timedelta(minutes=float(length.minutes)), f"{text[: length.start]} {text[length.end :]}"
        if _EARLIER.match(text, length.end):
            return -by, rest
        if _LATER.match(text, length.end) or _BY.search(text, 0, length.start):
            return by, rest
    return None, text


def _first_day(request: MeetingRequest) -> date:
    return min([*(each.date() for each in request.proposed), *request.day_hints])
