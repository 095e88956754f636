"""A trace as a tree of lines, and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from email_assistant.cli.trace_words import (
    belonging,
    call_words,
    card_words,
    cost_words,
    duration,
    pause_words,
    stray,
    tool_words,
    total_words,
)
from email_assistant.journal.records import ModelCallRecord, RunTrace, Step, ToolExecution
from email_assistant.journal.traces import WholeTrace

INDENT = "  "


def tree(trace: WholeTrace, now: datetime) -> Iterator[str]:
    """Line by line: the trace, its runs, their steps, and under each step what was done in it."""
    first = trace.runs[0].run
    yield f"trace {trace.trace_id} of {trace.graph}: {trace.status}"
    yield f"on run thread {first.run_thread_id}, {first.started_at:%Y-%m-%d %H:%M:%S} UTC"
    times = f"{duration(trace.working_ms)} of work in {total_words(trace, now)} altogether"
    yield f"{times}; model calls: {cost_words(trace)}"
    pauses = {pause.after: pause for pause in trace.pauses}
    for number, run in enumerate(trace.runs, 1):
        yield from _run(number, run)
        if pause := pauses.get(run.run.run_id):
            yield f"{INDENT}{': '.join(pause_words(pause, now))}"


def _run(number: int, run: RunTrace) -> Iterator[str]:
    took = "" if run.run.latency_ms is None else f", {duration(run.run.latency_ms)}"
    yield f"{INDENT}run {number} ({run.run.run_id}): {run.run.status}{took} {run.run.error or ''}".rstrip()
    for step in run.steps:
        error = f"  failed: {step.error}" if step.error else ""
        yield f"{INDENT * 2}{step.position:>3} {step.name}  {duration(step.latency_ms)}{error}"
        yield from _done(*belonging(run, step))
    lost = stray(run)
    if any(lost):
        yield f"{INDENT * 2}  – in no finished step"
        yield from _done(*lost)
    for card in run.reviews:
        yield f"{INDENT * 2}  ? {card.step_name or 'a card'} asks"
        yield f"{INDENT * 4}card: {card_words(card)}"


def _done(tools: list[ToolExecution], calls: list[ModelCallRecord]) -> Iterator[str]:
    for call in calls:
        yield f"{INDENT * 4}model call: {call_words(call)}"
    for tool in tools:
        yield f"{INDENT * 4}tool: {tool_words(tool)}"


def whole(trace: WholeTrace) -> dict[str, Any]:
    """All that is on record; states are None where only digests were kept."""
    return {
        "trace_id": trace.trace_id,
        "graph": trace.graph,
        "status": trace.status,
        "message_id": trace.message_id,
        "working_ms": trace.working_ms,
        "cost_usd": str(trace.cost_usd),
        "pauses": [asdict(pause) for pause in trace.pauses],
        "runs": [
            asdict(run) | {"steps": [_step(trace, run, step) for step in run.steps]} for run in trace.runs
        ],
    }


def _step(trace: WholeTrace, run: RunTrace, step: Step) -> dict[str, Any]:
    return {
        "step_name": step.name,
        "step_order": step.position,
        "step_id": step.step_id,
        "run_id": run.run.run_id,
        "input_state": trace.input_state(step),
        "output_state": trace.output_state(step),
        "input_digest": step.input_digest,
        "output_digest": step.output_digest,
        "latency_ms": step.latency_ms,
        "error_message": step.error,
        "recorded_at": step.recorded_at,
    }
