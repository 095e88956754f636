"""The response agent: the model proposes tool calls, the human approves, the next node performs.

One open call at a time goes to `prepare`; `interrupt_handler` asks about what was prepared, and sends what was decided to
`perform`. When every call is answered the model has its next turn, or the message is settled.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import structlog
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Command

from email_assistant.errors import (
    AccessError,
    ConfigError,
    InputError,
    NotFoundError,
    ProviderError,
    TransientError,
)
from email_assistant.kit.conversations import conversation_of, run_thread_id
from email_assistant.kit.response import rules, transitions
from email_assistant.kit.response.dependencies import RESPOND, AssistantDependencies
from email_assistant.kit.response.done_so_far import DoneSoFar, nothing_done
from email_assistant.kit.response.state import AssistantWork
from email_assistant.kit.response.transitions import (
    Onward,
    next_node,
    not_finished,
    open_calls,
    said,
    unanswered,
)
from email_assistant.kit.review_loop import ask_card_again, decided, pending_of, perform, sender_of
from email_assistant.models.client import normalised, surplus
from email_assistant.review.action import IGNORE, RESPONSE, Action, Policy, policy_for
from email_assistant.review.pending import put
from email_assistant.tools.inquiries import Question, QuestionArguments
from email_assistant.tools.tool import (
    ActionTool,
    AskAgain,
    Done,
    Reading,
    ReadTool,
    Turn,
    called,
    parse_arguments,
)

MAX_MODEL_CALLS = 12
RECURSION_LIMIT = 300
"""Steps of a run: as many turns as `MAX_MODEL_CALLS` allows, each with `MAX_CALLS` calls of two steps, and some."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ResponseNodes:
    """The nodes of the lower level."""

    parts: AssistantDependencies

    async def llm_call(self, state: AssistantWork, runtime: Runtime[None]) -> dict[str, Any]:
        """One turn of the model: its tool calls, or a question to the human when it has none to offer."""
        count = state.get("model_calls") or 0
        if count >= MAX_MODEL_CALLS:
            return self._to_human(
                [], "The assistant has tried many times without finishing. What should it do?", count
            )
        messages = list(state["messages"])
        if counted := rules.own_style(state["email_input"], messages):
            return self._turn([counted], count + 1)
        inputs = await self.parts.inputs(state, runtime.store)
        new: list[AnyMessage] = [not_finished(call) for call in unanswered(messages)]
        if calling_off := rules.calling_off(inputs.wished, messages):
            return self._turn([*new, calling_off], count + 1)
        try:
            turn = await self.parts.models.turn(
                RESPOND, inputs, [*messages, *new], self.parts.toolbox.schemas
            )
        except AccessError:
            raise  # It is the same for every mail: the run fails, is told, and is taken up again when it is mended.
        except ProviderError as error:
            return self._to_human(new, f"The language model failed: {error} Answer to try again.", count)
        # Of actions that the thread knows from the journal alone; some servers count calls anew.
        reply = normalised(turn, [called(action) for action in state.get("actions") or ()])
        return self._turn([*new, reply, *surplus(reply)], count + 1)

    async def interrupt_handler(
        self, state: AssistantWork
    ) -> Command[Literal["interrupt_handler", "perform"]]:
        """Put what was prepared before the human."""
        tool = self.parts.toolbox.actor(pending_of(state).kind)
        answer = await self.parts.review.ask(state, self.parts.context(state), tool.revise)
        goto: Literal["interrupt_handler", "perform"] = "perform" if answer.decision else "interrupt_handler"
        return Command(goto=goto, update=answer.update)

    async def prepare(
        self, state: AssistantWork, runtime: Runtime[None]
    ) -> Command[Literal["interrupt_handler", "perform", Onward]]:
        """Look up, or resolve into an action, the next open call; a wrong call is explained to the model."""
        call = open_calls(state["messages"])[0]
        tool = self.parts.toolbox.find(call["name"])
        policy = policy_for(tool.risk if tool else None, sender_of(state, self.parts.user))
        turn = self.parts.turn(state, call)
        try:
            if isinstance(tool, ActionTool):
                turn = replace(turn, sources=await self.parts.sources(state, runtime.store))
            if tool is None or policy is Policy.REFUSE:
                raise InputError(f"There is no tool called {call['name']!r}.")
            args = parse_arguments(tool, call["args"])
            found = await (tool.read(args, turn) if isinstance(tool, ReadTool) else tool.prepare(args, turn))
        except InputError as error:
            return await self._corrected(state, call, str(error))
        except ConfigError as error:
            return await self._put_before_the_human(state, call, str(error))
        except (AccessError, TransientError):
            raise  # It may pass: the run fails, and is taken up again later from here.
        except ProviderError as error:
            text = f"{call['name']} failed: {error}"
            return transitions.answered(call, text, error=True, facts=[text], state=state)
        if isinstance(found, Reading):
            return transitions.answered(call, found.text, facts=list(found.facts), state=state)
        if isinstance(found, Done):
            return transitions.done_before(state, call, found)
        return await self._proposed(state, found, turn, policy)

    async def _proposed(
        self, state: AssistantWork, action: Action, turn: Turn, policy: Policy
    ) -> Command[Any]:
        """Put the action before the human, headed by what the run has done; a model that repeats that unasked is told, and nobody else."""
        done = DoneSoFar(self.parts)
        rows = await done.so_far(state, turn)
        if again := done.again(state, action, rows) or await done.beside_invitation(state, action, rows):
            await self._discard(self.parts.toolbox.actor(action.kind), action)
            return again
        goto = "perform" if policy is Policy.AUTO else "interrupt_handler"
        return transitions.proposed(state, done.headed(action, rows), goto)

    async def perform(
        self, state: AssistantWork
    ) -> Command[Literal["interrupt_handler", "learn", "__end__", Onward]]:
        """Do what was decided, and answer the call; what cannot be done as reviewed is asked again.

        With nothing left to do the message is settled at once, which may be done twice.
        """
        action, decision = pending_of(state), decided(state)
        tool = self.parts.toolbox.actor(action.kind)
        if decision.type == RESPONSE:
            await self.parts.keep_answer(state, action, decision.text)
            return transitions.sent_back(state, action, decision, tool.feedback(decision.text))
        if decision.type == IGNORE:
            await self._discard(tool, action)
            return transitions.dismissed(state, action, decision)
        result = await perform(tool, state)
        if isinstance(result, AskAgain):
            return Command(goto="interrupt_handler", update=ask_card_again(state, result))
        done = transitions.performed(state, action, decision, result)
        return await self._settled(state, done.update or {}) if done.goto == "mark_as_read_node" else done

    async def learn(
        self, state: AssistantWork, runtime: Runtime[None]
    ) -> Command[Literal["__end__", Onward]]:
        """Learn from the decision; a failure to learn changes nothing else."""
        await self.parts.learn(state, runtime.store)
        goto = "__end__" if state.get("outcome") == "dismissed" else next_node(state)
        return Command(goto=goto, update={"lesson": None})

    async def say_nothing_was_done(self, state: AssistantWork) -> dict[str, Any]:
        """Put up a notification: the model is done, and a reply that seemed needed, or what the human said, led to nothing.

        No mail is marked as read, and no words vanish, without a person seeing it.
        """
        thread_id = run_thread_id(get_config())
        await self.parts.drafts.sweep(thread_id)
        done = [
            ToolMessage("Done.", tool_call_id=c["id"], name=c["name"]) for c in unanswered(state["messages"])
        ]
        return {"messages": done} | put(state, await nothing_done(state, thread_id, self.parts.user))

    async def mark_as_read_node(self, state: AssistantWork) -> Command[Literal["__end__"]]:
        """Answer `Done`, delete drafts that were not wanted, mark the message read if the mailbox holds it."""
        return await self._settled(state, {})

    async def _settled(self, state: AssistantWork, update: Mapping[str, Any]) -> Command[Any]:
        """The end of the work on the message, with `update` taken in."""
        await self.parts.drafts.sweep(run_thread_id(get_config()))
        done = [
            ToolMessage("Done.", tool_call_id=c["id"], name=c["name"])
            for c in unanswered(said(state, update))
        ]
        email_id = conversation_of(state["email_input"]).current.id
        if email_id and update.get("outcome", state.get("outcome")) != "dismissed":
            try:
                await self.parts.mailbox.mark_read(email_id)
            except NotFoundError:
                log.info("mark_read_skipped", reason="not in this mailbox")
            except ProviderError as error:
                log.warning("mark_read_failed", reason=type(error).__name__)
        messages = [*update.get("messages", ()), *done]
        return Command(goto="__end__", update={**update, "messages": messages, "settled": True})

    def _turn(self, messages: list[AnyMessage], count: int) -> dict[str, Any]:
        return {"messages": messages, "model_calls": count, "offline": self.parts.models.note("strong")}

    def _to_human(self, new: list[AnyMessage], question: str, count: int) -> dict[str, Any]:
        """The model has no usable turn: ask the human, as a call like any other."""
        call = {"name": Question.name, "args": {"question": question}, "id": f"ask_{uuid.uuid4().hex}"}
        return self._turn([*new, AIMessage("", tool_calls=[call])], count) | {"model_calls": 0}

    async def _corrected(self, state: AssistantWork, call: dict[str, Any], problem: str) -> Command[Any]:
        """Explain a wrong call to the model the first time; put it before the human the next time."""
        if not state.get("corrections"):
            sentence = f"{problem} Correct this."
            return transitions.answered(call, sentence, error=True, state=state, corrections=1)
        text = f"The assistant could not work out a step ({problem}) What should it do?"
        return await self._put_before_the_human(state, call, text)

    async def _put_before_the_human(
        self, state: AssistantWork, call: dict[str, Any], text: str
    ) -> Command[Any]:
        turn = self.parts.turn(state, call)
        action = await Question().prepare(QuestionArguments(question=text), turn)
        assert isinstance(action, Action)  # noqa: S101 - a question is never done beforehand
        return transitions.proposed(state, action, "interrupt_handler")

    async def _discard(self, tool: Any, action: Action) -> None:
        try:
            await tool.discard(action)
        except ProviderError as error:
            log.warning("discard_failed", reason=type(error).__name__)
