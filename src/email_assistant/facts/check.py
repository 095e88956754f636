"""The fact check: every claim of a draft is looked up in the sources; what none supports becomes a visible gap.

Rules, not understanding: docs/fact_check.md says what is found and what is not.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from email_assistant.facts.claims import claims_of
from email_assistant.facts.evidence import OWN, Evidence, FoundName, looked_up, names
from email_assistant.facts.fact import (
    CheckedDraft,
    Claim,
    Fact,
    Gap,
    Own,
    Role,
    Source,
    blank,
    gaps_in,
    inside,
)
from email_assistant.facts.promises import Promise, promises
from email_assistant.language.text import fold
from email_assistant.mail.text import clean

_OURS: tuple[Role, ...] = ("ours",)
_BOTH: tuple[Role, ...] = ("ours", "theirs")
_QUOTED = re.compile(r"(?m)^[ \t]*>[^\n]*")
_OF_A_MESSAGE = re.compile(
    r"\b(?:mail|e-mail|email|message|letter|note|reply|enquiry|inquiry|request|wrote|written|writing|call|nachricht|schreiben|anfrage|geschrieben|"
    r"courriel|mensaje|correo)\b[^.\n]{0,25}$",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:of|from|dated|since|placed|ordered|vom|du|del|seit)\s(?:the\s)?$", re.IGNORECASE)
_EQUATION = re.compile(r"\s*(?P<op>[x*+×-]|times|plus|minus|mal)\s*$", re.IGNORECASE)
_EQUALS = re.compile(r"\s*(?:=|is|makes|are|sind|ergibt|macht)\s*$", re.IGNORECASE)

Distrusted = Callable[[Claim, str], Claim | None]
"""How a claim of a text is to be read that what the other party says does not support; None for other claims."""


def check(
    draft: str,
    sources: Sequence[Source],
    *,
    now: datetime,
    timezone: str,
    own: Own | None = None,
    distrusted: Distrusted | None = None,
) -> CheckedDraft:
    """The draft with a gap for each claim that no source supports.

    `now` is aware: "tomorrow" in the draft counts from it. `timezone` is the user's IANA name, in which times without a
    zone are meant. Characters that nobody sees are removed from the draft first. A gap that the draft had stays.
    What is `distrusted` needs a source of ours, in a quote of the other party's words, too.
    """
    zone = ZoneInfo(timezone)
    own = own or Own()
    shown = clean(draft)[0]
    text = fold(shown)
    evidence = Evidence(sources, own, now, zone)
    old = gaps_in(text, "\n".join(fold(each.text) for each in sources if each.role == "theirs"))
    read = blank(text, old)
    if distrusted is None:
        read = blank(read, _true_quotes(read, evidence, sources))
    base = now.astimezone(zone).date()
    claims = list(claims_of(read, base, zone, day_first=own.day_first))
    commitments = list(promises(read))
    as_read = [distrusted(claim, read) if distrusted else None for claim in claims]
    found = []
    for claim, given in zip(claims, as_read, strict=True):
        committed = _committed(claim, commitments) and _needs_ours(claim, read)
        found.append(_judged(given or claim, bool(given) or committed, read, evidence))
    # What is distrusted must be stated: the other party may have named a part of the sum.
    sums = _sums(claims, found, read)
    found = [each if given else total for each, total, given in zip(found, sums, as_read, strict=True)]
    spans = [(*span, "gap", "left open in the draft") for span in old]
    facts: list[Fact] = []
    for claim, (source, reason) in zip(claims, found, strict=True):
        facts.append(Fact(claim.kind, shown[claim.start : claim.end], (claim.start, claim.end), source))
        if source is None:
            spans.append((claim.start, claim.end, claim.kind, reason))
    for name in _untaken(names(read), claims):
        source = _named(name, evidence)
        facts.append(Fact("name", shown[name.start : name.end], (name.start, name.end), source))
        if source is None:
            spans.append((name.start, name.end, "name", "no source has this name"))
    for promise in commitments:
        source, missing = _granted(promise, evidence)
        facts.append(
            Fact("promise", shown[promise.start : promise.end], (promise.start, promise.end), source)
        )
        if source is None:
            spans.append(
                (promise.start, promise.end, "promise", f"no source of ours grants this ({missing})")
            )
    spans.sort(key=lambda span: (span[0], -span[1]))
    gaps = tuple(Gap(kind, shown[start:end], reason) for start, end, kind, reason in spans)  # type: ignore[arg-type]
    return CheckedDraft(
        _with_gaps(shown, text, spans), tuple(sorted(facts, key=lambda fact: fact.span)), gaps
    )


def _true_quotes(text: str, evidence: Evidence, sources: Sequence[Source]) -> list[tuple[int, int]]:
    """Lines after ">" that stand in a source: the other party's words, which claim nothing for the user."""
    quoted = list(_QUOTED.finditer(text))
    if quoted:
        evidence.keep_lines({match.group() for match in quoted}, sources)
    return [match.span() for match in quoted if evidence.has_line(match.group())]


