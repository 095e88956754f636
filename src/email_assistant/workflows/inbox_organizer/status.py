"""The organizer's part of `status`: its mail by place, mailings that were left."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from email_assistant.app import Container
from email_assistant.workflows.inbox_organizer.records.sorting import organizer_mail
from email_assistant.workflows.inbox_organizer.services import OrganizerServices

OF_INTEREST = ("left", "asked", "failed", "kept")


async def facts(built: Container) -> dict[str, Any]:
    """See `StatusPart`."""
    return {
        "organizer": asdict(await organizer_mail(built.database)),
        "mailings": await mailing_facts(built),
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


async def mailing_facts(built: Container) -> dict[str, object]:
    """Numbers of mailings left, asked, failed and kept; those that failed with the reason."""
    found = await OrganizerServices.of(built).mailings.all()
    counts = Counter[str](each.state for each in found)
    failed = [{"name": each.name, "key": each.key, "reason": each.reason, "next": each.next}
              for each in found if each.state == "failed"]  # fmt: skip
    return {**{state: counts[state] for state in OF_INTEREST}, "failures": failed}


def _mailings(counts: dict[str, Any]) -> dict[str, str]:
    """The row on mailings, when any was left or asked."""
    told = [f"{counts[state]} {state}" for state in OF_INTEREST if counts[state]]
    return {"mailings": f"{', '.join(told)}; `email-assistant mailings list`"} if told else {}


def _organizer(counts: dict[str, int]) -> dict[str, str]:
    """The row on the organizer's mail, when it has taken any up."""
    told = [
        f"{number} {name.replace('_', ' ')}" for name, number in counts.items() if number and name != "mails"
    ]
    return {"organizer": f"{counts['mails']} mails: {', '.join(told)}"} if told else {}
