"""`journal`: what happened in the runs."""

from dataclasses import asdict
from typing import Annotated

import typer

from email_assistant.bootstrap import House
from email_assistant.cli.console import JsonOption, house, print_json, run_async, say
from email_assistant.errors import InputError
from email_assistant.journal.records import ModelCallRecord, Run, RunTrace

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
    run: Annotated[
        str | None,
        typer.Argument(help="A run's id (its beginning is enough); the latest runs when left out."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=ALL, help="How many runs to list.")] = 20,
    looks: Annotated[
        bool,
        typer.Option("--looks", help="List the looks into the mailbox, too, that found new mail or not."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the latest runs, or show one of them step by step."""
    if run is None:
        runs = run_async(house().trace.runs(limit=limit, without=None if looks else LOOKS))
        if as_json:
            print_json([asdict(r) for r in runs])
        else:
            _list(runs)
        return
    found = run_async(_one(house(), run))
    if as_json:
        print_json(asdict(found))
    else:
        _detail(found)


async def _one(built: House, beginning: str) -> RunTrace:
    whole = await built.trace.run(beginning)
    if whole is not None:
        return whole
    match = [r.run_id for r in await built.trace.runs(limit=ALL) if r.run_id.startswith(beginning)]
    if not match or not beginning:
        raise InputError(f"the journal has no run {beginning!r}; `email-assistant journal show` lists them")
    if len(match) > 1:
        raise InputError(
            f"{len(match)} runs begin with {beginning!r}, {match[0]} among them; give more of the id"
        )
    found = await built.trace.run(match[0])
    assert found is not None  # noqa: S101 - it was just listed, and nothing is ever removed
    return found


def _list(runs: list[Run]) -> None:
    if not runs:
        say("No run is on record.")
    for r in runs:
        error = f"  {' '.join(r.error.split())}" if r.error else ""
        say(f"{r.run_id}  {r.started_at:%Y-%m-%d %H:%M:%S} UTC  {r.graph}  {r.status}{error}")


def _detail(found: RunTrace) -> None:
    run = found.run
    say(f"run {run.run_id} of {run.graph}: {run.status} {run.error or ''}".rstrip())
    say(f"on run thread {run.run_thread_id}, {run.started_at:%Y-%m-%d %H:%M:%S} UTC")
    _section(
        "steps", [f"{s.position:>3} {s.name} {s.latency_ms:.1f} ms {s.error or ''}" for s in found.steps]
    )
    _section(
        "tools", [f"{t.name} {'ok' if t.success else 'failed'} {t.latency_ms:.1f} ms" for t in found.tools]
    )
    _section("model calls", [_usage(m) for m in found.model_calls])
    _section(
        "reviews",
        [f"{r.title}: {r.decision or 'waiting'} (shown {r.shown_count} times)" for r in found.reviews],
    )


def _section(name: str, lines: list[str]) -> None:
    say(f"\n{name}: {len(lines)}", "bold")
    for line in lines:
        say(f"  {line.rstrip()}")


def _usage(call: ModelCallRecord) -> str:
    tokens = f"{call.prompt_tokens}+{call.completion_tokens} tokens{' (estimated)' if call.estimated else ''}"
    return f"{call.call} by {call.model}: {tokens}, {call.latency_ms:.0f} ms {call.error or ''}"
