"""The graphs, compiled and observed."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from email_assistant.bootstrap.ingesting import Ingesting
from email_assistant.effects.daily_allowance import DailyAllowance
from email_assistant.graphs.assistant.parts import Parts
from email_assistant.graphs.ingest.ingestion import Builder
from email_assistant.graphs.mail_status import MailStatusKeeper
from email_assistant.graphs.observed import MailOf, new_mail
from email_assistant.graphs.observer import JournalObserver
from email_assistant.mail.authorship import Authorship
from email_assistant.memory.learner import Learner
from email_assistant.models.offline.categories import CATEGORIES
from email_assistant.settings import load_settings
from email_assistant.tools.asking import Finish, Question
from email_assistant.tools.contacts import GetContact
from email_assistant.tools.labelling import Labelling
from email_assistant.tools.mail_tools import ComposeEmail, SendEmail
from email_assistant.tools.remembering import SearchMemory
from email_assistant.tools.scheduling import CheckCalendar
from email_assistant.tools.tool import Toolbox

if TYPE_CHECKING:  # Graphs are slow to import; commands do without.
    from email_assistant.graphs.claims_desk.parts import Parts as ClaimsParts
    from email_assistant.graphs.order_desk.parts import Parts as OrderParts
    from email_assistant.graphs.organizer.parts import Parts as OrganizerParts
    from email_assistant.graphs.reply_pipeline.parts import Parts as PipelineParts


RECURSION_LIMIT = 300
"""Steps of a run: as many turns as `MAX_MODEL_CALLS` allows, each with `MAX_CALLS` calls of two steps, and some."""


@dataclass(frozen=True)
class House(Ingesting):
    """Everything that settings decide, the graphs included, built when it is asked for."""

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
            learner=Learner(self.profiles, self.models),
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
            learner=Learner(self.profiles, self.models),
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
            companies={s.tenant: ""} | s.tenant_names,
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
