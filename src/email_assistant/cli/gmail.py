"""`gmail`: sign in to a Google account."""

import json
import os
import threading
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from email_assistant.adapters.files import write_atomically
from email_assistant.app.journal import JournalDeps
from email_assistant.cli.console import journal_deps, run_async, say, shown
from email_assistant.errors import ConfigError
from email_assistant.settings import ACCOUNT_FILE, DATA_FILE, Settings, load_settings

if TYPE_CHECKING:  # Google's libraries are slow to import; other commands do without.
    from email_assistant.adapters.google.access import GoogleTokens
    from email_assistant.adapters.google.account import GoogleAccount
    from email_assistant.adapters.google.api import GoogleApi

MAX_CLIENT_BYTES = 100_000
MAILBOX, CALENDAR = "EMAIL_ASSISTANT_MAILBOX", "EMAIL_ASSISTANT_CALENDAR"
EMAIL, ALIASES = "EMAIL_ASSISTANT_EMAIL", "EMAIL_ASSISTANT_ALIASES"
NAME, TIMEZONE = "EMAIL_ASSISTANT_NAME", "EMAIL_ASSISTANT_TIMEZONE"

app = typer.Typer(
    help="Sign in to a Google account.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("auth", short_help="Sign in with a browser; Gmail and Google Calendar are used from then on.")
def auth(
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, help="The port on this machine that the answer comes to; 0: a free one."
        ),
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the link; open it yourself.")
    ] = False,
    no_calendar: Annotated[
        bool, typer.Option("--no-calendar", help="Ask for Gmail only; the calendar stays a local one.")
    ] = False,
    client: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The OAuth client's JSON from the Google console; needed once, a copy is kept in the data folder.",
        ),
    ] = None,
) -> None:
    """Sign in to a Google account with a browser.

    Prints a link and opens it; you choose the account and allow access, and the token is kept in the data folder. Gmail
    and Google Calendar are used from then on. How to get the OAuth client: docs/google.md.
    """
    from email_assistant.adapters.google.access import GoogleTokens, needed_scopes
    from email_assistant.adapters.google.api import GoogleApi
    from email_assistant.adapters.google.consent import WAIT_SECONDS, sign_in

    deps = journal_deps()
    if deps.settings.gmail_token:
        raise ConfigError(
            "GMAIL_TOKEN is set, and its token is the one that is used: signing in would have no effect; unset it first"
        )
    tokens = GoogleTokens.of(deps.settings)
    if client is not None:
        _keep_client(tokens, client)

    def show(url: str, answer_to: str) -> None:
        say("Open this link in a browser on this machine, choose the account and allow access:\n")
        say(url)
        say(
            f"\nWaiting for the browser to bring the answer to {answer_to} "
            f"({WAIT_SECONDS / 60:.0f} minutes at most, Ctrl-C ends it) …"
        )
        if not no_browser:
            # A browser may not return before it is closed.
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    scopes = needed_scopes(calendar=not no_calendar)
    tokens.save(sign_in(tokens.places, tokens.client(), scopes, show, port=port))
    say(f"Access was granted; the token is in {shown(tokens.token_path)}, readable by you only.")
    account, timezone = run_async(_person(GoogleApi.of(deps.settings, deps.clock), calendar=not no_calendar))
    _use(deps, account, timezone, calendar=not no_calendar)


def _keep_client(tokens: "GoogleTokens", file: Path) -> None:
    """Copy the OAuth client to the data folder, readable by its owner only; raises `ConfigError` for a wrong file."""
    from email_assistant.adapters.google.access import NEW_CLIENT, PRIVATE, read_client

    if tokens.secret:
        raise ConfigError(
            "GMAIL_SECRET is set and is the client that is used: unset it, or leave --client out"
        )
    try:
        with file.expanduser().open("rb") as stream:
            data = stream.read(MAX_CLIENT_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}): {NEW_CLIENT}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file} is not JSON: {NEW_CLIENT}") from None
    if len(data) > MAX_CLIENT_BYTES:
        raise ConfigError(f"{file} is too long for an OAuth client: {NEW_CLIENT}")
    read_client(text, str(file))
    if tokens.secret_path.exists():
        os.chmod(tokens.secret_path, PRIVATE)  # A new file is private anyhow, an old one keeps its mode.
    write_atomically(tokens.secret_path, text.encode())


async def _person(api: "GoogleApi", *, calendar: bool) -> "tuple[GoogleAccount, str]":
    from email_assistant.adapters.google.account import read_account, read_calendar

    return await read_account(api), (await read_calendar(api)).timezone if calendar else ""


def _use(deps: JournalDeps, account: "GoogleAccount", timezone: str, *, calendar: bool) -> None:
    """Write the settings that make the account the one in use, and say what was written and what is left to do."""
    from email_assistant.cli.running import remove_sample_person

    say(f"Signed in as {account.email}.")
    folder = deps.settings.data_path
    if remove_sample_person(folder / DATA_FILE):
        run_async(_forget_samples(deps))
        say(
            "What the samples taught is gone; cards about sample mail that still wait are made up: ignore them."
        )
    services = {MAILBOX: "gmail"} | ({CALENDAR: "google"} if calendar else {})
    person = {
        EMAIL: account.email,
        NAME: account.name,
        TIMEZONE: timezone,
        ALIASES: ", ".join(account.aliases),
    }
    file = folder / ACCOUNT_FILE
    written = services | {name: value for name, value in person.items() if _is_valid(name, value)}
    _write(file, written)
    if load_settings().email.lower() != account.email.lower():
        written = services  # The account's name and zone are not the other person's.
        _write(file, written)
    say(f"Set in {shown(file)}: {'; '.join(f'{name}={value}' for name, value in written.items())}.")
    _print_rest(account, services)


def _write(file: Path, settings: Mapping[str, str]) -> None:
    """Replace the file; a JSON text is a TOML text, but for DEL, which TOML wants escaped."""
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in settings.items()]
    write_atomically(file, "".join(lines).replace("\x7f", "\\u007f").encode("utf-8", "replace"))


def _is_valid(name: str, value: str) -> bool:
    """True when the value may be written: a file with a wrong one would stop every command."""
    try:
        Settings.model_validate({name: value})
    except ValidationError:
        return False
    return bool(value)


async def _forget_samples(deps: JournalDeps) -> None:
    """What the samples taught is not the account's owner's."""
    from email_assistant.journal.mailboxes import disown
    from email_assistant.memory.profiles import PROFILES

    for name in PROFILES:
        if (await deps.profiles.read(name, None)).origin == "sample":
            await deps.profiles.restore(name, 1)
    await disown(deps.database)  # It was the sample mailbox's.
    await deps.database.close()


def _print_rest(account: "GoogleAccount", services: Mapping[str, str]) -> None:
    """Say which settings of the user's stand against the account, and which nobody has set."""
    now = load_settings()
    used = {MAILBOX: now.mailbox, CALENDAR: now.calendar}
    for name, value in services.items():
        if used[name] != value:
            say(f"{name} is set to {used[name]} by you: set it to {value}, or take it out.", "bold")
    if now.email.lower() != account.email.lower():
        say(
            f"{EMAIL} is {now.email or 'not set'}, but the account is {account.email}: set it to {account.email}, or sign "
            "in again and choose the other account.",
            "bold",
        )
    if unset := [
        n for n, field in ((NAME, "name"), (TIMEZONE, "timezone")) if field not in now.model_fields_set
    ]:
        say(f"Not known yet, and worth setting: {', '.join(unset)}.")
    say("Next: `email-assistant doctor` checks it all. A server that is running has to be started again.")
