"""The letter to one guest of a meeting: in their language, by both clocks, with place, link and who else comes."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from typing import Literal
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event
from email_assistant.calendars.proposal import call_link
from email_assistant.language.words import WORDS
from email_assistant.language.zones import clock_of, sender_zone, zone_anywhere
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message, OutgoingMessage
from email_assistant.mail.text import one_line
from email_assistant.models.offline.courtesy import Courtesy, courtesy_of, first_name, names_of
from email_assistant.models.offline.preferences import Preferences
from email_assistant.models.offline.reading import body_words, orders_an_assistant
from email_assistant.tools.meeting_words import fits

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


@dataclass(frozen=True, slots=True)
class Person:
    """What a conversation tells of somebody in it."""

    name: str = ""
    first: str = ""
    full: str = ""
    language: str = ""
    """"" of whoever has written nothing."""
    is_formal: bool = True
    zone: str = ""
    """The IANA name of the one that their mail names."""
    written: str = ""
    """The Date header of that mail, whose offset tells of their clock."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a mail to guests needs besides the meeting."""

    message: OutgoingMessage
    """The mail without whom it is to and what it says."""
    subject_key: str
    """By this a mail of ours is told from an answer that the person wrote elsewhere."""
    people: Mapping[str, Person]
    writer: str
    """The `Address.key` of who wrote the mail that the meeting follows from."""
    was: Event | None = None
    """The meeting that is moved."""
    agreed: bool = False
    """Whether the mail names the time: only such a one is "as discussed"."""
    asked: datetime | None = None
    """At another time, which start the mail names first."""

    def at_time_of(self, event: Event, named: Sequence[str], own: str) -> "Envelope":
        """The same for an event of this time; `named` are the times that the mail names."""
        agreed = any(fits(event, each, own) for each in named)
        start, _, end = (named or [""])[0].partition("/")
        edges = [datetime.fromisoformat(each) for each in (start, end) if end]
        # A span within which it may be is no hour that somebody wants.
        is_hour = edges and edges[1] - edges[0] <= event.end - event.start
        return replace(self, agreed=agreed, asked=edges[0] if is_hour and not agreed else None)


def people_of(conversation: Conversation) -> dict[str, Person]:
    """Whoever is in the conversation, by `Address.key`; who has written in it by what they wrote last, and where they said they are."""
    found: dict[str, Person] = {}
    for message in (*conversation.earlier, conversation.current):
        for each in (*message.to, *message.cc):
            found.setdefault(each.key, Person(one_line(each.name)))
        found[message.sender.key] = _still_there(found.get(message.sender.key, Person()), _writer(message))
    return found


def _still_there(before: Person, person: Person) -> Person:
    """Where somebody said they are holds until they name another place, or write by another clock."""
    if person.zone or not before.zone:
        return person
    with suppress(ValueError, TypeError, OverflowError):
        written = parsedate_to_datetime(person.written)
        if (
            written.utcoffset()
            and written.utcoffset() != written.astimezone(ZoneInfo(before.zone)).utcoffset()
        ):
            return person
    return replace(person, zone=before.zone)


def _writer(message: Message) -> Person:
    text = body_words(message)
    courtesy = courtesy_of(message) or _ENGLISH
    zone = sender_zone(text) or zone_anywhere(text)
    # Of a message that gives orders nothing is repeated, not even names.
    first, full = ("", "") if orders_an_assistant(message) else names_of(message)
    name, written = one_line(message.sender.name), message.headers.get("date", "")
    return Person(name, first, full, courtesy.language, courtesy.is_formal, str(zone or ""), written)


