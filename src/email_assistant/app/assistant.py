"""The third level: the models and what prepares and does things, from which the graphs are built."""

from dataclasses import dataclass

from email_assistant.app.accounts import AccountDeps, account_deps
from email_assistant.app.journal import journal_deps
from email_assistant.clock import Clock
from email_assistant.journal.calendar_mail import CalendarMail, CalendarMailLog
from email_assistant.kit.senders import Senders
from email_assistant.knowledge.embedding import Embedder
from email_assistant.mail.authenticity import Authorship
from email_assistant.mail.message import Message
from email_assistant.meetings.answers import AnswerInvitation, CalendarNotice, ChangeCalendar
from email_assistant.meetings.cancelling import CancelMeeting
from email_assistant.meetings.free_hours import FreeHours
from email_assistant.meetings.guests import Guests
from email_assistant.meetings.incoming import Crossing, said_by
from email_assistant.meetings.instructions import AnswerReader
from email_assistant.meetings.invitations import InvitationDesk
from email_assistant.meetings.scheduling import ScheduleMeeting
from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from email_assistant.settings import Settings
from email_assistant.tools.draft_check import Agenda
from email_assistant.tools.filling import Filling
from email_assistant.tools.sending import Sending
from email_assistant.tools.tool import User


@dataclass(frozen=True, kw_only=True)
class AppDeps(AccountDeps):
    """Everything that a graph is built from."""

    user: User
    senders: Senders
    models: Models
    embedder: Embedder
    """What past mail and documents are compared by."""
    sending: Sending
    guests: Guests
    """Mail to the guests of the user's own meetings."""
    schedule_meeting: ScheduleMeeting
    cancel_meeting: CancelMeeting
    invitations: InvitationDesk
    """What mails with a calendar part come to."""


def app_deps(deps: AccountDeps, *, models: Models | None = None, embedder: Embedder | None = None) -> AppDeps:
    """What the settings name, or other models; raises `ConfigError` for an embedding that is not there."""
    s, clock = deps.settings, deps.agenda_clock
    user, models = User.of(s), models or Models(ModelSettings.of(s))
    senders = Senders(deps.mailbox.name, deps.correspondents, user, Authorship(deps.mailbox, user.own))
    agenda = Agenda(deps.calendar, clock, s.timezone, s.meeting_hours)
    filling = Filling(deps.said_facts)
    wanted = deps.profiles.wanted
    free_hours = FreeHours(deps.calendar, clock, wanted, s.scheduling_link or "")
    sending = Sending(deps.mailbox, deps.outbox, deps.correspondents, deps.clock, agenda, filling, free_hours)
    guests = Guests(deps.calendar, sending, s.timezone, clock, wanted)
    schedule_meeting = ScheduleMeeting(
        deps.calendar, deps.outbox, clock, s.timezone, deps.mailbox.name, guests, s.meeting_hours, wanted
    )
    return AppDeps(
        **vars(deps),
        user=user,
        senders=senders,
        models=models,
        embedder=embedder or Embedder.of(s, embeds_here=deps.is_server),
        sending=sending,
        guests=guests,
        schedule_meeting=schedule_meeting,
        cancel_meeting=CancelMeeting(schedule_meeting.own_meetings, guests, deps.outbox),
        invitations=_invitations(deps, user, senders, sending, models),
    )


def deps_of(
    settings: Settings,
    clock: Clock | None = None,
    *,
    agenda_clock: Clock | None = None,
    is_server: bool = False,
    models: Models | None = None,
    embedder: Embedder | None = None,
) -> AppDeps:
    """All three levels; raises `ConfigError` for a wrong setting."""
    journal = journal_deps(settings, clock, agenda_clock=agenda_clock, is_server=is_server)
    return app_deps(account_deps(journal), models=models, embedder=embedder)


def _invitations(
    deps: AccountDeps, user: User, senders: Senders, sending: Sending, models: Models
) -> InvitationDesk:
    async def believed(message: Message) -> CalendarMail | None:
        found = await desk.incoming(message, user) if message.calendars else None
        in_doubt = found is None or found.claimed or await senders.doubts(message)
        return None if found is None or in_doubt else said_by(found, message, user)

    log = CalendarMailLog(deps.database, deps.mailbox.name)
    effects = (deps.calendar, deps.outbox, Crossing(deps.mailbox, log, believed))
    desk = InvitationDesk(
        deps.calendar,
        deps.agenda_clock,
        AnswerInvitation(*effects, sending, AnswerReader(models), deps.agenda_clock),
        ChangeCalendar(*effects),
        CalendarNotice(),
        deps.profiles.wanted,
    )
    return desk
