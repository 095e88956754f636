"""Text from outside made safe to show: invisible characters go, and a fence that cannot be broken out of.

What a message adds, apart from the history it quotes and its signature.
"""

import re
import unicodedata
from dataclasses import dataclass

from email_assistant.mail import WORDS

_ZERO_WIDTH = (
    "\u200b\u2060\u2061\u2062\u2063\u2064\ufeff\u180e\u034f\u115f\u1160\u3164\uffa0\ufff9\ufffa\ufffb"
)
_MARKS = "\u200e\u200f\u061c\u00ad"
_BIDI = "\u202a-\u202e\u2066-\u2069\u206a-\u206f"
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\u180b-\u180d\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"
_CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
_SURROGATES = "\ud800-\udfff"

_SPECIAL = re.compile(
    # The three flags that Unicode spells with tag characters (England, Scotland, Wales) come first, whole.
    "(?P<flag>\U0001f3f4\U000e0067\U000e0062"
    "(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)"
    "\U000e007f)"
    rf"|(?P<ansi>\x1b\[[0-9;?]{{0,32}}[A-Za-z])"
    f"|(?P<zero>[{_ZERO_WIDTH}])|(?P<mark>[{_MARKS}])|(?P<bidi>[{_BIDI}])|(?P<joiner>[{_JOINERS}])"
    f"|(?P<selector>[{_SELECTORS}])|(?P<tag>[{_TAGS}])|(?P<control>[{_CONTROLS}])|(?P<surrogate>[{_SURROGATES}])"
)
_ANY_SPECIAL = re.compile(
    f"[\r\x0b\x0c\x85\u2028\u2029{_ZERO_WIDTH}{_MARKS}{_BIDI}{_JOINERS}{_SELECTORS}{_TAGS}{_CONTROLS}{_SURROGATES}]"
)
"""A newline, or what `_SPECIAL` may match: to look for one takes a tenth of the time, and most texts have none."""
_NEWLINES = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_BLANK_LINE = re.compile(r"\n[^\S\n]+(?![^\n])")
_MANY_BLANKS = re.compile(r"\n{4,}")

# Scripts in which a joiner changes what a reader sees: Arabic to N'Ko, Indic, Myanmar, Khmer, Mongolian.
_JOINING_SCRIPTS = (
    (0x0600, 0x08FF),
    (0x0900, 0x0DFF),
    (0x0F00, 0x109F),
    (0x1780, 0x18AF),
    (0xA840, 0xA87F),
    (0xFB50, 0xFDFF),
    (0xFE70, 0xFEFC),
)
_NOTES = {
    "zero": "Invisible characters were removed.",
    "joiner": "Invisible characters were removed.",
    "bidi": "Characters that reorder text were removed.",
    "selector": "Invisible characters that can carry a hidden message were removed.",
    "tag": "Invisible characters that can carry a hidden message were removed.",
    "control": "Control characters were removed.",
    "ansi": "Control characters were removed.",
}
_BACKTICKS = re.compile(r"`+")


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without characters that nobody sees, and a sentence for each suspicious kind removed.

    Newlines become "\\n", runs of more than two blank lines become two. Joiners stay where emoji or a script
    need them; lone surrogates become U+FFFD, so that the result can always be encoded.
    """
    if (text.isascii() and text.replace("\n", "").isprintable()) or not _ANY_SPECIAL.search(text):
        return _without_blanks(text), ()
    text = _NEWLINES.sub("\n", text.removeprefix("\ufeff"))
    notes: dict[str, None] = {}
    out: list[str] = []
    position = 0
    before = ""
    for match in _SPECIAL.finditer(text):
        if match.start() > position:
            out.append(text[position : match.start()])
            before = text[match.start() - 1]
        kept = _keep(match, before, text[match.end() : match.end() + 1])
        if kept:
            out.append(kept)
            before = kept[-1]
        elif note := _NOTES.get(match.lastgroup or ""):
            notes[note] = None
        position = match.end()
    out.append(text[position:])
    return _without_blanks("".join(out)), tuple(notes)


def _without_blanks(text: str) -> str:
    """The text with lines of white space empty, and at most two empty ones together."""
    return _shortened(_BLANK_LINE.sub("\n", f"\n{text}")[1:])


def _shortened(text: str) -> str:
    return _MANY_BLANKS.sub("\n\n\n", text) if "\n\n\n\n" in text else text


def one_line(text: str, *, limit: int | None = None) -> str:
    """The text cleaned and with every run of white space made one space: for subjects, names and headers.

    With `limit`, at most so many characters of it. The result stays the same when it is cleaned again.
    """
    is_plain = text.isascii() and text.isprintable()
    line = " ".join((text if is_plain else clean(text)[0]).split())
    return line if limit is None or len(line) <= limit else one_line(line[:limit])


def fence(text: str, info: str = "text") -> str:
    """A Markdown code fence around the text, longer than any run of backticks inside (CommonMark §4.5)."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{re.sub(r'[^A-Za-z0-9_+.-]', '', info)}\n{text}\n{ticks}"


def _keep(match: re.Match[str], before: str, after: str) -> str:
    """What remains of a special character, given the last character kept before it and the next one."""
    kind = match.lastgroup
    if kind == "flag":
        return match.group()
    if kind == "surrogate":
        return "\ufffd"
    if kind == "joiner" and _joins(match.group(), before, after):
        return match.group()
    if kind == "selector" and _selects(match.group(), before):
        return match.group()
    return ""


