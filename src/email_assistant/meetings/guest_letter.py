"""The letter to one guest of a meeting: in their language, by both clocks, with place, link and who else comes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event
from email_assistant.calendars.proposal import call_link
from email_assistant.language.words import WORDS
from email_assistant.language.zones import clock_of, sender_zone, zone_anywhere
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline.courtesy import Courtesy, courtesy_of, first_name, names_of
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.preferences import Preferences
from email_assistant.models.offline.reading import body_words

Occasion = Literal["invited", "moved", "cancelled"]
INVITED: Occasion = "invited"
MOVED: Occasion = "moved"
CANCELLED: Occasion = "cancelled"
_MAX_SUBJECT = 200
_NAMED = 10
_ENGLISH = Courtesy("en", False)

with WORDS.section("guest_letter") as section:
    _WORDS = {
        key: section.by_file(key)
        for key in (
            "day", "short_day", "year", "months", "short_months", "weekdays", "short_weekdays", "hours", "yours", "yours_formal",
            "from_until", "where", "link", "others", "more", *(f"subjects.{each}" for each in (INVITED, MOVED, CANCELLED)),
            *(f"sentences.{each}" for each in (INVITED, MOVED, CANCELLED, "agreed", "instead", "moved_from")),
        )
    }  # fmt: skip

Person = Mapping[str, Any]
"""What a conversation tells of somebody in it, as JSON: by which names and in which language they are written to, and by which clock."""


def people_of(conversation: Conversation) -> dict[str, Person]:
    """Whoever is in the conversation, by `Address.key`; who has written in it by what they wrote last."""
    found: dict[str, Person] = {}
    for message in (*conversation.earlier, conversation.current):
        for each in (*message.to, *message.cc):
            found.setdefault(each.key, {"name": one_line(each.name)})
        found[message.sender.key] = _writer(message)
    return found


def _writer(message: Message) -> Person:
    text = body_words(message)
    courtesy = courtesy_of(message) or _ENGLISH
    zone = sender_zone(text) or zone_anywhere(text)
    # Of a message that gives orders nothing is repeated, not even names.
    first, full = ("", "") if orders_an_assistant(message) else names_of(message)
    return {
        "name": one_line(message.sender.name), "first": first, "full": full, "language": courtesy.language,
        "is_formal": courtesy.is_formal, "zone": str(zone or ""), "written": message.headers.get("date", ""),
    }  # fmt: skip


def reader_of(message: Message, wanted: Preferences, *, is_theirs: bool) -> Person:
    """Who reads an answer to the message, in a language that is `wanted`; by its clock, where its sender is who reads it."""
    kept = ("language", "is_formal", *(("zone", "written") if is_theirs else ()))
    found = {name: each for name, each in _writer(message).items() if name in kept}
    return found | {"language": wanted.language_for(found["language"])}


@dataclass(frozen=True)
class LetterWriter:
    """Writes to one guest."""

    courtesy: Courtesy
    own: ZoneInfo
    """The clock of the calendar's owner."""
    theirs: tzinfo | None
    """The guest's; None where nobody knows."""
    year: int
    """This one, which is not named."""

    def subject(self, about: Occasion, event: Event) -> str:
        """What, and when by the clock of the one who invites."""
        start = event.start.astimezone(self.own)
        when = self._day(start.date(), "short_") + ("" if event.all_day else f" {start:%H:%M}")
        return f"{self._word(f'subjects.{about}')}: {one_line(event.title)[:_MAX_SUBJECT]}, {when}"

    def sentence(
        self, about: Occasion, event: Event, was: Event | None, *, agreed: bool, asked: Event | None = None
    ) -> str:
        """What the letter is about: which meeting, when, and when it was to be, or is `asked` to be and is not."""
        key: str = "moved_from" if was and about == MOVED else about
        if about == INVITED and (agreed or asked):
            key = "agreed" if agreed else "instead"
        when, *others = (self.when(each) if each else "" for each in (event, was, asked))
        names = dict(zip(("was", "asked"), others, strict=True))
        text = self._word(f"sentences.{key}", when=when, **names, title=one_line(event.title))
        return f"{text[:1].upper()}{text[1:]}" if key == "instead" else text

    def when(self, event: Event) -> str:
        """Weekday, day and hours by the owner's clock, and by the guest's where that shows others."""
        if event.all_day:
            edges = (event.start, event.end.astimezone(UTC) - timedelta(seconds=1))
            first, last = (self._day(each.astimezone(self.own).date()) for each in edges)
            return first if first == last else self._word("from_until", first=first, last=last)
        start = event.start.astimezone(self.own)
        hours = self._word("hours", hours=self._hours(event, self.own))
        beside = [self.own.key]
        if self.theirs and start.utcoffset() != event.start.astimezone(self.theirs).utcoffset():
            beside = [self._by_their_clock(event, self.theirs, start.date())]
            beside = [self.own.key, *beside] if self.theirs is UTC else beside
        return f"{self._day(start.date())}, {hours} ({'; '.join(beside)})"

    def facts(self, event: Event, others: Sequence[str]) -> list[str]:
        """A line each: where, the link, and who else comes."""
        place = one_line(event.location)
        link = event.conference_link or call_link(event.description)
        more = [self._word("more", count=str(len(others) - _NAMED))] if len(others) > _NAMED else []
        values = {
            "where": place, "link": "" if link in place else link, "others": ", ".join([*others[:_NAMED], *more]),
        }  # fmt: skip
        return [f"{self._word(key)}: {text}" for key, text in values.items() if text]

    def _by_their_clock(self, event: Event, theirs: tzinfo, day: date) -> str:
        hours, there = self._hours(event, theirs), event.start.astimezone(theirs).date()
        hours = hours if there == day else f"{self._day(there)}, {hours}"
        key = "yours_formal" if self.courtesy.is_formal else "yours"
        return f"{hours} UTC" if theirs is UTC else self._word(key, hours=hours)

    def _hours(self, event: Event, zone: tzinfo) -> str:
        start, end = (each.astimezone(zone) for each in (event.start, event.end))
        same_day = start.date() == end.date() or end - start < timedelta(hours=12)
        return f"{start:%H:%M}–{'' if same_day else self._day(end.date()) + ', '}{end:%H:%M}"

    def _day(self, day: date, short: str = "") -> str:
        names = {"weekday": (f"{short}weekdays", day.weekday()), "month": (f"{short}months", day.month - 1)}
        words = {name: self._word(key).split()[index] for name, (key, index) in names.items()}
        text = self._word(f"{short}day", day=str(day.day), **words)
        return text if day.year == self.year else self._word("year", day=text, year=str(day.year))

    def _word(self, key: str, **filled: str) -> str:
        text = str(_WORDS[key][self.courtesy.language])
        for name, word in filled.items():
            text = text.replace(f"{{{name}}}", word)
        return text


