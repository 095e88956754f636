"""Mail that crosses an answer, over a look, a real graph and a person who reads what is asked: what of it nobody got to see."""

from dataclasses import dataclass, field
from typing import Any

from langgraph.types import Command

from email_assistant.adapters.importer import bring_in
from email_assistant.app import ingesting
from email_assistant.app.accounts import local_mailbox
from email_assistant.ingest.look import Look
from email_assistant.mail.message import Message
from eval.mails import USER, raw_messages
from eval.workbench import Workbench
from tests.support.graph_server import GraphServer

Card = dict[str, Any]


@dataclass
class Reader:
    """A person with a mailbox, a server and cards; every card that is shown is read."""

    desk: Workbench
    graph: str
    server: GraphServer = field(init=False)
    shown: list[str] = field(default_factory=list)
    """What the cards said, in plain text."""
    seen: set[str] = field(default_factory=set)
    """The ids of the messages that a card was shown for."""

    _written: int = 0

    def __post_init__(self) -> None:
        self.server = GraphServer(self.desk.graph)

    async def look(self) -> None:
        """Into the mailbox, and close what was overtaken, as a server does."""
        house = self.desk.house
        await ingesting.ingestion(house, self.server.client, self.graph).run(Look(include_read=True))
        await ingesting.closing(house, self.server.client).close_overtaken()
        await self.read()

    async def read(self) -> dict[str, Card]:
        """The cards that wait, by run thread."""
        waiting = {}
        for thread_id in list(self.server.rows):
            state = await self.server.state(thread_id)
            for asked in state["interrupts"]:
                waiting[thread_id] = asked["value"][0]
                self.shown.append(asked["value"][0]["description"].replace("\\", "").replace("`", ""))
                self.seen.add(state["values"]["email_input"]["id"])
        return waiting

    async def answer(self, thread_id: str, card: Card, kind: str) -> None:
        """Answer the card as it was read, unless another stands in its place."""
        if (await self.read()).get(thread_id) != card:
            return
        args = card["action_request"] if kind == "accept" else None
        config = {"configurable": {"thread_id": thread_id}}
        await self.server.graph.ainvoke(Command(resume=[{"type": kind, "args": args}]), config)
        await self.server.show(thread_id)
        await self.read()

    async def up_to(self, title: str) -> tuple[str, Card]:
        """The card whose title begins so; labels before it are accepted."""
        for _ in range(3):
            for thread_id, card in (await self.read()).items():
                asked = card["action_request"]["action"]
                if asked.startswith(title):
                    return thread_id, card
                if asked.startswith("Label"):
                    await self.answer(thread_id, card, "accept")
        raise AssertionError(f"no card begins with {title!r}: {await self.read()}")

    async def settle(self) -> None:
        """Accept invitations and labels as long as nothing was said against them; put everything else aside."""
        for _ in range(12):
            waiting = await self.read()
            if not waiting:
                return
            for thread_id, card in waiting.items():
                first = card["description"].partition("\n")[0]
                wanted = card["action_request"]["action"].startswith(("Invitation", "Label"))
                await self.answer(thread_id, card, "accept" if wanted and " since" not in first else "ignore")
        raise AssertionError(f"there is no end of cards: {waiting}")

    async def write_elsewhere(self, message: Message) -> None:
        """The user answers the message with another program; it lies in Sent."""
        self._written += 1
        headers = {"In-Reply-To": message.message_id, "References": message.message_id}
        case = {
            "id": f"own{self._written}",
            "from": USER,
            "to": message.sender.email,
            "subject": "Re: Budget",
        }
        at = {"date": f"2026-11-19T10:{self._written:02}:00+00:00", "text": "I bring the figures."}
        (raw,) = raw_messages({**case, **at, "headers": headers})
        await bring_in(local_mailbox(self.desk.house), raw, self.desk.house.settings.own_addresses)

    def has_read(self, *texts: str) -> bool:
        """Whether a card said all of this."""
        return any(all(text in card for text in texts) for card in self.shown)

    def lost(self, messages: list[Message]) -> list[str]:
        """The subjects of those that no card was shown for."""
        return [each.subject for each in messages if each.id not in self.seen]
