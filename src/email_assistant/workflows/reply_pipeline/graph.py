"""The graph: what the message wants, what is known about it and which tools help; what they find, and the reply written from it."""

import asyncio
import json
import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from email_assistant.app.assistant import AppDeps
from email_assistant.app.graphs import observed
from email_assistant.errors import EmailAssistantError
from email_assistant.kit.approval import add_beginning, add_reply
from email_assistant.kit.conversations import aconversation_of, conversation_of, run_thread_id
from email_assistant.kit.reply_state import FRESH as NO_REPLY
from email_assistant.kit.reply_state import step
from email_assistant.kit.reply_workflow import NO_ANSWER, is_unanswered, wanted
from email_assistant.kit.response.transitions import add_labelled
from email_assistant.mail.authenticity import Authorship
from email_assistant.meetings.check_calendar import CheckCalendar
from email_assistant.models.offline.preferences import is_about_letters
from email_assistant.models.offline.triage import TriageRule
from email_assistant.review.pending import new_round
from email_assistant.tools.tool import Reading, Turn
from email_assistant.workflows.reply_pipeline.calls import (
    CLASSIFY,
    DECIDE,
    GENERATE,
    SURE,
    TONES,
    ClassifyInput,
    DecideInput,
    GenerateInput,
)
from email_assistant.workflows.reply_pipeline.dependencies import PipelineDependencies
from email_assistant.workflows.reply_pipeline.past_mail.knowledge import Knowledge
from email_assistant.workflows.reply_pipeline.records.contacts import Contacts
from email_assistant.workflows.reply_pipeline.sources import (
    FactCheck,
    PastMail,
    SenderContact,
    SentAnswers,
    SharedEvents,
)
from email_assistant.workflows.reply_pipeline.state import (
    PipelineInput,
    PipelineState,
    WorkState,
    email_input_of,
    email_of,
    mail_of,
)
from email_assistant.workflows.reply_pipeline.tools import (
    CHECK_CALENDAR,
    CREATE_DRAFT,
    GET_CONTACT,
    CheckDays,
    CreateDraft,
    GetContact,
    LookUpSender,
    PipelineTool,
    select_tools,
)

FRESH: dict[str, Any] = NO_REPLY | {
    "context": [], "retrieved": [], "selected_tools": [], "dropped_tools": [], "tool_results": {}, "tool_ours": {},
    "generation_confidence": 0.0, "gaps": [], "facts": [],
}  # fmt: skip
NOT_READ: dict[str, Any] = {"classification": "", "confidence": 0.0, "reasoning": ""}
MAX_CONTEXT = 8
TOOLS = {
    CHECK_CALENDAR: "busy and free times of the coming days",
    GET_CONTACT: "what is known about the sender",
    CREATE_DRAFT: "to whom a reply goes, under which subject",
}
MAX_FACTS = 20


