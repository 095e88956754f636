"""What a person says to an invitation's card: which answer, what to say with it, and which other time to propose.

What is no answer in the person's own voice ("No, I am away") is an instruction, of which each word must be understood: else it would
be sent as typed, or half of it be done.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from email_assistant.calendars.event import Event
from email_assistant.errors import ProviderError
from email_assistant.language.words import WORDS
from email_assistant.language.zones import end_of_zone
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.call import ModelCall
from email_assistant.models.offline.meeting_change import change_wanted
from email_assistant.models.offline.sentence_times import PARTS, Sentence, Written, spans_of
from email_assistant.models.runner import Models

with WORDS.section("invitation_words") as section:
    _ANSWERS = {
        name: section.pattern(rf"\b(?:{{{name}}})\b") for name in ("declined", "tentative", "accepted")
    }
    _SAY = section.pattern(r"(?:^|[\s,.;]+)(?:{say})\b[\s:,]*(?:(?:{that})\b\s*)?(?P<words>.+)", re.I | re.S)
    _PROPOSE = section.pattern(r"\b(?:{propose})\b\s*(?P<when>.+)")
    _FILLER = section.pattern(r"\b(?:{filler})\b|[\W_]+")
    _DIRECT = section.pattern(r"\W*(?:{direct})\b")
    _ORDER = section.pattern(r"\b(?:{order})\b")
    _HARMLESS = section.pattern(r"\b(?:{harmless})\b")
    """What has the words of a no, and says none: "no problem"."""
    _DENIED = section.pattern(r"\b(?:{denial})\s+$")
    _BESIDE = section.pattern(r"\b(?:{beside})\b")
    """Words beside days, hours and lengths that name a time together with them."""
_CLAUSE_END = re.compile(r"[,.;:!?]")
_ASKED = "Could we move it to {}?"


@dataclass(frozen=True, slots=True)
class Instruction:
    """What is to be answered; "" for what was not said."""

    answer: str
    comment: str
    when: str
    """The time that is to be proposed, as it was said."""


def instruction_in(text: str) -> Instruction | None:
    """What the words say to do; None when they are not understood to the end."""
    text = text.strip()
    said, proposed = _SAY.search(text), _PROPOSE.search(text)
    if proposed and said and said.start() < proposed.start():  # Whose words are the last ones?
        return None
    if proposed and _DENIED.search(text, 0, proposed.start()):
        return None
    head = text[: said.start()] if said else text
    comment = said["words"].strip(' “”"') if said else ""
    if comment and (
        not _DIRECT.match(comment) or _ORDER.search(comment)
    ):  # "say something nice": nobody's own words.
        return None
    comment = comment[:1].upper() + comment[1:]
    if proposed:
        when = proposed["when"][: len(head) - proposed.start("when")].strip()
        return Instruction("tentative", comment, when)
    head = _HARMLESS.sub(" ", head)
    answer = next((name for name, found in _ANSWERS.items() if found.search(head)), "")
    rest = _FILLER.sub("", _ANSWERS[answer].sub("", head, count=1) if answer else head)
    if not rest and (answer or said):
        return Instruction(answer, comment, "")
    is_own_words = answer and not said and _DIRECT.match(text) and not _ORDER.search(text)
    return Instruction(answer, text, "") if is_own_words and not _is_mixed(head) else None


def _is_mixed(text: str) -> bool:
    """Whether it names two answers ("no, I mean yes"); who "cannot attend" names one."""
    named = sorted(
        (*match.span(), name) for name, found in _ANSWERS.items() for match in found.finditer(text)
    )
    return any(
        first != second and (first != "declined" or _CLAUSE_END.search(text[end:start]))
        for (_, end, first), (start, _, second) in pairwise(named)
    )


def proposed_time(
    when: str, event: Event, *, now: datetime, timezone: str
) -> tuple[datetime, datetime] | None:
    """The time in place of the event's, where the words name one to come and nothing else. A day alone keeps the hour."""
    if not _is_a_time(when, now=now, timezone=timezone):
        return None
    nobody = Address("")
    asked = Conversation(Message("", "", nobody, "", _ASKED.format(when), date=now))
    wished = change_wanted(asked, now=now, timezone=timezone, about=event.start)
    request = wished.request if wished else None
    if request is None or request.unread or event.all_day:
        return None
    clock = event.start.astimezone(ZoneInfo(timezone)).time()
    starts = [
        *request.proposed,
        *(datetime.combine(day, clock, ZoneInfo(timezone)) for day in request.day_hints),
    ]
    length = timedelta(minutes=request.duration_minutes) if request.names_length else event.end - event.start
    return (starts[0], starts[0] + length) if len(starts) == 1 and starts[0] > now else None


