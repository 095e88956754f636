"""What a message adds, apart from the history it quotes and its signature."""

import re
from dataclasses import dataclass

from email_assistant.mail import WORDS

_MAX_ATTRIBUTION = 400
_MAX_ATTRIBUTION_LINES = 4
# A line that mail programs wrapped would be longer than this with its next word, and is itself no longer than that.
_MIN_WRAPPED, _MAX_WRAPPED = 64, 100
_MAX_SIGNATURE_LINES = 15
_MAX_DELIMITED_LINES = 40
_MAX_CLOSING = 50
_MAX_CLOSING_LINES = 8

with WORDS.section("quoting") as section:
    _WROTE = section.pattern("{wrote}")
    _SEPARATOR = section.pattern("{separator}")
    _FROM_WORDS = frozenset(section.words("from_words"))
    _SUBJECT_WORDS = frozenset(section.words("subject_words"))
    _SENT_FROM = section.pattern(r"(?:{sent_from}).{0,80}$")
    _CLOSING = section.pattern(r"(?:{closing})[\s,.!]*")
_RULE = re.compile(r"[_-]{20,}|-{5,}\s?[^\W\d_][^\n-]{2,40}?\s?-{5,}")
_TITLED = re.compile(r"_{32}|-+[^-]+-+")
_FIELD = re.compile(r"[>\s*]*([^\W\d_][^:：\d@<>]{0,24}?)\s?\*?[:：]\*?\s*(.*)")
_PERSON = re.compile(r"[<(\[](?:mailto:)?[^\s<>()\[\]@]{1,80}@[^\s<>()\[\]@]{1,100}[>)\]]")
_ADDRESSED = re.compile(_PERSON.pattern + r".{0,30}$")
_DATE = re.compile(r"(?<!\d)\d{4}(?!\d)|\d{1,2}([./-])\s?\d{1,2}\1\s?\d{2}(?!\d)")
_CLOCK = re.compile(r"(?<![\d.:])\d{1,2}(?:[:.時时点]|\s?h\s?)\d{2}(?![.\d]*\d)")
_SECONDS = re.compile(r"(?<![\d:.])\d{1,2}(?::\d{2}:\d{2}(?![:\d])|\.\d{2}\.\d{2}(?= [A-Z]{3}))")
_QUOTED = re.compile(r"\s*>")
_DELIMITER = re.compile(r"--\s?$|—\s?$|__\s?$")


@dataclass(frozen=True, slots=True)
class ReplyParts:
    """The three parts of a body; together they hold every character of it but white space."""

    text: str
    quoted: str = ""
    signature: str = ""


def split_reply(text: str) -> ReplyParts:
    """Split off quoted history and the signature; a body that is nothing but history stays whole.

    Answers written below or between quoted lines count as text. Takes linear time on large bodies.
    """
    lines = text.split("\n")
    kinds = _mark_history(lines)
    own = [line for line, quoted in zip(lines, kinds, strict=True) if not quoted]
    start = _signature_start(own)
    body = _join(own[:start])
    if not body:
        return ReplyParts(_join(lines))
    quoted = _join([line for line, is_quoted in zip(lines, kinds, strict=True) if is_quoted])
    return ReplyParts(body, quoted, _join(own[start:]))


def _join(lines: list[str]) -> str:
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip("\n").rstrip()


def _mark_history(lines: list[str]) -> list[bool]:
    """For each line whether it is history."""
    quoted = [bool(_QUOTED.match(line)) for line in lines]
    for index, line in enumerate(lines):
        if quoted[index] or not line.strip():
            continue
        below = next((i for i in range(index + 1, min(index + 4, len(lines))) if lines[i].strip()), index)
        marked = quoted[below]
        start = index if _is_separator(lines, index) else _attribution_start(lines, index, marked=marked)
        if start is not None:
            stop = below if marked else len(lines)
            quoted[start:stop] = [True] * (stop - start)
    return quoted


def _attribution_start(lines: list[str], index: int, *, marked: bool) -> int | None:
    """Where the attribution that ends in this line begins, for it may be wrapped; None when the line ends none."""
    if not lines[index].rstrip().endswith((":", "：")):
        return None
    starts = [index]
    while len(starts) < _MAX_ATTRIBUTION_LINES and _is_wrapped(lines, starts[-1] - 1):
        starts.append(starts[-1] - 1)
    texts = {start: " ".join(lines[start : index + 1])[-_MAX_ATTRIBUTION:].rstrip() for start in starts}
    found = [start for start in starts if _is_attribution(texts[start], marked=marked)]
    if not found:
        return None
    # The address alone makes one when the quotation is marked: the date may stand in the line above it.
    start = next((start for start in found if _is_dated(texts[start])), found[0])
    while start - 1 in texts and not lines[start - 1].rstrip().endswith((".", "!", "?", ":")):
        start -= 1
    return start - int(start > 0 and bool(_RULE.fullmatch(lines[start - 1].strip())))


