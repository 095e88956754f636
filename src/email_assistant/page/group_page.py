"""Cards that are answered together, as a table: notices, and guesses at labels."""

from dataclasses import dataclass
from datetime import datetime

from email_assistant.calendars.day_text import instant_of, when_listed
from email_assistant.page.list_view import card_place
from email_assistant.review.action import ACCEPT
from email_assistant.review.kinds import RowGroup
from email_assistant.review.queue import Bundle, BundleItem


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
    done: str
    """What is said of those that are approved, in a word; "" when nothing can be."""


def group_page(bundle: Bundle, now: datetime, timezone: str, place: str = "") -> GroupPage:
    """The page of a bundle; `now` is in the user's zone."""
    group = bundle.group
    options = dict.fromkeys(
        option for item in bundle.items for option in (*item.card.facts.options, _chosen(item))
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
        done=next((item.card.kind.done for item in bundle.items if ACCEPT in item.card.kind.answers), ""),
    )


_SUB = {
    RowGroup.NOTICES: "Nobody is answered. What you take out of the selection waits on; Enter opens a mail.",
    RowGroup.LABELS: "Change what is wrong: go to a row and press a number. Nothing moves before you answer, and all of it can be undone.",
}


def _row(item: BundleItem, now: datetime, timezone: str) -> GroupRow:
    row, card, confidence = item.row, item.card, item.card.facts.confidence
    return GroupRow(
        at=card_place(card.thread_id, card.interrupt_id),
        thread=card.thread_id,
        interrupt=card.interrupt_id,
        digest=card.digest,
        who=row.who or card.graph,
        told=card.facts.subject or row.ask,
        why=_why(item),
        when=when_listed(instant_of(row.received, timezone), now.date()),
        chosen=_chosen(item),
        sure=f"{confidence:.0%}" if confidence is not None else "",
        is_left_out=item.left_out,
    )


def _chosen(item: BundleItem) -> str:
    return item.card.args.get(item.card.kind.choice, "")


def _why(item: BundleItem) -> str:
    if item.left_out:
        return "sender in doubt" if any(c.facts.doubts for c in item.row.cards) else "look first"
    reasons = item.card.facts.reasons
    return reasons[0].removeprefix("Triage: ") if reasons else ""