def _committed(claim: Claim, commitments: Sequence[Promise]) -> bool:
    """Whether a claim stands in a commitment that grants something; a cancellation's date is the booking's."""
    at = bisect_right(commitments, claim.start, key=lambda promise: promise.start) - 1
    if at < 0 or claim.start >= commitments[at].end:
        return False
    return claim.kind == "money" or commitments[at].families != {"cancel"}


def _judged(claim: Claim, only_ours: bool, text: str, evidence: Evidence) -> tuple[str | None, str]:  # noqa: PLR0911
    """The source that supports a claim, or None and the reason."""
    if claim.fault:
        return None, claim.fault
    before = _before(claim, text)
    roles = _OURS if only_ours else _BOTH
    if len(claim.parts) == 2:
        ends = [evidence.supports(looked_up(part), roles) for part in claim.parts]
        return (ends[0], "") if all(ends) else (None, "no source has this range")
    if claim.kind == "number" and evidence.miscounts(claim):
        return None, "the sources count otherwise"
    if source := evidence.supports(looked_up(claim.keys), roles):
        return source, ""
    if claim.kind == "date" and _OF_A_MESSAGE.search(before):
        sent = [("sent", key[1]) for key in claim.keys if key[0] in {"date", "near"}]
        if source := evidence.supports(sent, _BOTH):
            return source, ""
    if any(key[0] == "slashed" for key in claim.keys) and not any(key[0] == "date" for key in claim.keys):
        return None, "day and month can be read either way round"
    if roles == _OURS and evidence.supports(looked_up(claim.keys), ("theirs",)):
        return None, "only the other party names this, and here it is granted"
    return None, f"no source has this {claim.kind}"


def _before(claim: Claim, text: str) -> str:
    return text[max(0, claim.start - 60) : claim.start]


def _needs_ours(claim: Claim, text: str) -> bool:
    """Within a commitment what is granted and when must be ours; an order's number or date is only restated."""
    before = _before(claim, text)
    if claim.kind in {"money", "percentage", "quantity", "time"}:
        return True
    return claim.kind == "date" and not _ABOUT.search(before) and not _OF_A_MESSAGE.search(before)


def _sums(
    claims: Sequence[Claim], found: Sequence[tuple[str | None, str]], text: str
) -> list[tuple[str | None, str]]:
    """A result that the draft works out itself (`2 x 19.90 = 39.80`) from numbers that are supported."""
    out = list(found)
    for at in range(2, len(claims)):
        first, second, result = claims[at - 2 : at + 1]
        operation = _EQUATION.fullmatch(text, first.end, second.start)
        if out[at][0] or not operation or not _EQUALS.fullmatch(text, second.end, result.start):
            continue
        if out[at - 2][0] and out[at - 1][0] and _computes(operation["op"].lower(), first, second, result):
            out[at] = out[at - 1]
    return out


def _computes(operation: str, first: Claim, second: Claim, result: Claim) -> bool:
    for a in (Decimal(key[-1]) for key in first.keys if key[0] in {"number", "money", "quantity"}):
        for b in (Decimal(key[-1]) for key in second.keys if key[0] in {"number", "money", "quantity"}):
            value = {"+": a + b, "plus": a + b, "-": a - b, "minus": a - b}.get(operation, a * b)
            if any(key[0] in {"number", "money"} and Decimal(key[-1]) == value for key in result.keys):
                return True
    return False


def _untaken(found: Iterator[FoundName], claims: Sequence[Claim]) -> list[FoundName]:
    """The names that overlap no claim and no other name."""
    taken = sorted((claim.start, claim.end) for claim in claims)
    out: list[FoundName] = []
    at, end = 0, -1
    for name in sorted(found, key=lambda name: (name.start, not name.signs, -name.end)):
        while at < len(taken) and taken[at][1] <= name.start:
            at += 1
        if name.start >= end and (at == len(taken) or taken[at][0] >= name.end):
            out.append(name)
            end = name.end
    return out


def _named(name: FoundName, evidence: Evidence) -> str | None:
    if evidence.names_words(name.words, ours_only=True):
        return OWN if name.signs else "a source of ours"
    return (
        None
        if name.signs or not evidence.names_words(name.words, ours_only=False)
        else "the other party's mail"
    )


def _granted(promise: Promise, evidence: Evidence) -> tuple[str | None, str]:
    sources = {family: evidence.grants(family) for family in sorted(promise.families)}
    missing = ", ".join(family for family, source in sources.items() if source is None)
    return (None, missing) if missing else (next(iter(sources.values())), "")


def _with_gaps(shown: str, text: str, spans: list[tuple[int, int, str, str]]) -> str:
    """The draft with the outermost gaps written in; one that stood there stays as it is."""
    out, at = [], 0
    for start, end, kind, _ in spans:
        if start < at:
            continue
        inner = " ".join(
            re.sub(r"\[\s*confirm\s*:?", "", shown[start:end], flags=re.IGNORECASE)
            .replace("[", "(")
            .replace("]", ")")
            .split()
        )
        if kind == "gap":
            inner = inside(shown[start:end]) or "what belongs here"
        out += [shown[at:start], f"[confirm: {inner}]"]
        at = end
    return "".join([*out, shown[at:]])
