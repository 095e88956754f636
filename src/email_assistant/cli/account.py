"""`account`: mail at any provider, over IMAP and SMTP."""

import os
import re
import sys
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from getpass import getpass
from itertools import chain, count
from pathlib import Path
from typing import Annotated, NoReturn, get_args
from zoneinfo import available_timezones

import typer
from pydantic import ValidationError

from email_assistant.adapter_registry import MAILBOXES, account_of
from email_assistant.adapters.account_check import calendars_at, is_refused, sign_in
from email_assistant.adapters.microsoft import Microsoft, alone
from email_assistant.adapters.server_search import (
    FoundServers,
    Provider,
    ServerSearch,
    domain_of,
    provider_of,
    providers,
    server_at,
    servers_of,
)
from email_assistant.adapters.settings_text import write_settings
from email_assistant.adapters.smtp import AccessToken
from email_assistant.cli.account_folders import with_folders
from email_assistant.cli.console import run_async, say, shown
from email_assistant.cli.server_note import make_folder
from email_assistant.errors import AccessError, ConfigError, EmailAssistantError, InputError
from email_assistant.mail.domains import organisation
from email_assistant.mail_accounts import NAME, Account, CalendarServer, Security, Server, as_sent
from email_assistant.settings import DATA_FILE, SETTINGS_FILE, Settings, load_settings, read_settings_file

MAILBOX, DATA_DIR = "EMAIL_ASSISTANT_MAILBOX", "EMAIL_ASSISTANT_DATA_DIR"
CALENDAR, EMAIL = "EMAIL_ASSISTANT_CALENDAR", "EMAIL_ASSISTANT_EMAIL"
PERSON, TIMEZONE = "EMAIL_ASSISTANT_NAME", "EMAIL_ASSISTANT_TIMEZONE"
TRIES = 3
"""So often a password is asked for."""
ZONE_FILE = Path("/etc/localtime")
"""A link to the machine's time zone."""
YOU = "you"
USUAL_HINT = "many providers want an app password, or IMAP switched on first"
SEARCH = ServerSearch()

app = typer.Typer(help="Mail at any provider.", no_args_is_help=True, rich_markup_mode=None)


@app.command("add", short_help="Sign in to a mailbox at any provider; it is used from then on.")
def add(
    email: Annotated[str, typer.Argument(metavar="ADDRESS", help="Your address, like ana@example.com.")],
    imap: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where mail is read; else looked for.")] = "",
    smtp: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where mail is given in for sending.")] = "",
    no_smtp: Annotated[bool, typer.Option("--no-smtp", help="Send nothing: replies become drafts.")] = False,
    security: Annotated[
        str, typer.Option(help="Of servers that you name: tls, starttls; none: here only.")
    ] = "",
    login: Annotated[str, typer.Option(help="The name that they know you by, if not your address.")] = "",
    ca_file: Annotated[str, typer.Option(metavar="FILE", help="Who vouches for them, if nobody usual.")] = "",
    calendar: Annotated[
        str, typer.Option(metavar="URL", help="Where its calendar is (CalDAV); else looked for.")
    ] = "",
    no_calendar: Annotated[
        bool, typer.Option("--no-calendar", help="The calendar stays a local one.")
    ] = False,
    name: Annotated[str, typer.Option(help="What the account is called here.")] = "",
) -> None:
    """Find the servers of an address, ask for the password (at Microsoft: for a code), sign in, and write the settings.

    The servers come from a table of providers, else from what the domain says of itself, else from you; only the domain is asked
    about. Nothing is kept of a sign-in that fails.
    """
    settings = load_settings()
    account_name = _named(settings, email, name)
    if imap:
        chosen = {"security": security, "login": login, "ca_file": ca_file}
        found = _given(email, imap, smtp, drafts_only=no_smtp, **chosen)
    elif smtp or security or login or ca_file:
        raise InputError(
            "--smtp, --security, --login and --ca-file are for servers that you name: --imap HOST:PORT is missing"
        )
    else:
        found = _looked_for(settings, email, drafts_only=no_smtp)
    is_microsoft = found.auth == "microsoft"
    if is_microsoft and calendar:
        raise InputError("--calendar is for accounts with a password: there is no CalDAV at Microsoft")
    reply = _place(found.smtp) if found.smtp else "no server to send over"
    say(f"{_place(found.imap)} and {reply}, as {found.source} {'say' if found.source == YOU else 'says'}.")
    if not found.is_sure and not typer.confirm("Nobody vouches for these names. Are they your provider's?"):
        raise ConfigError("name the servers yourself: --imap HOST:PORT --smtp HOST:PORT")
    folder = _data_folder(settings, account_name, email)
    planned = load_settings(data_dir=folder)
    before = planned.accounts.get(account_name)
    if before and before.email.lower() != email.lower():
        raise InputError(
            f"{shown(folder)} has an account {account_name} of another address: choose another --name"
        )
    no_calendar = no_calendar or is_microsoft
    kept = before.model_dump(exclude={"calendar"} if no_calendar else None) if before else {}
    imap_table = (kept.get("imap") or {}) | found.imap.model_dump()
    account = Account.model_validate(
        kept | {"email": email, "imap": imap_table, "smtp": found.smtp, "auth": found.auth}
    )
    server = None if no_calendar else _calendar_server(calendar or found.calendar, login, ca_file)
    secret = _sign_in(settings, account, found.hint) if is_microsoft else _password(account, found.hint)
    if not is_microsoft:
        account = with_folders(account, partial(as_sent, secret))
    if server:
        account = _with_calendar(account, server, secret, is_named=bool(calendar))
    _use(settings, planned, account_name, account, secret)


