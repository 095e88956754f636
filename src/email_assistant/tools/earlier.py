"""Other runs' work on the same message: told on the card, and asked about before it is done once more."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from email_assistant.effects.store import doer_of
from email_assistant.effects.subjects import Doer
from email_assistant.journal.records import OutboxRow, OutboxStatus
from email_assistant.mail.text import one_line
from email_assistant.review.action import Action
from email_assistant.review.card_facts import local_time
from email_assistant.tools.concerns import Concern
from email_assistant.tools.tool import Turn

ACCEPTED = "done:"
"""How the key of a concern about an earlier effect begins; the effect's action id follows."""
LIVE = (OutboxStatus.started, OutboxStatus.done)
"""Of what may have happened."""
MAX_TOLD = 3
_SHOWN = 120
"""Characters of what was done."""


@dataclass(frozen=True)
class Told:
    """How one kind of effect is told."""

    done: str
    """Like "A reply to this message was sent"."""
    begun: str
    """Like "A reply to this message is being sent": its end was not seen."""
    again: str
    """What accepting once more does, like "send this one as well"."""
    details: Callable[[OutboxRow], str]
    """What it was, in a few words."""


def sentence(row: OutboxRow, told: Told, timezone: str) -> str:
    """What was done, when, and by whom."""
    by = f"by {row.graph}" if row.graph else "by another run"
    what = told.done if row.status is OutboxStatus.done else told.begun
    details = one_line(told.details(row), limit=_SHOWN)
    return f"{what} on {local_time(row.updated_at, timezone)} {by}: {details}"


def accepted_in(acknowledged: Iterable[str]) -> list[str]:
    """Ids of the earlier effects that a person knows of and goes on all the same."""
    return [key.removeprefix(ACCEPTED) for key in acknowledged if key.startswith(ACCEPTED)]


def earlier_concerns(rows: Iterable[OutboxRow], action: Action, told: Told) -> list[Concern]:
    """What is on record of the same subject and is not of the action's own work."""
    timezone, own = str(action.facts.get("timezone") or "UTC"), doer_in(action)
    found = [row for row in rows if row.status in LIVE and not doer_of(row).is_work_of(own)]
    texts = [sentence(row, told, timezone) for row in found[:-1][-MAX_TOLD:]]
    texts = [""] * (len(found) - 1 - len(texts)) + texts
    texts += [f"{sentence(row, told, timezone)} Accept again to {told.again}." for row in found[-1:]]
    return [Concern(f"{ACCEPTED}{row.action_id}", text) for row, text in zip(found, texts, strict=True)]


def doer_in(action: Action) -> Doer:
    """Whose effect an action is."""
    return Doer(**action.facts["doer"])


def forgotten(row: OutboxRow, turn: Turn) -> bool:
    """Whether this run thread has done it and does not remember: the server has lost its last seconds."""
    return doer_of(row).is_run_of(turn.doer) and row.action_id not in turn.known_actions


def others(rows: Sequence[OutboxRow], turn: Turn) -> list[OutboxRow]:
    """What was done, or begun, in other work than the turn's."""
    return [row for row in rows if row.status in LIVE and not doer_of(row).is_work_of(turn.doer)]
