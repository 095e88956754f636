"""`doctor`: each setting and each connection, one line, and how to mend what is wrong."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

import typer
from rich.text import Text

from email_assistant.bootstrap import House
from email_assistant.cli.console import client_for, house, out, print_json, run_async
from email_assistant.cli.ingest import JsonOption, UrlOption
from email_assistant.errors import EmailAssistantError
from email_assistant.mail.mailbox import MailQuery


@dataclass(frozen=True)
class Finding:
    """What one check found; `mend` is "" when all is well."""

    name: str
    ok: bool
    text: str
    mend: str = ""


def doctor(url: UrlOption = None, as_json: JsonOption = False) -> None:
    """Check settings, database, mailbox, calendar, models and server. Exit code 1 when something must be mended."""
    built = house()
    findings = run_async(_findings(built, url))
    if as_json:
        print_json([asdict(f) for f in findings])
    else:
        for f in findings:
            mark = "ok  " if f.ok else "MEND"
            out.print(Text(f"{mark} {f.name}: {f.text}{' → ' + f.mend if f.mend else ''}"))
    if not all(f.ok for f in findings):
        raise typer.Exit(1)


async def _findings(built: House, url: str | None) -> list[Finding]:
    checks: list[tuple[str, Callable[[], Awaitable[Finding]]]] = [
        ("person", lambda: _person(built)),
        ("models", lambda: _models(built)),
        ("database", lambda: _database(built)),
        ("mailbox", lambda: _mailbox(built)),
        ("calendar", lambda: _calendar(built)),
        ("server", lambda: _server(built, url)),
    ]
    findings = []
    for name, check in checks:
        try:
            findings.append(await check())
        except EmailAssistantError as error:
            findings.append(
                Finding(name, False, str(error), "mend what the line names, then run doctor again")
            )
    await built.database.close()
    return findings


async def _person(built: House) -> Finding:
    s = built.settings
    if not s.email:
        return Finding(
            "person", False, "nobody is named", "set EMAIL_ASSISTANT_EMAIL and EMAIL_ASSISTANT_NAME"
        )
    return Finding("person", True, f"{s.name} <{s.email}>, {s.timezone}")


async def _models(built: House) -> Finding:
    rules = [tier for tier in ("fast", "strong") if built.models.is_offline(tier)]
    if len(rules) == 2:
        return Finding(
            "models",
            True,
            "the offline rules (no language model); set OPENAI_API_KEY or EMAIL_ASSISTANT_MODEL_FAST/_STRONG for one",
        )
    return Finding(
        "models", True, f"fast {built.models.model_name('fast')}, strong {built.models.model_name('strong')}"
    )


async def _database(built: House) -> Finding:
    await built.mail_log.count_by_status()
    return Finding("database", True, str(built.database))


async def _mailbox(built: House) -> Finding:
    ids = await built.mailbox.inbox(MailQuery())
    unread = await built.mailbox.inbox(MailQuery(unread_only=True))
    return Finding("mailbox", True, f"{built.mailbox.name}: {len(ids)} messages, {len(unread)} unread")


async def _calendar(built: House) -> Finding:
    now = built.clock.now()
    events = await built.calendar.events(now, now + timedelta(days=7))
    return Finding("calendar", True, f"{built.calendar.name}: {len(events)} events in the next 7 days")


async def _server(built: House, url: str | None) -> Finding:
    client = client_for(built, url)
    try:
        found: Any = await client.assistants.search(graph_id="email_assistant", limit=1)
    except Exception as error:  # noqa: BLE001 - whatever keeps the server from answering is what is to be told
        mend = "start it with `make run` or `email-assistant serve`; check EMAIL_ASSISTANT_API_TOKEN when it runs"
        return Finding("server", False, f"does not answer ({type(error).__name__})", mend)
    return Finding(
        "server",
        bool(found),
        "running" if found else "does not serve email_assistant",
        "" if found else "run it from this checkout",
    )
