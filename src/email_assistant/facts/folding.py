"""Characters that mean the same made the same, one for one, so that places in the text stay what they are."""

import re
import unicodedata

_ALIKE = {
    **dict.fromkeys("‐‑‒−﹣", "-"), **dict.fromkeys("\u00a0\u2007\u2009\u202f\u2002\u2003\u3000", " "),
    **dict.fromkeys("’‘ʼ`´", "'"), "，": ",", "．": ".", "：": ":", "٫": ".", "٬": ",", "×": "x", "✕": "x",
}  # fmt: skip
_GAP = re.compile(r"\[\s{0,3}confirm\b[^\[\]\n]{0,500}\]?", re.IGNORECASE)


class _Table(dict[int, str]):
    """Digits of all scripts and compatibility forms, worked out when first met (Unicode NFKC)."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        digit = unicodedata.decimal(char, None)
        plain = unicodedata.normalize("NFKC", char) if digit is None else str(digit)
        self[code] = plain if len(plain) == 1 else char
        return self[code]


_TABLE = _Table({ord(char): plain for char, plain in _ALIKE.items()})


def fold(text: str) -> str:
    """The text with ASCII digits, spaces, hyphens and apostrophes; as long as it was."""
    return text if text.isascii() and "`" not in text else text.translate(_TABLE)


def gaps_in(text: str) -> list[tuple[int, int]]:
    """Where `[confirm: …]` stands; one that is not closed ends with its line."""
    return [match.span() for match in _GAP.finditer(text)]


def blank(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with these places, in order, replaced by as many full stops."""
    out, at = [], 0
    for start, end in spans:
        out += [text[at:start], "." * (end - start)]
        at = end
    return "".join([*out, text[at:]])
