"""Every mailbox and calendar that a setting can name, declared once. To add one: its class in `adapters/`, its line here."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Adapter:
    """What stands behind a word of `EMAIL_ASSISTANT_MAILBOX` or `EMAIL_ASSISTANT_CALENDAR`."""

    target: str
    """Its class, as `module:attribute`, imported when it is asked for; `of(deps, path)` makes one of `JournalDeps` and opens nothing."""
    file: str = ""
    """Its file or folder in the data folder, unless the setting names another; "" for an account, which is none of this machine's."""
    part: str = ""
    """What of `[accounts.NAME]` it is at, where the setting names one; `of` is given that name in place of a path."""
    tables: tuple[str, ...] = ()
    """The modules that declare its tables."""

    def make(self, deps: Any, path: Path | str | None) -> Any:
        """The mailbox, or the calendar."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name).of(deps, path)


_SENDS = "email_assistant.adapters.sends"
_IMAP = Adapter(
    "email_assistant.adapters.imap.mailbox:ImapMailbox",
    part="imap",
    tables=("email_assistant.adapters.imap.tables", _SENDS),
)
MAILBOXES: Mapping[str, Adapter] = {
    "maildir": Adapter("email_assistant.adapters.maildir:MaildirMailbox", "mailbox"),
    "imap": _IMAP,
    "gmail": Adapter("email_assistant.adapters.google.mailbox:GmailMailbox"),
}
_RELAYED = Adapter("email_assistant.adapters.relayed_maildir:RelayedMaildir", part="smtp", tables=(_SENDS,))
RELAYS: Mapping[str, Adapter] = {"smtp": _RELAYED}
"""What stands in the place of the Maildir where `EMAIL_ASSISTANT_SMTP` says what it sends over; `of` is given the Maildir's path."""
CALENDARS: Mapping[str, Adapter] = {
    "ics": Adapter("email_assistant.adapters.ics_calendar:IcsCalendar", "calendar.ics"),
    "caldav": Adapter("email_assistant.adapters.caldav.calendar:CaldavCalendar", part="calendar"),
    "google": Adapter("email_assistant.adapters.google.calendar:GoogleCalendar"),
}


def forms(adapters: Mapping[str, Adapter]) -> str:
    """What the setting may be: "maildir, maildir:PATH, imap:NAME or gmail"."""
    written = [form for word, each in adapters.items() for form in _forms(word, each)]
    return " or ".join(filter(None, (", ".join(written[:-1]), written[-1])))


def _forms(word: str, adapter: Adapter) -> tuple[str, ...]:
    if adapter.part:
        return (f"{word}:NAME",)
    return (word, f"{word}:PATH") if adapter.file else (word,)


def is_form(adapters: Mapping[str, Adapter], value: str) -> bool:
    """Whether it names one of them, with a path only where there can be one."""
    word, colon, more = value.partition(":")
    if word not in adapters or (colon and not more):
        return False
    return bool(more) if adapters[word].part else not more or bool(adapters[word].file)


def path_of(adapters: Mapping[str, Adapter], value: str, data_path: Path) -> Path | None:
    """Where it is on this machine; None for an account."""
    word, _, path = value.partition(":")
    file = adapters[word].file
    if not file:
        return None
    return Path(path).expanduser() if path else data_path / file


def account_of(adapters: Mapping[str, Adapter], value: str) -> str:
    """The name of the account that it names; "" for what is none of `[accounts.NAME]`."""
    word, _, name = value.partition(":")
    return name if word and adapters[word].part else ""


def part_of(adapters: Mapping[str, Adapter], value: str) -> str:
    """What of that account it needs; "" where there is none."""
    word = value.partition(":")[0]
    return adapters[word].part if word else ""


def table_modules(mailbox: str, smtp: str) -> tuple[str, ...]:
    """The modules that declare the tables of what these settings name."""
    return (RELAYS if smtp else MAILBOXES)[(smtp or mailbox).partition(":")[0]].tables
