"""Mailbox, calendar, tables, models and tools: what the graphs are built from."""

from __future__ import annotations

import os
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

from email_assistant.adapter_registry import CALENDARS, MAILBOXES
from email_assistant.clock import Clock, SampleClock, SystemClock
from email_assistant.errors import ConfigError
from email_assistant.settings import Settings
from email_assistant.workflow_registry import table_modules

if TYPE_CHECKING:  # Slow to import; whoever has no account, or is no server, does without.
    from sqlalchemy import Engine

    from email_assistant.adapters.google.access import GoogleTokens
    from email_assistant.adapters.google.api import GoogleApi
    from email_assistant.adapters.maildir import MaildirMailbox
    from email_assistant.calendars.calendar import Calendar
    from email_assistant.checkpoints.savers import ServerSaver
    from email_assistant.effects.outbox import Outbox
    from email_assistant.journal.calendar_mail import CalendarMail
    from email_assistant.journal.database import Database
    from email_assistant.journal.mail_log import MailLog
    from email_assistant.journal.mailboxes import Correspondents
    from email_assistant.journal.run_threads import CutOff
    from email_assistant.journal.trace import Trace
    from email_assistant.kit.senders import Senders
    from email_assistant.knowledge.embedding import Embedder
    from email_assistant.mail.mailbox import Mailbox
    from email_assistant.mail.message import Message
    from email_assistant.meetings.cancelling import CancelMeeting
    from email_assistant.meetings.guests import Guests
    from email_assistant.meetings.invitations import InvitationDesk
    from email_assistant.meetings.scheduling import ScheduleMeeting
    from email_assistant.memory.profiles import Profiles
    from email_assistant.memory.said_facts import SaidFacts
    from email_assistant.models.runner import Models
    from email_assistant.models.settings import ModelSettings
    from email_assistant.tools.sending import Sending
    from email_assistant.tools.tool import User


