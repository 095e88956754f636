"""The sources' statements, ready to be looked up.

Names of persons, companies and products, where they can be told from other words.

They can be told in a greeting, under a closing, after a title, and as capitalised words within a sentence of a language
that does not capitalise nouns. German ones are told after titles and words such as "Kollegin", and as two in a row
after "von", "mit" or "bei".
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import cached_property, lru_cache

from email_assistant.facts.claims import claims_of
from email_assistant.facts.fact import Claim, Key, Own, Role, Source, blank, confirms_in
from email_assistant.facts.promises import granted
from email_assistant.language.measures import codes_in
from email_assistant.language.numbers import shown
from email_assistant.language.text import fold, language_of
from email_assistant.language.words import WORDS
from email_assistant.mail.text import clean

_UP = r"[A-ZÀ-ÖØ-ÞŠŽ][\w'-]{0,40}"
with WORDS.section("names") as section:
    _GREETING = section.pattern(
        r"(?m)^[ \t]*(?:{greeting})[, ]+(?P<n>[^\n,!:.;]{1,80})(?=[,!:.;]|\n|$)", re.IGNORECASE | re.MULTILINE
    )
    _CLOSING = section.pattern(
        r"(?m)^[ \t]*(?:{closing})[ \t]*[,.!]?[ \t]*\n+(?P<n>[^\n]{1,80})", re.IGNORECASE | re.MULTILINE
    )
    _TITLES = frozenset(section.words("titles"))
    _NO_NAMES = frozenset(section.words("no_names"))
_TITLED = re.compile(
    rf"\b(?:Mr|Mrs|Ms|Dr|Prof|Herrn?|Frau|Kolleg(?:e|en|in)|Madame|Monsieur|Señora?)\b\.?\s(?P<n>{_UP}(?:\s{_UP})?)"
)
_GERMAN_PAIR = re.compile(rf"\b(?:von|mit|bei|durch|an|per|via)\s(?P<n>{_UP}\s{_UP})\b")
_GERMAN_BRAND = re.compile(r"\b(?:von|mit|bei|durch|an|per|via)\s(?P<n>[A-Z]{2,5})\b")
_INNER = re.compile(rf"(?<=[\w,;)]\s)(?P<n>{_UP}(?:\s{_UP})*)")
# At the start of a sentence only what acts as persons and companies do is told from other words.
_ACTING = re.compile(
    rf"(?:(?<=[.!?]\s)|(?<=[;,\n]\s)|(?m:^))(?P<n>{_UP}(?:\s{_UP})?)\s(?:expects?|says?|said|told|wrote|called|sent|asked|recommends?|suggests?|offers?"
    r"|will (?:call|contact|write|visit|collect|pick|bring|deliver|send)|has (?:sent|asked|told|confirmed|delivered))\b"
)
_GERMAN_CARRIER = re.compile(
    rf"(?:liefer|verschick|versend|versand|zustell|\bschick)(?:[^.\n]|(?<=\d)\.){{0,80}}\s(?:mit|per|über|via)\s(?P<n>{_UP})(?=[.,;!]|\sgeliefert|\sverschickt)"
)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name in a draft; `signs` when it stands under the closing."""

    start: int
    end: int
    words: tuple[str, ...]
    signs: bool = False


def names(text: str) -> Iterator[FoundName]:
    """The names in a draft; words that open a sentence are not told from names."""
    german = language_of(text) == "de"
    patterns = [(_GREETING, False), (_CLOSING, True), (_TITLED, False)]
    patterns += (
        [(_GERMAN_PAIR, False), (_GERMAN_BRAND, False), (_GERMAN_CARRIER, False)]
        if german
        else [(_INNER, False), (_ACTING, False)]
    )
    for pattern, signs in patterns:
        for match in pattern.finditer(text):
            words = [
                word
                for word in _WORD.finditer(match["n"])
                if word.group().casefold() not in _TITLES | _NO_NAMES
            ]
            if pattern in {_GREETING, _CLOSING}:
                words = [word for word in words if word.group()[0].isupper() or not word.group().isascii()]
            if words:
                start = match.start("n")
                yield FoundName(
                    start + words[0].start(),
                    start + words[-1].end(),
                    tuple(word.group().casefold() for word in words),
                    signs,
                )


