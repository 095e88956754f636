"""A whole assistant in one process: real mailbox, calendar, database and graph. What answers in the model's place is up to its user."""

import mailbox
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from email_assistant.adapters.importer import deliver
from email_assistant.app.accounts import local_mailbox
from email_assistant.app.assistant import AppDeps, deps_of
from email_assistant.app.graphs import graph_of
from email_assistant.clock import FixedClock
from email_assistant.ingest.starter import run_thread_id
from email_assistant.knowledge.embedding import DIMS
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.runner import Models
from email_assistant.review.card import card_of
from email_assistant.settings import Settings, load_settings
from eval.mails import HOST, received
from eval.setup import desk_settings

Graph = Literal["email_assistant", "inbox_organizer", "reply_pipeline", "order_desk", "claims_desk"]
ACCEPT = [{"type": "accept", "args": None}]
CATALOGUE = Path(__file__).parents[1] / "samples" / "shop" / "catalogue.csv"


async def answering(graph: Any, config: Any, answer: object) -> Command[Any]:
    """The command that answers the card; an accept is given as pages give it: it names the card that waits."""
    state = await graph.aget_state(config) if answer == ACCEPT else None
    if state is not None and state.interrupts and (card := card_of(state.interrupts[0].value)):
        answer = [{"type": "accept", "args": {"action": card["action_request"]["action"]}}]
    return Command(resume=answer)


@dataclass
class Workbench:
    """One assistant with one of its graphs, and a way to answer its cards."""

    house: AppDeps
    graph: Any
    store: InMemoryStore

    async def receive(self, raw: bytes) -> Message:
        """Deliver a message and return it as the mailbox holds it."""
        message_id, _ = await deliver(local_mailbox(self.house), raw)
        return await self.house.mailbox.fetch(message_id)

    async def bring(self, case: Mapping[str, Any]) -> tuple[Message, dict[str, Any] | None]:
        """A dataset's case into the mailbox, and run until it asks; the newest message, and the card or None."""
        message = (await received(self.house, case)).current
        return message, await self.start(message)

    async def start(self, message: Message) -> dict[str, Any] | None:
        """Run the message until it asks; returns the card or None."""
        thread = await self.house.mailbox.thread(message.mail_thread_id)
        earlier = tuple(m for m in thread if m.id != message.id)
        email_input = to_email_input(Conversation(message, earlier))
        await self.graph.ainvoke({"email_input": email_input}, config_for(message))
        return await self.card(message)

    async def answer(self, message: Message, answer: object) -> dict[str, Any] | None:
        """Answer the card; returns the next one or None. An accept without a word is given as pages give it: it names the card."""
        await self.graph.ainvoke(
            await answering(self.graph, config_for(message), answer), config_for(message)
        )
        return await self.card(message)

    async def resume(self, message: Message) -> dict[str, Any] | None:
        """Go on where a failed run stopped."""
        await self.graph.ainvoke(None, config_for(message))
        return await self.card(message)

    async def card(self, message: Message) -> dict[str, Any] | None:
        """The card that waits on the message's thread."""
        state = await self.graph.aget_state(config_for(message))
        return card_of(state.interrupts[0].value) if state.interrupts else None

    async def values(self, message: Message) -> dict[str, Any]:
        """The state of the message's thread."""
        return dict((await self.graph.aget_state(config_for(message))).values)

    async def messages(self, message: Message) -> list[Any]:
        """What was said on the thread, the response agent's part included while it waits."""
        state = await self.graph.aget_state(config_for(message), subgraphs=True)
        for task in state.tasks:
            if task.state is not None and not isinstance(task.state, dict):
                return list(task.state.values.get("messages", []))
        return list(state.values.get("messages", []))

    async def sent(self) -> list[EmailMessage]:
        """What is in Sent."""
        return self._folder("Sent")

    async def letters(self) -> list[EmailMessage]:
        """What is in Sent and brings its readers nothing for their calendars."""
        return [mail for mail in await self.sent() if not mail.is_multipart()]

    async def scheduling(self) -> list[EmailMessage]:
        """What is in Sent and does: invitations, new times, cancellations."""
        return [mail for mail in await self.sent() if mail.is_multipart()]

    async def drafts(self) -> list[EmailMessage]:
        """What is in Drafts."""
        return self._folder("Drafts")

    async def profile(self, name: str) -> Mapping[str, Any]:
        """A profile as the store shows it."""
        item = await self.store.aget(("email_assistant", name), "user_preferences")
        return item.value if item else {}

    def _folder(self, name: str) -> list[EmailMessage]:
        path = self.house.settings.maildir_path
        root = mailbox.Maildir(path, create=False) if path and path.exists() else None
        return list(root.get_folder(name)) if root is not None and name in root.list_folders() else []  # type: ignore[arg-type]


def config_for(message: Message) -> dict[str, Any]:
    """The run's config: the LangGraph thread of the mail thread."""
    return {"configurable": {"thread_id": run_thread_id(message.mail_thread_id)}}


def house_of(settings: Settings, models: Models | None = None) -> AppDeps:
    """A house on the day that its settings name: no figure knows the day on which it is measured. Without `models` the rules answer."""
    clock = FixedClock(settings.today) if settings.today else None
    return deps_of(settings, agenda_clock=clock, is_server=True, models=models)


def built(house: AppDeps, graph: Graph) -> Callable[..., Any]:
    """What compiles one of the house's graphs."""
    return partial(graph_of, house, graph)


def compiled(house: AppDeps, graph: Graph, store: InMemoryStore, checkpointer: Any = None) -> Any:
    """One of the house's graphs, with its state in memory when there is no checkpointer."""
    return built(house, graph)(checkpointer=checkpointer or InMemorySaver(), store=store)


async def stocked(house: AppDeps) -> None:
    """The sample catalogue into the house's shop."""
    # A house without the order desk has no shop.
    from email_assistant.workflows.order_desk.records.catalogue import Catalogue
    from email_assistant.workflows.order_desk.shop.catalogue_csv import read_catalogue

    with CATALOGUE.open("rb") as file:
        await Catalogue(house.database, house.clock).import_all(read_catalogue(file, CATALOGUE.name))


@asynccontextmanager
async def workbench(
    graph: Graph = "email_assistant", models: Models | None = None, **settings: str
) -> AsyncIterator[Workbench]:
    """An assistant in a folder of its own that goes with it; without `models` the offline rules answer.

    `settings` are EMAIL_ASSISTANT_* by their names. The order desk has the sample catalogue; documents and customers of the claims
    desk are in `eval.claims.running`.
    """
    with TemporaryDirectory() as folder:
        values = desk_settings(Path(folder), {"EMAIL_ASSISTANT_AUTHSERV_ID": HOST} | settings)
        house = house_of(load_settings(values, Path(folder)), models)
        store = InMemoryStore(index={"embed": house.embedder.embed, "dims": DIMS, "fields": ["text"]})
        if graph == "order_desk":
            await stocked(house)
        try:
            yield Workbench(house, compiled(house, graph, store), store)
        finally:
            await house.models.close()
            await house.database.close()
