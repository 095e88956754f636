"""What the lines of the profiles want of meetings and letters: each is read to its end, or only a model follows it.

And the forms of the lines that learning writes into a profile and that triage reads there.
"""

import calendar
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

from email_assistant.language.hours import FoundHour, find_hours
from email_assistant.language.measures import lengths
from email_assistant.language.numbers import ARTICLES, whole_numbers
from email_assistant.language.text import fold, unaccented
from email_assistant.language.time_words import SHORT_WEEKDAYS, WEEKDAYS
from email_assistant.language.words import WORDS
from email_assistant.models.offline.proposed_times import minutes_in

_LONGEST_LINE = 200
_LONGEST_BUFFER = 240
_OPENERS = ("at ", "de ", "between ")
"""Behind one of these every hour and every range of hours is read as one."""
_NUMBERS = {name: day for name, day in {**SHORT_WEEKDAYS, **WEEKDAYS}.items() if len(name) > 4}
_DAY = re.compile("|".join(sorted(_NUMBERS, key=len, reverse=True)), re.IGNORECASE)
_MAYBE_DAY = r"[^\W\d_]{5,}"
"""Whether it is one, `_days_off` says: patterns with all names of weekdays in them take long to compile."""
_WORD = re.compile(r"(?<![\w-])[^\W\d_]{5,}")
_NAME = r"(?-i:[A-ZÀ-Þ])[\w.'-]*"
_DAYS = r"(?P<days>(?:{on})(?:(?:,\s|,?\s(?:{join})\s)(?:{on}))*)"
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
Interval = tuple[datetime, datetime]
_LINE = r"“(?P<{}>[^”\n]{{1,80}})”"
_FORM = re.compile(
    rf"- In (?P<language>\w+) I(?: begin {_LINE.format('greeting')}(?: or {_LINE.format('other')})?)?"
    rf"(?: and)?(?: end {_LINE.format('closing')})?\."
)


@dataclass(frozen=True, slots=True)
class Voice:
    """As was counted in them; "" where there is no habit."""

    language: str
    """ISO 639-1."""
    greeting: str = ""
    """The first line, with {first}, {last} or {full} for the name of whom it is to."""
    closing: str = ""
    """The line above the name."""
    other: str = ""
    """Another form of the greeting ("Liebe" beside "Lieber"): which one it is depends on the person, and rules use neither."""

    def line(self, language: str) -> str:
        """The profile's line, where the language is called that; "" where there is nothing to say."""
        other = f" or “{self.other}”" if self.other else ""
        begin = f" begin “{self.greeting}”{other}" if self.greeting else ""
        end = f" end “{self.closing}”" if self.closing else ""
        return (
            f"- In {language} I{begin}{' and' if begin and end else ''}{end}."
            if language and (begin or end)
            else ""
        )


