"""Bringing mail in: looks, backfills, recovery and the indexing of the past."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from langgraph_sdk.client import LangGraphClient

from email_assistant.bootstrap.services import Services
from email_assistant.errors import InputError, ProviderError
from email_assistant.graphs.ingest.backfill import BackfillWorker
from email_assistant.graphs.ingest.closing import Closing
from email_assistant.graphs.ingest.ingestion import Ingestion
from email_assistant.graphs.ingest.intake import Intake
from email_assistant.graphs.ingest.overtaken import Overtaken
from email_assistant.graphs.ingest.ownership import Ownership
from email_assistant.graphs.ingest.recovery import Recovery
from email_assistant.graphs.ingest.settling import Settling
from email_assistant.graphs.ingest.starter import Starter
from email_assistant.graphs.order_desk.releasing import Releasing
from email_assistant.journal.backfills import Backfills
from email_assistant.journal.cursors import Cursors
from email_assistant.journal.spending import Spending
from email_assistant.knowledge.indexing import Indexing
from email_assistant.mail.authorship import Authorship
from email_assistant.mail.mailbox import Listed
from email_assistant.mail.message import Message
from email_assistant.settings import MAIL_GRAPHS


@dataclass(frozen=True)
class Ingesting(Services):
    """Built over a deployment, whose client each of them is given."""

    def indexing(self, client: LangGraphClient) -> Indexing:
        """The past brought into the store of the deployment of `client`."""
        settling = self.settling(client, MAIL_GRAPHS[0], wait=False)

        async def threads(listed: Sequence[Listed]) -> dict[str, Sequence[Message] | ProviderError]:
            # Read as ingestion does: whom the user has written to is noted before senders are judged by it.
            found = await settling.read([[each] for each in listed])
            return {one.listed[0].mail_thread_id: one.messages for one in found}

        return Indexing(self.mailbox, threads, self.knowledge)

    def ownership(self, graph: str | None) -> Ownership:
        """All mail for that graph, or (None) each mail for the graph that owns it by the settings."""
        if graph is None:
            return Ownership(self.settings.graph, self.settings.graph_rules, follows=True)
        self.check_mail_graph(graph)
        return Ownership(graph)

    def ingestion(self, client: LangGraphClient, graph: str | None, *, wait: bool = True) -> Ingestion:
        """Ingestion for a graph on the deployment of `client`, see `ownership`; `wait` as in `Starter`."""
        sorts = "inbox_organizer" in self.ownership(graph).graphs
        return Ingestion(
            self.mailbox,
            Cursors(self.database, self.clock),
            self.settling(client, graph, wait=wait),
            self.closing(client),
            self.clock,
            self.settings.email,
            self._verify_unsubscribed if sorts else None,
        )

    def settling(
        self, client: LangGraphClient, graph: str | None, *, wait: bool, in_bulk: bool = False
    ) -> Settling:
        """Reading conversations and settling them, see `ownership`; `wait` and `in_bulk` as in `Starter`."""
        starter = Starter(client, self.mail_log, wait, in_bulk)
        intake = Intake(
            starter,
            self.mail_log,
            self.mailbox.name,
            self.ownership(graph),
            self.settings.own_addresses,
            Authorship(self.mailbox, self.settings.own_addresses),
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
        closing = self.closing(client)
        overtaken = Overtaken(closing, self.database, self.clock)
        return Recovery(client, self.mail_log, starter, closing, frozenset(MAIL_GRAPHS), overtaken)

    async def lost_answers(self, run_thread_ids: Collection[str]) -> dict[str, datetime]:
        """Those of the threads whose last answer got lost, and when it came, by the user's clock."""
        found, zone = await self.cut_off.lost_answers(run_thread_ids), ZoneInfo(self.settings.timezone)
        return {thread: at.astimezone(zone) for thread, at in found.items()}

    def closing(self, client: LangGraphClient) -> Closing:
        """Ends work on the deployment of `client` without its graph."""
        own = self.settings.own_addresses
        undo = {"order_desk": Releasing(self.orders)}
        return Closing(client, self.mail_log, self.trace, self.outbox, self.mailbox, own, undo)