def _named(settings: Settings, email: str, name: str) -> str:
    """What the account is called: as it was, as its user says, or by its domain or its local part."""
    if not re.fullmatch(r"[!-?A-~]+@[!-?A-~]+\.[!-?A-~]+", email):
        raise InputError(
            f"ADDRESS must be one email address in ASCII, like ana@example.com; {email[:80]} is none"
        )
    others = {each for each, account in settings.accounts.items() if account.email.lower() != email.lower()}
    if name and (name in others or not NAME.fullmatch(name)):
        raise InputError(
            f"--name must be small letters and digits, and no other account's; {name[:40]} is not"
        )
    before = [each for each in settings.accounts if each not in others]
    local, domain = email.lower().rpartition("@")[0], organisation(domain_of(email)).partition(".")[0]
    wished = [re.sub(r"[^a-z0-9]+", "-", each).strip("-")[:36] for each in (domain, local)]
    more = (f"mail{number}" for number in count(1))
    return name or next(
        each for each in chain(before, wished, more) if NAME.fullmatch(each) and each not in others
    )


def _given(
    email: str, imap: str, smtp: str, *, drafts_only: bool, security: str, login: str, ca_file: str
) -> FoundServers:
    """The servers that the user names; a provider of the table is known by the first of them."""
    if security not in {"", *get_args(Security)}:
        raise InputError(f"--security must be tls, starttls or none; {security[:40]} is not")
    own = partial(server_at, login=login, ca_file=ca_file, security=security)
    reading = own(imap, 993)
    known = next((each for each in providers() if each.imap.startswith(f"{reading.host}:")), None)
    if not smtp and not drafts_only and not known:
        raise InputError("--imap needs --smtp HOST:PORT, or --no-smtp for drafts only")
    usual = servers_of(known, email).smtp if known else None
    sending = None if drafts_only else own(smtp, 465) if smtp else usual
    if known is None:
        return FoundServers(reading, sending, YOU)
    if known.auth == "microsoft" and sending not in {None, usual}:
        raise InputError(f"--smtp must be {known.smtp}: no other server is told a token of {known.title}")
    return FoundServers(reading, sending, YOU, known.hint or known.instead, auth=known.auth)


def _looked_for(settings: Settings, email: str, *, drafts_only: bool) -> FoundServers:
    """The servers that somebody knows; what nobody does is asked."""
    domain = domain_of(email)
    if provider_of(email) is None:
        say(f"Looking for the servers of {domain} …")
    found = SEARCH.find(email)
    if isinstance(found, Provider):
        if found.auth != "microsoft" or not settings.microsoft_client_id:
            raise ConfigError(f"{domain} is at {found.title}: {found.instead}")
        found = servers_of(found, email)
    if found is None:
        say(f"Nobody says where {domain} has its mail; your provider's pages on mail programs do.")
        found = FoundServers(
            server_at(typer.prompt("Server for reading (IMAP)", default=f"imap.{domain}"), 993), None, YOU
        )
    sending = found.smtp
    if sending is None and not drafts_only:
        usual = re.sub(r"^imap(?=\.)", "smtp", found.imap.host)
        sending = server_at(typer.prompt("Server for sending (SMTP)", default=usual), 465)
    return replace(found, smtp=None if drafts_only else sending)


