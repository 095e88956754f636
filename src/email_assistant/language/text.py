"""The language of a text, and the forms in which its signs and words compare."""

import re
import unicodedata
from collections.abc import Collection

from email_assistant.language.words import COMMON, WORDS

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


_PLAIN = str.maketrans(
    {"ß": "ss", "’": "'", "ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters of Latin script that are no base with a mark."""


def unaccented(text: str) -> str:
    """Text in which words compare: in lower case and without accents, "ß" as "ss", "ł" as "l"; it may become longer or shorter."""
    if text.isascii():
        return text.lower()
    signs = unicodedata.normalize("NFD", text.lower().translate(_PLAIN))
    return "".join(sign for sign in signs if not unicodedata.combining(sign))


_WORD = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"(?<!\S)\S*(?:://|@|www\.)\S*")
_READ = 5_000
_KANA = re.compile(r"[\u3040-\u30ff]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


with WORDS.section("languages") as section:
    _COMMON = {language: _words(text) for language, text in section.by_file("common").items()}
    _LETTERS = section.by_file("letters")
    """Letters and signs that one language, or a few, have and the others do not."""
_LETTER_WEIGHT = 0.5
with COMMON.section("elsewhere") as section:
    _ELSEWHERE = tuple(map(_words, section.lines("common")))
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
LANGUAGES = (*_COMMON, "ja")
"""ISO 639-1, the likelier first: of languages that have as many of a text's words, the first is taken."""
READ = frozenset({"en", "de", "fr", "es"})
"""Languages that the rules read; of the others they know by which words to tell them."""
DAY_FIRST = frozenset(LANGUAGES) - {"en", "ja"}
"""Languages in which 4/12 is 4 December; English has it both ways."""


def language_of(text: str, *, among: Collection[str] = LANGUAGES) -> str:
    """ISO 639-1 code of the language, of those asked for; "" when no word or letter tells.

    At most 5,000 characters are looked at, and no addresses.
    """
    text = _ADDRESS.sub(" ", text[:_READ]).lower()
    kana = len(_KANA.findall(text))
    if kana >= 3 and "ja" in among:
        return "ja"
    words = _WORD.findall(text)
    scores = {
        language: sum(word in common for word in words)
        + _LETTER_WEIGHT * sum(map(text.count, _LETTERS.get(language, "")))
        for language, common in _COMMON.items()
        if language in among
    }
    best = max(scores, key=lambda language: scores[language], default="")
    return best if scores.get(best) else ""


def is_written_in(text: str, languages: Collection[str]) -> bool:
    """Whether a text may be in one of these languages of Latin letters, and in no other; one too short to tell may be."""
    words = [word.lower() for word in _WORD.findall(text)]
    letters = sum(map(len, words))
    if letters and len(_LATIN.findall(text)) < 0.9 * letters:
        return False
    known = frozenset().union(*(_COMMON[language] for language in languages))
    strange = [common for language, common in _COMMON.items() if language not in languages]
    ours = max(sum(word in _COMMON[language] for word in words) for language in languages)
    others = max(sum(word in common - known for word in words) for common in (*strange, *_ELSEWHERE))
    return (others == 0 or ours > others) and (len(words) < 12 or ours >= 0.08 * len(words))