def letter(
    about: Occasion,
    event: Event,
    guest: Address,
    people: Mapping[str, Person],
    *,
    writer: str,
    own: str,
    signed: str,
    wanted: Preferences,
    now: datetime,
    was: Event | None = None,
    agreed: bool = False,
    asked: str = "",
) -> tuple[str, str]:
    """Subject and text. `people` is what the conversation tells, `writer` the key of whoever wrote its current message, in whose
    language strangers are written to, unless it is not `wanted`; `own` is the IANA zone of the calendar's owner; `asked` is the start,
    in ISO 8601, that the writer would have had in place of this one. Reads time zone data from disk.
    """
    person, tone = people.get(guest.key, {}), people.get(writer, {})
    clerk = writer_to(person, tone, own=own, at=event.start, wanted=wanted, now=now)
    name = Address(guest.email, guest.name or person.get("name", ""))
    first = person.get("first") or first_name(name)
    full = person.get("full") or (one_line(name.name) if first else "")
    others = [
        each
        for each in event.attendees
        if each.key not in {guest.key, *([event.organizer.key] if event.organizer else [])}
    ]
    named = [one_line(each.name or people.get(each.key, {}).get("name", "")) or each.email for each in others]
    paragraphs = [
        clerk.courtesy.greeting(first, full),
        clerk.sentence(
            about,
            event,
            was,
            agreed=agreed and "language" in person,
            asked=_moved_to(event, asked) if guest.key == writer else None,
        ),
        "\n".join(clerk.facts(event, named if about != CANCELLED else ())),
        clerk.courtesy.closing(one_line(signed)),
    ]
    return clerk.subject(about, event), "\n\n".join(filter(None, paragraphs))


def _moved_to(event: Event, start: str) -> Event | None:
    if not start or event.all_day:
        return None
    begins = datetime.fromisoformat(start)
    return replace(event, start=begins, end=begins + (event.end - event.start))


def writer_to(
    person: Person, tone: Person, *, own: str, at: datetime, wanted: Preferences, now: datetime
) -> LetterWriter:
    """Who writes to this person; in the language of `tone` where theirs is not known. `at` is when their clock is looked at."""
    tone = person if "language" in person else tone
    language = wanted.language_for(tone.get("language", "en"))
    courtesy = Courtesy(language, tone.get("is_formal", True)) if language in _WORDS["day"] else _ENGLISH
    return LetterWriter(courtesy, ZoneInfo(own), _clock(person, at), now.astimezone(ZoneInfo(own)).year)


def _clock(person: Person, at: datetime) -> tzinfo | None:
    """The zone that their mail names, else what its Date header's offset says."""
    if person.get("zone"):
        return ZoneInfo(person["zone"])
    try:
        return clock_of(parsedate_to_datetime(str(person.get("written", ""))), at)
    except (ValueError, TypeError, OverflowError):
        return None
