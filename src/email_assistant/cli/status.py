"""`status`: what was processed, what waits, what failed, what it cost."""

import asyncio
from collections.abc import Collection
from datetime import datetime, timedelta
from http import HTTPStatus
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from email_assistant.app.accounts import mailbox_of
from email_assistant.app.journal import JournalDeps, mailbox_place
from email_assistant.cli.console import (
    CONNECT_SECONDS,
    JsonOption,
    UrlOption,
    client_for,
    guessed,
    journal_deps,
    print_json,
    print_rows,
    run_async,
    say,
)
from email_assistant.cli.dead_letters import in_a_line
from email_assistant.cli.server_note import known_url
from email_assistant.journal.attention import Failing, failing_ever, mail_name
from email_assistant.journal.mailboxes import Looks
from email_assistant.journal.records import MailStatus
from email_assistant.journal.traces import cost_since, usage_of_models
from email_assistant.models.settings import ModelSettings
from email_assistant.review.waiting import run_cards
from email_assistant.workflow_registry import StatusPart, workflows

RULES_NOTE = " (estimated: the offline rules answer now, and cost nothing)"
MAX_FAILED = 20


def status(url: UrlOption = None, as_json: JsonOption = False) -> None:
    """Last processed, waiting, failed, cost. Reads the journal; the server need not run."""
    deps = journal_deps(looks=True)
    facts = run_async(_facts(deps, url))
    if as_json:
        print_json(facts)
    else:
        _print(facts, run_async(failing_ever(deps.database)))


def _parts() -> list[StatusPart]:
    return [each.status() for each in workflows() if each.status]


def _print(facts: dict[str, Any], failing: Failing) -> None:
    last, parts = facts["last_processed"], _parts()
    rows = {
        "mailbox": facts["mailbox"],
        "server": f"{facts['server']} ({facts['server_url']})",
        "last processed": f"{last:%Y-%m-%d %H:%M:%S} UTC" if isinstance(last, datetime) else last,
        "last look for mail": _look(facts["last_look"]),
        "waiting": facts["waiting"],
        **{f"mail {name.replace('_', ' ')}": number for name, number in facts["mail"].items()},
        **{name: row for part in parts for name, row in part.rows(facts).items()},
        "cost, last 30 days": f"{facts['cost_last_30_days_usd']} US dollars",
        "model calls": facts["model_calls"],
        "tokens": f"{facts['tokens']}{RULES_NOTE if facts['offline_rules'] else ''}",
    }
    print_rows(rows)
    for cause in failing.causes:
        say(in_a_line(cause))
    for line in (line for part in parts for line in part.failures(facts)):
        say(line)
    if failing.given_up:
        say(
            "`email-assistant dead-letters list` tells about what was given up, `dead-letters replay` tries it anew."
        )


def _look(look: dict[str, Any] | None) -> str:
    """When the mailbox was last looked into; a failure with what it said, because no mail comes in meanwhile."""
    if look is None:
        return "never"
    when = f"{look['at']:%Y-%m-%d %H:%M:%S} UTC"
    since = f", since {look['failing_since']:%Y-%m-%d %H:%M:%S} UTC" if look["error"] else ""
    return f"FAILED at {when}{since}: {look['error']}" if look["error"] else when


async def _facts(deps: JournalDeps, url: str | None) -> dict[str, Any]:
    log = deps.mail_log
    counts = await log.count_by_status()
    failed = await log.with_status(MailStatus.needs_review, MailStatus.dead_letter, limit=MAX_FAILED)
    since = deps.clock.now() - timedelta(days=30)
    last = await log.last_processed()
    look = await Looks(deps.database, deps.clock).get(mailbox_of(deps).name)
    usage = await usage_of_models(deps.database)
    added = [await part.facts(deps) for part in _parts()]
    return {
        "mailbox": mailbox_place(deps.settings),
        "server": await _server(deps, url),
        "server_url": url or known_url(deps.settings.data_path),
        "last_processed": last.updated_at if last else "never",
        "last_look": {"at": look.looked_at, "error": look.failure, "failing_since": look.failing_since}
        if look and look.looked_at
        else None,
        "waiting": counts.get(MailStatus.waiting_review, 0),
        "mail": {str(k): v for k, v in counts.items()},
        "failed": [
            {
                "message_id": r.message_id,
                "mail": mail_name(r.email_input),
                "attempts": r.attempts,
                "reason": r.reason,
                "given_up": r.status is MailStatus.dead_letter,
            }
            for r in failed
        ],
        "cost_last_30_days_usd": str(await cost_since(deps.database, since)),
        **{name: fact for facts in added for name, fact in facts.items()},
        "model_calls": usage.calls,
        "tokens": usage.tokens,
        "offline_rules": ModelSettings.of(deps.settings).is_offline,
    }


async def _server(deps: JournalDeps, url: str | None) -> str:
    token = deps.settings.api_token
    key = token.get_secret_value() if token else ""
    code = await asyncio.to_thread(answer_code, url or known_url(deps.settings.data_path), key)
    if code is None:
        return "not running"
    if code in {401, 403}:
        return "refuses the key (EMAIL_ASSISTANT_API_TOKEN)"
    return "running" if code == HTTPStatus.OK else f"answers {code}"


class _StaysHere(HTTPRedirectHandler):
    """A redirect is an answer: the key is for the server that was named."""

    def redirect_request(self, *_: Any) -> None:
        return None


def answer_code(url: str, key: str) -> int | None:
    """The code of the server's answer, None when nobody answers; by the standard library, which is imported in no time."""
    headers = {"Content-Type": "application/json"} | ({"x-api-key": key} if key else {})
    request = Request(f"{url}/assistants/search", b'{"limit": 1}', headers)  # noqa: S310 - a web address, see `UrlOption`
    try:
        with build_opener(_StaysHere).open(request, timeout=CONNECT_SECONDS) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code
    except (OSError, HTTPException):
        return None


async def print_waiting(deps: JournalDeps, url: str | None, listed: Collection[str] = ()) -> int:
    """Print the cards that wait, but for those on the run threads that were `listed` already, and how many there are."""
    cards = await run_cards(client_for(deps, url))
    number, (guesses, _) = len(cards), await deps.trace.last_deferred()
    for card in cards:
        if card.thread_id not in listed:
            say(f"  • {card.title}")
    sentence = f"{number} {'card waits' if number == 1 else 'cards wait'}" if number else "Nothing waits"
    say(f"\n{sentence} for your review.{guessed(guesses)}")
    return number + guesses