def reader_of(message: Message, wanted: Preferences, *, is_theirs: bool) -> Person:
    """Who reads an answer to the message, in a language that is `wanted`; by its clock, where its sender is who reads it."""
    found = _writer(message)
    reader = Person(language=wanted.language_for(found.language), is_formal=found.is_formal)
    return replace(reader, zone=found.zone, written=found.written) if is_theirs else reader


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
        when = self.day(start.date(), "short_") + ("" if event.all_day else f" {start:%H:%M}")
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
            first, last = (self.day(each.astimezone(self.own).date()) for each in edges)
            return first if first == last else self._word("from_until", first=first, last=last)
        beside = self._beside(event) or [self.own.key]
        return f"{self._at(event)} ({'; '.join(beside)})"

    def offered(self, event: Event) -> str:
        """The same of hours that are offered; which clock is meant is left out where there is but one."""
        beside = self._beside(event) or ([] if self.theirs else [self.own.key])
        return f"{self._at(event)} ({'; '.join(beside)})" if beside else self._at(event)

    def _at(self, event: Event) -> str:
        start = event.start.astimezone(self.own)
        return f"{self.day(start.date())}, {self._word('hours', hours=self._hours(event, self.own))}"

    def _beside(self, event: Event) -> list[str]:
        """Their hours, where their clock shows others."""
        start = event.start.astimezone(self.own)
        if not self.theirs or start.utcoffset() == event.start.astimezone(self.theirs).utcoffset():
            return []
        theirs = self._by_their_clock(event, self.theirs, start.date())
        return [self.own.key, theirs] if self.theirs is UTC else [theirs]

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
        hours = hours if there == day else f"{self.day(there)}, {hours}"
        key = "yours_formal" if self.courtesy.is_formal else "yours"
        return f"{hours} UTC" if theirs is UTC else self._word(key, hours=hours)

    def _hours(self, event: Event, zone: tzinfo) -> str:
        start, end = (each.astimezone(zone) for each in (event.start, event.end))
        same_day = start.date() == end.date() or end - start < timedelta(hours=12)
        return f"{start:%H:%M}–{'' if same_day else self.day(end.date()) + ', '}{end:%H:%M}"

    def day(self, day: date, short: str = "") -> str:
        """Weekday and day, with the year where it is another one; `short`: "short_" for abbreviations."""
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
    envelope: Envelope,
    *,
    own: str,
    wanted: Preferences,
    now: datetime,
    said: str = "",
) -> tuple[str, str]:
    """Subject and text; what the user has `said` to the guests stands before when it is, and in place of how that came about.

    Strangers are written to in the language of the mail that the meeting follows from, unless it is not `wanted`; `own` is the IANA zone
    of the calendar's owner. Reads time zone data from disk.
    """
    people, writer, sender = envelope.people, envelope.writer, envelope.message.sender
    person, tone = people.get(guest.key, Person()), people.get(writer, Person())
    clerk = writer_to(person, tone, own=own, at=event.start, wanted=wanted, now=now)
    name = Address(guest.email, guest.name or person.name)
    first = person.first or first_name(name)
    full = person.full or (one_line(name.name) if first else "")
    others = [each for each in event.attendees if each.key not in {guest.key, sender.key}]
    named = [one_line(each.name or people.get(each.key, Person()).name) or each.email for each in others]
    about_it = clerk.sentence(
        about,
        event,
        envelope.was,
        agreed=envelope.agreed and bool(person.language) and not said,
        asked=_moved_to(event, envelope.asked) if guest.key == writer and not said else None,
    )
    paragraphs = [
        clerk.courtesy.greeting(first, full),
        said,
        _capital(about_it) if said else about_it,
        "\n".join(clerk.facts(event, named if about != CANCELLED else ())),
        clerk.courtesy.closing(one_line(wanted.sign_off or sender.name)),
    ]
    return clerk.subject(about, event), "\n\n".join(filter(None, paragraphs))


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _moved_to(event: Event, start: datetime | None) -> Event | None:
    if start is None or event.all_day:
        return None
    return replace(event, start=start, end=start + (event.end - event.start))


def writer_to(
    person: Person, tone: Person, *, own: str, at: datetime, wanted: Preferences, now: datetime
) -> LetterWriter:
    """Who writes to this person; in the language of `tone` where theirs is not known. `at` is when their clock is looked at."""
    tone = person if person.language else tone
    language = wanted.language_for(tone.language or "en")
    voice = wanted.voice_in(language)
    courtesy = Courtesy(language, tone.is_formal, voice) if language in _WORDS["day"] else _ENGLISH
    return LetterWriter(courtesy, ZoneInfo(own), _clock(person, at), now.astimezone(ZoneInfo(own)).year)


def _clock(person: Person, at: datetime) -> tzinfo | None:
    """The zone that their mail names, else what its Date header's offset says."""
    if person.zone:
        return ZoneInfo(person.zone)
    try:
        return clock_of(parsedate_to_datetime(person.written), at)
    except (ValueError, TypeError, OverflowError):
        return None
