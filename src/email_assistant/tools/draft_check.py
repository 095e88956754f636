"""The checks of drafts, whatever graph writes them: facts that stand nowhere (docs/fact_check.md), and recipients not known.

Where nobody may see a draft, or a company is bound by it, its graph puts a gap in place of what nothing supports (`with_gaps`). For
all others the tool that proposes the mail tells it on the card (`found_nowhere`): a person reads the whole text there anyway, so promises,
which are theirs to make, are not told, and whose words a fact stands in makes no difference.

The times of meetings that an outgoing text names, held against the user's calendar: whoever wrote it, and whatever graph sends it.
"""

import asyncio
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.conflicts import (
    FREE_TIMES,
    collision_key,
    conflicts_with,
    found_out,
    title_of,
    touching,
)
from email_assistant.calendars.event import Event, unread_events
from email_assistant.clock import Clock, day_in_words, now_for
from email_assistant.errors import ProviderError, TransientError
from email_assistant.facts.check import check
from email_assistant.facts.fact import CheckedDraft, Gap, Kind, Own, Role, Source
from email_assistant.journal.mailboxes import Correspondents
from email_assistant.language.days import days_in
from email_assistant.language.hours import find_hours
from email_assistant.language.text import DAY_FIRST, language_of
from email_assistant.mail.address import Address, format_addresses
from email_assistant.mail.message import Conversation, OutgoingMessage
from email_assistant.models.offline import words
from email_assistant.models.offline.meeting import stated_zone
from email_assistant.models.offline.offers import meeting_request, stated_times, their_zone
from email_assistant.models.offline.proposed_times import written_in
from email_assistant.tools.concerns import Concern
from email_assistant.tools.tool import Turn, User
from email_assistant.working_hours import WorkingHours

MAX_SOURCE = 8_000
"""Characters of a source that are read: as many as a writer gets, about."""
MAX_EARLIER = 8
MAX_GIVEN = 24_000
"""Characters of what the writer was given besides the conversation."""
MAX_TOLD = 5
MANY = 10
"""More recipients than this are told."""
MAX_NAMED = 5
_CALLED: Mapping[Kind, str] = {
    "money": "amount",
    "quantity": "figure",
    "id": "reference",
    "phone": "phone number",
    "email": "address",
}
"""Names of kinds of facts where their own do not say it."""
_BOTH_WAYS = "either way round"
"""Of a date like 03/04, in the reason of its gap."""
_NOT_TOLD: tuple[Kind, ...] = ("promise", "gap")
"""Gaps are told by the tool that sends (`tools/sending.py`)."""


async def with_gaps(
    draft: str, sources: Sequence[Source], user: User, now: datetime, own: Own | None = None
) -> CheckedDraft:
    """The draft with a gap in place of each fact and promise that no source supports; `own` is for who writes not as the user."""
    return await asyncio.to_thread(
        check, draft, sources, now=now, timezone=user.timezone, own=own or own_of(user)
    )


async def found_nowhere(draft: str, turn: Turn, now: datetime) -> tuple[str, ...]:
    """A warning for each fact of a draft that stands neither in the conversation nor in what else its writer was given."""
    given = [*mail_sources(turn.conversation), *_quoted(turn.conversation), *_newest(turn.sources)]
    sources = [replace(source, text=source.text[:MAX_SOURCE], role="ours") for source in given]
    found = await _found(draft, sources, turn.user, now)
    if any(_BOTH_WAYS in gap.reason for gap in found):
        # A draft has one way of writing 03/04: the one by which more of it stands somewhere.
        ways = [await _found(draft, sources, turn.user, now, day_first=first) for first in (True, False)]
        found = min(ways, key=len)
    more = len(found) - MAX_TOLD
    lines = dict.fromkeys(_warning(gap) for gap in found[:MAX_TOLD])
    return (*lines, *([f"{more} more facts of the text stand nowhere either."] if more > 0 else []))


