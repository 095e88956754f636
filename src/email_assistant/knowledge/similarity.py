"""How alike two texts are: words, their meanings and pieces hashed into a vector, the words that both have, and how sure that makes one.

The vector needs no model, no key and no network, and is the same in every process and release of Python. It finds texts that share
words, inflections, misspellings or listed synonyms (English, German, French, Spanish, Italian; written down once and not learned from
any mailbox); it does not understand sentences.

A cosine means something else for every embedding, and says nothing of how telling the shared words are. Two pieces of evidence
are therefore weighed by a logistic curve for each embedding: the cosine, and which part of the query's words the past mail
shares. The curve was fitted by `python -m eval.one knowledge` on the `dev` half of its labelled mail; docs/knowledge.md has the figures.
"""

import math
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from email_assistant.word_files import WordFiles

_WORDS = WordFiles((Path(__file__).with_name("words.toml"),), frozenset({"search"}))
with _WORDS.section("search") as section:
    FILLER = frozenset(section.words("filler"))
    """Words that stand in any letter."""
    _SAME = section.entries("meanings")

MAX_WORDS = 400
"""Words of a text that are looked at, from its beginning."""
MAX_READ = 10_000
"""Characters of a text that are looked at."""
MAX_WORD = 40
"""Longer words (links, keys, base64) say nothing that another mail would repeat; characters."""

_FILLER_WEIGHT = 0.02
_NUMBER_WEIGHT = 0.5
_MEANING_WEIGHT = 0.9
_PIECES_WEIGHT = 0.7
_SIZES = (3, 4)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{1,40}|[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_ENDINGS = (
    "ings", "ing", "edly", "ments", "ment", "ungen", "ung", "ations", "ation", "ies", "ers", "ern", "est", "ed",
    "er", "en", "em", "es", "s", "e", "n", "y",
)  # fmt: skip


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, at most `MAX_WORDS`; scripts without spaces give pairs of characters."""
    found: list[str] = []
    for piece in unicodedata.normalize("NFKC", text[:MAX_READ]).lower().split():
        for word in _WORD.findall(piece) if not _is_link(piece) else ():
            if _UNSPACED.match(word):
                found += [word[i : i + 2] for i in range(max(1, len(word) - 1))]
            elif len(word) <= MAX_WORD:
                found.append(word)
        if len(found) >= MAX_WORDS:
            break
    return found[:MAX_WORDS]


@lru_cache(256)  # A query is compared with each candidate, and the same candidates come again.
def terms_of(text: str) -> frozenset[str]:
    """What a text is about: its words without endings, or the meanings they stand for; words that say little left out."""
    return frozenset(terms_in(text))


def terms_in(text: str) -> list[str]:
    """The same in their order, each once: who owes whom is another matter."""
    kept = (word for word in words_of(text) if word not in FILLER and len(word) > 1)
    return list(dict.fromkeys(same_meaning().get(word) or _stem(_plain(word)) for word in kept))


def _is_link(piece: str) -> bool:
    return "://" in piece or piece.startswith("www.") or "@" in piece


def vector_of(text: str, dims: int) -> list[float]:
    """The text's vector of length 1, or of zeros when it has no words."""
    weights = Counter(words_of(text))
    vector = [0.0] * dims
    for word, count in weights.items():
        often = 1 + math.log(count)
        for place, weight in _features(word, dims):
            vector[place] += often * weight
    length = math.sqrt(sum(x * x for x in vector))
    # Rounded, so that equal numbers are one object each: ten thousand vectors have to fit into a server's memory.
    return [_shared(round(x / length, 3)) for x in vector] if length else vector


@lru_cache(4096)
def _shared(number: float) -> float:
    return number


@lru_cache(50_000)
def _features(word: str, dims: int) -> tuple[tuple[int, float], ...]:
    """Where a word counts in the vector, and how much."""
    if word in FILLER or len(word) < 2:
        return (_place(f"w:{word}", dims, _FILLER_WEIGHT),)
    plain = _plain(word)
    weight = _NUMBER_WEIGHT if plain.isdigit() else 1.0
    found = [_place(f"w:{_stem(plain)}", dims, weight)]
    if meaning := same_meaning().get(word):
        found.append(_place(f"m:{meaning}", dims, _MEANING_WEIGHT))
    if not plain.isdigit() and len(plain) > 3:
        pieces = _pieces(plain)
        each = _PIECES_WEIGHT / math.sqrt(len(pieces))
        found += [_place(f"p:{piece}", dims, each) for piece in pieces]
    return tuple(found)


def _place(feature: str, dims: int, weight: float) -> tuple[int, float]:
    number = zlib.crc32(feature.encode("utf-8", "replace")) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    return (number >> 20) % dims, weight if number >> 63 else -weight


def _plain(word: str) -> str:
    """Without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


def _stem(word: str) -> str:
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= 4), "")
    return word[: len(word) - len(ending)]


def _pieces(word: str) -> list[str]:
    marked = f"<{word}>"
    return [marked[i : i + size] for size in _SIZES for i in range(len(marked) - size + 1)]


@lru_cache(1)
def same_meaning() -> dict[str, str]:
    """For each word of the table the meaning it stands for."""
    return {word: meaning for meaning, words in _SAME.items() for word in words.split()}


THRESHOLD = 0.5
"""Nothing below is used. docs/knowledge.md says what it lets through."""


@dataclass(frozen=True, slots=True)
class MatchEvidence:
    """What speaks for a past message."""

    cosine: float
    coverage: float
    """Share of the query's words that it has, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A logistic curve over the evidence."""

    constant: float
    cosine: float
    coverage: float
    is_measured: bool
    """Whether it was fitted to labelled mail; else it is an assumption, on the careful side."""

    def score(self, evidence: MatchEvidence) -> float:
        """From 0 to 1: of a hundred past mails with 0.7, about seventy help."""
        at = self.constant + self.cosine * evidence.cosine + self.coverage * evidence.coverage
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, at))))


CURVES: Mapping[str, Curve] = {
    "lexical": Curve(-5.7, 5.6, 7.9, is_measured=True),
    "provider": Curve(-11.0, 19.0, 4.0, is_measured=False),
}
"""For past mail, by the embedding's kind."""

DOCUMENT_THRESHOLD = 0.15
"""No chunk of a document below is used. It is lower than that of mail, because whoever reads it cites what answers and leaves
the rest, and what is not found cannot be cited."""
DOCUMENT_CURVES: Mapping[str, Curve] = {
    "lexical": Curve(-6.6, 6.4, 4.3, is_measured=True),
    "provider": Curve(-11.0, 19.0, 4.0, is_measured=False),
}
"""For chunks of documents: their questions are shorter and their texts longer. `python -m eval.one documents` fits them."""


def coverage(query: str, text: str) -> float:
    """Which part of the query's words the text shares.

    All count the same. Weighing them by how rare they are among the candidates fits a small mailbox better and fails in a
    large one, where every candidate has all words but one: that one then counts for more than all the others.
    """
    wanted = terms_of(query)
    return len(wanted & terms_of(text)) / len(wanted) if wanted else 0.0
