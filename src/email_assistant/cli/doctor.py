"""`doctor`: each setting and each connection, one line, and how to mend what is wrong."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Annotated, Any

import httpx
import typer
from pydantic import BaseModel, Field
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from email_assistant.adapter_registry import MAILBOXES, account_of
from email_assistant.app.accounts import calendar_of, mailbox_of
from email_assistant.app.journal import JournalDeps, mailbox_place
from email_assistant.calendars.event import unread_events
from email_assistant.checkpoints.savers import FILE, aside_notice
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    client_for,
    journal_deps,
    print_json,
    run_async,
    say,
    shown,
)
from email_assistant.cli.doctor_account import READ_ON, Finding, account_findings, send_to_self
from email_assistant.cli.server_note import known_url
from email_assistant.clock import SampleClock
from email_assistant.errors import ConfigError, EmailAssistantError
from email_assistant.journal.attention import cause_of, mend_for
from email_assistant.journal.schema import check_whole
from email_assistant.knowledge.embedding import Embedder
from email_assistant.knowledge.similarity import CURVES
from email_assistant.mail.mailbox import MailQuery
from email_assistant.models.call import ModelCall, Tier
from email_assistant.models.runner import Models
from email_assistant.models.settings import FAST_SETTING, STRONG_SETTING, ModelSettings
from email_assistant.models.structured_output import Form
from email_assistant.review.card import UNKNOWN_HOST
from email_assistant.settings import ACCOUNT_FILE, DATA_FILE, SETTINGS_FILE, read_settings_file
from email_assistant.sqlite_files import damage
from email_assistant.workflow_registry import workflows

EMAIL = "EMAIL_ASSISTANT_EMAIL"
SIGN_IN = "run `email-assistant gmail auth`"
MOST_NAMED = 3
"""Events whose hours nobody knows are named one by one up to this number."""
TIERS: tuple[Tier, ...] = ("fast", "strong")
CHECK_SECONDS = 20.0
"""Longest time one attempt of a model's check may take."""


class Sum(BaseModel):
    """The sum of the two numbers."""

    value: int = Field(description="The sum.")


@dataclass(frozen=True)
class SumInput:
    """Two numbers."""

    first: int
    second: int

    def variables(self) -> Mapping[str, str]:
        """Values for check.md."""
        return {"first": str(self.first), "second": str(self.second)}


def _sum_offline(inputs: SumInput) -> Sum:
    return Sum(value=inputs.first + inputs.second)


CHECK = ModelCall(name="check", prompt="check", output=Sum, tier="fast", offline=_sum_offline)


def doctor(
    url: UrlOption = None,
    as_json: JsonOption = False,
    to_self: Annotated[
        bool, typer.Option("--send-to-self", help="Besides: send one letter from the account to itself.")
    ] = False,
) -> None:
    """Check settings, database, mailbox, calendar, models and server. Exit code 1 when something must be mended."""
    findings = run_async(_findings(journal_deps(looks=True), url, to_self=to_self))
    if as_json:
        print_json([asdict(f) for f in findings])
    else:
        for f in findings:
            mark = "ok  " if f.ok else "MEND"
            say(f"{mark} {f.name}: {f.text}{' → ' + f.mend if f.mend else ''}", "" if f.ok else "bold")
    if wrong := [f.name for f in findings if not f.ok]:
        raise ConfigError(f"to be mended: {', '.join(wrong)}")


async def _findings(deps: JournalDeps, url: str | None, *, to_self: bool) -> list[Finding]:
    settings = deps.settings
    checks: list[tuple[str, Callable[[], Awaitable[Finding | list[Finding]]]]] = [
        ("person", lambda: _person(deps)),
        *([("clock", lambda: _sample_day(deps))] if settings.today else []),
        ("models", lambda: _models(deps)),
        ("knowledge", lambda: _knowledge(deps)),
        ("database", lambda: _database(deps)),
        ("checkpoints", lambda: _checkpoints(deps)),
    ]
    # Counting a mailbox at Google would list all of it; whether the account works takes a few cheap calls.
    if settings.uses_google:
        checks.append(("google", lambda: google_findings(deps)))
    if account_of(MAILBOXES, settings.mailbox):
        checks.append(("imap", lambda: account_findings(deps, lambda: _mailbox(deps))))
    elif settings.mailbox != "gmail":
        checks.append(("mailbox", lambda: _mailbox(deps)))
    if to_self:
        checks.append(("letter to yourself", lambda: send_to_self(deps)))
    if settings.calendar != "google":
        checks.append(("calendar", lambda: _calendar(deps)))
    for each in workflows():
        checks += [(name, partial(_of_workflow, name, check)) for name, check in each.checks(deps)]
    checks.append(("server", lambda: _server(deps, url)))
    findings: list[Finding] = []
    for name, check in checks:
        try:
            found = await check()
            findings += found if isinstance(found, list) else [found]
        except (EmailAssistantError, OSError) as error:
            findings.append(Finding(name, False, " ".join(str(error).split()), READ_ON))
        except SQLAlchemyError as error:
            findings.append(Finding(name, False, " ".join(str(error.args[0]).split()), "check DATABASE_URL"))
    return findings


