"""Sentences that may commit the user's side, by the opposite rule to `promises`: each one may, unless it is known not to.

`promises` looks for words of granting and misses what is put in others; this takes every sentence for a commitment but
those of a few harmless kinds (`courtesies`), those that a sentence of ours says as they do (`said`), and the signature.
It decides who reads a reply, never what stands in it.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from email_assistant.facts.courtesies import Kind, is_greeting, is_question, kind_of
from email_assistant.facts.fact import Own, Source
from email_assistant.facts.folding import blank
from email_assistant.facts.quoted_sources import Said
from email_assistant.facts.sentences import clauses_of, masked, sentences_of
from email_assistant.language.folding import fold
from email_assistant.language.languages import is_written_in
from email_assistant.mail.text import clean

_LONGEST = 600
_MOST = 200
"""So many sentences are told; one is enough for a person to look."""
_WORDS = re.compile(r"\w+")
_QUOTED = re.compile(r"(?m)^[ \t]*>[^\n]*")
_MASKS = re.compile("§+(?:[ .,]{0,2}§+)*")


def may_commit(
    text: str, sources: Sequence[Source] = (), *, now: datetime, timezone: str, own: Own | None = None
) -> tuple[str, ...]:
    """The sentences of a reply that may commit our side and rest on nothing of ours, as they stand there, in order.

    `now` and `timezone` as for `check.check`. Only sources whose role is `ours` support; lines after ">" that stand in
    any source are quotations. A reply in a language other than English, German, French, Spanish is returned whole.
    """
    zone = ZoneInfo(timezone)
    shown = clean(text)[0]
    folded = fold(shown)
    if not is_written_in(folded, ("en", "de", "fr", "es")):
        return (" ".join(shown.split()),) if shown.strip() else ()
    hidden, _ = masked(folded, now.astimezone(zone).date(), zone)
    said = Said(sources, now, zone)
    found: list[str] = []
    signature = _Signature(own or Own())
    for start, sentence in _unquoted(hidden, folded, sources):
        written = slice(start, start + len(sentence))
        if signature.takes(folded[written]):
            continue
        plain = " ".join(_MASKS.sub("§", sentence).split())
        kinds = _kinds(plain)
        signature.follows = kinds[-1] == "sign-off"
        if None in kinds and not said.says(folded[written]):
            found.append(" ".join(shown[written].split()))
            if len(found) == _MOST:
                break
    return tuple(found)


class _Signature:
    """The lines that only say who the user is: the name anywhere, the rest of the details under a closing."""

    def __init__(self, own: Own) -> None:
        self._name = _tokens(own.name)
        self._details = self._name | _tokens(" ".join((own.email, *own.also)))
        self.follows = False

    def takes(self, line: str) -> bool:
        words = _tokens(line)
        return bool(words) and words <= (self._details if self.follows else self._name)


def _tokens(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORDS.findall(fold(text)))


def _unquoted(hidden: str, folded: str, sources: Sequence[Source]) -> Iterator[tuple[int, str]]:
    """The sentences outside of true quotations."""
    quoted = list(_QUOTED.finditer(folded))
    if quoted:
        lines = {_line(line) for source in sources for line in fold(clean(source.text)[0]).splitlines()}
        hidden = blank(hidden, [line.span() for line in quoted if _line(line.group()) in lines])
    yield from sentences_of(hidden)


def _line(text: str) -> str:
    return " ".join(text.strip().lstrip("> ").split())


def _kinds(sentence: str) -> list[Kind | None]:
    """The harmless kind of each clause; None for one that may commit."""
    if len(sentence) > _LONGEST:
        return [None]
    if is_greeting(sentence.rstrip(" ,.!:")):
        return ["greeting"]
    if sentence.endswith("?"):
        return ["filler" if is_question(sentence) else None]
    kinds: list[Kind | None] = []
    for _, clause in clauses_of(sentence.rstrip(" .!…")):
        kinds.append(kind_of(clause.strip(), kinds[-1] if kinds else None))
    return kinds or [None]
