"""Signing in to an account's servers to see whether they let its user in, and what they have."""

import smtplib
from functools import partial

from imapclient.exceptions import LoginError

from email_assistant.adapters.caldav.dav import Dav
from email_assistant.adapters.caldav.discovery import FoundCalendar, find_calendars
from email_assistant.adapters.imap.connection import Connection
from email_assistant.adapters.imap.folders import Folders, find_folders
from email_assistant.adapters.smtp import Relay, Secret, in_thread
from email_assistant.mail_accounts import Account, CalendarServer


async def sign_in(account: Account, secret: Secret) -> None:
    """Sign in to each server, and leave again: nothing is read or sent.

    Raises `AccessError`, `ProviderError` or `TransientError`; `is_refused` tells of one whether another password may do.
    """
    await folders_of(account, secret)
    if relay := relay_of(account, secret):
        (await in_thread(relay.open)).close()


async def folders_of(account: Account, secret: Secret) -> Folders | None:
    """Its folders, "" for one that nothing tells: none is made. None for an account without mail. Raises as `sign_in`."""
    if account.imap is None:
        return None
    connection = Connection(account.imap, account.login(account.imap), secret)
    try:
        return await connection.run(partial(find_folders, account=account, makes=False))
    finally:
        connection.close()


def calendars_at(server: CalendarServer, email: str, secret: Secret) -> list[FoundCalendar]:
    """Those that meetings may be made in. Blocks. Raises as `sign_in`."""
    found = find_calendars(Dav(server, server.login or email, secret), server.url)
    return [each for each in found if each.is_writable]


def relay_of(account: Account, secret: Secret) -> Relay | None:
    """The server that the account sends over; None where nothing is sent."""
    return Relay(account.smtp, account.login(account.smtp), secret) if account.smtp else None


def is_refused(error: Exception) -> bool:
    """Whether a server did not take the name or the password."""
    return isinstance(error.__cause__, LoginError | smtplib.SMTPAuthenticationError)
