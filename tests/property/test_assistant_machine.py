"""A state machine over everything that can happen to a mail: nothing twice, nothing unapproved, nothing lost.

Crashes are injected as exceptions no node catches, thrown before or after an effect; the state machine then goes on from
the last checkpoint, as a restarted process does.
"""

import asyncio
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command

from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.effects.outbox import Outbox
from email_assistant.errors import TransientError
from email_assistant.mail.message import Message
from eval.workbench import config_for
from tests.support.desk import Desk, desk, mail
from tests.support.scripted import Script, calls

GARBAGE = st.sampled_from(
    ["yes", "", [], {}, 7, True, [None], [{"type": "accept"}, {"type": "accept"}], [{"type": "send"}], [{"type": "edit", "args": None}],
     [{"type": "response", "args": ""}], [{"type": "edit", "args": {"action": "other", "args": {}}}]]
)  # fmt: skip


class Crash(BaseException):
    """The process dies here."""


class Machine(RuleBasedStateMachine):
    """One mailbox, several conversations, one human."""

    mails = Bundle("mails")

    @initialize()
    def begin(self) -> None:
        """An empty mailbox."""
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp())
        self.script = Script()
        self.desk: Desk = desk(self.folder, self.script)
        self.approved: Counter[str] = Counter()
        self.received: dict[str, Message] = {}
        self.number = 0
        self.crash_at: str | None = None
        self.patches = pytest.MonkeyPatch()
        self._arm()

    def teardown(self) -> None:
        """Leave nothing behind."""
        if hasattr(self, "loop"):
            self.patches.undo()
            self.loop.run_until_complete(self.desk.house.database.close())
            self.loop.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    @rule(target=mails)
    def new_mail(self) -> Message:
        """A question arrives and is taken up."""
        self.number += 1
        raw = mail(
            f"Question {self.number}?",
            subject=f"Question {self.number}",
            message_id=f"<q{self.number}@example.com>",
        )
        message = self._run(self.desk.receive(raw))
        self.received[message.mail_thread_id] = message
        self._plan()
        self._attempt(self.desk.start(message))
        return message

    @rule(target=mails, message=mails)
    def later_mail(self, message: Message) -> Message:
        """Another message arrives in a conversation, whatever it is waiting for."""
        self.number += 1
        raw = mail(
            f"More {self.number}?",
            message_id=f"<q{self.number}@example.com>",
            reply_to_id=message.message_id,
            minutes=self.number % 60,
        )
        later = self._run(self.desk.receive(raw))
        self.received[later.mail_thread_id] = later
        self._plan()
        self._attempt(self.desk.start(later))
        return later

    @rule(message=mails)
    def accept(self, message: Message) -> None:
        """The human accepts the card with the page's echo."""
        card = self._card(message)
        if card and card["config"]["allow_accept"]:
            self._approve(message, card, [{"type": "accept", "args": card["action_request"]}])

    @rule(message=mails)
    def accept_twice(self, message: Message) -> None:
        """A double click: the same answer arrives again for whatever comes next."""
        card = self._card(message)
        if card and card["config"]["allow_accept"]:
            answer = [{"type": "accept", "args": card["action_request"]}]
            self._approve(message, card, answer)
            if self._card(message):
                self._answer(message, answer)

    @rule(message=mails, text=st.text(min_size=1, max_size=20))
    def edit(self, message: Message, text: str) -> None:
        """The human edits the body."""
        card = self._card(message)
        if card and card["config"]["allow_edit"]:
            request = card["action_request"]
            args = {"action": request["action"], "args": request["args"] | {"body": text}}
            self._approve(message, card, [{"type": "edit", "args": args}])

    @rule(message=mails)
    def respond(self, message: Message) -> None:
        """The human asks for a new draft, or answers a question."""
        if self._card(message):
            self._plan()
            self._answer(message, [{"type": "response", "args": "Shorter."}])

    @rule(message=mails)
    def ignore(self, message: Message) -> None:
        """The human dismisses the card."""
        if self._card(message):
            self._answer(message, [{"type": "ignore", "args": None}])

    @rule(message=mails, value=GARBAGE)
    def garbage(self, message: Message, value: Any) -> None:
        """Nonsense comes back: the same card is asked again."""
        card = self._card(message)
        if card and value not in ({}, []):  # An empty resume is no resume in-process.
            self._answer(message, value)
            again = self._card(message)
            assert again is not None
            assert again["action_request"]["action"] == card["action_request"]["action"]

    @rule(point=st.sampled_from(["before send", "after send", "before draft", "after draft", "after outbox"]))
    def crash_next(self, point: str) -> None:
        """The next time an effect comes by, the process dies there."""
        self.crash_at = point

    @rule()
    def provider_error_next(self) -> None:
        """The next model turn fails."""
        self.script.turns.insert(0, TransientError("the provider is away."))

    @invariant()
    def nothing_twice_and_nothing_unapproved(self) -> None:
        """Each sent message was approved, and is there once."""
        if not hasattr(self, "desk"):
            return
        sent = Counter(str(m["Message-ID"]) for m in self._run(self.desk.sent()))
        assert all(number == 1 for number in sent.values()), sent
        assert set(sent) <= set(self.approved), "something was sent that nobody approved"

    @invariant()
    def nothing_lost(self) -> None:
        """Every conversation waits for the human or has come to its end, and each tool call was answered."""
        for message in getattr(self, "received", {}).values():
            state = self._run(self.desk.graph.aget_state(config_for(message)))
            assert state.interrupts or not state.next, f"stuck at {state.next}"
            messages = self._run(self.desk.messages(message))
            asked = Counter(c["id"] for m in messages if isinstance(m, AIMessage) for c in m.tool_calls)
            answered = Counter(m.tool_call_id for m in messages if isinstance(m, ToolMessage))
            assert all(number == 1 for number in answered.values())
            if not state.interrupts:
                assert asked == answered

    def _plan(self) -> None:
        """What the model will say next: a reply, sometimes after nonsense."""
        self.number += 1
        n = self.number
        good = calls(("send_email", {"body": f"Answer {n}."}), ("Done", {}), prefix=f"t{n}")
        nonsense = [
            AIMessage("Let me think."),
            calls(("nonsense", {}), prefix=f"n{n}"),
            calls(("Done", {}), ("send_email", {}), prefix=f"d{n}"),
        ]
        self.script.turns = [m for m in self.script.turns if isinstance(m, Exception)]
        self.script.turns += [*([nonsense[n % 3]] if n % 4 == 0 else []), good]
        self.script.turns += [
            calls(("send_email", {"body": f"Later {n}-{i}."}), ("Done", {}), prefix=f"t{n}x{i}")
            for i in range(6)
        ]

    def _approve(self, message: Message, card: dict[str, Any], answer: Any) -> None:
        """Note what the approval allows to be sent: the Message-ID of the pending action."""
        state = self._run(self.desk.graph.aget_state(config_for(message), subgraphs=True))
        self.approved[state.tasks[0].state.values["pending"]["details"]["message"]["message_id"]] += 1
        self._answer(message, answer)

    def _answer(self, message: Message, answer: Any) -> None:
        self._attempt(self.desk.graph.ainvoke(Command(resume=answer), config_for(message)), message)

    def _attempt(self, work: Any, message: Message | None = None) -> None:
        """Run to the next pause; after a crash go on from the checkpoint."""
        try:
            self._run(work)
            return
        except Crash:
            pass
        for waiting in [message] if message else list(self.received.values()):
            if self._is_cut_off(waiting):
                self._run(self.desk.graph.ainvoke(None, config_for(waiting)))

    def _is_cut_off(self, message: Message) -> bool:
        """Whether its run died on the way; a card that was answered before still stands on the upper level then."""
        state = self._run(self.desk.graph.aget_state(config_for(message), subgraphs=True))
        lower = [task.state for task in state.tasks if task.state is not None]
        return bool(state.next) and not any(each.interrupts for each in lower or [state])

    def _card(self, message: Message) -> dict[str, Any] | None:
        return self._run(self.desk.card(message))

    def _run(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    def _arm(self) -> None:
        """Put the crash points around the real mailbox's effects."""
        self._wrap(MaildirMailbox, "send_draft", "send")
        self._wrap(MaildirMailbox, "save_draft", "draft")
        self._wrap(Outbox, "perform", "outbox")

    def _wrap(self, cls: type, name: str, label: str) -> None:
        original = getattr(cls, name)
        machine = self

        async def wrapped(this: Any, *args: Any, **kwargs: Any) -> Any:
            machine._crash_if(f"before {label}")
            result = await original(this, *args, **kwargs)
            machine._crash_if(f"after {label}")
            return result

        self.patches.setattr(cls, name, wrapped)

    def _crash_if(self, point: str) -> None:
        if self.crash_at == point:
            self.crash_at = None
            raise Crash(point)


Machine.TestCase.settings = settings(
    max_examples=settings.default.max_examples // 4,
    stateful_step_count=14,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestAssistantMachine = Machine.TestCase
