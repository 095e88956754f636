"""The first level: the settings and the assistant's own tables, enough for whatever opens no mailbox, calendar or model."""

import os
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Engine

from email_assistant import adapter_registry
from email_assistant.adapters.maildir_beside import check_maildir, mailbox_id, record_name
from email_assistant.clock import Clock, SampleClock, SystemClock
from email_assistant.effects.outbox import Outbox
from email_assistant.errors import ConfigError
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.mailboxes import Correspondents, claim
from email_assistant.journal.revisions import Revisions
from email_assistant.journal.schema import check_whole
from email_assistant.journal.trace import Trace
from email_assistant.memory.profiles import Profiles
from email_assistant.memory.said_facts import SaidFacts
from email_assistant.settings import Settings
from email_assistant.workflow_registry import table_modules


@dataclass(frozen=True, kw_only=True)
class JournalDeps:
    """Settings, clocks, and what is on record."""

    settings: Settings
    clock: Clock
    agenda_clock: Clock
    """The clock that mail and meetings are read by (`now_for`); the journal always uses the real one."""
    is_server: bool
    """Whether the process lives long, and its event loops as long as it does."""
    database: Database
    mail_log: MailLog
    trace: Trace
    outbox: Outbox
    correspondents: Correspondents
    profiles: Profiles
    said_facts: SaidFacts


def journal_deps(
    settings: Settings,
    clock: Clock | None = None,
    *,
    agenda_clock: Clock | None = None,
    is_server: bool = False,
    looks: bool = False,
) -> JournalDeps:
    """What the settings name; a process that only `looks` makes no mailbox the database's owner."""
    clock, day = clock or SystemClock(), settings.sample_day
    database = Database(
        settings.database,
        pooled=is_server,
        claim=partial(_claim, settings, looks=looks),
        tables=(*table_modules(), *adapter_registry.table_modules(settings.mailbox, settings.smtp)),
    )
    revisions = Revisions(database, clock)
    return JournalDeps(
        settings=settings,
        clock=clock,
        agenda_clock=agenda_clock or (SampleClock(day, clock) if day else clock),
        is_server=is_server,
        database=database,
        mail_log=MailLog(database, clock),
        trace=Trace(database, clock),
        outbox=Outbox(database, clock),
        correspondents=Correspondents(database, clock),
        profiles=Profiles(revisions, clock),
        said_facts=SaidFacts(revisions, clock),
    )


def check_files(deps: JournalDeps) -> None:
    """Before a server opens anything: a damaged journal is refused (`ConfigError`), damaged checkpoints are set aside. Blocks."""
    from email_assistant.checkpoints.savers import set_aside  # Slow to import; only a server does this.

    check_whole(deps.database.url)
    set_aside(deps.settings.data_path)


def mailbox_place(settings: Settings) -> str:
    """Where the mailbox is, as people are told; `Mailbox.name` is what it is on record under."""
    word, path = settings.mailbox.partition(":")[0], settings.mailbox_path
    return f"{word}:{os.path.realpath(path.expanduser()) if path else settings.email.lower()}"


def _claim(settings: Settings, engine: Engine, *, looks: bool) -> None:
    """See that the database is about the mailbox that the settings name."""
    path, place, is_named = settings.maildir_path, mailbox_place(settings), ":" in settings.mailbox
    if path:
        claim(
            engine,
            place,
            partial(mailbox_id, path, is_named=is_named),
            partial(record_name, path),
            looks=looks,
        )
        if looks and is_named:
            check_maildir(path)
        return
    if is_named and settings.mailbox_path and not settings.mailbox_path.exists():
        raise ConfigError(
            f"EMAIL_ASSISTANT_MAILBOX: nothing is at {settings.mailbox_path}; check the spelling"
        )
    if settings.mailbox_path or settings.email:  # Else nobody has said yet whose account it is.
        claim(engine, place, lambda _: place, looks=looks)