async def _found(
    draft: str, sources: Sequence[Source], user: User, now: datetime, *, day_first: bool | None = None
) -> list[Gap]:
    own = replace(own_of(user), day_first=day_first)
    checked = await with_gaps(draft, sources, user, now, own)
    return [gap for gap in checked.gaps if gap.kind not in _NOT_TOLD]


def _newest(sources: Sequence[Source]) -> list[Source]:
    """The last of them, as many as fit: reading takes time in proportion to their length."""
    kept, left = [], MAX_GIVEN
    for source in reversed(sources):
        kept.append(replace(source, text=source.text[: min(MAX_SOURCE, left)]))
        left -= len(kept[-1].text)
        if left <= 0:
            break
    return kept


def own_of(user: User) -> Own:
    """The facts about the user that need no source."""
    return Own(user.address.name, user.address.email, (user.background,))


def mail_sources(conversation: Conversation, genuine: Mapping[str, str] | None = None) -> Iterator[Source]:
    """The messages with their files. A text is ours where `genuine`, message id → text, has it; all else is, or repeats, theirs."""
    for message in (*conversation.earlier[-MAX_EARLIER:], conversation.current):
        words = f"{message.sender.name}\n{message.subject}"
        yield Source("the mail", words[:MAX_SOURCE], "theirs", message.date)
        role: Role = "ours" if (genuine or {}).get(message.id) == message.text else "theirs"
        yield Source("the mail", message.text[:MAX_SOURCE], role, message.date)
        for text in (message.signature, *(each.text for each in message.attachments)):
            yield Source("the mail", text[:MAX_SOURCE], "theirs", message.date)


def _quoted(conversation: Conversation) -> Iterator[Source]:
    """People, attachments and quotes of the messages."""
    for message in (*conversation.earlier[-MAX_EARLIER:], conversation.current):
        people = format_addresses((message.sender, *message.to, *message.cc))
        attached = "\n".join(each.name for each in message.attachments)
        yield Source("the mail", f"{people}\n{attached}", "theirs", message.date)
        yield Source("the mail", message.quoted, "theirs", message.date)


def _warning(gap: Gap) -> str:
    called, quoted = _CALLED.get(gap.kind, gap.kind), " ".join(gap.quoted.split())
    if gap.reason.startswith("no source"):
        return f"The {called} {quoted} stands nowhere in the mail, nor in anything else that was read."
    return f"Look at the {called} {quoted}: {gap.reason}."


async def warnings_about_recipients(
    message: OutgoingMessage, turn: Turn, correspondents: Correspondents, mailbox: str
) -> tuple[str, ...]:
    """Plain sentences: how many they are, who is new to the conversation, and whom a mail names that the user never wrote to."""
    everybody = (*message.to, *message.cc)
    known = turn.participants()
    strangers = [a for a in everybody if a.key not in known]
    lines = [f"It goes to {len(everybody)} people."] if len(everybody) > MANY else []
    lines += [f"New recipient, not in this conversation so far: {a.email}" for a in strangers[:MANY]]
    if len(strangers) > MANY:
        lines.append(f"{len(strangers) - MANY} more new recipients, not in this conversation so far.")
    only_named = await _only_named(everybody, turn, correspondents, mailbox)
    return (
        (*lines, f"You have not written to these before, whom the mail only names: {_listed(only_named)}.")
        if only_named
        else tuple(lines)
    )


async def _only_named(
    everybody: Sequence[Address], turn: Turn, correspondents: Correspondents, mailbox: str
) -> list[Address]:
    """Those who were put into the conversation by others, have not written in it, and whom the user has never written to."""
    messages = (*turn.conversation.earlier, turn.conversation.current)
    wrote = turn.user.own | {m.sender.key for m in messages}
    wrote |= {a.key for m in messages if m.sent for a in (*m.to, *m.cc)}
    named = [a for a in everybody if a.key not in wrote and a.key in turn.participants()]
    # By address alone: another name than on record does not make a stranger.
    unknown = await correspondents.unknown(mailbox, [Address(a.email) for a in named])
    return [a for a in named if a.key in unknown]


