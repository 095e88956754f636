"""A whole assistant in one process for tests: real mailbox, calendar, database and graph; only the model is scripted."""

import mailbox
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from email_assistant.app.assistant import AppDeps, deps_of
from email_assistant.app.graphs import graph_of
from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.kit.response.dependencies import AssistantDependencies
from email_assistant.models.runner import Models
from email_assistant.settings import Settings, load_settings
from email_assistant.workflows.email_assistant.workflow import dependencies
from eval.workbench import Workbench, stocked
from tests.support.scripted import Script, ScriptedModels

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
ME = "Robin Vale <robin@vale.example>"


_kept: list[list[Database]] = []


@asynccontextmanager
async def keeping_connections() -> AsyncIterator[None]:
    """Let desks made meanwhile keep their connections for the next step, as a server does; closed at the end, on the same loop."""
    _kept.append([])
    try:
        yield
    finally:
        for database in _kept.pop():
            await database.close()


@dataclass
class Desk(Workbench):
    """One assistant whose model is scripted."""

    script: Script

    @property
    def parts(self) -> AssistantDependencies:
        """The graph's dependencies, for looking at."""
        return dependencies(self.house)


def house_in(folder: Path, models: Models | None = None, **settings: str) -> AppDeps:
    """An assistant's house; without `models` the offline rules answer."""
    values = {
        "EMAIL_ASSISTANT_DATA_DIR": str(folder / "data"),
        "EMAIL_ASSISTANT_EMAIL": "robin@vale.example",
        "EMAIL_ASSISTANT_NAME": "Robin Vale",
        "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
        "EMAIL_ASSISTANT_NOW": NOW.isoformat(),
        "EMAIL_ASSISTANT_MODEL_FAST": "offline",
        "EMAIL_ASSISTANT_MODEL_STRONG": "offline",
    } | settings
    house = at_its_now(load_settings(values, folder), is_server=bool(_kept), models=models)
    if _kept:
        _kept[-1].append(house.database)
    return house


def at_its_now(settings: Settings, *, is_server: bool = False, models: Models | None = None) -> AppDeps:
    """A house whose `EMAIL_ASSISTANT_NOW` counts whatever its mailbox and calendar: no test knows the day on which it is run."""
    clock = FixedClock(settings.today) if settings.today and settings.sample_day is None else None
    return deps_of(settings, agenda_clock=clock, is_server=is_server, models=models)


def desk(folder: Path, script: Script | None = None, **settings: str) -> Desk:
    """An assistant in `folder`; with `script` None the offline rules answer."""
    house = house_in(folder, None if script is None else ScriptedModels(script), **settings)
    store = InMemoryStore()
    graph = graph_of(house, "email_assistant", checkpointer=InMemorySaver(), store=store)
    return Desk(house, graph, store, script or Script())


def organizer(folder: Path, **settings: str) -> Desk:
    """A desk whose graph is the organizer's."""
    made = desk(folder, None, **settings)
    made.graph = graph_of(made.house, "inbox_organizer", checkpointer=InMemorySaver(), store=made.store)
    return made


def pipeline(folder: Path, **settings: str) -> Desk:
    """A desk whose graph is the reply pipeline's."""
    made = desk(folder, None, **settings)
    made.graph = graph_of(made.house, "reply_pipeline", checkpointer=InMemorySaver(), store=made.store)
    return made


async def order_desk(folder: Path, **settings: str) -> Desk:
    """A desk whose graph is the order desk's, with the sample catalogue."""
    made = desk(folder, None, **settings)
    made.graph = graph_of(made.house, "order_desk", checkpointer=InMemorySaver(), store=made.store)
    await stocked(made.house)
    return made


def deliver(box: Path, raw: bytes, arrived: datetime = NOW) -> str:
    """A message comes into the Maildir at that time; its key."""
    message = mailbox.MaildirMessage(raw)
    message.set_date(arrived.timestamp())
    return mailbox.Maildir(box, create=True).add(message)


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
