"""The claims in a text: every recogniser in turn, each taking only what none before it has taken."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, tzinfo
from functools import lru_cache
from itertools import chain

from email_assistant.facts import values
from email_assistant.facts.fact import Claim
from email_assistant.facts.times import dates, in_words, stamps, times

_CHUNK = 4_000
_MOST_KEPT = 10_000
"""Characters of a text whose claims are kept."""


def chunks(text: str) -> Iterator[tuple[int, str]]:
    """The text in pieces of a few thousand characters, cut at line ends or spaces, with where each begins."""
    start = 0
    while start < len(text):
        end = min(len(text), start + _CHUNK)
        if end < len(text):
            cut = max(text.rfind("\n", start, end), start) or start
            cut = cut if cut > start else text.rfind(" ", start, end)
            end = cut + 1 if cut > start else end
        yield start, text[start:end]
        start = end


def claims_in(text: str, base: date, zone: tzinfo, *, day_first: bool | None) -> Iterator[Claim]:
    """The claims of a folded text (see `language.text.fold`), in order within each piece; `base` is when it was written."""
    for offset, piece in chunks(text):
        for claim in sorted(_piece(piece, base, zone, day_first), key=lambda claim: claim.start):
            end = claim.end - _ends_sentence(piece[claim.start : claim.end])
            yield replace(claim, start=offset + claim.start, end=offset + end)


def claims_of(text: str, base: date, zone: tzinfo, *, day_first: bool | None) -> Iterable[Claim]:
    """The same, kept: a source is read again for each draft that is checked by it, and by each check of a draft."""
    if len(text) > _MOST_KEPT:
        return claims_in(text, base, zone, day_first=day_first)
    return _kept_claims(text, base, zone, day_first)


@lru_cache(maxsize=256)
def _kept_claims(text: str, base: date, zone: tzinfo, day_first: bool | None) -> tuple[Claim, ...]:
    return tuple(claims_in(text, base, zone, day_first=day_first))


def _ends_sentence(written: str) -> bool:
    """Whether a claim took in the full stop after it: "3 pm." does, "p.m." and "3.12." do not."""
    return written.endswith(".") and written.count(".") == 1 and written[-2:-1].isalpha()


def _piece(text: str, base: date, zone: tzinfo, day_first: bool | None) -> Iterator[Claim]:
    taken = bytearray(len(text))
    yield from _take(values.links(text), taken)
    if not re.search(r"\w", text):
        return
    yield from _take(chain.from_iterable(stamps(text, zone)), taken)
    for start, end in values.idioms(text):
        taken[start:end] = b"\x01" * (end - start)
    yield from _take(in_words(_rest(text, taken)), taken)
    yield from _take(dates(_rest(text, taken), base, day_first=day_first), taken)
    rest = _rest(text, taken)
    yield from _take(values.money(rest), taken)
    if any(char.isdecimal() for char in rest):
        yield from _take(values.ids(_rest(text, taken)), taken, before=values.phones(_rest(text, taken)))
    yield from _take(times(_rest(text, taken), base, zone), taken)
    rest = _rest(text, taken)
    for claim in _take(values.quantities(rest), taken):
        if not (claim.kind == "number" and values.is_list_mark(rest, claim.start, claim.end)):
            yield claim


def _take(found: Iterable[Claim], taken: bytearray, before: Iterable[Claim] = ()) -> Iterator[Claim]:
    for claim in chain(before, found):
        if claim.end > claim.start and not any(taken[claim.start : claim.end]):
            taken[claim.start : claim.end] = b"\x01" * (claim.end - claim.start)
            yield claim


def _rest(text: str, taken: bytearray) -> str:
    """The text with what is taken blanked out by a sign that no recogniser reads."""
    if not any(taken):
        return text
    out, at = [], 0
    for match in re.finditer(rb"\x01+", bytes(taken)):
        out += [text[at : match.start()], "\x1f" * (match.end() - match.start())]
        at = match.end()
    return "".join([*out, text[at:]])