@dataclass(frozen=True)
class PipelineNodes:
    """The nodes before the common review."""

    parts: PipelineDependencies

    async def classify(self, state: WorkState) -> dict[str, Any]:
        """Read the message, start clean, and say what it wants; raises `InputError` for a wrong input."""
        email_input = email_input_of(state, self.parts.user)
        conversation = await aconversation_of(email_input)
        current = conversation.current
        await self.parts.drafts.sweep(run_thread_id(get_config()), answering=current)
        doubts = await self.parts.senders.doubts(current)
        mail = {"email_input": email_input, "email": email_of(current), "sender_warnings": doubts}
        if update := await self.parts.no_answer(state, conversation, doubts, node="classify"):
            return FRESH | NOT_READ | mail | update
        answer = await self.parts.models.run(CLASSIFY, ClassifyInput(conversation, self.parts.user))
        is_spam = answer.classification == "spam" and answer.confidence >= SURE
        verdict = TriageRule("ignore" if is_spam else "respond", answer.reasoning)
        ignored = (await self.parts.not_ignored(verdict, current)).classification == "ignore"
        sentence = f"{answer.classification}, confidence {answer.confidence:.2f}: {answer.reasoning}"
        return FRESH | {
            **new_round(state),
            **wanted(state),
            **mail,
            "classification": answer.classification,
            "confidence": answer.confidence,
            "reasoning": answer.reasoning,
            "offline": self.parts.models.note("fast"),
            "outcome": "ignored" if ignored else "",
            **step({}, "classify", sentence),
        }

    async def retrieve(self, state: WorkState, runtime: Runtime[None]) -> dict[str, Any]:
        """Look for what helps to answer; each item is kept with its source and score."""
        conversation = conversation_of(state.get("email_input"))
        found = await asyncio.gather(
            *(r.find(conversation, state["classification"], runtime.store) for r in self.parts.retrievers)
        )
        items = [item for some in found for item in some][:MAX_CONTEXT]
        sources = "; ".join(item.source for item in items)
        return {
            "context": [f"[{item.source}] {item.text}" for item in items],
            "retrieved": [asdict(item) | {"score": round(item.score, 4)} for item in items],
            **step(state, "retrieve", f"{len(items)} items: {sources or 'nothing found'}"),
        }

    async def decide(self, state: WorkState) -> dict[str, Any]:
        """Let the model select tools, and keep to the rules of the class."""
        conversation, classification = conversation_of(state.get("email_input")), state["classification"]
        asked = DecideInput(conversation, self.parts.user, classification, state.get("context") or [], TOOLS)
        answer = await self.parts.models.run(DECIDE, asked)
        selected, dropped = select_tools(classification, answer.tools)
        left_out = f"; dropped: {', '.join(dropped)[:200]}" if dropped else ""
        return {
            "selected_tools": selected,
            "dropped_tools": [name[:80] for name in dropped],
            **step(state, "decide", f"tools: {', '.join(selected) or 'none'}{left_out}"),
        }

    async def execute_tools(self, state: WorkState) -> dict[str, Any]:
        """Run the selected tools side by side, each within its own time; one that fails stops no other."""
        turn = self.parts.turn(state, run_thread_id(get_config()))
        names = state.get("selected_tools") or []
        results = await asyncio.gather(*(_run(self.parts.tools[name], turn) for name in names))
        by_name = {name: result for name, (result, _) in zip(names, results, strict=True)}
        ours = {name: words for name, (_, words) in zip(names, results, strict=True) if words}
        performed = [
            {
                "id": f"{turn.tool_call_id}:{name}", "name": name, "params": {"message": turn.conversation.current.id},
                "result": result["result"] or result["error"], "success": result["success"],
                "error": result["error"], "latency_ms": result["latency_ms"],
            }
            for name, result in by_name.items()
        ]  # fmt: skip
        failed = [f"{name}: {result['error']}" for name, result in by_name.items() if not result["success"]]
        outcomes = ", ".join(f"{n} {'ok' if r['success'] else 'failed'}" for n, r in by_name.items())
        return {
            "tool_results": by_name,
            "tool_ours": ours,
            "performed": performed,
            "error": "; ".join(failed) or None,
            **step(state, "execute_tools", outcomes),
        }

    async def generate(self, state: WorkState, runtime: Runtime[None]) -> dict[str, Any]:
        """Write the reply, and put a gap in place of each fact that nothing supports."""
        parts, conversation = self.parts, conversation_of(state.get("email_input"))
        (preferences,) = await parts.profiles.recent(("response_preferences",), runtime.store)
        feedback, said = tuple(state.get("feedback") or ()), await parts.said_before(state)
        answer = await parts.models.run(
            GENERATE,
            GenerateInput(
                conversation,
                parts.user,
                parts.now(state),
                state["classification"],
                preferences.content + said,
                state.get("context") or (),
                _results(state),
                state.get("draft_response", "") if feedback else "",
                feedback,
                await parts.profiles.wanted(runtime.store, feedback),
            ),
        )
        checked = await parts.checker.check(answer.body, state, conversation, "\n".join((said, *feedback)))
        offline = parts.models.note("strong")
        # Of the tools that the model names only those count that have told something.
        used = [n for n in answer.tools_used if (state.get("tool_results") or {}).get(n, {}).get("success")]
        sentence = (
            f"confidence {answer.confidence:.2f}, {len(checked.gaps)} gaps, tone {TONES[state['classification']]}, "
            f"tools used: {', '.join(dict.fromkeys(used)) or 'none'}"
        )
        return {
            "draft_response": checked.text,
            "generation_confidence": answer.confidence,
            "gaps": [gap.quoted for gap in checked.gaps],
            "facts": [f"{fact.quoted} ({fact.source})" for fact in checked.facts if fact.source][:MAX_FACTS],
            "offline": offline,
            "ignored_words": [each for each in feedback if offline and not is_about_letters(each)],
            "performed": [],
            **step(state, "generate", sentence),
        }