@dataclass(frozen=True, slots=True)
class Preferences:
    """What holds for meetings and letters; times are those of the user's zone, and Monday is 0."""

    minutes: int = 0
    """How long a meeting is for which nobody names a length; 0 where no line says so."""
    earliest: time = time.min
    latest: time = time.max
    """When a meeting begins at the earliest, and ends at the latest."""
    lunch: tuple[time, time] = (time.min, time.min)
    buffer: int = 0
    """Minutes that are free between two meetings."""
    days_off: frozenset[int] = frozenset()
    language: str = ""
    """The one language of letters (ISO 639-1); "" where each is in that of the mail."""
    sign_off: str = ""
    """The name under letters."""
    voices: tuple[Voice, ...] = ()
    """One a language."""

    def broken_by(self, start: datetime, end: datetime, busy: Iterable[Interval] = ()) -> list[str]:
        """What a meeting from `start` to `end`, by the user's clock, would break, `busy` being the times of others."""
        return [wish for wish, is_broken in self._limits(start, end, list(busy)) if is_broken]

    def language_for(self, theirs: str) -> str:
        """The language in which a mail in theirs is answered."""
        return self.language or theirs

    def voice_in(self, language: str) -> Voice:
        """How letters in it begin and end."""
        return next((each for each in self.voices if each.language == language), Voice(language))

    def wishes(self) -> list[str]:
        """All of it in words."""
        found = [wish for wish, _ in self._limits(_ANY_DAY, _ANY_DAY, [])]
        if self.minutes:
            found.append(f"meetings of {self.minutes} minutes where nobody names a length")
        if self.language:
            found.append(f"letters by rules in {language_name(self.language)} only")
        if self.sign_off:
            found.append(f"letters by rules in your name are signed “{self.sign_off}”")
        found += [
            f"letters by rules in {language_name(each.language)} as you write them" for each in self.voices
        ]
        return found

    def _limits(self, start: datetime, end: datetime, busy: Sequence[Interval]) -> Iterator[tuple[str, bool]]:
        first, last = start.time(), end.time() if end.date() == start.date() else time.max
        if self.earliest > time.min:
            yield f"no meetings before {self.earliest:%H:%M}", first < self.earliest
        if self.latest < time.max:
            late = first >= self.latest or last > self.latest
            yield f"no meetings that end after {self.latest:%H:%M}", late
        if self.lunch[0] < self.lunch[1]:
            opens, closes = self.lunch
            yield f"no meetings at lunch, {opens:%H:%M}–{closes:%H:%M}", first < closes and last > opens
        for day in sorted(self.days_off):
            yield f"no meetings on {calendar.day_name[day]}s", start.weekday() == day
        if self.buffer:
            gap = timedelta(minutes=self.buffer)
            near = any(start - gap < until <= start or end <= since < end + gap for since, until in busy)
            yield f"{self.buffer} minutes between meetings", near


NONE = Preferences()


Wanted = Callable[[], Awaitable[Preferences]]
"""Tells what the profiles want by now."""


async def nothing() -> Preferences:
    """Where there are no profiles."""
    return NONE


def preferences(lines: Iterable[str]) -> Preferences:
    """What the lines say, of lines that contradict each other the last; those not read to their end say nothing."""
    found = NONE
    for line in lines:
        found = _after(line, found) or found
    return found


def wishes_in(line: str, among: Preferences | None = None) -> list[str] | None:
    """What rules follow of a line in words, where `among` is given what of it holds still; None when only a model follows it."""
    read = _after(line, NONE)
    return None if read is None else [each for each in read.wishes() if not among or each in among.wishes()]


def is_about_letters(line: str) -> bool:
    """Whether rules can follow the line, and all of it in letters."""
    read = _after(line, NONE)
    return read is not None and read == replace(
        NONE, language=read.language, sign_off=read.sign_off, voices=read.voices
    )


def _after(line: str, known: Preferences) -> Preferences | None:
    """What is known after a line; None when a part of it is not understood, or nothing is said."""
    if voice := voice_of(line):
        others = (each for each in known.voices if each.language != voice.language)
        return replace(known, voices=(*others, voice))
    line, start, is_said = fold(line).strip(" -*•\t"), 0, False
    ends = [*(match.span() for match in _END.finditer(line)), (len(line), len(line))]
    while start < len(line) <= _LONGEST_LINE:
        # The longest part first: "Mondays and Fridays" is one.
        for end, after in reversed([each for each in ends if each[0] >= start]):
            part = line[start:end].strip()
            read = known if not part or _POLITE.fullmatch(part) else _clause(part, known)
            if read is not None:
                known, start, is_said = read, after, is_said or read is not known
                break
        else:
            return None
    return known if is_said else None


def _clause(clause: str, known: Preferences) -> Preferences | None:
    for field, language, pattern in _FORMS:
        match = pattern.fullmatch(clause)
        if match and (value := _READERS[field](match, language)):
            return replace(known, **{field: value | known.days_off if field == "days_off" else value})
    return None


def _minutes(match: re.Match[str], _: str) -> int | None:
    return minutes_in(match["length"]) if _length(match["length"]) else None


def _buffer(match: re.Match[str], _: str) -> int:
    return minutes if (minutes := _length(match["length"])) <= _LONGEST_BUFFER else 0


def _length(text: str) -> int:
    """The minutes of a text that is one length and nothing else; 0 of others."""
    named = list(lengths(text))
    before = {unaccented(text[: each.start].strip()) for each in named}
    is_whole = len(named) == 1 and named[0].end == len(text) and before <= {"", *ARTICLES}
    return round(named[0].minutes) if is_whole else 0


