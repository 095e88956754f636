"""The organizer's part of `status`: its mail by place, read off the journal, and mailings that were left."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Row, func, select

from email_assistant.app.journal import JournalDeps
from email_assistant.journal.database import Database
from email_assistant.journal.records import MailStatus
from email_assistant.journal.tables import MAIL
from email_assistant.workflows.inbox_organizer.unsubscribing.requests import Mailings

OF_INTEREST = ("left", "asked", "failed", "kept")


async def facts(deps: JournalDeps) -> dict[str, Any]:
    """See `StatusPart`."""
    return {
        "organizer": asdict(await organizer_mail(deps.database)),
        "mailings": await mailing_facts(deps),
    }


def rows(facts: Mapping[str, Any]) -> dict[str, str]:
    """See `StatusPart`."""
    return {
        **_organizer(facts["organizer"]),
        **_mailings(facts["mailings"]),
    }


def failures(facts: Mapping[str, Any]) -> Sequence[str]:
    """The mailings that could not be left."""
    return [
        f"mailing not left: {mailing['name']}: {mailing['reason']}; {mailing['next']}"
        for mailing in facts["mailings"]["failures"]
    ]


async def mailing_facts(deps: JournalDeps) -> dict[str, object]:
    """Numbers of mailings left, asked, failed and kept; those that failed with the reason."""
    found = await Mailings.of(deps).all()
    counts = Counter[str](each.state for each in found)
    failed = [{"name": each.name, "key": each.key, "reason": each.reason, "next": each.next}
              for each in found if each.state == "failed"]  # fmt: skip
    return {**{state: counts[state] for state in OF_INTEREST}, "failures": failed}


def _mailings(counts: dict[str, Any]) -> dict[str, str]:
    """The row on mailings, when any was left or asked."""
    lines = [f"{counts[state]} {state}" for state in OF_INTEREST if counts[state]]
    return {"mailings": f"{', '.join(lines)}; `email-assistant mailings list`"} if lines else {}


def _organizer(counts: dict[str, int]) -> dict[str, str]:
    """The row on the organizer's mail, when it has taken any up."""
    lines = [
        f"{number} {name.replace('_', ' ')}" for name, number in counts.items() if number and name != "mails"
    ]
    return {"organizer": f"{counts['mails']} mails: {', '.join(lines)}"} if lines else {}


GRAPH = "inbox_organizer"
LABELED, NOT_LABELED, GUESSED = "labeled", "not_labeled", "guessed"
"""The ends of a run of the organizer, as the mail table keeps them."""

_NAMES = {
    MailStatus.claimed: "processing",
    MailStatus.processing: "processing",
    MailStatus.waiting_review: "pending_approval",
    MailStatus.needs_review: "needs_review",
    MailStatus.dead_letter: "dead_letter",
    MailStatus.superseded: "superseded",
    MailStatus.ignored: "closed",
}


@dataclass(frozen=True, slots=True)
class OrganizerMail:
    """Numbers of mails by their place. Each counts once: all others add up to `mails`."""

    mails: int = 0
    processing: int = 0
    """Claimed, or a run works on it."""
    labeled: int = 0
    """At its end, with the label of its category."""
    pending_approval: int = 0
    """A card waits for a person: about the label, or about what else the mail brings."""
    needs_review: int = 0
    """A run failed; it will be tried again."""
    dead_letter: int = 0
    """Every attempt failed; a person decides."""
    not_labeled: int = 0
    """At its end without a label: the person wanted none."""
    guessed: int = 0
    """At its end with a label that is guessed; one answer settles them all."""
    superseded: int = 0
    """A newer message of the conversation took its place."""
    closed: int = 0
    """Settled without being sorted to the end: the user had written last, or marked it as resolved."""


async def organizer_mail(database: Database) -> OrganizerMail:
    """The counts of all mail that the organizer has taken up, in one query."""
    c = MAIL.c
    statement = (
        select(c.status, c.outcome, func.count()).where(c.graph == GRAPH).group_by(c.status, c.outcome)
    )
    async with database.read() as connection:
        rows = (await connection.execute(statement)).all()
    counts: Counter[str] = Counter()
    for row in rows:
        counts[_name(row)] += row[2]
    return OrganizerMail(mails=counts.total(), **counts)


def _name(row: Row[Any]) -> str:
    status = MailStatus(row.status)
    if status is MailStatus.done:
        return row.outcome if row.outcome in {LABELED, NOT_LABELED, GUESSED} else "closed"
    return _NAMES[status]