def _listed(addresses: Sequence[Address]) -> str:
    more = f" and {len(addresses) - MAX_NAMED} more" if len(addresses) > MAX_NAMED else ""
    return f"{', '.join(a.email for a in addresses[:MAX_NAMED])}{more}"


MAX_TIMES = 10
"""So many times of a text are looked at."""
_AHEAD = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A time to come that a text names, and what the calendar has then."""

    event: Event
    taken_by: tuple[Event, ...]
    line: str
    """Where it stands."""
    is_settled: bool = False
    """Whether the calendar has a meeting then with those who get the text, which may be what it speaks of."""
    beside: str = ""
    """What it touches, see `conflicts.touching`."""

    @property
    def is_free(self) -> bool:
        """Whether the calendar has nothing then."""
        return not (self.taken_by or self.is_settled)


@dataclass(frozen=True, slots=True)
class TimesInDraft:
    """What was found about the times of a text."""

    times: tuple[NamedTime, ...] = ()
    timezone: str = "UTC"
    hours: WorkingHours | None = None
    trouble: str = ""
    """Why the calendar could not be read."""
    theirs: tzinfo | None = None
    """The clock of the place where whoever is answered says to be."""

    @property
    def keys(self) -> list[str]:
        """What tells each collision from all others."""
        return [collision_key(time.event, each) for time in self.times for each in time.taken_by]

    def as_meeting(self) -> dict[str, Any] | None:
        """{"named": [{"start", "end"}]} of what is free, for `CardView.meeting`; None without any."""
        free = [time.event for time in self.times if time.is_free and not self.trouble]
        edges = [
            [each.astimezone(ZoneInfo(self.timezone)).isoformat() for each in (e.start, e.end)] for e in free
        ]
        return {"named": [dict(zip(("start", "end"), each, strict=True)) for each in edges]} if free else None

    def warnings(self) -> tuple[str, ...]:
        """What a card says of times that are taken, may be, or are outside the user's hours."""
        if self.trouble:
            named = ", ".join(self._described(time) for time in self.times)
            return (f"Nobody has looked whether you are free on {named}: {self.trouble}",)
        lines = [warning for time in self.times for warning in self._warnings(time)]
        return (*lines, *self._beyond_their_hours())

    def reasons(self) -> tuple[str, ...]:
        """That times are free."""
        free = [f"{self._described(time)}{time.beside}" for time in self.times if time.is_free]
        return (f"{FREE_TIMES}{'; '.join(free)}.",) if free and not self.trouble else ()

    def concerns(self, shown: Collection[str]) -> list[Concern]:
        """What the person who has accepted was not shown."""
        new = [key for key in self.keys if key not in shown]
        texts = [
            f"{self._described(time)}: {found_out(time.taken_by)}"
            for time in self.times
            if any(collision_key(time.event, each) in new for each in time.taken_by)
        ]
        if not texts:
            return []
        digest = hashlib.sha256(" ".join(new).encode()).hexdigest()[:16]
        return [Concern(f"taken:{digest}", f"{' '.join(texts)} Accept again to send it all the same.")]

    def source(self, now: datetime) -> Iterator[Source]:
        """Days and hours of lines whose times are all free: the calendar is what they rest on."""
        lines = {time.line for time in self.times} if not self.trouble else set()
        lines -= {time.line for time in self.times if time.taken_by}
        if lines:
            text = "\n".join(_days_and_hours(line, now, ZoneInfo(self.timezone)) for line in sorted(lines))
            yield Source("the calendar", text, "ours", now)

    def _beyond_their_hours(self) -> Iterator[str]:
        """Which of the times are none to work at on the other side, by the hours of the user."""
        found = []
        for time in self.times if self.theirs and self.hours else ():
            start, end = (edge.astimezone(self.theirs) for edge in (time.event.start, time.event.end))
            if self.hours and not (time.is_settled or self.hours.hold(start, end)):
                found.append(f"{self._described(time)} is {start:%H:%M}")
        if found:
            which = (
                "None of these times is" if len(found) == len(self.times) else "Not all of these times are"
            )
            yield f"{which} within working hours on both sides: {'; '.join(found)} in {self.theirs}."

    def _warnings(self, time: NamedTime) -> Iterator[str]:
        text, unread = self._described(time), unread_events(time.taken_by)
        if taken := [title_of(each) for each in time.taken_by if not each.unread]:
            yield f"The text names {text}, when you have {', '.join(taken)}."
        if unread:
            yield f"Nobody knows whether {', '.join(map(title_of, unread))} in your calendar is on {text}."
        zone = ZoneInfo(self.timezone)
        start, end = time.event.start.astimezone(zone), time.event.end.astimezone(zone)
        if self.hours and not time.is_settled and not self.hours.hold(start, end):
            yield f"The text names {text}, outside your working hours ({self.hours})."

    def _described(self, time: NamedTime) -> str:
        local = time.event.start.astimezone(ZoneInfo(self.timezone))
        return f"{day_in_words(local.date())}, {local:%H:%M}"