def _earliest(match: re.Match[str], language: str) -> time | None:
    found, halved = (_hour(match["hour"] + half, language) for half in ("", " am"))
    # "Before six" is in the morning, or in the evening.
    is_open = found and halved and found.at.hour > 12 and halved.at != found.at
    return found.at if found and not found.until and not is_open else None


def _latest(match: re.Match[str], language: str) -> time | None:
    found = _hour(match["hour"], language)
    return found.at if found and not found.until and found.at.hour >= 12 else None


def _lunch(match: re.Match[str], language: str) -> tuple[time, time] | None:
    found = _hour(match["span"], language)
    until = found and (found.until or found.latest)
    return (found.at, until) if found and until and found.at < until else None


def _days_off(match: re.Match[str], _: str) -> frozenset[int]:
    """The weekdays, or none where a word is the name of none."""
    names = [_DAY.match(word) for word in _WORD.findall(match["days"])]
    return frozenset(_NUMBERS[name[0].lower()] for name in names if name) if all(names) else frozenset()


def _hour(text: str, language: str) -> FoundHour | None:
    """The one time of day, or range, of a text that is nothing else, in digits or in words."""
    digits = text
    for number in reversed(list(whole_numbers(text, language=language))):
        digits = f"{digits[: number.start]}{number.value}{digits[number.end :]}"
    for said in dict.fromkeys((text, digits)):
        for opener in _OPENERS:
            found = find_hours(opener + said, UTC)
            if len(found) == 1 and found[0].start <= len(opener) and found[0].end == len(opener + said):
                return found[0]
    return None


def _language(match: re.Match[str], _: str) -> str:
    named = match["language"].lower()
    return next((code for code, names in _LANGUAGES.items() if named in names.lower().split("|")), "")


_READERS: dict[str, Callable[[re.Match[str], str], Any]] = {
    "minutes": _minutes, "buffer": _buffer, "earliest": _earliest, "latest": _latest, "lunch": _lunch, "days_off": _days_off,
    "language": _language, "sign_off": lambda match, _: match["signed"],
}  # fmt: skip
_GROUPS = {group: rf"(?P<{group}>\S.*?)" for group in ("length", "hour", "span")}
with WORDS.section(
    "preferences", **_GROUPS, weekday=_MAYBE_DAY, named=r"(?P<language>\w+)",
    signed=rf"[“\"„«]?\s?(?P<signed>{_NAME}(?:\s{_NAME}){{0,2}})\s?[”\"“»]?",
) as section:  # fmt: skip
    _END = section.pattern(r"[.;,!](?=\s|$)|\s(?:{join})\s")
    """Where a part of a line may end."""
    _POLITE = section.pattern("{polite}")
    _LANGUAGES = section.table("languages")
    """What each language is called, in English first."""
    _FORMS = [
        (field, language, section.of(language).pattern(line.replace("{days}", _DAYS)))
        for field in _READERS
        for language, text in section.by_file(field).items()
        for line in text.splitlines()
    ]
    """Ways to say what a field is, each in its language; the first that fits counts."""


def language_name(code: str) -> str:
    """What a language is called, by its ISO 639-1 code; "" where nobody knows."""
    return str(_LANGUAGES.get(code, "")).split("|")[0]


def voice_of(line: str) -> Voice | None:
    """What a line says of how letters begin and end; None for another."""
    languages = {language_name(code): code for code in _LANGUAGES}
    found = _FORM.fullmatch(line.strip())
    code = languages.get(found["language"], "") if found else ""
    said = (found[each] or "" for each in ("greeting", "closing", "other")) if found else ()
    return Voice(code, *said) if code else None


DISMISSALS_TO_ASK = 3
"""After so many dismissals the person is asked whether a sender's mail is to be hidden."""
HIDDEN = "; hidden where it asks nothing of you"
"""Behind the count, once the person has agreed."""
HEADING = "## Learned from your feedback"
_DISMISSED = re.compile(
    r"- Mail from (?P<sender>\S.{0,330}): dismissed (?P<count>\d{1,6}) times?(?P<hidden>" + HIDDEN + r")?\s*"
)
_WANTED = re.compile(
    r"- Mail from (?P<sender>\S.{0,330}): you (?:asked for a reply|(?P<back>brought it back))\s*"
)

