"""The five mail graphs, each brought to a card that would send a reply; real mailbox, calendar, database and rules.

Of the model only the letter is written by the test: every other call is answered by the offline rules.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from email_assistant.app.assistant import AppDeps
from email_assistant.kit.response.dependencies import RESPOND
from email_assistant.knowledge.embedding import DIMS
from email_assistant.mail.address import parse_addresses
from email_assistant.mail.message import Message
from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from email_assistant.settings import load_settings
from email_assistant.workflows.claims_desk.calls import ANSWER, INTENT
from email_assistant.workflows.email_assistant.triage import TRIAGE, TriageVerdict
from eval.claims.running import customers
from eval.crash.scenarios import TENANT, shelve
from eval.mails import HOST
from eval.setup import desk_settings
from eval.workbench import Graph, Workbench, compiled, stocked
from tests.support.desk import at_its_now

ACCEPT: list[dict[str, Any]] = [{"type": "accept", "args": None}]
BARE: list[dict[str, Any]] = [{"type": "accept"}]
"""An accept that names no card, as scripts send it."""
IGNORE: list[dict[str, Any]] = [{"type": "ignore", "args": None}]
SEEN: list[dict[str, Any]] = [{"type": "seen", "args": None}]
LETTER = "Hello,\n\nthank you for your message. We will look at it and answer soon.\n\nRobin Vale"
SENDS = "Send "
"""How the title of a card begins that sends mail."""


def edited(card: Mapping[str, Any], **fields: str) -> list[dict[str, Any]]:
    """The answer "edit" as Agent Inbox sends it."""
    asked = card["action_request"]
    return [{"type": "edit", "args": {"action": asked["action"], "args": asked["args"] | fields}}]


def echoed(card: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The answer "accept" with the card that it is for."""
    return [{"type": "accept", "args": dict(card["action_request"])}]


def respond(words: str) -> list[dict[str, Any]]:
    """The answer in words."""
    return [{"type": "response", "args": words}]


class Writer(Models):
    """Writes the letter that it is told to; everything else the offline rules say."""

    def __init__(self, letter: str = LETTER) -> None:
        super().__init__(ModelSettings(fast="offline", strong="offline"))
        object.__setattr__(self, "letters", [letter])
        object.__setattr__(self, "prompts", [])

    says = ""
    """What it says where it writes no letter; "" for what the rules say."""
    heeds = False
    """Whether it passes for a model, which is told what the person says."""
    stammers = False
    """Whether it writes its letter again when that is sent."""
    triages = ""
    """What it makes of every mail of `email_assistant`; "" for what the rules make of it."""
    letters: list[str]
    """What it writes, in order; the last one again and again."""
    prompts: list[str]
    """What it was told."""

    def is_offline(self, tier: Any) -> bool:
        """Where the letter is written by rules, they put the person's words into it as they stand."""
        return not self.heeds and super().is_offline(tier)

    def write(self, *letters: str) -> None:
        """The next letters."""
        self.letters[:] = letters

    async def run(self, call: Any, inputs: Any, *, escalate_below: float | None = None) -> Any:
        """The rule's answer, with the letter in it where there is one."""
        self.prompts.append(str(await self._rendered(call.prompt, inputs)))
        if self.triages and call is TRIAGE:
            return TriageVerdict(reasoning="As it was told.", classification=self.triages)
        said = await super().run(call, inputs, escalate_below=escalate_below)
        if "body" in type(said).model_fields:
            return said.model_copy(update={"body": self._letter()})
        # The claims desk puts its letter together itself, around what the model answers from the documents.
        if self.says and call is INTENT:
            return said.model_copy(update={"intent": "query"})
        if self.says and call is ANSWER:
            cited = [label for label, _ in inputs.docs[:1]]
            return said.model_copy(update={"is_answered": True, "answer": self.says, "citations": cited})
        return said

    async def turn(self, call: Any, inputs: Any, messages: Sequence[BaseMessage], tools: Any) -> AIMessage:
        """A reply, or the rule's turn where no reply can be sent."""
        self.prompts.append(str([await self._rendered(call.prompt, inputs), *messages]))
        if call is not RESPOND:
            return await super().turn(call, inputs, messages, tools)
        sent = [m for m in messages if isinstance(m, ToolMessage) and m.name == "send_email"]
        number = len(messages)
        done = {"name": "Done", "args": {}, "id": f"done_{number}"}
        if sent and sent[-1].text.startswith("Sent") and not self.stammers:
            return AIMessage("", tool_calls=[done])
        reply = {"name": "send_email", "args": {"body": self._letter()}, "id": f"reply_{number}"}
        return AIMessage("", tool_calls=[reply] if self.stammers else [reply, done])

    def _letter(self) -> str:
        return self.letters.pop(0) if len(self.letters) > 1 else self.letters[0]


