"""The container: everything that settings decide. To the services it adds the graphs, and the bringing in of mail: looks,
recovery and closing, each of them over a deployment whose client it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from email_assistant.app.services import Services
from email_assistant.errors import InputError
from email_assistant.settings import load_settings
from email_assistant.workflow_registry import NAMES, workflow, workflows

if TYPE_CHECKING:  # Slow to import; each is imported where it is built.
    from langgraph.graph import StateGraph
    from langgraph_sdk.client import LangGraphClient

    from email_assistant.ingest.closing import Closing
    from email_assistant.ingest.finished_threads import FinishedThreads
    from email_assistant.ingest.ingestion import Builder, Ingestion
    from email_assistant.ingest.intake import Ownership
    from email_assistant.ingest.recovery import Recovery
    from email_assistant.ingest.settling import Settling
    from email_assistant.journal.records import DeadLetter, MailRecord
    from email_assistant.kit.observer import JournalObserver, MailOf

T = TypeVar("T")


@dataclass(frozen=True)
class Container(Services):
    """Everything that settings decide, the graphs included, built when it is asked for."""

    _own: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def own(self, build: Callable[[Container], T]) -> T:
        """What `build` makes of this container, made once: a workflow's own services."""
        if build not in self._own:
            self._own[build] = build(self)
        made: T = self._own[build]
        return made

    def graph(self, name: str, **compile_options: Any) -> Any:
        """The compiled graph of the workflow of that name, observed by the journal; `compile_options` as of `StateGraph.compile`."""
        return workflow(name).build(self, **compile_options)

    def compiled(
        self,
        drawing: StateGraph[Any, Any, Any, Any],
        name: str,
        *,
        snapshots: bool = False,
        mail_of: MailOf | None = None,
        **compile_options: Any,
    ) -> Any:
        """The graph of that name, observed by the journal; see `observer`, and `StateGraph.compile` for `compile_options`."""
        observer = self.observer(name, snapshots=snapshots, mail_of=mail_of)
        return drawing.compile(name=name, **compile_options).with_config({"callbacks": [observer]})

    def observer(
        self, graph: str, *, snapshots: bool = False, mail_of: MailOf | None = None
    ) -> JournalObserver:
        """The journal's observer for a graph, of whose inputs `mail_of` reads the mail; with `snapshots` it keeps whole states."""
        from email_assistant.kit.mail_status import MailStatusKeeper
        from email_assistant.kit.observer import JournalObserver, new_mail

        keeper = MailStatusKeeper(self.mail_log, self.mailbox.name)
        return JournalObserver(graph, self.trace, keeper, snapshots=snapshots, mail_of=mail_of or new_mail)

    def ingest(self, builder: Builder, **compile_options: Any) -> Any:
        """The compiled `ingest` graph, observed by the journal."""
        from email_assistant.ingest.look import IngestNodes, ingest_graph

        return self.compiled(
            ingest_graph(IngestNodes(builder, self.settings.data_path)), "ingest", **compile_options
        )

    def ownership(self, graph: str | None) -> Ownership:
        """All mail for that graph, or (None) each mail for the graph that owns it by the settings.

        Raises `InputError` when no graph of that name deals with mail.
        """
        from email_assistant.ingest.intake import Ownership

        if graph is None:
            return Ownership(self.settings.graph, self.settings.graph_rules, follows=True)
        if graph not in NAMES:
            raise InputError(f"graph_name: {graph!r} deals with no mail; there is {', '.join(NAMES)}")
        return Ownership(graph)

    def ingestion(
        self, client: LangGraphClient, graph: str | None, *, wait: bool = True, in_bulk: bool = False
    ) -> Ingestion:
        """Ingestion for a graph on the deployment of `client`; `wait` and `in_bulk` as in `settling`."""
        from email_assistant.ingest.ingestion import Ingestion
        from email_assistant.journal.mailboxes import Cursors, Looks

        return Ingestion(
            self.mailbox,
            Cursors(self.database, self.clock),
            Looks(self.database, self.clock),
            self.settling(client, graph, wait=wait, in_bulk=in_bulk),
            self.closing(client),
            self.clock,
            self.agenda_clock,
            self.settings.email,
        )

    def settling(
        self, client: LangGraphClient, graph: str | None, *, wait: bool, in_bulk: bool = False
    ) -> Settling:
        """Reading conversations and settling them, see `ownership`; `wait` as in `Window.waits`, `in_bulk` as in `Starter`."""
        from email_assistant.ingest.intake import Intake
        from email_assistant.ingest.settling import Settling
        from email_assistant.ingest.starter import Starter
        from email_assistant.mail.authenticity import Authorship

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

    def recovery(self, client: LangGraphClient) -> Recovery:
        """What finds again what a crash lost on the deployment of `client`."""
        from email_assistant.ingest.recovery import Recovery
        from email_assistant.ingest.starter import Starter

        starter = Starter(client, self.mail_log)
        return Recovery(client, self.mail_log, starter, self.closing(client), frozenset(NAMES))

    def finished_threads(self, client: LangGraphClient, doomed: set[str]) -> FinishedThreads:
        """What deletes threads that are over from the deployment of `client`; `doomed` as in `FinishedThreads`."""
        from email_assistant.ingest.finished_threads import FinishedThreads
        from email_assistant.journal.run_threads import ThreadPast

        keep = timedelta(minutes=self.settings.finished_minutes)
        return FinishedThreads(client, ThreadPast(self.database), self.clock, keep, doomed)

    def closing(self, client: LangGraphClient) -> Closing:
        """Ends work on the deployment of `client` without its graph."""
        from email_assistant.ingest.closing import Closing

        own = self.settings.own_addresses
        undo = {each.name: each.undo(self) for each in workflows() if each.undo}
        return Closing(client, self.mail_log, self.trace, self.outbox, self.mailbox, own, undo)

    async def replay_all(
        self, client: LangGraphClient, found: Sequence[tuple[DeadLetter, MailRecord]]
    ) -> bool:
        """Give each message that was given up fresh attempts and start them; False when no server runs, which does it when it starts.

        Raises `NotFoundError` for one that somebody else has replayed, and what the mailbox raises for one that it cannot give.
        """
        import httpx

        from email_assistant.mail.mailbox import Listed

        for letter, record in found:
            if record.email_input is None:
                # The mailbox could not give it: it is read now, or stays a dead letter.
                await self.mailbox.fetch(record.message_id)
            await self.mail_log.replay(letter)
        try:
            for _, record in found:
                if record.email_input is None:
                    listed = Listed(record.message_id, record.mail_thread_id)
                    await self.ingestion(client, record.graph, wait=False).take_up(listed)
            await self.recovery(client).recover(self.clock.now() - timedelta(days=1))
        except httpx.HTTPError:
            return False
        return True


def container(*, is_server: bool = False, looks: bool = False) -> Container:
    """The house that the environment and the settings files describe."""
    return Container(load_settings(), is_server=is_server, looks=looks)
