"""How somebody writes, counted in their own letters: greeting, closing, name, length, languages, hours, whom to, and from which address."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from statistics import median

from email_assistant.language.text import language_of, unaccented
from email_assistant.mail.address import Address
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline.courtesy import person_named
from email_assistant.models.offline.preferences import Voice, language_name, voice_of

LEAST = 5
"""So many letters show a habit."""
CLOSE = 5
"""So many people are named."""
_HABIT = 0.4
"""Of the letters that have a greeting or a closing, at least: what is rarer is no habit."""
_MOSTLY = 0.9
"""Of the letters, those of the hours in which somebody writes."""
_LANGUAGE = 0.03
_GREETS, _CLOSES, _NAMES = 8, 6, 3
"""Words of such a line, at most."""
_CLOSE_TO_ME = "- Close to me: "
_COUNTED = ("- Sign off as “", "- My letters have about ", "- I write in ")
_STEM = 4
"""Letters that two endings of a word share."""
_BLOCK = re.compile(r"(?:--|__+|\*{2,})\s*")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?")
_TOLD = re.compile(r"[.?;]$|[.?!]\s|\d{3}")
"""Of a line that tells something."""


@dataclass(frozen=True, slots=True)
class WritingStyle:
    """The habits; where there is none, nothing is said."""

    letters: int
    voices: Sequence[Voice]
    """How letters begin and end, of the commonest language first."""
    signed: str
    """The name under letters."""
    words: int
    """Median of a letter, without greeting and closing."""
    languages: Mapping[str, float]
    """Language → share of the letters, the commonest first."""
    hours: tuple[int, int] | None
    """From and until which hour, by the clock of the zone; None where no letter says when it was written."""
    people: Sequence[Address]
    """Whom most letters go to, the most first."""
    senders: Mapping[str, int]
    """From which of their addresses, lower case → letters."""


@dataclass(frozen=True, slots=True)
class _Letter:
    greeting: str
    closing: str
    signed: str
    words: int
    language: str


def style_of(letters: Sequence[Message], own: frozenset[str], name: str, zone: tzinfo) -> WritingStyle:
    """The habits of whoever wrote them, who is called `name` and has the addresses `own`."""
    read = [_read(each, name) for each in letters]
    by_language: dict[str, list[_Letter]] = defaultdict(list)
    for each in read:
        by_language[each.language].append(each)
    by_language.pop("", None)
    shares = {
        language: len(some) / max(1, sum(map(len, by_language.values())))
        for language, some in sorted(by_language.items(), key=lambda item: -len(item[1]))
    }
    spoken = {language: share for language, share in shares.items() if share >= _LANGUAGE}
    return WritingStyle(
        letters=len(letters),
        voices=[_voice(language, by_language[language]) for language in spoken],
        signed=_habit([each.signed for each in read]),
        words=round(median(each.words for each in read)) if read else 0,
        languages=spoken,
        hours=_hours([each.date.astimezone(zone).hour for each in letters if each.date]),
        people=_people(letters, own),
        senders=Counter(each.sender.key for each in letters),
    )


def _read(message: Message, name: str) -> _Letter:
    lines = [line.strip() for line in f"{message.text}\n{message.signature}".splitlines()]
    end = next((number for number, line in enumerate(lines) if _BLOCK.fullmatch(line)), len(lines))
    lines = lines[:end]
    greeting, after = _greeting(lines, [*message.to, *message.cc])
    closing, signed, before = _closing(lines[after:], name)
    body = "\n".join(lines[after : after + before])
    language = language_of("\n".join(lines)) or ""
    return _Letter(greeting, closing, signed, len(body.split()), language)


def _greeting(lines: Sequence[str], people: Sequence[Address]) -> tuple[str, int]:
    """The line that greets, with what stands for names, and where the text begins; "" for none."""
    first = next((number for number, line in enumerate(lines) if line), 0)
    line, below = "".join(lines[first : first + 1]), "".join(lines[first + 1 : first + 2])
    is_short = 0 < len(line.split()) <= _GREETS and not _TOLD.search(line)
    if not is_short or not (line.endswith((",", ":", "!", "–", "-")) or not below) or len(lines) <= first + 1:
        return "", 0
    return _with_places(line, people), first + 1


def _with_places(line: str, people: Sequence[Address]) -> str:
    """The line with {first}, {last} and {full} in the place of the name of one of the people."""
    for person in people:
        parts = [_plain(each) for each in _named(person)]
        words = list(_WORD.finditer(line))
        found = [match for match in words if _plain(match[0]) in parts]
        if not found:
            continue
        start, end = found[0].start(), found[-1].end()
        is_first = _plain(found[0][0]) == parts[0]
        place = "{full}" if is_first and len(found) > 1 else "{first}" if is_first else "{last}"
        return f"{line[:start]}{place}{line[end:]}"
    return line


def _named(person: Address) -> list[str]:
    return person_named(person.name).split() or re.split(r"[._+-]", person.email.partition("@")[0])


def _closing(lines: Sequence[str], name: str) -> tuple[str, str, int]:
    """The closing line, the name under it, and where the text ends."""
    numbers = [number for number, line in enumerate(lines) if line]
    if len(numbers) < 2:
        return "", "", len(lines)
    mine, last = {_plain(each) for each in name.split()}, lines[numbers[-1]]
    above = lines[numbers[-1] - 1]  # "" where an empty line is between.
    if _closes(above) and _is_name(last):
        return above, last, numbers[-2]
    if {_plain(each) for each in _WORD.findall(last)} <= mine:
        return "", last, numbers[-1]
    before, comma, signed = last.rpartition(",")
    if comma and _closes(before) and {_plain(each) for each in _WORD.findall(signed)} & mine:
        return f"{before},", signed.strip(), numbers[-1]
    return (last, "", numbers[-1]) if _closes(last) else ("", "", len(lines))


def _is_name(line: str) -> bool:
    words = _WORD.findall(line)
    return 0 < len(words) <= _NAMES and line == " ".join(words) and all(each[:1].isupper() for each in words)


def _closes(line: str) -> bool:
    return 0 < len(line.split()) <= _CLOSES and not _TOLD.search(line.rstrip("."))


def _voice(language: str, letters: Sequence[_Letter]) -> Voice:
    greeted = [each.greeting for each in letters]
    greeting, closing = _habit(greeted), _habit([each.closing for each in letters])
    return Voice(language, greeting, closing, _other_form(greeting, greeted))


def _habit(found: Sequence[str]) -> str:
    """The commonest, where it is common enough."""
    counted = Counter(filter(None, found))
    if not counted:
        return ""
    line, number = counted.most_common(1)[0]
    return line if number >= LEAST and number >= _HABIT * counted.total() else ""


def _other_form(line: str, greeted: Iterable[str]) -> str:
    """The line with another ending of one of its first words, where a greeting has that: "Liebe" for "Lieber"; "" for none."""
    mine = line.partition("{")[0].split()
    for other in filter(None, greeted):
        pairs = [(a, b) for a, b in zip(mine, other.split(), strict=False) if _letters(a) != _letters(b)]
        if len(pairs) == 1 and _letters(pairs[0][0])[:_STEM] == _letters(pairs[0][1])[:_STEM]:
            return line.replace(*pairs[0], 1)
    return ""


def _hours(found: Sequence[int]) -> tuple[int, int] | None:
    """The shortest part of a day in which nine of ten are written."""
    counted = Counter(found)
    if not found:
        return None
    spans = [
        (until - start, -held, start, until)
        for start in range(24)
        for until in range(start + 1, 25)
        if (held := sum(counted[hour] for hour in range(start, until))) >= _MOSTLY * len(found)
    ]
    return min(spans)[2:]


def _people(letters: Sequence[Message], own: frozenset[str]) -> list[Address]:
    counted, names = Counter[str](), dict[str, Address]()
    for message in letters:
        for each in (*message.to, *message.cc):
            if each.key not in own:
                counted[each.key] += 1
                names[each.key] = each if each.name or each.key not in names else names[each.key]
    # Of a name only what is clearly a person's: it is another's to choose, and goes before a model.
    return [
        Address(names[key].email, person_named(one_line(names[key].name)))
        for key, _ in counted.most_common(CLOSE)
    ]


def _plain(word: str) -> str:
    return unaccented(word).rstrip(".").casefold()


def letter_lines(style: WritingStyle) -> list[str]:
    """What the profile of letters is to say of it."""
    shares = [
        f"{language_name(code) or code} ({100 * share:.0f} %)" for code, share in style.languages.items()
    ]
    hours = ", mostly from {}:00 to {}:00".format(*style.hours) if style.hours else ""
    return [
        *filter(None, (each.line(language_name(each.language)) for each in style.voices)),
        *([f"- Sign off as “{style.signed}”."] if style.signed else []),
        f"- My letters have about {style.words} words.",
        *([f"- I write in {', '.join(shares)}{hours}."] if shares else []),
    ]


def people_line(style: WritingStyle) -> str:
    """What the profile of triage is to say of those who are close to the user; "" for nobody."""
    named = (f"{each.name} ({each.email})" if each.name else each.email for each in style.people)
    return f"{_CLOSE_TO_ME}{', '.join(named)}." if style.people else ""


def is_of_style(line: str) -> bool:
    """Whether it is a line of these: such lines take the place of those that were counted before."""
    return voice_of(line) is not None or line.startswith((*_COUNTED, _CLOSE_TO_ME))


def _letters(word: str) -> str:
    return "".join(filter(str.isalpha, _plain(word)))
