"""Whether a sentence says what a sentence of ours says: its words and values, and nothing that changes them left out.

Words, not meaning, and all on the safe side: every word and every value of the sentence must stand in one sentence of a
source, and of the parts of that sentence (between commas, "and") that it takes from it may leave nothing out. A negation or a
condition in the source's sentence must stand in it, too.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property

from email_assistant.facts.evidence import Evidence, looked_up
from email_assistant.facts.fact import Claim, Own, Source
from email_assistant.facts.folding import blank, gaps_in
from email_assistant.facts.sentences import clauses_of, masked, sentences_of
from email_assistant.language.folding import fold
from email_assistant.mail.text import clean

_WORD = re.compile(r"[^\W_]+")
# Words that change nothing in what a sentence commits to; no modal, no pronoun, no word of time or amount is among them.
_NEUTRAL_WORDS = """
a an the of in on at to for with by from and or is are was were has have it its this that there which
costs cost takes measures weighs comes total each per
der die das den dem des ein eine einen einem einer und oder in im am an auf zu zum zur von vom mit für bei ist sind
war waren hat haben es dies diese dieser kostet kosten beträgt dauert wiegt misst insgesamt je pro
le la les l un une des du de d et ou à au aux en dans sur pour avec par est sont a ont il elle ce cette c dont qui que
coûte coûtent dure mesure compte
el la los las un una unos unas y o de del en a al por para con es son está están tiene tienen su esta este que
cuesta cuestan dura mide
"""
_NEUTRAL = frozenset(_NEUTRAL_WORDS.split())
# Changes what a sentence says wherever it stands; in further languages, too, as sources may be in any.
_TURNS = re.compile(
    r"\b(?:not|no|never|none|nobody|neither|nor|without|cannot|\w+n't|unless|except|only|if|when|until|till|provided|unable|unlikely|maybe|might|"
    r"nicht|nie|niemals|kein\w*|ohne|weder|nur|wenn|falls|sofern|außer|bis|soweit|vielleicht|"
    r"pas|jamais|aucune?|sans|ni|seulement|si|quand|sauf|jusqu\w*|peut|nunca|ningun\w*|ningún|sin|solo|sólo|cuando|salvo|hasta|"
    r"non|nie|niet|geen|zonder|não|nao|sem|nem|ikke|inte|ej|utan|uden|ei|nu|nem|ne|не|нет)\b",
    re.IGNORECASE,
)
_ENDINGS = re.compile(r"(?<=\w{3})(?:ies|ing|ed|es|en|er|em|s|e|n|t)$")
_LONGEST = 1_000
"""Longer sentences are neither looked up nor support any."""
_MOST_SENTENCES = 3_000
_MOST_LOOKS = 20_000
"""So often a sentence of the draft is laid beside one of a source; what comes after it rests on nothing."""


@dataclass
class _Part:
    """A sentence, or one of its clauses."""

    words: frozenset[str]
    claims: tuple[Claim, ...]


@dataclass
class _Sentence:
    text: str
    at: datetime
    zone: tzinfo
    name: str = "a source"

    @cached_property
    def parts(self) -> tuple[_Part, ...]:
        found = []
        base = self.at.astimezone(self.zone).date()
        hidden, claims = masked(self.text, base, self.zone)
        for start, clause in clauses_of(hidden):
            end = start + len(clause)
            inside = tuple(c for c in claims if start <= c.start < end)
            found.append(_Part(_words(clause), inside))
        return tuple(part for part in found if part.words or part.claims)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset().union(*(part.words for part in self.parts))

    @cached_property
    def turns(self) -> frozenset[str]:
        return frozenset(match.group().lower() for match in _TURNS.finditer(self.text))

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence([Source(self.name, self.text, "ours", self.at)], Own(), self.at, self.zone)

    def has(self, claims: Sequence[Claim]) -> bool:
        return all(self._has(claim) for claim in claims)

    def _has(self, claim: Claim) -> bool:
        if claim.fault:
            return False
        readings = claim.parts or (claim.keys,)
        return all(self.evidence.supports(looked_up(keys), ("ours",)) for keys in readings)


class Said:
    """The sentences of our sources."""

    def __init__(self, sources: Sequence[Source], now: datetime, zone: tzinfo) -> None:
        self._now, self._zone, self._looks = now, zone, 0
        self._sentences: list[_Sentence] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for source in sources:
            if source.role == "ours":
                self._keep(source)

    def _keep(self, source: Source) -> None:
        text = fold(clean(source.text)[0])
        text = blank(text, gaps_in(text))
        at = source.at or self._now
        hidden, _ = masked(text, at.astimezone(self._zone).date(), self._zone)
        for start, sentence in sentences_of(hidden):
            if len(self._sentences) >= _MOST_SENTENCES:
                return
            if len(sentence) > _LONGEST:
                continue
            number = len(self._sentences)
            self._sentences.append(_Sentence(text[start : start + len(sentence)], at, self._zone))
            for word in _words(sentence):
                self._by_word[word].append(number)

    def says(self, text: str) -> bool:
        """Whether one sentence of ours says this one (folded text)."""
        if len(text) > _LONGEST:
            return False
        mine = _Sentence(text, self._now, self._zone)
        if not mine.words:
            return False
        rarest = min(mine.words, key=lambda word: len(self._by_word.get(word, ())))
        for number in self._by_word.get(rarest, ()):
            self._looks += 1
            if self._looks > _MOST_LOOKS:
                return False
            if self._same(mine, self._sentences[number]):
                return True
        return False

    @staticmethod
    def _same(mine: _Sentence, ours: _Sentence) -> bool:
        if not mine.words <= ours.words or mine.turns != ours.turns:
            return False
        claims = [claim for part in mine.parts for claim in part.claims]
        if not ours.has(claims):
            return False
        taken = [part for part in ours.parts if part.words & mine.words]
        return all(part.words <= mine.words and mine.has(part.claims) for part in taken)


def _words(text: str) -> frozenset[str]:
    """What carries meaning, without endings and accents."""
    words = (match.group().lower() for match in _WORD.finditer(text))
    return frozenset(_stem(word) for word in words if word not in _NEUTRAL and not word.isdecimal())


def _stem(word: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    return _ENDINGS.sub("", plain)
