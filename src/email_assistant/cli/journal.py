"""`journal`: what happened in the runs, a trace as a tree of lines or as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

import typer

from email_assistant.cli.console import JsonOption, group, journal_deps, print_json, run_async, say
from email_assistant.journal.records import ModelCallRecord, Review, RunTrace, Step, ToolExecution
from email_assistant.journal.traces import ListedRun, Pause, WholeTrace, listed_runs

INDENT = "  "

ALL = 1_000_000
LOOKS = "ingest"

app = group("The record of runs, steps, tool executions, model calls and decisions.")


@app.command("show")
def show(
    trace: Annotated[
        str | None,
        typer.Argument(
            help="The id of a trace or of one of its runs (its beginning is enough); the latest runs when left out."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=ALL, help="How many runs to list.")] = 20,
    looks: Annotated[
        bool,
        typer.Option("--looks", help="List the looks into the mailbox, too, that found new mail or not."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the latest runs, or show all that was done about one mail step by step."""
    deps = journal_deps()
    if trace is None:
        runs = run_async(listed_runs(deps.trace, limit=limit, without=None if looks else LOOKS))
        if as_json:
            print_json([_as_json(each) for each in runs])
        else:
            _list(runs)
        return
    found = run_async(deps.trace.find(trace))
    if as_json:
        print_json(whole(found))
    else:
        for line in tree(found, deps.clock.now()):
            say(" ".join(line.splitlines()))


def _as_json(listed: ListedRun) -> dict[str, Any]:
    mail = {"sender": listed.sender, "subject": listed.subject, "mail_status": listed.status}
    return asdict(listed.run) | mail | {"outcome": listed.outcome}


def _list(runs: list[ListedRun]) -> None:
    if not runs:
        say("No run is on record.")
    for each in runs:
        r = each.run
        mail = f"  {each.name}" if each.name else ""
        outcome = f" ({(each.outcome or each.status).replace('_', ' ')})" if each.status else ""
        error = f"  {' '.join(r.error.split())}" if r.error else ""
        goes_on = f"  goes on with {r.trace_id}" if r.trace_id != r.run_id else ""
        when = f"{r.started_at:%Y-%m-%d %H:%M:%S} UTC"
        say(f"{r.run_id}  {when}  {r.graph}  {r.status}{mail}{outcome}{goes_on}{error}")


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
    """All that is on record; states are None where the workflow keeps none."""
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
        "input_state": step.input_state,
        "output_state": step.output_state,
        "latency_ms": step.latency_ms,
        "error_message": step.error,
        "recorded_at": step.recorded_at,
    }


def duration(ms: float) -> str:
    """Milliseconds in words: `4.2 ms`, `1.35 s`, `2 min 5 s`, `3 h 10 min`, `2 d 4 h`."""
    if ms < 1000:
        return f"{ms:.1f} ms"
    if ms < 60_000:
        return f"{ms / 1000:.2f} s"
    seconds = round(ms / 1000)
    for size, name, small, part in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= size:
            rest = seconds % size // small
            return f"{seconds // size} {name}" + (f" {rest} {part}" if rest else "")
    return f"{seconds} s"


def pause_words(pause: Pause, now: datetime) -> tuple[str, str]:
    """What is waited for, and how long."""
    label = "waiting for a person" if pause.for_person else "failed, waiting to go on"
    length = max(((pause.ended_at or now) - pause.began_at).total_seconds() * 1000, 0)
    return label, duration(length) + ("" if pause.ended_at else " so far")


def total_words(trace: WholeTrace, now: datetime) -> str:
    """From the first run's start to the last one's end, the waiting included."""
    first, last = trace.runs[0].run, trace.runs[-1].run
    pending = trace.pauses[-1].ended_at if trace.pauses else None
    end = max(filter(None, (last.ended_at, pending)), default=now)
    return duration(max((end - first.started_at).total_seconds() * 1000, 0))


def cost_words(trace: WholeTrace) -> str:
    """US dollars, and how many calls are not in them."""
    unknown = f", and {trace.unpriced} calls of unknown price" if trace.unpriced else ""
    return f"{dollars(trace.cost_usd)}{unknown}"


def dollars(amount: Decimal) -> str:
    """Six places: one call of a small model costs a few millionths."""
    return f"{amount:,.6f} US dollars"


def tool_words(tool: ToolExecution) -> str:
    """One tool execution in a line."""
    return f"{tool.name}: {'ok' if tool.success else 'failed'}, {duration(tool.latency_ms)} {tool.error or ''}".rstrip()


def call_words(call: ModelCallRecord) -> str:
    """One model call in a line."""
    tokens = f"{call.prompt_tokens}+{call.completion_tokens} tokens{' (estimated)' if call.estimated else ''}"
    price = "price unknown" if call.cost_usd is None else dollars(call.cost_usd)
    return f"{call.call} by {call.model}: {tokens}, {price}, {duration(call.latency_ms)} {call.error or ''}".rstrip()


def card_words(card: Review) -> str:
    """One card with what became of it, in a line."""
    decisions = [str(a.get("decision")) for a in card.answers]
    if card.decision and card.decision not in decisions:
        decisions.append(card.decision)
    times = f", shown {card.shown_count} times" if card.shown_count > 1 else ""
    return f"{card.title}: {', then '.join(decisions) or 'waits for an answer'}{times}"


def belonging(run: RunTrace, step: Step) -> tuple[list[ToolExecution], list[ModelCallRecord]]:
    """What was done in this step."""
    tools = [t for t in run.tools if t.step_id and t.step_id == step.step_id]
    return tools, [c for c in run.model_calls if c.step_id and c.step_id == step.step_id]


def stray(run: RunTrace) -> tuple[list[ToolExecution], list[ModelCallRecord]]:
    """What was done in a step that did not end, or before steps had ids."""
    known = {s.step_id for s in run.steps if s.step_id}
    return [t for t in run.tools if t.step_id not in known], [
        c for c in run.model_calls if c.step_id not in known
    ]
