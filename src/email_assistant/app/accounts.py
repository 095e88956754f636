"""The second level: the mailbox and the calendar that the settings name."""

from dataclasses import dataclass

from email_assistant.adapter_registry import CALENDARS, MAILBOXES, RELAYS, account_of
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.app.journal import JournalDeps
from email_assistant.calendars.calendar import Calendar
from email_assistant.errors import ConfigError
from email_assistant.mail.mailbox import Mailbox


@dataclass(frozen=True, kw_only=True)
class AccountDeps(JournalDeps):
    """The user's mail and meetings, beside what is on record."""

    mailbox: Mailbox
    calendar: Calendar


def account_deps(deps: JournalDeps, *, mailbox: Mailbox | None = None) -> AccountDeps:
    """What the settings name, or another mailbox; raises `ConfigError` when they do not say whose account it is."""
    return AccountDeps(**vars(deps), mailbox=mailbox or mailbox_of(deps), calendar=calendar_of(deps))


def mailbox_of(deps: JournalDeps) -> Mailbox:
    """The mailbox that `EMAIL_ASSISTANT_MAILBOX` names, and `EMAIL_ASSISTANT_SMTP` where it says what that sends over."""
    s = deps.settings
    adapter = RELAYS[s.smtp.partition(":")[0]] if s.smtp else MAILBOXES[s.mailbox.partition(":")[0]]
    made: Mailbox = adapter.make(deps, s.mailbox_path or account_of(MAILBOXES, s.mailbox))
    return made


def calendar_of(deps: JournalDeps) -> Calendar:
    """The calendar that `EMAIL_ASSISTANT_CALENDAR` names."""
    s = deps.settings
    made: Calendar = CALENDARS[s.calendar.partition(":")[0]].make(
        deps, s.calendar_path or account_of(CALENDARS, s.calendar)
    )
    return made


def local_mailbox(deps: AccountDeps) -> MaildirMailbox:
    """The Maildir; raises `ConfigError` when another mailbox is configured."""
    if isinstance(deps.mailbox, MaildirMailbox):
        return deps.mailbox
    raise ConfigError(
        f"files can be imported into a Maildir only, and EMAIL_ASSISTANT_MAILBOX is {deps.settings.mailbox}"
    )