async def _run(tool: PipelineTool, turn: Turn) -> tuple[dict[str, Any], str]:
    """The tool's result, and the part of it that nobody else has worded."""
    started = time.perf_counter()
    reading, error = Reading(""), None
    try:
        async with asyncio.timeout(tool.seconds):
            reading = await tool.run(turn)
    except TimeoutError:
        error = f"no answer within {tool.seconds:g} seconds"
    except EmailAssistantError as failure:
        error = " ".join(str(failure).split())[:500]
    latency = round((time.perf_counter() - started) * 1000, 3)
    result = {"success": error is None, "result": reading.text, "error": error, "latency_ms": latency}
    return result, reading.ours


def _results(state: WorkState) -> tuple[str, ...]:
    """The tools' results and failures, a line each: the model must not take a failure for an answer."""
    lines = []
    for name, result in (state.get("tool_results") or {}).items():
        text = result["result"] if result["success"] else f"failed, so nothing is known: {result['error']}"
        lines.append(json.dumps({"tool": name, "result": text}, ensure_ascii=False))
    return tuple(lines)


def after_classify(state: WorkState) -> Literal["retrieve", "notify", "__end__"]:
    """Spam that is certain ends the run, and so does mail that gets no answer; some of it is shown."""
    return is_unanswered(state) or "retrieve"


def after_decide(state: WorkState) -> Literal["execute_tools", "generate"]:
    """Tools run only when there are any."""
    return "execute_tools" if state.get("selected_tools") else "generate"


def pipeline_graph(parts: PipelineDependencies) -> StateGraph[WorkState, None, PipelineInput, PipelineState]:
    """classify → retrieve → decide → execute_tools → generate → review → dispatch, with a queue for a person."""
    nodes = PipelineNodes(parts)
    graph: StateGraph[WorkState, None, PipelineInput, PipelineState] = StateGraph(
        WorkState, input_schema=PipelineInput, output_schema=PipelineState
    )
    for node in (
        nodes.classify, nodes.retrieve, nodes.decide, nodes.execute_tools, nodes.generate,
    ):  # fmt: skip
        graph.add_node(node.__name__, node)
    add_beginning(graph, parts, WorkState, first="classify")
    add_labelled(graph, "classify", after_classify, {"retrieve": "respond", **NO_ANSWER})
    graph.add_edge("retrieve", "decide")
    add_labelled(graph, "decide", after_decide, {"execute_tools": "with tools", "generate": "without"})
    graph.add_edge("execute_tools", "generate")
    graph.add_edge("generate", "review")
    add_reply(graph, parts, WorkState, first="classify", rewrite="generate")
    return graph


def build(deps: AppDeps, **compile_options: Any) -> Any:
    """The graph of these settings, compiled and observed by the journal."""
    clock, authorship = deps.agenda_clock, Authorship(deps.mailbox, deps.user.own)
    contacts, knowledge = Contacts(deps.database, deps.clock), Knowledge.of(deps)
    parts = PipelineDependencies.of(
        deps,
        "reply_pipeline",
        retrievers=(
            SenderContact(contacts),
            SharedEvents(deps.calendar, clock, deps.settings.timezone),
            PastMail(knowledge, authorship),
        ),
        tools={
            "check_calendar": CheckDays(CheckCalendar(deps.calendar, clock), clock),
            "get_contact": LookUpSender(GetContact(contacts)),
            "create_draft": CreateDraft(),
        },
        checker=FactCheck(deps.user, clock, authorship),
        examples=SentAnswers(knowledge, deps.mailbox),
    )
    reading = partial(mail_of, user=deps.user)
    return observed(
        deps, pipeline_graph(parts), "reply_pipeline", snapshots=True, mail_of=reading, **compile_options
    )
