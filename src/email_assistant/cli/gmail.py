"""`gmail`: sign in to a Google account."""

import os
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from email_assistant.adapters.files import write_atomically
from email_assistant.app import Container
from email_assistant.cli.account_settings import (
    EMAIL,
    NAME,
    TIMEZONE,
    Plan,
    change_settings_file,
    plan,
    read_settings_file,
)
from email_assistant.cli.console import container, run_async, say, shown
from email_assistant.errors import ConfigError
from email_assistant.settings import DATA_FILE, load_settings

if TYPE_CHECKING:  # Google's libraries are slow to import; other commands do without.
    from email_assistant.adapters.google.access import GoogleTokens
    from email_assistant.adapters.google.account import GoogleAccount
    from email_assistant.adapters.google.api import GoogleApi

MAX_CLIENT_BYTES = 100_000

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
    from email_assistant.adapters.google.access import needed_scopes
    from email_assistant.adapters.google.consent import WAIT_SECONDS, sign_in

    built = container()
    if built.settings.gmail_token:
        raise ConfigError(
            "GMAIL_TOKEN is set, and its token is the one that is used: signing in would have no effect; unset it first"
        )
    tokens = built.google_tokens
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
    account, timezone = run_async(_person(built.google, calendar=not no_calendar))
    _use(built, account, timezone, calendar=not no_calendar)


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


def _use(built: Container, account: "GoogleAccount", timezone: str, *, calendar: bool) -> None:
    """Write the settings that make the account the one in use, and say what was written and what is left to do."""
    file = built.settings.data_path / DATA_FILE
    say(f"Signed in as {account.email}.")
    planned = plan(built.settings, read_settings_file(file), account, calendar=calendar, timezone=timezone)
    if planned.changes:
        change_settings_file(file, planned.changes)
    run_async(_forget_samples(built, planned))
    _tell(planned, account, file)


async def _forget_samples(built: Container, planned: Plan) -> None:
    """What the samples taught is not the account's owner's."""
    if not planned.sample:
        return
    from email_assistant.journal.mailboxes import disown
    from email_assistant.memory.profiles import PROFILES

    for name in PROFILES:
        if (await built.profiles.read(name, None)).origin == "sample":
            await built.profiles.restore(name, 1)
    await disown(built.database)  # It was the sample mailbox's.
    await built.database.close()


def _tell(planned: Plan, account: "GoogleAccount", file: Path) -> None:
    written = [f"{name}={value}" for name, value in planned.changes.items() if value is not None]
    if written:
        say(f"Set in {shown(file)}: {'; '.join(written)}.")
    if planned.sample:
        say(
            f"The sample person is gone from it ({', '.join(planned.sample)}), and from the preferences; cards about "
            "sample mail that still wait are made up: ignore them."
        )
    for name, value in planned.elsewhere.items():
        say(
            f"{name} is set otherwise in the environment or in email_assistant.toml: set it to {value} there.",
            "bold",
        )
    now = load_settings()
    if now.email.lower() != account.email.lower():
        say(
            f"{EMAIL} is {now.email or 'not set'}, but the account is {account.email}: set it to {account.email}, or sign "
            "in again and choose the other account.",
            "bold",
        )
    unset = [n for n, field in ((NAME, "name"), (TIMEZONE, "timezone")) if field not in now.model_fields_set]
    if unset:
        say(f"Not known yet, and worth setting: {', '.join(unset)}.")
    say("Next: `email-assistant doctor` checks it all. A server that is running has to be started again.")
