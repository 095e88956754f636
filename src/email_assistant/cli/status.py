"""`status`: what was processed, what waits, what failed, what it cost."""

from datetime import timedelta
from typing import Any

import httpx
from rich.table import Table
from rich.text import Text

from email_assistant.bootstrap import House
from email_assistant.cli.cards import waiting_cards
from email_assistant.cli.console import client_for, house, out, print_json, run_async
from email_assistant.cli.ingest import JsonOption, UrlOption
from email_assistant.journal.records import MailStatus

MAX_FAILED = 20


def status(url: UrlOption = None, as_json: JsonOption = False) -> None:
    """Last processed, waiting, failed, cost. Reads the journal; the server need not run."""
    built = house()
    facts = run_async(_facts(built, url))
    if as_json:
        print_json(facts)
        return
    table = Table(show_header=False, box=None)
    for name in (
        "mailbox",
        "server",
        "last_processed",
        "waiting",
        "cost_last_30_days_usd",
        "model_calls",
        "tokens",
    ):
        table.add_row(name.replace("_", " "), Text(str(facts[name])))
    for name, number in facts["mail"].items():
        table.add_row(f"mail {name.replace('_', ' ')}", str(number))
    out.print(table)
    for failure in facts["failed"]:
        out.print(
            f"failed: {failure['message_id']} ({failure['attempts']} tries): {failure['reason']}",
            markup=False,
        )


async def _facts(built: House, url: str | None) -> dict[str, Any]:
    log = built.mail_log
    counts = await log.count_by_status()
    failed = await log.with_status(MailStatus.needs_review, MailStatus.dead_letter, limit=MAX_FAILED)
    since = built.clock.now() - timedelta(days=30)
    last = await log.last_processed()
    usage = await built.trace.usage_by_call()
    facts = {
        "mailbox": built.mailbox.name,
        "server": await _server(built, url),
        "last_processed": last.updated_at if last else "never",
        "waiting": counts.get(MailStatus.waiting_review, 0),
        "mail": {str(k): v for k, v in counts.items()},
        "failed": [{"message_id": r.message_id, "attempts": r.attempts, "reason": r.reason} for r in failed],
        "cost_last_30_days_usd": str(await built.trace.cost_since(since)),
        "model_calls": sum(u.calls for u in usage),
        "tokens": sum(u.prompt_tokens + u.completion_tokens for u in usage),
    }
    await built.database.close()
    return facts


async def _server(built: House, url: str | None) -> str:
    client = client_for(built, url)
    try:
        await client.assistants.search(limit=1)
    except httpx.HTTPStatusError as error:
        return f"answers {error.response.status_code}"
    except httpx.TransportError:
        return "not running"
    return "running"


async def print_waiting(built: House, url: str | None) -> None:
    """Print a line for each card that waits."""
    cards = await waiting_cards(client_for(built, url))
    out.print(f"\n{len(cards)} cards wait for your review:")
    for card in cards:
        out.print(f"  • {card.title}", markup=False)
