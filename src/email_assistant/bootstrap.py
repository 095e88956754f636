"""Builds what settings name. Building opens nothing: connections are made on first use."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from langgraph_sdk.client import LangGraphClient

from email_assistant.adapters.ics_calendar import IcsCalendar
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.calendars.calendar import Calendar
from email_assistant.clock import Clock, FixedClock, SystemClock
from email_assistant.effects.daily_allowance import DailyAllowance
from email_assistant.effects.outbox import Outbox
from email_assistant.errors import ConfigError, InputError, ProviderError
from email_assistant.graphs.assistant.parts import Parts
from email_assistant.graphs.ingest.backfill import BackfillWorker
from email_assistant.graphs.ingest.closing import Closing
from email_assistant.graphs.ingest.ingestion import Builder, Ingestion
from email_assistant.graphs.ingest.intake import Intake
from email_assistant.graphs.ingest.recovery import Recovery
from email_assistant.graphs.ingest.settling import Settling
from email_assistant.graphs.ingest.starter import Starter
from email_assistant.graphs.mail_status import MailStatusKeeper
from email_assistant.graphs.observed import MailOf, new_mail
from email_assistant.graphs.observer import JournalObserver
from email_assistant.graphs.order_desk.releasing import Releasing
from email_assistant.graphs.senders import Senders
from email_assistant.journal.backfills import Backfills
from email_assistant.journal.catalogue import Catalogue
from email_assistant.journal.contacts import Contacts
from email_assistant.journal.correspondents import Correspondents
from email_assistant.journal.cursors import Cursors
from email_assistant.journal.customers import Customers
from email_assistant.journal.database import Database
from email_assistant.journal.hints import CategoryHints
from email_assistant.journal.incidents import Incidents
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.orders import Orders
from email_assistant.journal.refunds import RefundLedger
from email_assistant.journal.revisions import Revisions
from email_assistant.journal.spending import Spending
from email_assistant.journal.subscriptions import Subscriptions
from email_assistant.journal.tickets import TicketTable
from email_assistant.journal.trace import Trace
from email_assistant.knowledge.choosing import embedding_of
from email_assistant.knowledge.document_import import DocumentImport
from email_assistant.knowledge.documents import Documents
from email_assistant.knowledge.embedding import Embedder
from email_assistant.knowledge.indexing import Indexing
from email_assistant.knowledge.knowledge import Knowledge
from email_assistant.mail.address import Address
from email_assistant.mail.authorship import Authorship
from email_assistant.mail.mailbox import Listed, Mailbox
from email_assistant.mail.message import Message
from email_assistant.memory.learner import Learner
from email_assistant.memory.profiles import Profiles
from email_assistant.models.offline.categories import CATEGORIES
from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from email_assistant.notes.vault import Vault
from email_assistant.settings import Settings, load_settings
from email_assistant.tools.asking import Finish, Question
from email_assistant.tools.contacts import GetContact
from email_assistant.tools.labelling import Labelling
from email_assistant.tools.mail_tools import ComposeEmail, SendEmail
from email_assistant.tools.refunding import Refunding
from email_assistant.tools.remembering import SearchMemory
from email_assistant.tools.scheduling import CheckCalendar, ScheduleMeeting
from email_assistant.tools.sending import Sending
from email_assistant.tools.ticketing import Ticketing
from email_assistant.tools.tool import Toolbox, User
from email_assistant.tools.unsubscribe_mail import UnsubscribeMails
from email_assistant.tools.unsubscribing import Unsubscribing

if TYPE_CHECKING:  # Google's libraries are slow to import; whoever has no account does without.
    from email_assistant.adapters.google.api import GoogleApi
    from email_assistant.adapters.google.push_identity import PushIdentity
    from email_assistant.adapters.google.tokens import Tokens
    from email_assistant.adapters.jira import JiraTickets
    from email_assistant.adapters.refunds import HttpRefunds
    from email_assistant.graphs.claims_desk.parts import Parts as ClaimsParts
    from email_assistant.graphs.order_desk.parts import Parts as OrderParts
    from email_assistant.graphs.order_desk.shelf import Shelf
    from email_assistant.graphs.organizer.parts import Parts as OrganizerParts
    from email_assistant.graphs.reply_pipeline.parts import Parts as PipelineParts

RECURSION_LIMIT = 200
MAIL_GRAPHS = ("email_assistant", "inbox_organizer", "reply_pipeline", "order_desk", "claims_desk")
"""The graphs that deal with mail."""


@dataclass(frozen=True)
class House:
    """Everything that settings decide, built when it is asked for."""

    settings: Settings
    clock: Clock = field(default_factory=SystemClock)
    is_server: bool = False
    """Whether the process lives long, and its event loops as long as it does."""

    @property
    def agenda_clock(self) -> Clock:
        """The clock that mail and meetings are read by; the journal always uses the real one."""
        return FixedClock(self.settings.today) if self.settings.today else self.clock

    @cached_property
    def database(self) -> Database:
        """Our own tables."""
        return Database(self.settings.database, pooled=self.is_server)

    @cached_property
    def mailbox(self) -> Mailbox:
        """The mailbox that `EMAIL_ASSISTANT_MAILBOX` names."""
        if self.settings.maildir_path is None:
            from email_assistant.adapters.google.mailbox import GmailMailbox

            return GmailMailbox(self.google, self._account("EMAIL_ASSISTANT_MAILBOX=gmail"), self.clock)
        return self.local_mailbox

    @cached_property
    def local_mailbox(self) -> MaildirMailbox:
        """The local mailbox; raises `ConfigError` when another one is configured."""
        path = self.settings.maildir_path
        if path is None:
            raise ConfigError(
                "files can be imported into a local mailbox only, and EMAIL_ASSISTANT_MAILBOX is gmail"
            )
        return MaildirMailbox(path, self.clock)

    @cached_property
    def calendar(self) -> Calendar:
        """The calendar that `EMAIL_ASSISTANT_CALENDAR` names."""
        path = self.settings.ics_path
        if path is None:
            owner = self._account("EMAIL_ASSISTANT_CALENDAR=google")
            from email_assistant.adapters.google.calendar import GoogleCalendar

            return GoogleCalendar(self.google, owner, self.settings.timezone)
        return IcsCalendar(path, self.settings.timezone)

    @cached_property
    def google_tokens(self) -> "Tokens":
        """Where the Google account's token is."""
        from email_assistant.adapters.google.places import Places
        from email_assistant.adapters.google.tokens import Tokens

        s = self.settings
        return Tokens(
            Places(s.google_endpoint),
            s.data_path,
            token=s.gmail_token.get_secret_value() if s.gmail_token else None,
            secret=s.gmail_secret.get_secret_value() if s.gmail_secret else None,
        )

    @cached_property
    def google(self) -> "GoogleApi":
        """The Google account; opens nothing before its first call."""
        from email_assistant.adapters.google.api import GoogleApi
        from email_assistant.adapters.google.places import Places

        return GoogleApi(Places(self.settings.google_endpoint), self.google_tokens, clock=self.clock)

    @property
    def push_identity(self) -> "PushIdentity":
        """Who may push; raises `ConfigError` when no audience is set."""
        from email_assistant.adapters.google.places import Places
        from email_assistant.adapters.google.push_identity import PushIdentity

        s = self.settings
        if s.push_audience is None or s.push_account is None:
            raise ConfigError("EMAIL_ASSISTANT_PUSH_AUDIENCE is not set")
        return PushIdentity(Places(s.google_endpoint), s.push_audience, s.push_account)

    @cached_property
    def mail_log(self) -> MailLog:
        """Which message is where."""
        return MailLog(self.database, self.clock)

    @cached_property
    def trace(self) -> Trace:
        """What happened in the runs."""
        return Trace(self.database, self.clock)

    @cached_property
    def outbox(self) -> Outbox:
        """The effects on record."""
        return Outbox(self.database, self.clock)

    @cached_property
    def correspondents(self) -> Correspondents:
        """The people the user has written to."""
        return Correspondents(self.database, self.clock)

    @cached_property
    def contacts(self) -> Contacts:
        """What is known about people."""
        return Contacts(self.database, self.clock)

    @cached_property
    def catalogue(self) -> Catalogue:
        """What the shop sells."""
        return Catalogue(self.database, self.clock)

    @cached_property
    def orders(self) -> Orders:
        """What was taken from the stock, and for whom."""
        return Orders(self.database, self.clock)

    @cached_property
    def customers(self) -> Customers:
        """The customers of all tenants, and their policies."""
        return Customers(self.database)

    @cached_property
    def incidents(self) -> Incidents:
        """What was decided on claims."""
        return Incidents(self.database)

    @cached_property
    def ticket_table(self) -> TicketTable:
        """All tickets, and copies of those that another system keeps."""
        return TicketTable(self.database, self.clock)

    @cached_property
    def jira(self) -> "JiraTickets | None":
        """Where tickets are made, when Jira is configured."""
        s = self.settings
        if s.jira_url is None or s.jira_token is None:
            return None
        from email_assistant.adapters.jira import JiraTickets, jira_api

        api = jira_api(s.jira_url, s.jira_email, s.jira_token.get_secret_value())
        return JiraTickets(api, s.jira_project, s.jira_issue_type, self.clock)

    @cached_property
    def ticketing(self) -> Ticketing:
        """From a draft to a ticket."""
        return Ticketing(self.jira or self.ticket_table, self.ticket_table, self.outbox, self.clock)

    @cached_property
    def refund_ledger(self) -> RefundLedger:
        """What was paid back."""
        return RefundLedger(self.database, self.clock)

    @cached_property
    def refund_endpoint(self) -> "HttpRefunds | None":
        """Who pays refunds, when an endpoint is configured."""
        s = self.settings
        if s.refund_url is None:
            return None
        from email_assistant.adapters.refunds import HttpRefunds, refund_api

        return HttpRefunds(
            refund_api(s.refund_url, s.refund_token.get_secret_value() if s.refund_token else None)
        )

    @cached_property
    def refunding(self) -> Refunding:
        """From a decision to a receipt."""
        s, ledger = self.settings, self.refund_ledger
        return Refunding(
            self.refund_endpoint or ledger,
            ledger,
            self.outbox,
            self.clock,
            s.refund_ceiling,
            s.refund_automatic,
        )

    @cached_property
    def category_hints(self) -> CategoryHints:
        """What people have taught about categories."""
        return CategoryHints(self.database, self.clock)

    @cached_property
    def senders(self) -> Senders:
        """Who a message is from."""
        return Senders(self.mailbox.name, self.correspondents, self.user)

    @cached_property
    def profiles(self) -> Profiles:
        """The preference profiles."""
        return Profiles(Revisions(self.database, self.clock), self.clock)

    @cached_property
    def models(self) -> Models:
        """The language models, or the offline rules."""
        s = self.settings
        key = s.openai_api_key.get_secret_value() if s.openai_api_key else None
        return Models(
            ModelSettings(
                fast=s.model_fast,
                strong=s.model_strong,
                fallback=s.model_fallback,
                openai_api_key=key,
                openai_base_url=s.openai_base_url,
                timeout_seconds=s.model_timeout,
            )
        )

    @cached_property
    def embedder(self) -> Embedder:
        """What past mail is compared by; raises `ConfigError` when the setting names what is not there."""
        s = self.settings
        key = s.openai_api_key.get_secret_value() if s.openai_api_key else None
        return Embedder(
            embedding_of(
                s.embedding, openai_key=key, openai_base_url=s.openai_base_url, timeout=s.model_timeout
            )
        )

    @cached_property
    def knowledge(self) -> Knowledge:
        """What past mail can tell."""
        s = self.settings
        return Knowledge(
            self.mailbox.name, s.own_addresses, self.embedder, self.senders.doubts, embeds_here=self.is_server
        )

    @cached_property
    def documents(self) -> Documents:
        """What the tenants' documents can tell."""
        return Documents(self.embedder, embeds_here=self.is_server)

    @cached_property
    def document_import(self) -> DocumentImport:
        """Documents brought into the store, listed and removed."""
        return DocumentImport(self.embedder, embeds_here=self.is_server)

    def indexing(self, client: LangGraphClient) -> Indexing:
        """The past brought into the store of the deployment of `client`."""
        settling = self.settling(client, MAIL_GRAPHS[0], wait=False)

        async def threads(listed: Sequence[Listed]) -> dict[str, Sequence[Message] | ProviderError]:
            # Read as ingestion does: whom the user has written to is noted before senders are judged by it.
            found = await settling.read([[each] for each in listed])
            return {one.listed[0].mail_thread_id: one.messages for one in found}

        return Indexing(self.mailbox, threads, self.knowledge)

    def ingestion(self, client: LangGraphClient, graph: str, *, wait: bool = True) -> Ingestion:
        """Ingestion for a graph on the deployment of `client`; `wait` as in `Starter`."""
        return Ingestion(
            self.mailbox,
            Cursors(self.database, self.clock),
            self.settling(client, graph, wait=wait),
            self._closing(client),
            self.clock,
            self.settings.email,
            self._verify_unsubscribed if graph == "inbox_organizer" else None,
        )

    def settling(self, client: LangGraphClient, graph: str, *, wait: bool, in_bulk: bool = False) -> Settling:
        """Reading conversations and settling them for a graph; `wait` and `in_bulk` as in `Starter`."""
        self.check_mail_graph(graph)
        starter = Starter(client, self.mail_log, wait, in_bulk)
        intake = Intake(
            starter,
            self.mail_log,
            self.mailbox.name,
            graph,
            self.settings.own_addresses,
            Authorship(self.mailbox, self.settings.own_addresses),
            answered_too=graph == "inbox_organizer",
        )
        return Settling(self.mailbox, intake, self.correspondents)

    @cached_property
    def backfills(self) -> Backfills:
        """How far whole accounts were brought in."""
        return Backfills(self.database, self.clock)

    def spending(self, graph: str) -> Spending:
        """What the work of a graph costs."""
        return Spending(self.database, self.mailbox.name, graph)

    def backfill_worker(self, client: LangGraphClient, graph: str, name: str) -> BackfillWorker:
        """A worker of that name, which no other has, on the deployment of `client`."""
        settling = self.settling(client, graph, wait=True, in_bulk=True)
        return BackfillWorker(name, self.backfills, settling, self.spending(graph))

    async def _verify_unsubscribed(self, read_until: datetime) -> None:
        """See which lists have fallen silent; mail that is counted after this reopens its list all the same."""
        await self.unsubscribing.subscriptions.verify(self.mailbox.name, read_until)

    def check_mail_graph(self, graph: str) -> None:
        """Raises `InputError` when no graph of that name deals with mail."""
        if graph not in MAIL_GRAPHS:
            raise InputError(f"graph_name: {graph!r} deals with no mail; there is {', '.join(MAIL_GRAPHS)}")

    def recovery(self, client: LangGraphClient) -> Recovery:
        """What finds again what a crash lost on the deployment of `client`."""
        starter = Starter(client, self.mail_log, wait=False)
        return Recovery(client, self.mail_log, starter, self._closing(client), frozenset(MAIL_GRAPHS))

    def _closing(self, client: LangGraphClient) -> Closing:
        own = self.settings.own_addresses
        undo = {"order_desk": Releasing(self.orders)}
        return Closing(client, self.mail_log, self.trace, self.outbox, self.mailbox, own, undo)

    def _account(self, setting: str) -> str:
        if not self.settings.email:
            raise ConfigError(f"{setting} needs EMAIL_ASSISTANT_EMAIL: set it to the account's address")
        return self.settings.email

    @property
    def user(self) -> User:
        """Who the assistant works for."""
        s = self.settings
        address = Address(s.email, s.name)
        return User(address, s.timezone, s.background, s.own_addresses, s.receiving_host)

    @cached_property
    def sending(self) -> Sending:
        """From a draft to Sent."""
        return Sending(self.mailbox, self.outbox, self.correspondents, self.clock)

    @property
    def schedule_meeting(self) -> ScheduleMeeting:
        """The tool that creates events."""
        return ScheduleMeeting(self.calendar, self.outbox, self.agenda_clock, self.settings.timezone)

    def assistant_parts(self) -> Parts:
        """The dependencies of the `email_assistant` graph."""
        sending = self.sending
        tools = Toolbox(
            (
                SendEmail(sending),
                ComposeEmail(sending),
                self.schedule_meeting,
                CheckCalendar(self.calendar),
                SearchMemory(self.profiles, self.mailbox),
                Question(),
                Finish(),
            )
        )
        return Parts(
            mailbox=self.mailbox,
            models=self.models,
            profiles=self.profiles,
            learner=Learner(self.profiles, self.models),
            toolbox=tools,
            sending=sending,
            senders=self.senders,
            clock=self.agenda_clock,
            user=self.user,
        )

    def observer(self, graph: str, *, snapshots: bool = False, mail_of: MailOf = new_mail) -> JournalObserver:
        """The journal's observer for a graph; with `snapshots` it keeps whole states, mail included."""
        keeper = MailStatusKeeper(self.mail_log, self.mailbox.name)
        return JournalObserver(graph, self.trace, keeper, snapshots=snapshots, mail_of=mail_of)

    def assistant(self, **compile_options: Any) -> Any:
        """The compiled `email_assistant` graph, observed by the journal."""
        from email_assistant.graphs.assistant.graph import (
            assistant_graph,
        )  # Slow to import; commands do without.

        compiled = assistant_graph(self.assistant_parts()).compile(name="email_assistant", **compile_options)
        return compiled.with_config(
            {"callbacks": [self.observer("email_assistant")], "recursion_limit": RECURSION_LIMIT}
        )

    @cached_property
    def unsubscribing(self) -> Unsubscribing:
        """Leaving mailings."""
        from email_assistant.adapters.one_click import OneClick

        return Unsubscribing(
            self.mailbox,
            Subscriptions(self.database, self.clock),
            self.outbox,
            OneClick(),
            UnsubscribeMails(self.mailbox, self.outbox, self.correspondents),
            self.settings.receiving_host,
        )

    @cached_property
    def vault(self) -> Vault | None:
        """Where notes go, when a vault is configured."""
        path = self.settings.vault
        if path is None:
            return None
        from email_assistant.adapters.obsidian import ObsidianVault

        return ObsidianVault(path.expanduser(), self.settings.timezone)

    def organizer_parts(self) -> "OrganizerParts":
        """The dependencies of the `inbox_organizer` graph."""
        from email_assistant.graphs.organizer.parts import Parts as OrganizerParts

        return OrganizerParts(
            mailbox=self.mailbox,
            models=self.models,
            hints=self.category_hints,
            senders=self.senders,
            labelling=Labelling(self.mailbox, self.settings.category_names or CATEGORIES),
            toolbox=Toolbox((SendEmail(self.sending), self.schedule_meeting)),
            unsubscribing=self.unsubscribing,
            drafts=self.sending.drafts,
            profiles=self.profiles,
            learner=Learner(self.profiles, self.models),
            user=self.user,
            clock=self.agenda_clock,
            vault=self.vault,
            vips=self.settings.vip_list,
        )

    def organizer(self, **compile_options: Any) -> Any:
        """The compiled `inbox_organizer` graph, observed by the journal."""
        from email_assistant.graphs.organizer.graph import organizer_graph

        compiled = organizer_graph(self.organizer_parts()).compile(name="inbox_organizer", **compile_options)
        return compiled.with_config({"callbacks": [self.observer("inbox_organizer")]})

    def pipeline_parts(self) -> "PipelineParts":
        """The dependencies of the `reply_pipeline` graph."""
        from email_assistant.graphs.reply_pipeline.checking import FactCheck
        from email_assistant.graphs.reply_pipeline.parts import Parts as PipelineParts
        from email_assistant.graphs.reply_pipeline.sources import (
            PastMail,
            SenderContact,
            SentAnswers,
            SharedEvents,
        )
        from email_assistant.graphs.reply_pipeline.tools import CheckDays, CreateDraft, LookUpSender

        s, clock = self.settings, self.agenda_clock
        authorship = Authorship(self.mailbox, self.user.own)
        allowance = DailyAllowance(self.outbox, f"auto_send {self.mailbox.name}", s.auto_send_daily)
        return PipelineParts(
            models=self.models,
            senders=self.senders,
            profiles=self.profiles,
            retrievers=(
                SenderContact(self.contacts),
                SharedEvents(self.calendar, clock, s.timezone),
                PastMail(self.knowledge, authorship),
            ),
            tools={
                "check_calendar": CheckDays(CheckCalendar(self.calendar), clock),
                "get_contact": LookUpSender(GetContact(self.contacts)),
                "create_draft": CreateDraft(),
            },
            send_email=SendEmail(self.sending),
            drafts=self.sending.drafts,
            user=self.user,
            clock=clock,
            checker=FactCheck(self.user, clock, authorship),
            examples=SentAnswers(self.knowledge, self.mailbox),
            auto_send=allowance if s.auto_send else None,
        )

    def pipeline(self, **compile_options: Any) -> Any:
        """The compiled `reply_pipeline` graph, observed by the journal."""
        from email_assistant.graphs.reply_pipeline.email import mail_of
        from email_assistant.graphs.reply_pipeline.graph import pipeline_graph

        compiled = pipeline_graph(self.pipeline_parts()).compile(name="reply_pipeline", **compile_options)
        reading = partial(mail_of, user=self.user)
        observer = self.observer("reply_pipeline", snapshots=True, mail_of=reading)
        return compiled.with_config({"callbacks": [observer]})

    def order_parts(self) -> "OrderParts":
        """The dependencies of the `order_desk` graph."""
        from email_assistant.graphs.order_desk.facts import FactCheck
        from email_assistant.graphs.order_desk.parts import Parts as OrderParts

        return OrderParts(
            models=self.models,
            senders=self.senders,
            profiles=self.profiles,
            shelf=self.shelf,
            orders=self.orders,
            send_email=SendEmail(self.sending),
            drafts=self.sending.drafts,
            user=self.user,
            clock=self.agenda_clock,
            checker=FactCheck(self.user, self.agenda_clock),
            currency=self.settings.currency,
            hold=self.settings.order_approval,
        )

    @cached_property
    def shelf(self) -> "Shelf":
        """The catalogue, and the index that resolves what customers call its products."""
        from email_assistant.graphs.order_desk.shelf import Shelf

        return Shelf(self.catalogue)

    def order_desk(self, *, asks: bool = True, **compile_options: Any) -> Any:
        """The compiled `order_desk` graph, observed by the journal; with `asks` False it ends when the reply is written."""
        from email_assistant.graphs.order_desk.email import mail_of
        from email_assistant.graphs.order_desk.graph import order_graph

        compiled = order_graph(self.order_parts(), asks=asks).compile(name="order_desk", **compile_options)
        reading = partial(mail_of, user=self.user)
        observer = self.observer("order_desk", snapshots=True, mail_of=reading)
        return compiled.with_config({"callbacks": [observer]})

    def claims_parts(self) -> "ClaimsParts":
        """The dependencies of the `claims_desk` graph."""
        from email_assistant.graphs.claims_desk.parts import Parts as ClaimsParts

        s = self.settings
        return ClaimsParts(
            models=self.models,
            senders=self.senders,
            customers=self.customers,
            incidents=self.incidents,
            documents=self.documents,
            ticketing=self.ticketing,
            refunding=self.refunding,
            send_email=SendEmail(self.sending),
            drafts=self.sending.drafts,
            user=self.user,
            clock=self.agenda_clock,
            currency=s.currency,
            tenant=s.tenant,
            ceiling=s.refund_ceiling,
            automatic=s.refund_automatic,
        )

    def claims_desk(self, **compile_options: Any) -> Any:
        """The compiled `claims_desk` graph, observed by the journal."""
        from email_assistant.graphs.claims_desk.graph import claims_graph

        compiled = claims_graph(self.claims_parts()).compile(name="claims_desk", **compile_options)
        return compiled.with_config({"callbacks": [self.observer("claims_desk", snapshots=True)]})

    def ingest(self, builder: Builder, **compile_options: Any) -> Any:
        """The compiled `ingest` graph, observed by the journal."""
        from email_assistant.graphs.ingest.graph import IngestNodes, ingest_graph

        compiled = ingest_graph(IngestNodes(builder)).compile(name="ingest", **compile_options)
        return compiled.with_config({"callbacks": [self.observer("ingest")]})


def house(*, is_server: bool = False) -> House:
    """The house that the environment and the settings files describe."""
    return House(load_settings(), is_server=is_server)