def _place(server: Server) -> str:
    return f"{server.host}:{server.port}"


def _password(account: Account, hint: str) -> str:
    """One that both servers take; raises `AccessError` after some that they do not."""
    left = TRIES
    while True:
        left -= 1
        password = _asked(f"Password of {account.email}")
        try:
            run_async(sign_in(account, partial(as_sent, password)))
            return password
        except AccessError as error:
            said = str(error).rstrip(".")
            if not is_refused(error):
                raise AccessError(f"{said}; nothing was kept") from error
            if not left:
                raise AccessError(f"{said} ({hint or USUAL_HINT}); nothing was kept") from error
            say(f"{said} ({hint or USUAL_HINT}).", "bold")


def _sign_in(settings: Settings, account: Account, hint: str) -> str:
    """What brings tokens that both servers take; raises `AccessError` when they do not."""
    token, kept = Microsoft.of(settings).sign_in(say)
    try:
        run_async(sign_in(account, AccessToken(lambda: token)))
    except AccessError as error:
        more = f" ({hint})" if is_refused(error) else ""
        raise AccessError(f"{str(error).rstrip('.')}{more}; nothing was kept") from error
    return kept


def _calendar_server(url: str, login: str, ca_file: str) -> CalendarServer | None:
    """Raises `InputError` for what is no encrypted address."""
    if not url:
        return None
    try:
        return CalendarServer(url=url, login=login, ca_file=ca_file)
    except ValidationError:
        raise InputError(
            f"--calendar must be an address that begins with https://; {url[:80]} is not"
        ) from None


def _with_calendar(account: Account, server: CalendarServer, password: str, *, is_named: bool) -> Account:
    """The account with the calendar that meetings are made in; one that was looked for and lets nobody in is told, and left out."""
    try:
        found = calendars_at(server, account.email, partial(as_sent, password))
    except EmailAssistantError as error:
        if is_named:
            raise AccessError(f"{error}; nothing was kept") from error
        say(f"Without its calendar: {error}.", "bold")
        return account
    if not found:
        say(f"There is no calendar that can be written into at {server.url}.", "bold")
        return account
    chosen = 0 if found[1:] else 1
    for number, each in enumerate(found[1:] and found, start=1):
        say(f"{number} {each.title or each.url}")
    while chosen not in range(1, len(found) + 1):
        chosen = typer.prompt("Meetings are made in", default=1, type=int)
    return account.model_copy(update={"calendar": server.model_copy(update={"url": found[chosen - 1].url})})


