"""A whole assistant in one process for tests: real mailbox, calendar, database and graph; only the model is scripted."""

import mailbox
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from email_assistant.adapters.importer import deliver
from email_assistant.bootstrap import House
from email_assistant.graphs.assistant.parts import Parts
from email_assistant.graphs.ingest.starter import run_thread_id
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.runner import Models
from email_assistant.settings import load_settings
from email_assistant.shop.catalogue_csv import read_catalogue
from tests.support.scripted import Script, ScriptedModels

CATALOGUE = Path(__file__).parents[2] / "samples" / "shop" / "catalogue.csv"
NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
ME = "Robin Vale <robin@vale.example>"


class ScriptedHouse(House):
    """A house whose models are scripted."""

    script: Script

    @cached_property
    def models(self) -> Models:
        """The scripted models."""
        return ScriptedModels(self.script)


@dataclass
class Desk:
    """One assistant, its mailbox, and a way to answer its cards."""

    house: House
    script: Script
    graph: Any
    store: InMemoryStore

    @property
    def parts(self) -> Parts:
        """The graph's dependencies, for looking at."""
        return self.house.assistant_parts()

    async def receive(self, raw: bytes) -> Message:
        """Deliver a message and return it as the mailbox holds it."""
        message_id, _ = await deliver(self.house.local_mailbox, raw)
        return await self.house.mailbox.fetch(message_id)

    async def start(self, message: Message) -> dict[str, Any] | None:
        """Run the message until it asks; returns the card or None."""
        thread = await self.house.mailbox.thread(message.mail_thread_id)
        earlier = tuple(m for m in thread if m.id != message.id)
        email_input = to_email_input(Conversation(message, earlier))
        await self.graph.ainvoke({"email_input": email_input}, config_for(message))
        return await self.card(message)

    async def answer(self, message: Message, answer: object) -> dict[str, Any] | None:
        """Answer the card; returns the next one or None."""
        await self.graph.ainvoke(Command(resume=answer), config_for(message))
        return await self.card(message)

    async def resume(self, message: Message) -> dict[str, Any] | None:
        """Go on where a failed run stopped."""
        await self.graph.ainvoke(None, config_for(message))
        return await self.card(message)

    async def card(self, message: Message) -> dict[str, Any] | None:
        """The card that waits on the message's thread."""
        state = await self.graph.aget_state(config_for(message))
        return state.interrupts[0].value[0] if state.interrupts else None

    async def messages(self, message: Message) -> list[Any]:
        """What was said on the thread, the response agent's part included while it waits."""
        state = await self.graph.aget_state(config_for(message), subgraphs=True)
        for task in state.tasks:
            if task.state is not None and not isinstance(task.state, dict):
                return list(task.state.values.get("messages", []))
        return list(state.values.get("messages", []))

    async def sent(self) -> list[EmailMessage]:
        """What is in Sent."""
        path = self.house.settings.maildir_path
        root = mailbox.Maildir(path, create=False) if path and path.exists() else None
        folders = root.list_folders() if root else []
        return list(root.get_folder("Sent")) if root and "Sent" in folders else []  # type: ignore[arg-type]

    async def drafts(self) -> list[Any]:
        """What is in Drafts."""
        root = mailbox.Maildir(self.house.settings.maildir_path or "", create=False)
        return list(root.get_folder("Drafts")) if "Drafts" in root.list_folders() else []

    async def profile(self, name: str) -> Mapping[str, Any]:
        """A profile as the store shows it."""
        item = await self.store.aget(("email_assistant", name), "user_preferences")
        return item.value if item else {}


def config_for(message: Message) -> dict[str, Any]:
    """The run's config: the LangGraph thread of the mail thread."""
    return {"configurable": {"thread_id": run_thread_id(message.mail_thread_id)}}


def desk(folder: Path, script: Script | None = None, **settings: str) -> Desk:
    """An assistant in `folder`; with `script` None the offline rules answer."""
    values = {
        "EMAIL_ASSISTANT_DATA_DIR": str(folder / "data"),
        "EMAIL_ASSISTANT_EMAIL": "robin@vale.example",
        "EMAIL_ASSISTANT_NAME": "Robin Vale",
        "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
        "EMAIL_ASSISTANT_NOW": NOW.isoformat(),
        "EMAIL_ASSISTANT_MODEL_FAST": "offline",
        "EMAIL_ASSISTANT_MODEL_STRONG": "offline",
    } | settings
    kind = House if script is None else ScriptedHouse
    house = kind(load_settings(values, folder))
    if script is not None:
        object.__setattr__(house, "script", script)
    store = InMemoryStore()
    graph = house.assistant(checkpointer=InMemorySaver(), store=store)
    return Desk(house, script or Script(), graph, store)


def organizer(folder: Path, **settings: str) -> Desk:
    """A desk whose graph is the organizer's."""
    made = desk(folder, None, **settings)
    made.graph = made.house.organizer(checkpointer=InMemorySaver(), store=made.store)
    return made


def pipeline(folder: Path, **settings: str) -> Desk:
    """A desk whose graph is the reply pipeline's."""
    made = desk(folder, None, **settings)
    made.graph = made.house.pipeline(checkpointer=InMemorySaver(), store=made.store)
    return made


async def order_desk(folder: Path, **settings: str) -> Desk:
    """A desk whose graph is the order desk's, with the sample catalogue."""
    made = desk(folder, None, **settings)
    made.graph = made.house.order_desk(checkpointer=InMemorySaver(), store=made.store)
    with CATALOGUE.open("rb") as file:
        await made.house.catalogue.import_all(read_catalogue(file, CATALOGUE.name))
    return made


def mail(
    body: str = "Hi Robin,\n\ncould you send me the price of the oak shelf?\n\nAna",
    *,
    sender: str = "Ana Petrova <ana@example.com>",
    subject: str = "Oak shelf",
    message_id: str = "<m1@example.com>",
    reply_to_id: str = "",
    minutes: int = 0,
    **headers: str,
) -> bytes:
    """A raw message to the user."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, ME, subject
    message["Message-ID"] = message_id
    message["Date"] = format_datetime(datetime(2026, 11, 19, 9, minutes, tzinfo=UTC))
    if reply_to_id:
        message["In-Reply-To"] = message["References"] = reply_to_id
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(body)
    return bytes(message)
