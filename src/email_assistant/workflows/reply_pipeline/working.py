"""execute_tools and generate: what the tools find, and the reply written from it."""

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime

from email_assistant.errors import EmailAssistantError
from email_assistant.kit.conversations import conversation_of, run_thread_id
from email_assistant.kit.reply.state import step
from email_assistant.tools.tool import Reading, Turn
from email_assistant.workflows.reply_pipeline.calls import GENERATE, TONES, GenerateInput
from email_assistant.workflows.reply_pipeline.dependencies import PipelineDependencies, PipelineTool
from email_assistant.workflows.reply_pipeline.state import WorkState

MAX_FACTS = 20


@dataclass(frozen=True)
class WorkingNodes:
    """The two nodes in the middle."""

    parts: PipelineDependencies

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
        told = ", ".join(f"{n} {'ok' if r['success'] else 'failed'}" for n, r in by_name.items())
        return {
            "tool_results": by_name,
            "tool_ours": ours,
            "performed": performed,
            "error": "; ".join(failed) or None,
            **step(state, "execute_tools", told),
        }

    async def generate(self, state: WorkState, runtime: Runtime[None]) -> dict[str, Any]:
        """Write the reply, and put a gap in place of each fact that nothing supports."""
        parts, conversation = self.parts, conversation_of(state.get("email_input"))
        preferences = await parts.profiles.read("response_preferences", runtime.store)
        feedback = tuple(state.get("feedback") or ())
        answer = await parts.models.run(
            GENERATE,
            GenerateInput(
                conversation,
                parts.user,
                parts.clock.now(),
                state["classification"],
                preferences.content,
                state.get("context") or (),
                _results(state),
                state.get("draft_response", "") if feedback else "",
                feedback,
            ),
        )
        checked = await parts.checker.check(answer.body, state, conversation)
        offline = parts.models.is_offline("strong")
        # Of the tools that the model names only those count that have told something.
        used = [n for n in answer.tools_used if (state.get("tool_results") or {}).get(n, {}).get("success")]
        told = (
            f"confidence {answer.confidence:.2f}, {len(checked.gaps)} gaps, tone {TONES[state['classification']]}, "
            f"tools used: {', '.join(dict.fromkeys(used)) or 'none'}"
        )
        return {
            "draft_response": checked.text,
            "generation_confidence": answer.confidence,
            "gaps": list(checked.gaps),
            "facts": list(checked.facts)[:MAX_FACTS],
            "offline": offline,
            "unheeded": list(feedback) if offline else [],
            "performed": [],
            **step(state, "generate", told),
        }


async def _run(tool: PipelineTool, turn: Turn) -> tuple[dict[str, Any], str]:
    """What became of it, and what of its result nobody else has worded."""
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
    told = {"success": error is None, "result": reading.text, "error": error, "latency_ms": latency}
    return told, reading.ours


def _results(state: WorkState) -> tuple[str, ...]:
    """What the tools said, and which said nothing: the model must not take a failure for an answer."""
    told = []
    for name, result in (state.get("tool_results") or {}).items():
        text = result["result"] if result["success"] else f"failed, so nothing is known: {result['error']}"
        told.append(json.dumps({"tool": name, "result": text}, ensure_ascii=False))
    return tuple(told)