def _asked(question: str) -> str:
    """A secret from the terminal, without echo, or the next line of what is piped in."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n") or _nothing()
    return getpass(f"{question}: ") or _nothing()


def _nothing() -> NoReturn:
    raise InputError("no password was given; nothing was kept")


def _use(settings: Settings, planned: Settings, name: str, account: Account, secret: str) -> None:
    """Keep the password or what brings tokens, write the settings, and say what stands against them."""
    folder, is_second = planned.data_path, _is_another(settings, account.email)
    values = {MAILBOX: f"imap:{name}", **({CALENDAR: f"caldav:{name}"} if account.calendar else {})}
    if not account.calendar and planned.calendar == f"caldav:{name}":
        values[CALENDAR] = "ics"
    if account.auth == "microsoft":
        own = {"microsoft_client_id", "microsoft_authority"}
        values |= settings.model_dump(include=own, by_alias=True, exclude_unset=True)
    if "name" not in planned.model_fields_set:
        guess = (is_second and settings.name) or _person(account.email)
        values[PERSON] = typer.prompt("Your name", default=guess).strip()
    if "timezone" not in planned.model_fields_set:
        values[TIMEZONE] = _zone()
    make_folder(folder)
    kept = account.kept_secret(name, folder / "accounts")
    with alone(kept) if account.auth == "microsoft" else nullcontext():
        place = kept.keep(secret)
    table = account.model_dump(exclude_defaults=True)
    write_settings(folder / DATA_FILE, values, {name: table})
    noun = "password" if account.auth == "password" else "sign-in"
    say(f"Signed in. The {noun} is in {place or f'{shown(kept.file)}, readable by you only'}.")
    told = "; ".join(f"{key}={value}" for key, value in values.items())
    say(f"Set in {shown(folder / DATA_FILE)}: [accounts.{name}]; {told}.")
    if folder != settings.data_path and not is_second:
        write_settings(Path(SETTINGS_FILE), {DATA_DIR: shown(folder)})
        say(
            f"{shown(settings.data_path)} stays as it is; {SETTINGS_FILE} names {shown(folder)} as the data folder."
        )
    _print_rest(settings, name, account, folder, is_second=is_second)


def _print_rest(settings: Settings, name: str, account: Account, folder: Path, *, is_second: bool) -> None:
    """Say which settings of the user's stand against the account, and how to go on."""
    if is_second:
        stays = f"{settings.mailbox} stays the mailbox in use, and {account.email} is not looked at"
        say(f"{stays}: to switch, set {DATA_DIR} to {shown(folder)}.", "bold")
    now, used = load_settings(data_dir=folder), load_settings()
    is_given = now.account_password is not None and account.auth == "password"
    wins = [
        (DATA_DIR, str(used.data_dir), shown(folder), not is_second and used.data_path != folder),
        (MAILBOX, now.mailbox, f"imap:{name}", now.mailbox != f"imap:{name}"),
        (
            CALENDAR,
            now.calendar,
            f"caldav:{name}",
            bool(account.calendar) and now.calendar != f"caldav:{name}",
        ),
        (EMAIL, now.email, account.email, now.email.lower() != account.email.lower()),
        (f"[accounts.{name}]", f"otherwise in {SETTINGS_FILE}", "the same", now.accounts[name] != account),
        ("EMAIL_ASSISTANT_ACCOUNT_PASSWORD", "a password", "the account's", is_given),
    ]
    for setting, value, wanted, is_against in wins:
        if is_against:
            say(
                f"{setting} is set to {value} by you, which counts: set it to {wanted}, or take it out.",
                "bold",
            )
    if not is_second:
        say(
            "Next: `email-assistant run`; `email-assistant doctor` checks it all. A server that is running has to be started again."
        )


def _is_another(settings: Settings, email: str) -> bool:
    """Whether another mailbox than this account, and than the data folder's own, is in use."""
    used = settings.accounts.get(account_of(MAILBOXES, settings.mailbox))
    return settings.mailbox != "maildir" and (used is None or used.email.lower() != email.lower())


def _data_folder(settings: Settings, name: str, email: str) -> Path:
    """The one in use, or one beside it when that is another mailbox's, has mail of its own, or the samples."""
    from email_assistant.cli.running import UNFINISHED, samples_folder  # Slow to import.

    folder = settings.data_path
    own = folder / "mailbox"
    sample = read_settings_file(samples_folder() / DATA_FILE)[EMAIL]
    has_mail = any(any(part.iterdir()) for part in (*own.rglob("cur"), *own.rglob("new")) if part.is_dir())
    is_sample = (folder / UNFINISHED).exists() or read_settings_file(folder / DATA_FILE).get(EMAIL) == sample
    is_local = settings.mailbox == "maildir" and (has_mail or is_sample)
    beside = _base(settings).with_name(f"{_base(settings).name}-{name}")
    return beside if is_local or _is_another(settings, email) else folder


def _base(settings: Settings) -> Path:
    """The data folder, without the name of the account that it was made for."""
    path, used = settings.data_path, account_of(MAILBOXES, settings.mailbox)
    return path.with_name(path.name.removesuffix(f"-{used}") or path.name) if used else path


def _person(email: str) -> str:
    """A guess at who it is: `ana.petrova@` is Ana Petrova."""
    local = email.partition("@")[0].partition("+")[0]
    return " ".join(part.capitalize() for part in re.split(r"[._-]+", local) if part)


def _zone() -> str:
    """The machine's time zone, UTC where it does not tell."""
    zone = os.path.realpath(ZONE_FILE).partition("zoneinfo/")[2].removeprefix("posix/")
    return zone if zone in available_timezones() else "UTC"
