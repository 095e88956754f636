"""Bringing mail in: looks, backfills, recovery and the indexing of the past."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from email_assistant.app.services import Services
from email_assistant.errors import InputError, ProviderError
from email_assistant.workflow_registry import NAMES, workflow, workflows

if TYPE_CHECKING:  # Slow to import; each is imported where it is built.
    from langgraph_sdk.client import LangGraphClient

    from email_assistant.ingest.backfill import BackfillWorker
    from email_assistant.ingest.closing import Closing
    from email_assistant.ingest.finished import FinishedThreads
    from email_assistant.ingest.ingestion import Ingestion
    from email_assistant.ingest.ownership import Ownership
    from email_assistant.ingest.recovery import Recovery
    from email_assistant.ingest.settling import Settling
    from email_assistant.journal.backfills import Backfills
    from email_assistant.journal.spending import Spending
    from email_assistant.knowledge.indexing import Indexing
    from email_assistant.mail.mailbox import Listed
    from email_assistant.mail.message import Message


@dataclass(frozen=True)
class Ingesting(Services):
    """Built over a deployment, whose client each of them is given."""

    def indexing(self, client: LangGraphClient) -> Indexing:
        """The past brought into the store of the deployment of `client`."""
        from email_assistant.knowledge.indexing import Indexing

        settling = self.settling(client, NAMES[0], wait=False)

        async def threads(listed: Sequence[Listed]) -> dict[str, Sequence[Message] | ProviderError]:
            # Read as ingestion does: whom the user has written to is noted before senders are judged by it.
            found = await settling.read([[each] for each in listed])
            return {one.listed[0].mail_thread_id: one.messages for one in found}

        return Indexing(self.mailbox, threads, self.knowledge)

    def ownership(self, graph: str | None) -> Ownership:
        """All mail for that graph, or (None) each mail for the graph that owns it by the settings."""
        from email_assistant.ingest.ownership import Ownership

        if graph is None:
            return Ownership(self.settings.graph, self.settings.graph_rules, follows=True)
        self.check_mail_graph(graph)
        return Ownership(graph)

    def ingestion(self, client: LangGraphClient, graph: str | None, *, wait: bool = True) -> Ingestion:
        """Ingestion for a graph on the deployment of `client`, see `ownership`; `wait` as in `Window.waits`."""
        from email_assistant.ingest.ingestion import Ingestion
        from email_assistant.journal.cursors import Cursors

        after = [each.after_look for each in map(workflow, self.ownership(graph).graphs) if each.after_look]
        return Ingestion(
            self.mailbox,
            Cursors(self.database, self.clock),
            self.settling(client, graph, wait=wait),
            self.closing(client),
            self.clock,
            self.settings.email,
            partial(self._after_look, after) if after else None,
        )

    def settling(
        self, client: LangGraphClient, graph: str | None, *, wait: bool, in_bulk: bool = False
    ) -> Settling:
        """Reading conversations and settling them, see `ownership`; `wait` as in `Window.waits`, `in_bulk` as in `Starter`."""
        from email_assistant.ingest.intake import Intake
        from email_assistant.ingest.settling import Settling
        from email_assistant.ingest.starter import Starter
        from email_assistant.mail.authorship import Authorship

        starter = Starter(client, self.mail_log, in_bulk)
        intake = Intake(
            starter,
            self.mail_log,
            self.mailbox.name,
            self.ownership(graph),
            self.settings.own_addresses,
            Authorship(self.mailbox, self.settings.own_addresses),
        )
        return Settling(self.mailbox, intake, self.correspondents, self.settings.runs_in_flight, waits=wait)

    @cached_property
    def backfills(self) -> Backfills:
        """How far whole accounts were brought in."""
        from email_assistant.journal.backfills import Backfills

        return Backfills(self.database, self.clock)

    def spending(self, graph: str) -> Spending:
        """What the work of a graph costs."""
        from email_assistant.journal.spending import Spending

        return Spending(self.database, self.mailbox.name, graph)

    def backfill_worker(self, client: LangGraphClient, graph: str, name: str) -> BackfillWorker:
        """A worker of that name, which no other has, on the deployment of `client`."""
        from email_assistant.ingest.backfill import BackfillWorker

        settling = self.settling(client, graph, wait=True, in_bulk=True)
        return BackfillWorker(name, self.backfills, settling, self.spending(graph))

    async def _after_look(
        self, told: Sequence[Callable[[Any, datetime], Awaitable[None]]], read_until: datetime
    ) -> None:
        for each in told:
            await each(self, read_until)

    def check_mail_graph(self, graph: str) -> None:
        """Raises `InputError` when no graph of that name deals with mail."""
        if graph not in NAMES:
            raise InputError(f"graph_name: {graph!r} deals with no mail; there is {', '.join(NAMES)}")

    def recovery(self, client: LangGraphClient) -> Recovery:
        """What finds again what a crash lost on the deployment of `client`."""
        from email_assistant.ingest.overtaken import Overtaken
        from email_assistant.ingest.recovery import Recovery
        from email_assistant.ingest.starter import Starter

        starter = Starter(client, self.mail_log)
        closing = self.closing(client)
        overtaken = Overtaken(closing, self.database, self.clock)
        return Recovery(client, self.mail_log, starter, closing, frozenset(NAMES), overtaken)

    def finished_threads(self, client: LangGraphClient, doomed: set[str]) -> FinishedThreads:
        """What deletes threads that are over from the deployment of `client`; `doomed` as in `FinishedThreads`."""
        from email_assistant.ingest.finished import FinishedThreads
        from email_assistant.journal.thread_past import ThreadPast

        keep = timedelta(minutes=self.settings.finished_minutes)
        return FinishedThreads(client, ThreadPast(self.database), self.clock, keep, doomed)

    async def lost_answers(self, run_thread_ids: Collection[str]) -> dict[str, datetime]:
        """Those of the threads whose last answer got lost, and when it came, by the user's clock."""
        found, zone = await self.cut_off.lost_answers(run_thread_ids), ZoneInfo(self.settings.timezone)
        return {thread: at.astimezone(zone) for thread, at in found.items()}

    def closing(self, client: LangGraphClient) -> Closing:
        """Ends work on the deployment of `client` without its graph."""
        from email_assistant.ingest.closing import Closing

        own = self.settings.own_addresses
        undo = {each.name: each.undo(self) for each in workflows() if each.undo}
        return Closing(client, self.mail_log, self.trace, self.outbox, self.mailbox, own, undo)
