"""Sentences and clauses of a text, found without cutting through the values in it."""

import re
from collections.abc import Iterator
from datetime import date, tzinfo

from email_assistant.facts.claims import claims_in
from email_assistant.facts.fact import Claim

MASK = "§"
"""Stands for each character of a value."""
# Only such as stand before a name: after another one a sentence may well end.
_ABBREVIATED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Sr|Sra|Mme)\.(?= ?[A-ZÀ-Þ])")
_SENTENCE = re.compile(r"[^.!?…\n¿¡]+(?:\.(?=\w)[^.!?…\n¿¡]+)*[.!?…]*|[¿¡][^.!?…\n]+[.!?…]*")
_WRAPPED = re.compile(r"(?<=[\w§])[ \t]*\n(?=[ \t]*[^\W\d_A-ZÀ-Þ])")
_BETWEEN = re.compile(
    r"\s*[,;:()\[\]{}–—\"“”„«»|=→]+\s*|\s-+\s|\s/\s|\s(?:and|but|then|und|aber|sondern|denn|et|mais|donc|car|y|e|pero)\s",
    re.IGNORECASE,
)


def masked(text: str, base: date, zone: tzinfo) -> tuple[str, list[Claim]]:
    """A folded text with its values hidden, as long as it was, and the values."""
    claims = list(claims_in(text, base, zone, day_first=None))
    out, at = [], 0
    for claim in sorted(claims, key=lambda claim: claim.start):
        if claim.start >= at:
            out += [text[at : claim.start], MASK * (claim.end - claim.start)]
            at = claim.end
    hidden = "".join([*out, text[at:]])
    hidden = _ABBREVIATED.sub(lambda match: match.group()[:-1].replace(".", " ") + " ", hidden)
    return hidden, claims


def sentences_of(hidden: str) -> Iterator[tuple[int, str]]:
    """Where each sentence begins, and the sentence; a line that goes on in small letters is one with the next."""
    hidden = _WRAPPED.sub(lambda match: " " * len(match.group()), hidden)
    for match in _SENTENCE.finditer(hidden):
        if match.group().strip():
            yield match.start(), match.group()


def clauses_of(sentence: str) -> Iterator[tuple[int, str]]:
    """Where each clause begins, and the clause."""
    at = 0
    for cut in _BETWEEN.finditer(sentence):
        if sentence[at : cut.start()].strip():
            yield at, sentence[at : cut.start()]
        at = cut.end()
    if sentence[at:].strip():
        yield at, sentence[at:]
