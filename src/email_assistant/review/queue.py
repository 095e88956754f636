"""What waits, in the order in which a person decides it: one row a mail, in sections by what is to be done.

The page and the terminal show the same rows. Nothing here asks a server, a clock or a mailbox.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.clock import Clock, instant_of, now_for, short_day, span_in_words, when_listed
from email_assistant.models.offline.words import QUESTION
from email_assistant.review.card_facts import FREE, Catch, catch_of
from email_assistant.review.card_view import CardView
from email_assistant.review.kinds import CardKind, QueueSection, RowGroup
from email_assistant.review.waiting import WaitingCard

SECONDS_A_DECISION = 10
"""What one answer takes, and what one gap takes besides: a guess."""
_WEIGHTS = ("critical", "high", "", "normal", "low")
"""Importance, the most first; of what nobody has weighed it is in between."""
_LAST = "9999"


@dataclass(frozen=True, slots=True)
class Row:
    """One mail that waits, whatever graphs ask about it."""

    key: str
    """The message's key; of a card without one its thread."""
    cards: tuple[WaitingCard, ...]
    """The card that leads, then those of other graphs about the same message."""
    section: QueueSection
    group: RowGroup
    who: str
    ask: str
    """What is wanted, in the fewest words."""
    catch: tuple[Catch, ...]
    """What to look at before answering, in a few words each; the most pressing first."""
    received: str
    """ISO 8601, or ""."""
    when: str
    """The same for a person: the time of today's mail, the weekday of this week's, else the day."""
    importance: str
    """Of the mail, the most that any of its cards says; "" when none does."""

    @property
    def card(self) -> WaitingCard:
        """The card that leads."""
        return self.cards[0]


@dataclass(frozen=True, slots=True)
class BundleItem:
    """One card of a bundle."""

    row: Row
    card: WaitingCard
    left_out: bool
    """Whether it keeps an answer of its own: its sender is in doubt, or something in the mail alarms."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Cards that one answer settles: all notices, or all guessed labels, also those of mails that wait for something else."""

    group: RowGroup
    items: tuple[BundleItem, ...]
    """Those left out first; of labels then the least sure, of notices the oldest."""
    title: str
    """Like "11 notices that ask for nothing"."""
    summary: str
    """Whose they are, or which labels and how many of each."""

    @property
    def taken(self) -> tuple[BundleItem, ...]:
        """Those that the one answer is for, unless a person says otherwise."""
        return tuple(item for item in self.items if not item.left_out)


def rows(cards: Iterable[WaitingCard], clock: Clock, timezone: str) -> list[Row]:
    """The rows of all cards, in the order of sections, and within one the most pressing first."""
    by_mail: dict[str, list[WaitingCard]] = defaultdict(list)
    for card in cards:
        by_mail[card.facts.message_key or card.thread_id].append(card)
    made = [_row(key, sorted(some, key=_lead), clock, timezone) for key, some in by_mail.items()]
    return sorted(made, key=_order)


def now_of(facts: CardView, clock: Clock, timezone: str) -> datetime:
    """The instant that counts as now for the card's mail, in that zone."""
    return now_for(clock, instant_of(facts.arrived, timezone)).astimezone(ZoneInfo(timezone))


def sections(found: Sequence[Row]) -> dict[QueueSection, list[Row]]:
    """The rows by section; a section without rows is not in it."""
    return {each: some for each in QueueSection if (some := [row for row in found if row.section is each])}


def bundles(found: Sequence[Row]) -> list[Bundle]:
    """What can be answered together, where there is more than one of it."""
    notices = [BundleItem(row, row.card, False) for row in found if row.group is RowGroup.NOTICES]
    labels = [
        BundleItem(row, card, row.section is QueueSection.LOOK_FIRST)
        for row in found
        for card in row.cards
        if card.kind.together is RowGroup.LABELS
    ]
    labels.sort(key=lambda item: (not item.left_out, _confidence(item.card)))
    return [
        Bundle(group, tuple(items), *_described(group, items))
        for group, items in ((RowGroup.NOTICES, notices), (RowGroup.LABELS, labels))
        if len(items) > 1
    ]


def matching(found: Iterable[Row], text: str) -> list[Row]:
    """The rows in whose sender, ask, catch, kind or title all words of the text stand."""
    words = text.casefold().split()
    return [row for row in found if all(word in _searched(row) for word in words)]


def minutes(found: Sequence[Row]) -> int:
    """How long answering all of it takes, roughly; what can be answered together counts once."""
    bundled = bundles(found)
    grouped = {each.group for each in bundled}
    alone = [row for row in found if row.group is RowGroup.NONE or row.group not in grouped]
    gaps = sum(len(row.card.facts.gaps) for row in alone)
    seconds = (len(alone) + len(bundled) + gaps) * SECONDS_A_DECISION
    return max(1, round(seconds / 60)) if found else 0


