"""Cards that are answered together, as a table: notices, and guesses at labels."""

from dataclasses import dataclass
from datetime import datetime

from email_assistant.calendars.day_text import instant_of, when_listed
from email_assistant.page.list_view import card_place
from email_assistant.review.queue import Bundle, BundleItem, RowGroup


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One of the cards."""

    at: str
    thread: str
    interrupt: str
    digest: str
    who: str
    told: str
    why: str
    when: str
    chosen: str
    sure: str
    is_left_out: bool


@dataclass(frozen=True, slots=True)
class GroupPage:
    """The table, and what answers it."""

    at: str
    name: str
    kicker: str
    title: str
    sub: str
    options: tuple[str, ...]
    rows: tuple[GroupRow, ...]
    taken: int
    place: str


def group_page(bundle: Bundle, now: datetime, timezone: str, place: str = "") -> GroupPage:
    """The page of a bundle; `now` is in the user's zone."""
    group = bundle.group
    options = dict.fromkeys(
        option
        for item in bundle.items
        if (facts := item.card.facts)
        for option in (*facts.options, item.card.args.get("category", ""))
    )
    return GroupPage(
        at=f"group/{group.value}",
        name=group.value,
        kicker="Notices" if group is RowGroup.NOTICES else "Labels",
        title=bundle.title if group is RowGroup.NOTICES else f"{bundle.title}, in one answer",
        sub=_SUB[group],
        options=tuple(each for each in options if each) if group is RowGroup.LABELS else (),
        rows=tuple(_row(item, now, timezone) for item in bundle.items),
        taken=len(bundle.taken),
        place=place,
    )


_SUB = {
    RowGroup.NOTICES: "Nobody is answered. What you take out of the selection waits on; Enter opens a mail.",
    RowGroup.LABELS: "Change what is wrong: go to a row and press a number. Nothing moves before you answer, and all of it can be undone.",
}


def _row(item: BundleItem, now: datetime, timezone: str) -> GroupRow:
    row, card, facts = item.row, item.card, item.card.facts
    confidence = facts.confidence if facts else None
    return GroupRow(
        at=card_place(card.thread_id, card.interrupt_id),
        thread=card.thread_id,
        interrupt=card.interrupt_id,
        digest=card.digest,
        who=row.who or card.graph,
        told=(facts.subject if facts else "") or row.ask,
        why=_why(item),
        when=when_listed(instant_of(row.received, timezone), now.date()),
        chosen=card.args.get("category", ""),
        sure=f"{confidence:.0%}" if confidence is not None else "",
        is_left_out=item.left_out,
    )


def _why(item: BundleItem) -> str:
    if item.left_out:
        return "sender in doubt" if any(c.facts and c.facts.doubts for c in item.row.cards) else "look first"
    facts = item.card.facts
    return facts.reasons[0].removeprefix("Triage: ") if facts and facts.reasons else ""
