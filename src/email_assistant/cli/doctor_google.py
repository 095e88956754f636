"""`doctor`'s checks of a Google account. They only look: nothing is written, and no call is repeated."""

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from google.oauth2.credentials import Credentials

from email_assistant.adapters.google.access import (
    PRIVATE,
    GoogleTokens,
    Service,
    missing_scopes,
    needed_scopes,
    title,
)
from email_assistant.adapters.google.account import (
    onlooker,
    read_account,
    read_address,
    read_calendar,
)
from email_assistant.adapters.google.api import GoogleApi
from email_assistant.app import Container
from email_assistant.cli.account_settings import ALIASES, EMAIL, missing_aliases
from email_assistant.cli.console import shown
from email_assistant.cli.doctor import READ_ON, Finding
from email_assistant.errors import AccessError, ConfigError, EmailAssistantError, TransientError

SIGN_IN = "run `email-assistant gmail auth`"
QUOTA_ZONE = ZoneInfo("America/Los_Angeles")
"""Google renews daily quotas at midnight there."""


@dataclass(frozen=True)
class Visit:
    """What one cheap call to each service in use brought: the account's address ("" when not told), or the error."""

    credentials: Credentials
    answers: dict[Service, str | EmailAssistantError]

    @property
    def errors(self) -> dict[Service, EmailAssistantError]:
        """What went wrong, by service."""
        return {s: a for s, a in self.answers.items() if isinstance(a, EmailAssistantError)}

    @property
    def address(self) -> str:
        """The account's address, "" when no service told it."""
        return next((a for a in self.answers.values() if isinstance(a, str) and a), "")


async def google_findings(built: Container) -> list[Finding]:
    """The token, its permissions, the quota, the aliases and the OAuth client."""
    tokens = built.google_tokens
    try:
        credentials = tokens.load()
    except EmailAssistantError as error:
        return [_failed("google token", error), _client(tokens, None)]
    api = onlooker(tokens, credentials, built.clock)
    visit = Visit(credentials, await _answers(built, api))
    findings = [_token(built, tokens, visit), _scopes(visit)]
    if not _only_refused(visit):
        findings.append(_quota(built, visit))
    if built.settings.mailbox == "gmail" and "gmail" not in visit.errors:
        findings.append(await _aliases(built, api))
    return [*findings, _client(tokens, credentials)]


async def _answers(built: Container, api: GoogleApi) -> dict[Service, str | EmailAssistantError]:
    found: dict[Service, str | EmailAssistantError] = {}
    try:
        if built.settings.mailbox == "gmail":
            found["gmail"] = await read_address(api)
    except EmailAssistantError as error:
        found["gmail"] = error
    try:
        if built.settings.calendar == "google":
            found["calendar"] = (await read_calendar(api)).address
    except EmailAssistantError as error:
        found["calendar"] = error
    return found


def _token(built: Container, tokens: GoogleTokens, visit: Visit) -> Finding:
    source = "GMAIL_TOKEN" if tokens.token else shown(tokens.token_path)
    final = [
        e for e in visit.errors.values() if not isinstance(e, TransientError) and not _lacks_permission(e)
    ]
    if final:
        return _failed("google token", final[0])
    if not tokens.token and (wide := _too_open("google token", tokens.token_path)):
        return wide
    mine = built.settings.email
    if visit.address and visit.address.lower() != mine.lower():
        return Finding(
            "google token",
            False,
            f"{source} is for {visit.address}, and {EMAIL} is {mine or 'not set'}",
            f"set {EMAIL} to {visit.address}, or {SIGN_IN} and choose the other account",
        )
    text = f"{source}, for {visit.address}" if visit.address else f"{source}; whose it is could not be asked"
    if not visit.credentials.refresh_token:
        text += "; it has no refresh token and ends within the hour"
    return Finding("google token", True, text)


def _scopes(visit: Visit) -> Finding:
    needed = needed_scopes(gmail="gmail" in visit.answers, calendar="calendar" in visit.answers)
    granted = visit.credentials.scopes
    missing = [f'"{title(s)}"' for s in missing_scopes(granted, needed)] if granted is not None else []
    if not missing:
        missing = [f"one for {service}" for service, e in visit.errors.items() if _lacks_permission(e)]
    if missing:
        mend = f"{SIGN_IN} again and tick every box"
        return Finding("google scopes", False, f"the token lacks the permission {', '.join(missing)}", mend)
    return Finding("google scopes", True, f"all that {' and '.join(visit.answers)} ask for")


def _only_refused(visit: Visit) -> bool:
    """Whether every call was refused for what it is, so that nothing was learned about the quota."""
    return len(visit.errors) == len(visit.answers) and not any(
        isinstance(e, TransientError) for e in visit.errors.values()
    )


def _quota(built: Container, visit: Visit) -> Finding:
    failed = next((e for e in visit.errors.values() if isinstance(e, TransientError)), None)
    if failed is None:
        return Finding("google quota", True, "calls are answered")
    text, _, mend = _one_line(failed).partition(": ")
    if "quota" in text:
        renewed = _next_renewal(built.clock.now()).astimezone(ZoneInfo(built.settings.timezone))
        mend = f"it is renewed at {renewed:%H:%M %Z} (midnight in California); more of it can be asked for in the console"
    elif "rate limit" in text:
        mend = "wait a minute: the limit is one of calls in a minute"
    return Finding("google quota", False, text, mend or "try again later")


def _next_renewal(now: datetime) -> datetime:
    tomorrow = (now.astimezone(QUOTA_ZONE) + timedelta(days=1)).date()
    return datetime(tomorrow.year, tomorrow.month, tomorrow.day, tzinfo=QUOTA_ZONE)


async def _aliases(built: Container, api: GoogleApi) -> Finding:
    try:
        account = await read_account(api)
    except EmailAssistantError as error:
        return _failed("aliases", error)
    if missing := missing_aliases(built.settings, account.aliases):
        known = [a.strip() for a in built.settings.aliases.split(",") if a.strip()]
        value = ", ".join([*known, *missing])
        text = f"the account also sends as {', '.join(missing)}"
        return Finding("aliases", False, text, f'set {ALIASES}="{value}"')
    return Finding("aliases", True, ", ".join(account.aliases) or "the account has none")


def _client(tokens: GoogleTokens, credentials: Credentials | None) -> Finding:
    name = "google client"
    if tokens.secret or tokens.secret_path.exists():
        try:
            tokens.client()
        except ConfigError as error:
            return _failed(name, error)
        if tokens.secret:
            return Finding(name, True, "GMAIL_SECRET")
        return _too_open(name, tokens.secret_path) or Finding(name, True, shown(tokens.secret_path))
    if credentials is not None and credentials.client_secret:
        return Finding(name, True, "the token brings its own")
    return Finding(
        name,
        False,
        "there is no OAuth client",
        "get one as docs/google.md tells and run `email-assistant gmail auth --client FILE`",
    )


def _too_open(name: str, path: Path) -> Finding | None:
    """The finding about a file that others on this machine may read, or None."""
    mode = path.stat().st_mode & 0o777
    if os.name == "nt" or not mode & ~PRIVATE:
        return None
    return Finding(
        name, False, f"{shown(path)} may be read by others (mode {mode:o})", f"chmod 600 {shown(path)}"
    )


def _lacks_permission(error: EmailAssistantError) -> bool:
    return isinstance(error, AccessError) and "lacks a permission" in str(error)


def _failed(name: str, error: EmailAssistantError) -> Finding:
    """The finding for an error: most say after a colon how they are mended."""
    what, _, mend = _one_line(error).partition(": ")
    return Finding(name, False, what, mend or READ_ON)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