async def _person(deps: JournalDeps) -> Finding:
    s = deps.settings
    if not s.email:
        mend = "set EMAIL_ASSISTANT_EMAIL to your address, and EMAIL_ASSISTANT_NAME"
        return Finding("person", False, "nobody is named", mend)
    vouching = "" if s.receiving_host else f"; {UNKNOWN_HOST}"
    file = s.data_path / ACCOUNT_FILE
    account = f"; what the sign-in set is in {shown(file)}" if file.exists() else ""
    return Finding("person", True, f"{s.name} <{s.email}>, {s.timezone}{vouching}{account}".strip())


async def _sample_day(deps: JournalDeps) -> Finding:
    clock = deps.agenda_clock
    if isinstance(clock, SampleClock):
        return Finding("clock", True, clock.notice)
    file = deps.settings.data_path / DATA_FILE
    is_there = "EMAIL_ASSISTANT_NOW" in read_settings_file(file)
    where = shown(file) if is_there else f"{SETTINGS_FILE} or the environment"
    text = "EMAIL_ASSISTANT_NOW is for the mailbox and calendar of the data folder alone, and is ignored"
    return Finding("clock", True, text, f"drop the line EMAIL_ASSISTANT_NOW in {where}")


async def _models(deps: JournalDeps) -> list[Finding]:
    """A line for each tier, with what its model answered; a model that stands behind both is asked once."""
    models = Models(ModelSettings.of(deps.settings))
    if all(models.is_offline(tier) for tier in TIERS):
        if unused := models.settings.unused:
            reason, _, mend = unused.partition(": ")
            return [Finding("models", False, reason, mend)]
        named = (
            f"{FAST_SETTING} and {STRONG_SETTING} to provider:model, like ollama:NAME for one on this machine"
        )
        text = (
            f"the offline rules (no language model); for one set OPENAI_API_KEY, or {named} (docs/models.md)"
        )
        return [Finding("models", True, text)]
    tiers = TIERS[:1] if models.model_name("fast") == models.model_name("strong") else TIERS
    name = "models" if len(tiers) == 1 else "{} model"
    return [await _model(models, tier, name.format(tier)) for tier in tiers]


async def _model(models: Models, tier: Tier, name: str) -> Finding:
    model = models.model_name(tier)
    if models.is_offline(tier):
        return Finding(name, True, "the offline rules")
    try:
        right, form = await _check_model(models, tier)
    except EmailAssistantError as error:
        reason = cause_of(" ".join(str(error).split()))
        return Finding(name, False, reason, mend_for(reason) or READ_ON)
    doubt = "" if right else ", but not what 2 plus 3 is: it may be too small for this work"
    return Finding(
        name, True, f"{model} answers in the form asked for (structured answers: by {form}){doubt}"
    )


async def _check_model(models: Models, tier: Tier) -> tuple[bool, Form | None]:
    """Ask the tier's own model what 2 plus 3 is; whether it said 5, and in which form. Nothing is put on record.

    Raises as `Models.ask` does.
    """
    seconds = min(CHECK_SECONDS, models.settings.timeout_seconds)
    settings = replace(models.settings, timeout_seconds=seconds)
    asked = Models(settings, sleep=_at_once)
    try:
        answer = await asked.ask(CHECK, SumInput(2, 3), tier)
        return answer.value == 5, asked.form(tier)
    finally:
        await asked.close()


async def _at_once(_: float) -> None:
    """A person waits for the answer."""
    await asyncio.sleep(0)


async def _knowledge(deps: JournalDeps) -> Finding:
    embedding = Embedder.of(deps.settings, embeds_here=False).embedding
    sure = "" if CURVES[embedding.kind].is_measured else "; its scores were not measured (docs/knowledge.md)"
    return Finding("knowledge", True, f"past mail is compared by {embedding.name}{sure}")


async def _database(deps: JournalDeps) -> Finding:
    await asyncio.to_thread(check_whole, deps.database.url)
    await deps.mail_log.count_by_status()
    return Finding("database", True, make_url(deps.database.url).render_as_string(hide_password=True))


