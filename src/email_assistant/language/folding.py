"""Signs that mean the same made the same, one for one, so that places in a text stay what they are; and words for looking up."""

import unicodedata

_ALIKE = {
    **dict.fromkeys("‐‑‒−﹣", "-"), **dict.fromkeys("\u00a0\u2007\u2009\u202f\u2002\u2003\u3000", " "),
    **dict.fromkeys("’‘ʼ`´", "'"), "，": ",", "．": ".", "：": ":", "٫": ".", "٬": ",", "×": "x", "✕": "x",
}  # fmt: skip


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


def unaccented(text: str) -> str:
    """Text in which words compare: in lower case and without accents, "ß" as "ss"; it may become longer or shorter."""
    if text.isascii():
        return text.lower()
    signs = unicodedata.normalize("NFD", text.lower().replace("ß", "ss").replace("’", "'"))
    return "".join(sign for sign in signs if not unicodedata.combining(sign))