def _is_wrapped(lines: list[str], index: int) -> bool:
    """Whether the line goes on in the next, whose first word had no room in it."""
    line = lines[index].strip() if index >= 0 else ""
    if not line or _QUOTED.match(line) or len(line) > _MAX_WRAPPED:
        return False
    return len(line) + 1 + len(lines[index + 1].split(maxsplit=1)[0]) > _MIN_WRAPPED


def _is_attribution(text: str, *, marked: bool) -> bool:
    """Whether a text that ends in a colon says who wrote what follows, and when.

    Without marks the quotation may as well be the writer's own text: "On 3 May 2027 at 10:00 the following applies:".
    """
    wrote, address, dated = _WROTE.search(text), _ADDRESSED.search(text), _is_dated(text)
    if marked:
        return bool(wrote or address or dated)
    # Yahoo indents its line, and tells the time by the second.
    is_yahoo = text[:2].isspace() and _SECONDS.search(text)
    is_told = "@" in text or _DATE.search(text) or _CLOCK.search(text)
    return bool((wrote and is_told) or (dated and (address or is_yahoo)))


def _is_dated(text: str) -> bool:
    """Whether the text has a date with its year, and a clock time."""
    return bool(_DATE.search(text) and (_CLOCK.search(text) or _SECONDS.search(text)))


def _is_separator(lines: list[str], index: int) -> bool:
    """Whether history begins here with the line of a mail program, or with header fields."""
    line = lines[index].strip()
    if len(line) < 200 and _SEPARATOR.match(line):
        return True
    if not _RULE.fullmatch(line):
        return _is_field_block(_fields(lines, index))
    fields = _fields(lines, index + 1) or _fields(lines, index + 2)
    return _is_field_block(fields) or _is_ruled_block(line, fields)


def _fields(lines: list[str], index: int) -> list[tuple[str, str]]:
    """The header fields that begin here, in any language."""
    fields = []
    for line in lines[index : index + 8]:
        match = _FIELD.match(line) if len(line) < 2_000 else None
        if not match:
            break
        fields.append((match[1].strip("*").replace(" ", "").lower(), match[2].strip()))
    return fields


def _is_field_block(fields: list[tuple[str, str]]) -> bool:
    """Whether these are From, Sent, To and Subject: by their names, or because two persons and a date are in them."""
    if len(fields) < 3:
        return False
    if fields[0][0] in _FROM_WORDS and any(name in _SUBJECT_WORDS for name, _ in fields):
        return len(fields) > 3 or any("@" in value for _, value in fields)
    persons = [value for _, value in fields if _PERSON.search(value)]
    return len(fields) > 3 and len(persons) > 1 and any(_is_dated(value) for _, value in fields)


def _is_ruled_block(rule: str, fields: list[tuple[str, str]]) -> bool:
    """Whether such fields stand below a rule: a form that somebody filled in has numbers, and no sender.

    Below the rules of Outlook and of phones the sender may be a name alone.
    """
    dated = [_is_dated(value) for _, value in fields]
    others = [value for _, value in fields if value and not _is_dated(value)]
    if (
        len(fields) < 3
        or dated[0]
        or not any(dated)
        or not all(any(map(str.isalpha, each)) for each in others)
    ):
        return False
    by_name = dated[1] and len(fields) > 3 and _TITLED.fullmatch(rule)
    return bool(by_name or any(map(_PERSON.search, others)))


def _signature_start(lines: list[str]) -> int:
    """The index at which the signature begins; the number of lines when there is none."""
    size = len(lines)
    for index in range(max(0, size - _MAX_DELIMITED_LINES), size):
        if _DELIMITER.match(lines[index]):
            return index
    for index in range(max(0, size - _MAX_SIGNATURE_LINES), size):
        line = lines[index].strip()
        if line and len(line) < 150 and _SENT_FROM.match(line):
            return _closing_before(lines, index)
    return _closing_before(lines, size)


def _closing_before(lines: list[str], end: int) -> int:
    """The index of a closing phrase ("Best regards,") followed by a few short lines up to `end`, or `end`."""
    for index in range(max(1, end - _MAX_CLOSING_LINES - 1), end):
        line = lines[index].strip()
        if not line or len(line) > _MAX_CLOSING or not _CLOSING.fullmatch(line):
            continue
        if all(len(rest) <= 80 and "?" not in rest for rest in lines[index + 1 : end]):
            return index
    return end
