"""`journal`: what happened in the runs, a trace as a tree of lines, as JSON or as a page."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from email_assistant.adapters.files import write_atomically
from email_assistant.app import Container
from email_assistant.cli import trace_words
from email_assistant.cli.console import JsonOption, check_target, container, print_json, run_async, say
from email_assistant.cli.html_page import ChartRow, Piece, html_page, timeline
from email_assistant.cli.trace_words import (
    Mail,
    as_text,
    belonging,
    call_words,
    card_words,
    cost_words,
    dropped,
    duration,
    last_value,
    mail_of,
    pause_words,
    retrieved,
    selected,
    stray,
    tool_words,
    total_words,
)
from email_assistant.errors import InputError
from email_assistant.journal.json_values import JSON
from email_assistant.journal.records import ModelCallRecord, Run, RunTrace, Step, ToolExecution
from email_assistant.journal.trace_reads import ListedRun, listed_runs
from email_assistant.journal.traces import Traces, WholeTrace

INDENT = "  "

ALL = 1_000_000
LOOKS = "ingest"

app = typer.Typer(
    help="The record of runs, steps, tool executions, model calls and decisions.", no_args_is_help=True
)


@app.callback()
def journal() -> None:
    """The record of runs, steps, tool executions, model calls and decisions."""


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
    html: Annotated[
        Path | None, typer.Option(help="Write the trace as a page to this file, to be opened in a browser.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the latest runs, or show all that was done about one mail step by step."""
    if trace is None:
        if html is not None:
            raise InputError("--html writes one trace: name it, as `email-assistant journal show` lists it")
        runs = run_async(listed_runs(container().trace, limit=limit, without=None if looks else LOOKS))
        if as_json:
            print_json([_as_json(each) for each in runs])
        else:
            _list(runs)
        return
    built = container()
    if html is not None:
        check_target("--html", html)
    found, mail = run_async(_found(built, trace))
    if html is not None:
        write_atomically(html.expanduser(), page(found, mail, built.clock.now()))
    if as_json:
        print_json(whole(found))
    elif html is not None:
        say(str(html.expanduser()))
    else:
        for line in tree(found, built.clock.now()):
            say(" ".join(line.splitlines()))


async def _found(built: Container, beginning: str) -> tuple[WholeTrace, Mail]:
    """The trace, and of its mail what its states say, or else the record of the mail."""
    found = await Traces(built.trace).find(beginning)
    told = mail_of(last_value(found, "email_input", "email"))
    if told is None and found.message_id:
        record = await built.mail_log.get(built.mailbox.name, found.message_id, found.graph)
        told = mail_of(record.email_input if record else None)
    return found, told or Mail()


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
        "latency_ms": step.latency_ms,
        "error_message": step.error,
        "recorded_at": step.recorded_at,
    }


DECIDED = ("classification", "confidence", "requires_approval", "decision", "error")
FINAL = ("final_response", "draft_response")
SHORT = 120
"""Characters of a value that is shown again although it has not changed."""


def page(trace: WholeTrace, mail: Mail, now: datetime) -> bytes:
    """The whole page in UTF-8."""
    found = last_value(trace, "retrieved", "context")
    return html_page(
        __package__,
        "trace.html",
        title="Email assistant: trace",
        trace=trace,
        mail=mail,
        total=total_words(trace, now),
        timeline=_timeline(trace, now),
        passages=None if found is None else retrieved(found),
        decided=list(_decided(trace)),
        final=_final(trace),
        states=_States(),
        words=trace_words,
    )


def _timeline(trace: WholeTrace, now: datetime) -> list[ChartRow]:
    pauses = {pause.after: pause for pause in trace.pauses}
    stretches: list[list[Piece]] = []
    for one in trace.runs:
        stretches.append([_piece(one.run, step) for step in one.steps])
        if pause := pauses.get(one.run.run_id):
            label, told = pause_words(pause, now)
            stretches.append([Piece(label, told, pause=True)])
    return timeline(stretches)


def _piece(run: Run, step: Step) -> Piece:
    began = step.recorded_at - timedelta(milliseconds=step.latency_ms)
    start = max((began - run.started_at).total_seconds() * 1000, 0)
    told = duration(step.latency_ms) + (", failed" if step.error else "")
    return Piece(f"{step.position} {step.name}", told, start, step.latency_ms, failed=bool(step.error))


def _decided(trace: WholeTrace) -> Iterator[tuple[str, str]]:
    for name in DECIDED:
        if (value := last_value(trace, name)) is not None:
            yield name.replace("_", " "), as_text(value)
    for label, tools in (("tools selected", selected(trace)), ("tools dropped", dropped(trace))):
        if tools:
            yield label, ", ".join(tools)
    yield from (("card", card_words(card)) for run in trace.runs for card in run.reviews)


def _final(trace: WholeTrace) -> tuple[str, str] | None:
    """What was answered in the end, under its name."""
    for name in FINAL:
        if (value := last_value(trace, name)) is not None:
            body = value.get("body") if isinstance(value, dict) else value
            return name.replace("_", " ").capitalize(), as_text(value if body is None else body)
    return None


class _States:
    """States as texts, field by field; a long value that an earlier step has shown is not shown again."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], int] = {}

    def text(self, state: Mapping[str, JSON], position: int) -> str:
        """The state of the step at this position."""
        return "\n\n".join(f"{name}:\n{self._value(name, value, position)}" for name, value in state.items())

    def _value(self, name: str, value: JSON, position: int) -> str:
        text = as_text(value)
        first = self._first.setdefault((name, text), position)
        return (
            text if first == position or len(text) <= SHORT else f"(unchanged, shown in full at step {first})"
        )
