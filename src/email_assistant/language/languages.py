"""Which language a text is written in, by its commonest words and the letters that it alone has."""

import re
from collections.abc import Collection

from email_assistant.language.words import WORDS

_WORD = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"\S*(?:://|@|www\.)\S*")
_READ = 5_000
_KANA = re.compile(r"[\u3040-\u30ff]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


with WORDS.section("languages") as section:
    _COMMON = {language: _words(text) for language, text in section.by_file("common").items()}
    _LETTERS = section.by_file("letters")
    """Letters and signs that one language, or a few, have and the others do not."""
_LETTER_WEIGHT = 0.5
# Words of yet other languages, to tell a text of theirs from one of ours.
_ELSEWHERE = (
    _words("nie się jest dziękuję na do że za dla są pan"),
    _words("og det er på ikke tak takk jeg til av"),
    _words("je že se na děkujeme jsme vás pro"),
    _words("și este pentru nu vă mulțumim în cu"),
    _words("ve bir bu için değil siz teşekkür"),
    _words("ja ei että kiitos te ovat"),
    _words("és az nem hogy köszönjük egy van"),
    _words("amb és els gràcies dels"),
)
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
LANGUAGES = tuple(_COMMON)
"""ISO 639-1, the likelier first: of languages that have as many of a text's words, the first is taken."""
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
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] else ""


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