@dataclass(frozen=True)
class Services:
    """Everything that settings decide, built when it is asked for."""

    settings: Settings
    clock: Clock = field(default_factory=SystemClock)
    is_server: bool = False
    """Whether the process lives long, and its event loops as long as it does."""
    looks: bool = False
    """Whether the process only looks, and makes no mailbox the database's owner."""

    @cached_property
    def agenda_clock(self) -> Clock:
        """The clock that mail and meetings are read by (`now_for`); the journal always uses the real one."""
        day = self.settings.sample_day
        return SampleClock(day, self.clock) if day else self.clock

    @cached_property
    def database(self) -> Database:
        """Our own tables."""
        from email_assistant.journal.database import Database

        return Database(
            self.settings.database, pooled=self.is_server, claim=self._claim, tables=table_modules()
        )

    def _claim(self, engine: Engine) -> None:
        """See that the database is about the mailbox that the settings name."""
        from email_assistant.adapters.maildir_beside import check_maildir, mailbox_id, record_name
        from email_assistant.journal.mailboxes import claim

        path = self.settings.maildir_path
        put_down = partial(claim, engine, looks=self.looks)
        if path:
            is_named = self.settings.mailbox != "maildir"
            put_down(
                self.mailbox_place, partial(mailbox_id, path, is_named=is_named), partial(record_name, path)
            )
            if self.looks and is_named:
                check_maildir(path)
        elif self.settings.email:  # Else nobody has said yet whose account it is.
            put_down(self.mailbox_place, lambda _: self.mailbox_place)

    @property
    def mailbox_place(self) -> str:
        """Where the mailbox is, to be told; `mailbox.name` is what it is on record under."""
        path = self.settings.maildir_path
        return f"maildir:{os.path.realpath(path.expanduser())}" if path else self.mailbox.name

    @cached_property
    def mailbox(self) -> Mailbox:
        """The mailbox that `EMAIL_ASSISTANT_MAILBOX` names."""
        s = self.settings
        made: Mailbox = MAILBOXES[s.mailbox.partition(":")[0]].make(self, s.mailbox_path)
        return made

    @property
    def local_mailbox(self) -> MaildirMailbox:
        """The local mailbox; raises `ConfigError` when another one is configured."""
        from email_assistant.adapters.maildir import MaildirMailbox

        if isinstance(self.mailbox, MaildirMailbox):
            return self.mailbox
        raise ConfigError(
            f"files can be imported into a local mailbox only, and EMAIL_ASSISTANT_MAILBOX is {self.settings.mailbox}"
        )

    @cached_property
    def calendar(self) -> Calendar:
        """The calendar that `EMAIL_ASSISTANT_CALENDAR` names."""
        s = self.settings
        made: Calendar = CALENDARS[s.calendar.partition(":")[0]].make(self, s.calendar_path)
        return made

    @cached_property
    def google_tokens(self) -> GoogleTokens:
        """Where the Google account's token is."""
        from email_assistant.adapters.google.access import GoogleTokens, Places

        s = self.settings
        return GoogleTokens(
            Places(s.google_endpoint),
            s.data_path,
            token=s.gmail_token.get_secret_value() if s.gmail_token else None,
            secret=s.gmail_secret.get_secret_value() if s.gmail_secret else None,
        )

    @cached_property
    def google(self) -> GoogleApi:
        """The Google account; opens nothing before its first call."""
        from email_assistant.adapters.google.api import GoogleApi

        return GoogleApi(self.google_tokens.places, self.google_tokens, clock=self.clock)

    @cached_property
    def mail_log(self) -> MailLog:
        """Which message is where."""
        from email_assistant.journal.mail_log import MailLog

        return MailLog(self.database, self.clock)

    @cached_property
    def trace(self) -> Trace:
        """What happened in the runs."""
        from email_assistant.journal.trace import Trace

        return Trace(self.database, self.clock)

    def check_files(self) -> None:
        """Before a server opens anything: a damaged journal is refused (`ConfigError`), damaged checkpoints are set aside. Blocks."""
        from email_assistant.checkpoints.savers import set_aside
        from email_assistant.journal.schema import check_whole

        check_whole(self.database.url)
        set_aside(self.settings.data_path)

    def checkpoints(self) -> AbstractAsyncContextManager[ServerSaver]:
        """Where a server keeps its graphs' states, opened for one event loop."""
        from email_assistant.checkpoints.savers import open_saver

        return open_saver(self.database.url, self.settings.data_path)

    @cached_property
    def cut_off(self) -> CutOff:
        """What a stop of the server cut off."""
        from email_assistant.journal.run_threads import CutOff

        return CutOff(self.database, self.clock)

    @cached_property
    def outbox(self) -> Outbox:
        """The effects on record."""
        from email_assistant.effects.outbox import Outbox

        return Outbox(self.database, self.clock)

    @cached_property
    def correspondents(self) -> Correspondents:
        """The people the user has written to."""
        from email_assistant.journal.mailboxes import Correspondents

        return Correspondents(self.database, self.clock)

    @cached_property
    def senders(self) -> Senders:
        """Who a message is from."""
        from email_assistant.kit.senders import Senders
        from email_assistant.mail.authenticity import Authorship

        authorship = Authorship(self.mailbox, self.user.own)
        return Senders(self.mailbox.name, self.correspondents, self.user, authorship)

    @cached_property
    def profiles(self) -> Profiles:
        """The preference profiles."""
        from email_assistant.journal.revisions import Revisions
        from email_assistant.memory.profiles import Profiles

        return Profiles(Revisions(self.database, self.clock), self.clock)

    @cached_property
    def said_facts(self) -> SaidFacts:
        """The facts that the user said."""
        from email_assistant.journal.revisions import Revisions
        from email_assistant.memory.said_facts import SaidFacts

        return SaidFacts(Revisions(self.database, self.clock), self.clock)

    @property
    def model_settings(self) -> ModelSettings:
        """Which model stands behind a tier."""
        from email_assistant.models.settings import ModelSettings

        s = self.settings
        key = s.openai_api_key.get_secret_value() if s.openai_api_key else None
        return ModelSettings(
            fast=s.model_fast,
            strong=s.model_strong,
            fallback=s.model_fallback,
            openai_api_key=key,
            openai_base_url=s.openai_base_url,
            timeout_seconds=s.model_timeout,
        )

    @cached_property
    def models(self) -> Models:
        """The language models, or the offline rules."""
        from email_assistant.models.runner import Models

        return Models(self.model_settings)

    @cached_property
    def embedder(self) -> Embedder:
        """What past mail is compared by; raises `ConfigError` when the setting names what is not there."""
        from email_assistant.knowledge.embedding import Embedder, embedding_of

        s = self.settings
        key = s.openai_api_key.get_secret_value() if s.openai_api_key else None
        embedding = embedding_of(
            s.embedding, openai_key=key, openai_base_url=s.openai_base_url, timeout=s.model_timeout
        )
        return Embedder(embedding, embeds_here=self.is_server)

    def account(self, setting: str) -> str:
        """The address of the user's account; raises `ConfigError` that names the setting that needs it."""
        if not self.settings.email:
            raise ConfigError(f"{setting} needs EMAIL_ASSISTANT_EMAIL: set it to the account's address")
        return self.settings.email

    @property
    def user(self) -> User:
        """Who the assistant works for."""
        from email_assistant.mail.address import Address
        from email_assistant.tools.tool import User

        s = self.settings
        address = Address(s.email, s.name)
        return User(address, s.timezone, s.background, s.own_addresses, s.receiving_host, s.working_hours)

    @cached_property
    def sending(self) -> Sending:
        """From a draft to Sent."""
        from email_assistant.tools.filling import Filling
        from email_assistant.tools.sending import Sending
        from email_assistant.tools.times_in_draft import Agenda

        agenda = Agenda(self.calendar, self.agenda_clock, self.settings.timezone, self.settings.working_hours)
        filling = Filling(self.said_facts)
        return Sending(self.mailbox, self.outbox, self.correspondents, self.clock, agenda, filling)

    @cached_property
    def invitations(self) -> InvitationDesk:
        """What mails with a calendar part come to."""
        from email_assistant.journal.calendar_mail import CalendarMailLog
        from email_assistant.meetings.answers import AnswerInvitation, CalendarNotice, ChangeCalendar
        from email_assistant.meetings.incoming import Crossing, said_by
        from email_assistant.meetings.invitations import InvitationDesk
        from email_assistant.meetings.said_answer import AnswerReader

        async def believed(message: Message) -> CalendarMail | None:
            found = await self.invitations.incoming(message, self.user) if message.calendars else None
            in_doubt = found is None or found.claimed or await self.senders.doubts(message)
            return None if found is None or in_doubt else said_by(found, message, self.user)

        log = CalendarMailLog(self.database, self.mailbox.name)
        effects = (self.calendar, self.outbox, Crossing(self.mailbox, log, believed))
        return InvitationDesk(
            self.calendar,
            self.agenda_clock,
            AnswerInvitation(*effects, self.sending, AnswerReader(self.models), self.agenda_clock),
            ChangeCalendar(*effects),
            CalendarNotice(),
            self.profiles.wanted,
        )

    @property
    def schedule_meeting(self) -> ScheduleMeeting:
        """The tool that creates events."""
        from email_assistant.meetings.scheduling import ScheduleMeeting

        return ScheduleMeeting(
            self.calendar,
            self.outbox,
            self.agenda_clock,
            self.settings.timezone,
            self.mailbox.name,
            self.guests,
            self.settings.working_hours,
            self.profiles.wanted,
        )

    @property
    def cancel_meeting(self) -> CancelMeeting:
        """The tool that calls events off."""
        from email_assistant.meetings.cancelling import CancelMeeting

        return CancelMeeting(self.schedule_meeting.own_meetings, self.guests, self.outbox)

    @property
    def guests(self) -> Guests:
        """Mail to the guests of the user's own meetings."""
        from email_assistant.meetings.guests import Guests

        return Guests(
            self.calendar, self.sending, self.settings.timezone, self.agenda_clock, self.profiles.wanted
        )