async def _nothing(_: AppDeps) -> None:
    """No more is needed."""


@dataclass(frozen=True)
class Workflow:
    """One mail graph, and a mail that it answers."""

    graph: Graph
    case: Mapping[str, Any]
    """The mail, as `eval.mails` reads it; its sender is vouched for by the receiving host."""
    settings: Mapping[str, str] = field(default_factory=dict)
    stock: Callable[[AppDeps], Awaitable[None]] = _nothing
    """Brings what the house has before the first mail."""
    schedules: bool = False
    """Whether the graph can create meetings."""
    asks_money: bool = False
    """Whether the graph can pay refunds."""

    async def open(self, folder: Path, models: Models | None = None, **settings: str) -> "Bench":
        """An assistant of this graph in a folder; another one in the same folder shares mailbox, calendar and database."""
        values = desk_settings(folder, {"EMAIL_ASSISTANT_AUTHSERV_ID": HOST, **self.settings, **settings})
        house = at_its_now(load_settings(values, folder), is_server=True, models=models or Writer())
        store = InMemoryStore(index={"embed": house.embedder.embed, "dims": DIMS, "fields": ["text"]})
        await self.stock(house)
        if self.graph == "email_assistant":  # Rules draft nothing to a stranger who asks for money.
            await house.correspondents.note(house.mailbox.name, parse_addresses(BOSS))
        return Bench(house, compiled(house, self.graph, store, InMemorySaver()), store, self)


@dataclass
class Bench(Workbench):
    """A workbench that knows how to come to a reply."""

    workflow: Workflow

    @property
    def writer(self) -> Writer:
        """Who writes the letters."""
        found = self.house.models
        assert isinstance(found, Writer)
        return found

    async def invents(self, letter: str) -> None:
        """Let the model say this, where it writes letters and where it does not."""
        if self.workflow.graph == "claims_desk":
            await shelve((self.house, self.store))
        self.writer.write(letter)
        object.__setattr__(self.writer, "says", letter)

    async def to_reply(self, case: Mapping[str, Any] | None = None) -> tuple[Message, dict[str, Any]]:
        """A mail (the workflow's own when none is given) into the mailbox, and up to the card that would send the reply."""
        message, card = await self.bring(case or self.workflow.case)
        return message, await self.up_to_reply(message, card)

    async def up_to_reply(self, message: Message, card: dict[str, Any] | None) -> dict[str, Any]:
        """Accept the cards before it."""
        for _ in range(5):
            assert card is not None, "the run ended without a reply's card"
            if card["action_request"]["action"].startswith(SENDS):
                return card
            card = await self.answer(message, echoed(card))
        raise AssertionError("five cards, and none of a reply")

    async def close(self) -> None:
        """Close what is open."""
        await self.house.models.close()
        await self.house.database.close()


def _mail(sender: str, subject: str, text: str) -> dict[str, Any]:
    return {"id": "one", "from": sender, "subject": subject, "text": text, "auth": "pass"}


ANA = "Ana Petrova <ana@petrova.example>"
BOSS = "The Boss <boss@board.example>"
MAUD = "Maud Ashdown <maud.ashdown@post.example>"

WORKFLOWS: Mapping[Graph, Workflow] = {
    "email_assistant": Workflow(
        "email_assistant",
        _mail(ANA, "Oak shelf", "Hi Robin,\n\ncould you send me the price of the oak shelf?\n\nAna"),
        schedules=True,
    ),
    "inbox_organizer": Workflow(
        "inbox_organizer",
        _mail(BOSS, "Payment", "Could you pay the 4,000 euro? It is due today, please answer immediately."),
        settings={"EMAIL_ASSISTANT_VIPS": "board.example"},
        schedules=True,
    ),
    "reply_pipeline": Workflow(
        "reply_pipeline",
        _mail(ANA, "Oak shelf", "Hi Robin,\n\ncould you send me the price of the oak shelf?\n\nAna"),
    ),
    "order_desk": Workflow(
        "order_desk",
        _mail(ANA, "Mugs", "Hello,\n\nHow much is the Enamel plate (KTC-4110)?\n\nAna"),
        stock=stocked,
    ),
    "claims_desk": Workflow(
        "claims_desk",
        _mail(MAUD, "A question", "Hello,\n\nwhich documents do you need for a claim on my travel policy?\n\nMaud"),
        settings={"EMAIL_ASSISTANT_TENANT": TENANT},
        stock=customers,
        asks_money=True,
    ),
}  # fmt: skip