def _lead(card: WaitingCard) -> tuple[int, str]:
    """What acts before what only shows, and that before what sorts."""
    return list(RowGroup).index(card.kind.together), card.waits_since


def _row(key: str, cards: Sequence[WaitingCard], clock: Clock, timezone: str) -> Row:
    kind, doubts = cards[0].kind, next((each.facts.doubts for each in cards if each.facts.doubts), ())
    facts = replace(cards[0].facts, doubts=doubts)  # Whichever graph found them.
    section, today = _section(facts, kind), now_of(facts, clock, timezone).date()
    weighed = {each.facts.importance for each in cards}
    return Row(
        key,
        tuple(cards),
        section,
        _group(facts, kind, section),
        facts.sender or facts.address,
        _ask(facts, kind),
        catch_of(facts, today),
        facts.received,
        when_listed(instant_of(facts.received, facts.timezone), today),
        next((each for each in _WEIGHTS if each and each in weighed), ""),
    )


def _section(facts: CardView, kind: CardKind) -> QueueSection:
    if facts.doubts or facts.alarms:
        return QueueSection.LOOK_FIRST
    if kind.section is QueueSection.MONEY:
        return kind.section
    if facts.meeting or kind.section is QueueSection.MEETINGS:
        return QueueSection.MEETINGS
    if facts.deadline and kind.together is not RowGroup.LABELS:  # A label does nothing about it.
        return QueueSection.WITH_A_DATE
    return kind.section


def _group(facts: CardView, kind: CardKind, section: QueueSection) -> RowGroup:
    # A notice that asks, or hides something, is looked at alone.
    is_more = kind.together is RowGroup.NOTICES and (facts.warnings or QUESTION.search(facts.gist))
    if section is not QueueSection.TOGETHER or is_more:
        return RowGroup.NONE
    return kind.together


def _ask(facts: CardView, kind: CardKind) -> str:
    if kind.draws == "event" or facts.meeting:
        return _meeting(facts) or facts.summary or facts.subject
    return facts.gist or facts.subject or facts.ask


def _meeting(facts: CardView) -> str:
    """Like "Thu 26 Nov 11:30–13:00, asked for 10:00: Lobby"."""
    event = facts.event
    start = event.get("start", "")
    text = span_in_words(start, event.get("end", ""), facts.timezone)
    if not text:
        return ""
    asked = (facts.meeting or {}).get("asked") or {}
    wanted, begins = (instant_of(each, facts.timezone) for each in (str(asked.get("start", "")), start))
    if asked.get("taken_by") and wanted and begins:
        day = "" if wanted.date() == begins.date() else f"{short_day(wanted.date())} "
        text += f", asked for {day}{wanted:%H:%M}"
    if facts.gist == facts.title:  # It says what is to be done with the event, and which one that is.
        return f"{facts.gist}, {text}"
    return f"{text}: {event.get('title') or facts.subject}"


def _order(row: Row) -> tuple[Any, ...]:
    """Sections in their order; each by what presses in it, then the oldest first."""
    facts = row.card.facts
    pressing: tuple[Any, ...] = ()
    if row.section is QueueSection.LOOK_FIRST:
        pressing = (row.card.kind.section is not row.section, -len(facts.alarms) - bool(facts.doubts))
    elif row.section is QueueSection.WITH_A_DATE:
        pressing = (facts.deadline,)
    elif row.section is QueueSection.MEETINGS:
        pressing = (FREE in row.catch, _start(facts))
    elif row.section is QueueSection.REPLIES:
        pressing = (_WEIGHTS.index(row.importance) if row.importance in _WEIGHTS else len(_WEIGHTS),)
    elif row.section is QueueSection.TOGETHER:
        pressing = (list(RowGroup).index(row.group),)
    return list(QueueSection).index(row.section), pressing, row.received, row.key


def _start(facts: CardView) -> str:
    start = instant_of(facts.event.get("start", ""), facts.timezone)
    return start.astimezone(UTC).isoformat() if start else _LAST


def _described(group: RowGroup, items: Sequence[BundleItem]) -> tuple[str, str]:
    """A bundle's title and summary."""
    if group is RowGroup.NOTICES:
        names = list(dict.fromkeys(item.row.who for item in items))
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        return f"{len(items)} notices that ask for nothing", ", ".join(names[:5]) + more
    labels = Counter(item.card.chosen.rpartition("/")[2] for item in items)
    return f"{len(items)} label guesses", ", ".join(f"{name} {n}" for name, n in labels.most_common())


def _searched(row: Row) -> str:
    """What a filter looks at, in one text."""
    kinds = [text for card in row.cards for text in (card.facts.kind, card.title, card.graph)]
    facts = row.card.facts
    return "\n".join(
        [row.who, facts.address, facts.subject, row.ask, *row.catch, row.section, *kinds]
    ).casefold()


def _confidence(card: WaitingCard) -> float:
    found = card.facts.confidence
    return 1.0 if found is None else found
