"""What Google says of the account: address, name, aliases, time zone."""

from dataclasses import dataclass, replace
from typing import Any

from google.oauth2.credentials import Credentials

from email_assistant.adapters.google.access import GoogleTokens
from email_assistant.adapters.google.api import GoogleApi
from email_assistant.clock import Clock
from email_assistant.errors import ProviderError


@dataclass(frozen=True, slots=True)
class GoogleAccount:
    """The person as Google knows them; what Google does not tell is ""."""

    email: str
    name: str = ""
    aliases: tuple[str, ...] = ()
    """Further addresses that the person sends from and that are verified to be theirs."""


@dataclass(frozen=True, slots=True)
class MainCalendar:
    """The account's main calendar; what Google does not tell is ""."""

    address: str
    """The account's address, which is the calendar's id."""
    timezone: str
    """An IANA time zone."""


def onlooker(tokens: GoogleTokens, credentials: Credentials, clock: Clock) -> GoogleApi:
    """The account for a mere look: a call is made once, and a token that had to be refreshed is not kept."""
    # What stands where GMAIL_TOKEN would is never written to a file.
    return GoogleApi(tokens.places, replace(tokens, token=credentials.to_json()), clock=clock, attempts=1)


async def read_address(api: GoogleApi) -> str:
    """The account's address; one cheap call. Raises what `GoogleApi.call` does."""
    profile = await api.call("gmail", lambda gmail: gmail.users().getProfile(userId="me"))
    address = profile.get("emailAddress") if isinstance(profile, dict) else None
    if not isinstance(address, str) or "@" not in address:
        raise ProviderError("Google did not say whose account it is")
    return address


async def read_account(api: GoogleApi) -> GoogleAccount:
    """Who the account belongs to; two cheap calls. Raises what `GoogleApi.call` does."""
    email = await read_address(api)
    answer = await api.call("gmail", lambda gmail: gmail.users().settings().sendAs().list(userId="me"))
    entries = [e for e in (answer or {}).get("sendAs", []) if isinstance(e, dict)]
    main = next((e for e in entries if _address(e).lower() == email.lower()), {})
    return GoogleAccount(
        email, " ".join(str(main.get("displayName") or "").split()), _aliases(email, entries)
    )


async def read_calendar(api: GoogleApi) -> MainCalendar:
    """What the account's main calendar tells; one cheap call. Raises what `GoogleApi.call` does."""
    answer = await api.call("calendar", lambda calendar: calendar.calendarList().list(maxResults=250))
    calendars = [c for c in (answer or {}).get("items", []) if isinstance(c, dict)]
    main = next((c for c in calendars if c.get("primary")), {})
    address = str(main.get("id") or "")
    return MainCalendar(address if "@" in address else "", str(main.get("timeZone") or ""))


def _aliases(email: str, entries: list[dict[str, Any]]) -> tuple[str, ...]:
    found = {
        _address(e).lower(): _address(e)
        for e in entries
        if not e.get("isPrimary") and e.get("verificationStatus", "accepted") == "accepted"
    }
    found.pop(email.lower(), None)
    return tuple(address for address in found.values() if _is_plain(address))


def _address(entry: dict[str, Any]) -> str:
    return str(entry.get("sendAsEmail") or "")


def _is_plain(address: str) -> bool:
    """Whether the address can stand in a list that is separated by commas."""
    return "@" in address.strip("@") and "," not in address and not any(c.isspace() for c in address)