async def _checkpoints(deps: JournalDeps) -> Finding:
    folder = deps.settings.data_path
    if problem := await asyncio.to_thread(damage, folder / FILE):
        mend = "start the server anew: it sets the file aside and makes its cards again"
        return Finding("checkpoints", False, f"{folder / FILE} is damaged ({problem})", mend)
    return Finding("checkpoints", True, aside_notice(folder) or "whole")


async def _mailbox(deps: JournalDeps) -> Finding:
    mailbox = mailbox_of(deps)
    ids = await mailbox.inbox(MailQuery())
    unread = await mailbox.inbox(MailQuery(unread_only=True))
    found = f"{mailbox_place(deps.settings)}: {len(ids)} messages, {len(unread)} unread"
    is_here = mailbox.name.startswith("maildir:") and not deps.settings.smtp
    return Finding(
        "mailbox", True, found + ("; what is sent lies in Sent, and goes nowhere" if is_here else "")
    )


async def _calendar(deps: JournalDeps) -> Finding:
    now, calendar = deps.agenda_clock.now(), calendar_of(deps)
    events = await calendar.events(now, now + timedelta(days=7))
    unread = unread_events(events)
    text = f"{calendar.name}: {len(events) - len(unread)} events in the next 7 days"
    if not unread:
        return Finding("calendar", True, text)
    named = "; ".join(f"{each.title or each.id}: {each.unread}" for each in unread[:MOST_NAMED])
    more = f"; and {len(unread) - MOST_NAMED} more" if len(unread) > MOST_NAMED else ""
    mend = "correct or delete these events; until then every card about a meeting names them"
    return Finding("calendar", False, f"{text}; hours that cannot be read: {named}{more}", mend)


async def _of_workflow(name: str, check: Callable[[], Awaitable[str]]) -> Finding:
    return Finding(name, True, await check())


async def _server(deps: JournalDeps, url: str | None) -> Finding:
    address = url or known_url(deps.settings.data_path)
    try:
        found: Any = await client_for(deps, url).assistants.search(graph_id="email_assistant", limit=1)
    except httpx.HTTPStatusError as error:
        return _refused(address, error.response.status_code)
    except httpx.HTTPError:
        return Finding(
            "server",
            False,
            f"{address} does not answer",
            "start it with `make run` or `email-assistant serve`",
        )
    if not found:
        return Finding(
            "server", False, f"{address} does not serve email_assistant", "run it from this checkout"
        )
    return Finding("server", True, f"running at {address}")


def _refused(address: str, code: int) -> Finding:
    if code in {401, 403}:
        mend = "set EMAIL_ASSISTANT_API_TOKEN to the value the server was started with"
        return Finding("server", False, f"{address} refuses the key", mend)
    return Finding(
        "server", False, f"{address} answers {code}", "is it an email_assistant server? check --url"
    )


async def google_findings(deps: JournalDeps) -> list[Finding]:
    """A finding for each service in use: one cheap call to each, and what Google says where it refuses.

    One for the token when there is none. Nothing is written, and no call is repeated.
    """
    # Slow to import; local mail does without.
    from email_assistant.adapters.google.access import GoogleTokens
    from email_assistant.adapters.google.account import onlooker, read_address, read_calendar

    settings, tokens = deps.settings, GoogleTokens.of(deps.settings)
    try:
        api = onlooker(tokens, tokens.load(), deps.clock)
    except EmailAssistantError as error:
        return [_google_refuses("google token", error)]

    async def calendar_address() -> str:
        return (await read_calendar(api)).address

    found = []
    if settings.mailbox == "gmail":
        found.append(await _service(deps, "gmail", lambda: read_address(api)))
    if settings.calendar == "google":
        found.append(await _service(deps, "google calendar", calendar_address))
    return found


async def _service(deps: JournalDeps, name: str, address: Callable[[], Awaitable[str]]) -> Finding:
    try:
        email = await address()
    except EmailAssistantError as error:
        return _google_refuses(name, error)
    mine = deps.settings.email
    if email and email.lower() != mine.lower():
        text = f"the account is {email}, and {EMAIL} is {mine or 'not set'}"
        return Finding(
            name, False, text, f"set {EMAIL} to {email}, or {SIGN_IN} and choose the other account"
        )
    return Finding(name, True, f"it answers{f', for {email}' if email else ''}")


def _google_refuses(name: str, error: EmailAssistantError) -> Finding:
    """What went wrong; most errors say after a colon how they are mended."""
    what, _, mend = " ".join(str(error).split()).partition(": ")
    return Finding(name, False, what, mend or READ_ON)