def words_of(text: str) -> set[str]:
    """The words of a source, each as names are compared: whole, without a possessive, and by its parts."""
    return {part for word in set(_WORD.findall(text)) for part in spellings(word.casefold())}


def spellings(word: str) -> set[str]:
    """A word and what remains without "'s", and the parts of a hyphenated one."""
    plain = word.removesuffix("'s")
    return {word, plain, *plain.split("-")}


OWN = "the user's own details"
_MOST_PRODUCTS = 20_000
_MOST_KEPT = 10_000
"""Characters of a source whose commitments are kept."""


class Evidence:
    """The values, words and commitments of all sources. Reading takes time linear in their length."""

    def __init__(self, sources: Sequence[Source], own: Own, now: datetime, zone: tzinfo) -> None:
        self._keys: dict[Key, dict[Role, str]] = {}
        self._nouns: dict[str, set[str]] = defaultdict(set)
        self._currencies: dict[str, set[str]] = defaultdict(set)
        self._bare: dict[str, set[str]] = defaultdict(set)
        self._words: dict[Role, set[str]] = {"theirs": set(), "ours": set()}
        self._ours: list[tuple[str, str]] = []
        """Name and text of each source that may grant something."""
        self._lines: set[str] = set()
        self._own, self._zone = own, zone
        everything = [*sources, Source(OWN, "\n".join((own.name, own.email, *own.also)), "ours", now)]
        for source in everything:
            self._read(source, (source.at or now).astimezone(zone).date())

    def supports(self, keys: Iterable[Key], roles: Sequence[Role] = ("ours", "theirs")) -> str | None:
        """The name of a source that has one of the values; sources of ours first."""
        for role in roles:
            for key in keys:
                if name := self._keys.get(key, {}).get(role):
                    return name
        return None

    def miscounts(self, claim: Claim) -> bool:
        """Whether the sources count the same things, and differently."""
        counted = [self._nouns[noun] for noun in claim.nouns if noun in self._nouns]
        return bool(counted) and not any(key[-1] in found for found in counted for key in claim.keys)

    def names_words(self, words: Iterable[str], *, ours_only: bool) -> bool:
        """Whether every word of a name stands in the sources."""
        known = self._words["ours"] if ours_only else self._words["ours"] | self._words["theirs"]
        return all(spellings(word) & known for word in words)

    def grants(self, family: str) -> str | None:
        """The name of a source of ours that speaks of this kind of commitment."""
        if family.startswith("verb:"):
            stem = family.removeprefix("verb:")
            return "a source of ours" if any(word.startswith(stem) for word in self._words["ours"]) else None
        return self._granted.get(family)

    @cached_property
    def _granted(self) -> dict[str, str]:
        """The name of the first source of ours with each family: looked for when a draft commits to something, which most do not."""
        found: dict[str, str] = {}
        for name, text in self._ours:
            for family in _granted_in(text):
                found.setdefault(family, name)
        return found

    def has_line(self, line: str) -> bool:
        """Whether a source has this line, but for spaces and quotation marks before it."""
        return _plain_line(line) in self._lines

    def keep_lines(self, wanted: set[str], sources: Sequence[Source]) -> None:
        """Remember which of the lines that a draft quotes stand in the sources."""
        plain = {_plain_line(line) for line in wanted}
        for source in sources:
            self._lines |= plain.intersection(map(_plain_line, fold(clean(source.text)[0]).splitlines()))

    def _read(self, source: Source, base: date) -> None:
        text = fold(clean(source.text)[0])
        text = blank(text, confirms_in(text))
        self._words[source.role] |= words_of(text)
        if source.role == "ours" and source.name != OWN:
            self._ours.append((source.name, text))
        if source.at:
            self._add(("sent", base.isoformat()), source)
        self._claims(source, text, base)

    def _claims(self, source: Source, text: str, base: date) -> None:
        line_end = -1
        counts: list[str] = []
        prices: list[Key] = []
        for claim in claims_of(text, base, self._zone, day_first=self._own.day_first):
            if claim.start > line_end:
                self._products(source, counts, prices)
                line_end, counts, prices = text.find("\n", claim.start), [], []
                line_end = len(text) if line_end < 0 else line_end
            for key in claim.keys:
                self._add(key, source)
                for other in _implied(key):
                    self._add(other, source)
                if key[0] == "money":
                    self._currencies[source.name].add(key[1])
                    prices.append(key)
                if key[0] in {"number", "quantity"}:
                    counts.append(key[-1])
                if key[0] == "number":
                    self._bare[source.name].add(key[-1])
            for part in claim.parts:
                for key in part:
                    self._add(key, source)
            for noun in claim.nouns:
                self._nouns[noun] |= {key[-1] for key in claim.keys}
        self._products(source, counts, prices)
        self._untold_currency(source)

    def _products(self, source: Source, counts: list[str], prices: list[Key]) -> None:
        """A count times a price of the same line: the one sum that needs no showing."""
        if len(counts) * len(prices) > 12 or len(self._keys) > _MOST_PRODUCTS:
            return
        for count in counts:
            for _, currency, price in prices:
                self._add(("money", currency, shown(Decimal(count) * Decimal(price))), source)

    def _untold_currency(self, source: Source) -> None:
        """Amounts without a currency in a source that names one currency only (a table, a result of a tool)."""
        text = source.text
        named = self._currencies[source.name] | codes_in(text)
        if len(named) == 1:
            for value in self._bare[source.name]:
                self._add(("money", next(iter(named)), value), source)

    def _add(self, key: Key, source: Source) -> None:
        self._keys.setdefault(key, {}).setdefault(source.role, source.name)


