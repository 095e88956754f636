"""What `doctor` says of an account over IMAP and SMTP: sign-ins, folders, room, and a letter to oneself on request."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from functools import partial

from email_assistant.adapter_registry import MAILBOXES, account_of
from email_assistant.adapters.account_check import is_refused, relay_of
from email_assistant.adapters.imap.connection import Commands, Connection
from email_assistant.adapters.imap.folders import Folders, find_folders
from email_assistant.adapters.microsoft import secret_of
from email_assistant.adapters.server_search import provider_of
from email_assistant.adapters.smtp import Relay, Secret, in_thread
from email_assistant.app.journal import JournalDeps
from email_assistant.errors import ConfigError, EmailAssistantError
from email_assistant.mail_accounts import Account

READ_ON = "mend what the line names, then run doctor again"
FULL = 0.98
"""The part of its room above which a mailbox is as good as full."""


@dataclass(frozen=True)
class Finding:
    """What one check found; `mend` is "" when all is well."""

    name: str
    ok: bool
    text: str
    mend: str = ""


async def account_findings(deps: JournalDeps, mailbox: Callable[[], Awaitable[Finding]]) -> list[Finding]:
    """A finding for each server, the folders, the room where the server tells, and of what is in the mailbox.

    Nothing is written but folders that are missing.
    """
    account, secret = _account(deps)
    imap = account.imap
    if imap is None:
        return []
    connection = Connection(imap, account.login(imap), secret)
    try:
        folders, quota = await connection.run(partial(_look, account=account))
    except EmailAssistantError as error:
        return [_refusal("imap", account, error)]
    finally:
        connection.close()
    found = [
        Finding("imap", True, f"{imap.host} lets {account.login(imap)} in"),
        Finding("folders", True, f"sent mail is in {folders.sent}, drafts are in {folders.drafts}"),
    ]
    if quota:
        used, room = quota
        text = f"{used / 1024:,.1f} of {room / 1024:,.1f} MB are taken up"
        is_full = used >= FULL * room
        mend = "delete mail or get more room: what no longer fits is refused, drafts and sent mail too"
        found.append(Finding("room", not is_full, text, mend if is_full else ""))
    return [*found, await mailbox(), await _sending(account, secret)]


async def _sending(account: Account, secret: Secret) -> Finding:
    relay = relay_of(account, secret)
    if relay is None:
        return Finding(
            "smtp", True, "drafts only: replies become drafts, which you send with another program"
        )
    try:
        (await in_thread(relay.open)).close()
    except EmailAssistantError as error:
        return _refusal("smtp", account, error)
    return Finding("smtp", True, f"replies go out by {relay.server.host}:{relay.server.port}")


async def send_to_self(deps: JournalDeps) -> Finding:
    """Send one letter from the account to itself; raises what sending raises."""
    account, secret = _account(deps)
    relay = relay_of(account, secret)
    if relay is None:
        raise ConfigError("--send-to-self needs an account that sends: it has no smtp")
    letter = EmailMessage()
    letter["From"] = letter["To"] = account.email
    letter["Subject"] = "A letter to yourself"
    letter["Date"] = format_datetime(deps.clock.now())
    letter["Message-ID"] = make_msgid(domain=account.email.rpartition("@")[2])
    letter.set_content("`email-assistant doctor --send-to-self` has sent it.\n")
    answer = await in_thread(partial(_send, relay, account.email, letter.as_bytes()))
    return Finding(
        "letter to yourself",
        True,
        f"{relay.server.host} has taken it ({answer}); it is a new mail in a moment",
    )


def _account(deps: JournalDeps) -> tuple[Account, Secret]:
    name = account_of(MAILBOXES, deps.settings.mailbox)
    if not name:
        raise ConfigError(
            "--send-to-self is for an account over IMAP (EMAIL_ASSISTANT_MAILBOX = imap:NAME): here nothing is sent"
        )
    return deps.settings.account(name), secret_of(deps.settings, name)


def _look(commands: Commands, account: Account) -> tuple[Folders, tuple[int, int] | None]:
    return find_folders(commands, account), commands.quota()


def _send(relay: Relay, email: str, raw: bytes) -> str:
    submission = relay.open()
    try:
        submission.envelope(email, [email], len(raw))
        submission.text(raw)
        return submission.end()
    finally:
        submission.close()


def _refusal(name: str, account: Account, error: EmailAssistantError) -> Finding:
    provider = provider_of(account.email)
    hint = (
        provider.hint
        if provider and provider.hint
        else f"`email-assistant account add {account.email}` asks for it again"
    )
    return Finding(name, False, " ".join(str(error).split()), hint if is_refused(error) else READ_ON)
