"""What a message adds, apart from the history it quotes and its signature."""

import re
from dataclasses import dataclass
from functools import lru_cache

from mailparser_reply.constants import MAIL_LANGUAGES

from email_assistant.mail import WORDS

_MAX_ATTRIBUTION = 300
# The reply parser's expressions take cubic time on hostile lines: it is asked about few and short ones only.
_MAX_PARSED_LINES = 20
_MAX_PARSED_LINE = 160
_MAX_SIGNATURE_LINES = 15
_MAX_DELIMITED_LINES = 40
_MAX_CLOSING = 50
_MAX_CLOSING_LINES = 8

with WORDS.section("quoting") as section:
    _WROTE = section.pattern("{wrote}")
    _SEPARATOR = section.pattern("{separator}")
    _FROM_WORDS = frozenset(section.lines("from_words"))
    _SUBJECT_WORDS = frozenset(section.words("subject_words"))
    _SENT_FROM = section.pattern(r"(?:{sent_from}).{0,80}$")
    _CLOSING = section.pattern(r"(?:{closing})[\s,.!]*")
_RULE = re.compile(r"[_-]{20,}")
_FIELD = re.compile(r"[>\s*]*([^\W\d_][^\W\d_\- ]{0,14}(?: [^\W\d_]{1,10})?)\s?[*]?[:：]\*?\s*(.*)")
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
    budget = _MAX_PARSED_LINES
    index = 0
    while index < len(lines):
        length = 0 if quoted[index] else _header_length(lines, index)
        if length == 0 and budget and not quoted[index] and _may_be_attribution(lines[index].strip()):
            budget -= 1
            length = int(bool(_known_attribution().match(lines[index].strip())))
        if length == 0:
            index += 1
            continue
        following = next((i for i in range(index + length, len(lines)) if lines[i].strip()), None)
        marked = following is not None and quoted[following]
        stop = index + length if marked else len(lines)
        quoted[index:stop] = [True] * (stop - index)
        index = stop
    return quoted


def _header_length(lines: list[str], index: int) -> int:
    """How many lines from here introduce history: an attribution, a separator, header fields; or 0."""
    line = lines[index].strip()
    if not line:
        return 0
    if len(line) < 200 and _SEPARATOR.match(line):
        return 1
    if _RULE.fullmatch(line):
        return int(_is_field_block(lines, index + 1))
    return int(_is_field_block(lines, index)) or _attribution_length(lines, index)


def _attribution_length(lines: list[str], index: int) -> int:
    """How many lines the attribution that begins here takes (a long one is wrapped); 0 when none does."""
    for count in (1, 2, 3):
        parts = [part.strip() for part in lines[index : index + count]]
        joined = " ".join(parts)
        if len(joined) > _MAX_ATTRIBUTION or not all(parts):
            return 0
        below = "".join(lines[index + count : index + count + 2]).lstrip()
        if _WROTE.search(joined) and (_is_attribution(joined) or below.startswith(">")):
            # When it is complete without its first line, that line belongs to the letter.
            rest = " ".join(parts[1:])
            return 0 if rest and _WROTE.search(rest) and _is_attribution(rest) else count
    return 0


def _may_be_attribution(line: str) -> bool:
    return 10 < len(line) <= _MAX_PARSED_LINE and line[-1] in ":：" and _is_attribution(line)


def _is_attribution(line: str) -> bool:
    """Whether "… wrote:" names a day, a time or an address, as no sentence of a letter does."""
    return bool(re.search(r"\d{1,2}[:.]\d{2}|\d{4}|[^\s@]@[^\s@]|\d{1,2}[./-]\d{1,2}", line))


def _is_field_block(lines: list[str], index: int) -> bool:
    """Whether From, Sent, To, Subject (of any language) begin here; a form someone filled in lacks some."""
    if not "".join(lines[index : index + 1]).strip():
        index += 1
    fields = []
    for line in lines[index : index + 8]:
        match = _FIELD.match(line) if len(line) < 2_000 else None
        if not match:
            break
        fields.append((match[1].strip("* ").lower(), match[2]))
    if len(fields) < 3 or fields[0][0] not in _FROM_WORDS:
        return False
    has_address = any("@" in value for _, value in fields)
    has_subject = any(name in _SUBJECT_WORDS for name, _ in fields)
    return has_subject and (has_address or len(fields) >= 4)


@lru_cache(maxsize=1)
def _known_attribution() -> re.Pattern[str]:
    """The reply parser's attributions ("On … wrote:") of every language it knows."""
    patterns = [
        str(language["wrote_header"]) for language in MAIL_LANGUAGES.values() if "wrote_header" in language
    ]
    return re.compile("|".join(patterns), re.IGNORECASE)


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