def _granted_in(text: str) -> Iterable[str]:
    return granted(text) if len(text) > _MOST_KEPT else _kept_grants(text)


_kept_grants = lru_cache(maxsize=64)(granted)


def looked_up(keys: frozenset[Key]) -> list[Key]:
    """The keys to look up: a date by its day, a weekday alone by the days it may be, a time with a zone in UTC."""
    kinds = {key[0] for key in keys}
    if "date" in kinds:
        return [key for key in keys if key[0] in {"date", "slashed"}]
    if "weekday" in kinds:
        return [key for key in keys if key[0] == "near"]
    if "zoned" in kinds:
        return [("unzoned", key[1]) if key[0] == "time" else key for key in keys]
    return [key for key in keys if key[0] not in {"length", "unzoned"}]


def _implied(key: Key) -> list[Key]:  # noqa: PLR0911
    """What a value says beside itself."""
    match key:
        case ("date", day):
            at = date.fromisoformat(day)
            monday = at - timedelta(days=at.weekday())
            return [
                ("week", monday.isoformat()),
                ("month", str(at.year), str(at.month)),
                ("number", str(at.year)),
            ]
        case ("weekday", day):
            at = date.fromisoformat(day)
            monday = at - timedelta(days=at.weekday())
            return [("date", day), ("near", day), ("week", monday.isoformat())]
        case ("money" | "quantity", _, value) | ("percentage", value):
            return [("number", value)]
        case ("length", minutes):
            return [("quantity", "minutes", minutes)]
        case ("id", written) if written.isdecimal():
            return [("number", shown(Decimal(written))), ("phone", written.lstrip("0")[-9:])]
        case ("number", value) if value.isdecimal():
            return [("id", value)]
        case ("phone", _):
            return []
        case ("link", host, path) if path:
            return [("link", host, "")]
        case ("email", address):
            return [("link", address.partition("@")[2], "")]
        case _:
            return []


def _plain_line(line: str) -> str:
    return " ".join(line.strip().lstrip("> ").split())