_EDITS = re.compile(r"- You edited (\d{1,6}) times?(?:; (\d{1,6}) shorter)?(?:; (\d{1,6}) longer)?\s*")


@dataclass(frozen=True, slots=True)
class SenderHistory:
    """What the user did so far with the mail of one sender."""

    dismissed: int = 0
    asked_reply: bool = False
    hidden: bool = False
    """Whether the user agreed that what asks nothing is not shown."""
    brought_back: bool = False
    """Whether the user wanted back what was ignored: none of it is ignored any more."""


def dismissed_line(sender: str, count: int, *, hidden: bool = False) -> str:
    """The line that counts how often the user dismissed mail of this sender, and says whether it is hidden."""
    return f"- Mail from {sender.lower()}: dismissed {count} times{HIDDEN if hidden else ''}"


def asked_reply_line(sender: str) -> str:
    """The line that says that the user wanted this sender answered."""
    return f"- Mail from {sender.lower()}: you asked for a reply"


def brought_back_line(sender: str) -> str:
    """The line that says that the user brought ignored mail of this sender back."""
    return f"- Mail from {sender.lower()}: you brought it back"


def dismissed_count(line: str, sender: str) -> int | None:
    """The count, when the line is the sender's counting line."""
    found = _DISMISSED.fullmatch(line)
    return int(found["count"]) if found and found["sender"].lower() == sender.lower() else None


def edits_in(line: str) -> tuple[int, int, int] | None:
    """The counts of such a line; None of another."""
    found = _EDITS.fullmatch(line)
    return (int(found[1]), int(found[2] or 0), int(found[3] or 0)) if found else None


def is_learned_form(line: str) -> bool:
    """Whether the line has one of the four forms, for any sender."""
    return any(form.fullmatch(line) for form in (_DISMISSED, _WANTED, _EDITS))


def learned_about(line: str) -> str:
    """Whom a line of the three forms is about, in lower case; "" for other lines."""
    found = _DISMISSED.fullmatch(line) or _WANTED.fullmatch(line)
    return found["sender"].lower() if found else ""


def preferences_about(sender: str, preferences: str) -> str:
    """The profile for a model that judges this sender's mail, without what was learned of other senders.

    Nor what was counted of this one: whether a dismissed sender is hidden is decided by `triage.silenced`, whoever triages.
    """
    lines = [
        line for line in parted(preferences)[0].splitlines() if learned_about(line) in ("", sender.lower())
    ]
    return "\n".join(lines).rstrip().removesuffix(HEADING).rstrip()


def parted(preferences: str) -> tuple[str, list[str]]:
    """A profile as a model may read and rewrite it, and the lines that only rules go by and write: dismissed, brought back."""
    lines = preferences.splitlines()
    counted = [line for line in lines if _is_by_rule(line)]
    kept = [line for line in lines if line not in counted]
    return "\n".join(kept).rstrip().removesuffix(HEADING).rstrip(), counted


def _is_by_rule(line: str) -> bool:
    wanted = _WANTED.fullmatch(line)
    return bool(_DISMISSED.fullmatch(line) or (wanted and wanted["back"]))


def joined(spoken: str, counted: list[str]) -> str:
    """The inverse of `parted`: the lines of rules stand at the end of what was learned."""
    if not counted:
        return spoken
    heading = [] if HEADING in spoken.splitlines() else ["", HEADING]
    return "\n".join([spoken.rstrip(), *heading, *counted])


def history_of(sender: str, preferences: str) -> SenderHistory:
    """What the profile's lines say about exactly this address, without regard to case."""
    lines = preferences.splitlines() if sender else []
    counts = [count for line in lines if (count := dismissed_count(line, sender)) is not None]
    hidden = any(dismissed_count(line, sender) and line.rstrip().endswith(HIDDEN) for line in lines)
    said = {line.lower().rstrip() for line in lines}
    asked, brought_back = (each(sender).lower() in said for each in (asked_reply_line, brought_back_line))
    return SenderHistory(max(counts, default=0), asked, hidden, brought_back)