def _joins(joiner: str, before: str, after: str) -> bool:
    if not before or before in _JOINERS:
        return False
    if any(low <= ord(before) <= high for low, high in _JOINING_SCRIPTS):
        return unicodedata.category(before)[0] in "LM"
    is_emoji = before in "\ufe0f\u20e3" or unicodedata.category(before) in ("So", "Sk")
    return joiner == "\u200d" and is_emoji and after != "" and unicodedata.category(after) == "So"


def _selects(selector: str, before: str) -> bool:
    """Whether a variation selector follows a character that has variants; a second in a row never does."""
    if not before or unicodedata.name(before, "").startswith(("VARIATION", "MONGOLIAN FREE")):
        return False
    if "\u180b" <= selector <= "\u180d":
        return 0x1800 <= ord(before) <= 0x18AF
    if selector in "\ufe0e\ufe0f":
        return before in "0123456789#*" or unicodedata.category(before) in ("So", "Sm", "Sk", "Po", "Pd")
    ideograph = unicodedata.name(before, "").startswith("CJK ")
    return ideograph or (selector <= "\ufe0d" and unicodedata.category(before) == "Sm")


_MAX_ATTRIBUTION = 400
_MAX_WROTE = 120
"""The verb, the 80 characters that may follow it, and the colon."""
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
# Both begin with a digit: so long as there is none, nothing is tried.
_DATE = re.compile(r"\d(?:(?<!\d\d)\d{3}(?!\d)|\d?([./-])\s?\d{1,2}\1\s?\d{2}(?!\d))")
_CLOCK = re.compile(r"\d(?<![\d.:]\d)\d?(?:[:.時时点]|\s?h\s?)\d{2}(?![.\d]*\d)")
_SECONDS = re.compile(r"(?<![\d:.])\d{1,2}(?::\d{2}:\d{2}(?![:\d])|\.\d{2}\.\d{2}(?= [A-Z]{3}))")
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
    return _shortened("\n".join(lines)).strip("\n").rstrip()


def _mark_history(lines: list[str]) -> list[bool]:
    """For each line whether it is history."""
    quoted = [line.lstrip().startswith(">") for line in lines]
    for index, line in enumerate(lines):
        if quoted[index] or not line.strip():
            continue
        is_separator = _is_separator(lines, index)
        if not is_separator and not line.rstrip().endswith((":", "：")):
            continue
        below = next((i for i in range(index + 1, min(index + 4, len(lines))) if lines[i].strip()), index)
        marked = quoted[below]
        start = index if is_separator else _attribution_start(lines, index, marked=marked)
        if start is not None:
            stop = below if marked else len(lines)
            quoted[start:stop] = [True] * (stop - start)
    return quoted


def _attribution_start(lines: list[str], index: int, *, marked: bool) -> int | None:
    """Where the attribution that ends in this line, with a colon, begins, for it may be wrapped; None when the line ends none."""
    starts = [index]
    while len(starts) < _MAX_ATTRIBUTION_LINES and _is_wrapped(lines, starts[-1] - 1):
        starts.append(starts[-1] - 1)
    texts = {start: " ".join(lines[start : index + 1])[-_MAX_ATTRIBUTION:].rstrip() for start in starts}
    if not marked and not _is_told(texts[starts[-1]]):
        return None  # What the longest does not tell no other does.
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
    if not line or line.startswith(">") or len(line) > _MAX_WRAPPED:
        return False
    return len(line) + 1 + len(lines[index + 1].split(maxsplit=1)[0]) > _MIN_WRAPPED


def _is_attribution(text: str, *, marked: bool) -> bool:
    """Whether a text that ends in a colon says who wrote what follows, and when.

    Without marks the quotation may as well be the writer's own text: "On 3 May 2027 at 10:00 the following applies:".
    """
    if not marked and not _is_told(text):
        return False
    if _WROTE.search(text, max(0, len(text) - _MAX_WROTE)):
        return True
    if marked:
        return bool(_ADDRESSED.search(text)) or _is_dated(text)
    # Yahoo indents its line, and tells the time by the second.
    is_yahoo = text[:2].isspace() and _SECONDS.search(text)
    return _is_dated(text) and bool(_ADDRESSED.search(text) or is_yahoo)


def _is_told(text: str) -> bool:
    """Whether the text has an address, a date or a clock time."""
    return "@" in text or bool(_DATE.search(text) or _CLOCK.search(text))


def _is_dated(text: str) -> bool:
    """Whether the text has a date with its year, and a clock time."""
    return bool(_DATE.search(text) and (_CLOCK.search(text) or _SECONDS.search(text)))


def _is_separator(lines: list[str], index: int) -> bool:
    """Whether history begins here with the line of a mail program, or with header fields."""
    line = lines[index].strip()
    if len(line) < 200 and _SEPARATOR.match(line):
        return True
    if line[0] not in "_-" or not _RULE.fullmatch(line):
        has_fields = _has_colon(line) and all(map(_has_colon, lines[index + 1 : index + 3]))
        return has_fields and _is_field_block(_fields(lines, index))
    fields = _fields(lines, index + 1) or _fields(lines, index + 2)
    return _is_field_block(fields) or _is_ruled_block(line, fields)


def _has_colon(line: str) -> bool:
    return ":" in line or "：" in line


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
