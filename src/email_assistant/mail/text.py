"""Text from outside made safe to show: invisible characters go, and a fence that cannot be broken out of."""

import re
import unicodedata

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
    f"[{_ZERO_WIDTH}{_MARKS}{_BIDI}{_JOINERS}{_SELECTORS}{_TAGS}{_CONTROLS}{_SURROGATES}]"
)
"""A character that `_SPECIAL` may match: to look for one takes a tenth of the time, and most texts have none."""
_NEWLINES = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_BLANK_LINE = re.compile(r"^[^\S\n]+$", re.MULTILINE)
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
    text = _NEWLINES.sub("\n", text.removeprefix("\ufeff"))
    notes: dict[str, None] = {}
    out: list[str] = []
    position = 0
    before = ""
    for match in _SPECIAL.finditer(text) if _ANY_SPECIAL.search(text) else ():
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
    result = _BLANK_LINE.sub("", "".join(out))
    return _MANY_BLANKS.sub("\n\n\n", result), tuple(notes)


def one_line(text: str, *, limit: int | None = None) -> str:
    """The text cleaned and with every run of white space made one space: for subjects, names and headers.

    With `limit`, at most so many characters of it. The result stays the same when it is cleaned again.
    """
    line = " ".join(clean(text)[0].split())
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
