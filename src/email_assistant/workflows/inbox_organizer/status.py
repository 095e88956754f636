"""The organizer's part of `status`: where its mail is, who sorted it, what became of leaving mailings."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from email_assistant.app import Container
from email_assistant.workflows.inbox_organizer.commands.backfill import backfill_facts
from email_assistant.workflows.inbox_organizer.commands.backfill import progress_line as backfill_told
from email_assistant.workflows.inbox_organizer.commands.mailings import OF_INTEREST, mailing_facts
from email_assistant.workflows.inbox_organizer.records.organizer_mail import organizer_mail
from email_assistant.workflows.inbox_organizer.records.sorting import Sorting
from email_assistant.workflows.inbox_organizer.services import OrganizerServices

WAYS = {
    "without_model": "without a model",
    "fast": "by the fast tier",
    "escalated": "by the strong tier after the fast one",
    "strong": "by the strong tier alone",
    "human": "asked of you",
}


async def facts(built: Container) -> dict[str, Any]:
    """See `StatusPart`."""
    return {
        "organizer": asdict(await organizer_mail(built.database)),
        "sorted": await sorted_facts(built),
        "mailings": await mailing_facts(built),
        "backfill": await backfill_facts(built),
    }


def rows(facts: Mapping[str, Any]) -> dict[str, str]:
    """See `StatusPart`."""
    backfill = {"backfill": backfill_told(facts["backfill"])} if facts["backfill"] else {}
    return {
        **_organizer(facts["organizer"]),
        **_sorted(facts["sorted"]),
        **_mailings(facts["mailings"]),
        **backfill,
    }


def failures(facts: Mapping[str, Any]) -> Sequence[str]:
    """The mailings that could not be left."""
    return [
        f"mailing not left: {mailing['name']}: {mailing['reason']}; {mailing['next']}"
        for mailing in facts["mailings"]["failures"]
    ]


async def sorted_facts(built: Container) -> dict[str, Any]:
    """Who has sorted the mail, as counts and as shares of 0 to 1, and what was learned from corrections."""
    found = await Sorting(built.database).counts()
    hints = await OrganizerServices.of(built).category_hints.all(built.mailbox.name)
    return asdict(found) | {"shares": found.shares, "hints": sum(hint.holds for hint in hints)}


def _mailings(counts: dict[str, Any]) -> dict[str, str]:
    """What became of leaving mailings, when anything did."""
    told = [f"{counts[state]} {state}" for state in OF_INTEREST if counts[state]]
    return {"mailings": f"{', '.join(told)}; `email-assistant mailings list`"} if told else {}


def _organizer(counts: dict[str, int]) -> dict[str, str]:
    """Where the organizer's mail is, when it has taken any up."""
    told = [
        f"{number} {name.replace('_', ' ')}" for name, number in counts.items() if number and name != "mails"
    ]
    return {"organizer": f"{counts['mails']} mails: {', '.join(told)}"} if told else {}


def _sorted(counts: dict[str, Any]) -> dict[str, str]:
    """Who has sorted the mail, when any was."""
    mails = counts["mails"]
    if not mails:
        return {}
    shares = [f"{100 * share:.0f}% {WAYS[way]}" for way, share in counts["shares"].items() if counts[way]]
    rules = f" ({counts['rules']} by the offline rules)" if counts["rules"] else ""
    learned = f"{counts['corrections']} corrections, {counts['hints']} hints that hold"
    told = f"{mails}: {', '.join(shares)}{rules}; {learned}; {counts['cost_usd']} US dollars"
    return {"mail sorted": told}