def _is_a_time(when: str, *, now: datetime, timezone: str) -> bool:
    """Whether the words name a time, and each of them was read: of "Friday 10:00 and invite Bo" only half would be done."""
    zone = ZoneInfo(timezone)
    said = Sentence(when, Written(now.astimezone(zone).date(), zone, day_first=True))
    spans = [*spans_of(said.days), *spans_of(said.lengths)]
    spans += [(each.start, max(each.end, end_of_zone(when, each.end))) for each in said.hours]
    spans += [match.span() for pattern, *_ in PARTS for match in pattern.finditer(when)]
    for start, end in sorted(spans, reverse=True):
        when = f"{when[:start]}{' ' * (end - start)}{when[end:]}"
    return bool(spans) and not _BESIDE.sub("", _FILLER.sub(" ", when)).strip()


def as_written(moment: datetime, event: Event, zone: ZoneInfo) -> date:
    """A time, or of an event of whole days the day."""
    return moment.astimezone(zone).date() if event.all_day else moment


MAX_WORDS = 2_000
_WORD = re.compile(r"\w+")


class ReadAnswer(BaseModel):
    """What a person wants done about an invitation."""

    is_understood: bool = Field(description="Whether the words say all of it, without a guess.")
    answer: Literal["accepted", "tentative", "declined", ""] = ""
    comment: str = Field("", description="What to tell the organizer, in the person's own words.")
    when: str = Field("", description="Another time to propose, as it stands in the words.")


@dataclass(frozen=True)
class SaidWords:
    """What the model reads: nothing of the invitation, which is a stranger's."""

    words: str

    def variables(self) -> Mapping[str, str]:
        """Values for said_answer.md."""
        return {"words": self.words[:MAX_WORDS]}


SAID_ANSWER: ModelCall[SaidWords, ReadAnswer] = ModelCall(
    name="said_answer",
    prompt="said_answer",
    output=ReadAnswer,
    tier="fast",
    offline=lambda inputs: ReadAnswer(is_understood=False),
)


@dataclass(frozen=True)
class AnswerReader:
    """Asks a model, where there is one, when no rule understands the words."""

    models: Models

    async def read(self, words: str) -> Instruction | None:
        """What the words say to do; None where that is not understood, or the model says what they do not say."""
        if self.models.is_offline(SAID_ANSWER.tier) or len(words) > MAX_WORDS:
            return None
        try:
            return instruction_of(await self.models.run(SAID_ANSWER, SaidWords(words)), words)
        except ProviderError:  # The card says that nothing was understood, and its buttons need no model.
            return None


def instruction_of(said: ReadAnswer, words: str) -> Instruction | None:
    """What the model has understood, where each word to be sent or proposed is the person's."""
    comment, when = said.comment.strip(), said.when.strip()
    if not said.is_understood or not (said.answer or comment or when):
        return None
    if (comment and not _stands_in(comment, words)) or when.casefold() not in words.casefold():
        return None
    return Instruction("tentative" if when else said.answer, comment[:1].upper() + comment[1:], when)


def _stands_in(comment: str, words: str) -> bool:
    """Whether it is one run of the words; their order may be another, as verbs have it."""
    wanted, said = (_WORD.findall(text.casefold()) for text in (comment, words))
    runs = (said[at : at + len(wanted)] for at in range(len(said) - len(wanted) + 1))
    return bool(wanted) and any(sorted(run) == sorted(wanted) for run in runs)