@dataclass(frozen=True)
class Agenda:
    """What the times of a text are held against."""

    calendar: Calendar
    clock: Clock
    timezone: str
    """The user's, by its IANA name."""
    hours: WorkingHours

    async def of_reply(
        self, text: str, conversation: Conversation, with_whom: Collection[str]
    ) -> TimesInDraft | None:
        """The times that a text names in answer to a conversation; None where neither is about a meeting."""
        now = now_for(self.clock, conversation.arrived)
        asked = await asyncio.to_thread(meeting_request, conversation, now=now, timezone=self.timezone)
        if not (asked or words.MEETING.search(text)):
            return None
        found = await self.of_text(text, with_whom, now)
        return replace(found, theirs=their_zone(conversation))

    async def of_text(self, text: str, with_whom: Collection[str], now: datetime) -> TimesInDraft:
        """The times that a text names. Meetings with the people `with_whom` may be what it speaks of.

        They are keys of addresses; such a meeting takes no time.
        """
        named = await asyncio.to_thread(self._named, text, now)
        if not named:
            return TimesInDraft()
        try:
            first, last = min(event.start for event, _ in named), max(event.end for event, _ in named)
            there = await self.calendar.events(first - self.hours.way, last + self.hours.way)
        except (ProviderError, TransientError) as error:
            times = tuple(NamedTime(event, (), line) for event, line in named)
            return TimesInDraft(times, self.timezone, self.hours, str(error))
        theirs = [each for each in there if _is_with(each, with_whom)]
        others = [each for each in there if each not in theirs]
        times = tuple(
            NamedTime(
                event,
                tuple(conflicts_with(event, others)),
                line,
                bool(conflicts_with(event, theirs)),
                touching(event, others, self.hours.way),
            )
            for event, line in named
        )
        return TimesInDraft(times, self.timezone, self.hours)

    def _named(self, text: str, now: datetime) -> list[tuple[Event, str]]:
        zone = ZoneInfo(self.timezone)
        base = now.astimezone(zone).date()
        day_first = language_of(text) in DAY_FIRST
        written = written_in(text, base, zone, day_first=day_first, stated=stated_zone(text, zone))
        found: dict[datetime, tuple[Event, str]] = {}
        for start, end, line in stated_times(text, written):
            if now < start < now + _AHEAD:
                event = Event("", "", start, end, timezone=self.timezone)
                found.setdefault(start.astimezone(UTC), (event, line))
        return list(found.values())[:MAX_TIMES]


def _days_and_hours(line: str, now: datetime, zone: ZoneInfo) -> str:
    days, rest = days_in(line, now.astimezone(zone).date(), day_first=language_of(line) in DAY_FIRST)
    hours = find_hours(rest, zone, whole=line)
    spans = sorted((each.start, each.end) for found in (days, hours) for each in found)
    return " ".join(line[start:end] for start, end in spans)


def _is_with(event: Event, people: Collection[str]) -> bool:
    organizer = [event.organizer] if event.organizer else []
    return any(each.key in people for each in (*event.attendees, *organizer))
