"""The permissions the program needs at Google, and which of them a token lacks."""

from collections.abc import Iterable, Sequence

from email_assistant.adapters.google.tokens import CALENDAR_SCOPES, GMAIL_SCOPE

_PREFIX = "https://www.googleapis.com/auth/"
_WIDER = {
    GMAIL_SCOPE: {"https://mail.google.com/"},
    f"{_PREFIX}calendar.events": {f"{_PREFIX}calendar"},
    f"{_PREFIX}calendar.readonly": {f"{_PREFIX}calendar"},
}
"""Scopes that include another one."""

_TITLES = {
    GMAIL_SCOPE: "Read, compose and send emails from your Gmail account",
    f"{_PREFIX}calendar.events": "View and edit events on all your calendars",
    f"{_PREFIX}calendar.readonly": "See and download any calendar you can access using your Google Calendar",
}


def needed_scopes(*, gmail: bool = True, calendar: bool = True) -> tuple[str, ...]:
    """The scopes that the mailbox and the calendar need, and no more."""
    return ((GMAIL_SCOPE,) if gmail else ()) + (CALENDAR_SCOPES if calendar else ())


def missing_scopes(granted: Iterable[str], needed: Sequence[str]) -> list[str]:
    """Those of the needed scopes that the granted ones do not include, in order."""
    have = set(granted)
    return [scope for scope in needed if scope not in have and not _WIDER.get(scope, set()) & have]


def title(scope: str) -> str:
    """The permission in the words of Google's consent page, else the scope without its prefix."""
    return _TITLES.get(scope, scope.removeprefix(_PREFIX))
