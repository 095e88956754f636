"""`journal`: what happened in the runs."""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from email_assistant.cli.console import house, out, print_json, run_async
from email_assistant.cli.ingest import JsonOption
from email_assistant.errors import InputError
from email_assistant.journal.records import ModelCallRecord, Run, RunTrace

app = typer.Typer(
    help="The record of runs, steps, tool executions, model calls and decisions.", no_args_is_help=True
)


@app.command("show")
def show(
    run: Annotated[
        str | None,
        typer.Argument(help="A run's id (its beginning is enough); the latest runs when left out."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many runs to list.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List the latest runs, or show one of them step by step."""
    built = house()

    async def read() -> Any:
        runs = await built.trace.runs(limit=100_000 if run else limit)
        if run is None:
            found: Any = runs
        else:
            match = [r for r in runs if r.run_id.startswith(run)]
            found = await built.trace.run(match[0].run_id) if match else None
        await built.database.close()
        return found

    found = run_async(read())
    if found is None:
        raise InputError(f"the journal has no run {run!r}; `email-assistant journal show` lists them")
    if as_json:
        print_json([asdict(r) for r in found] if run is None else asdict(found))
    elif run is None:
        _list(found)
    else:
        _detail(found)


def _list(runs: list[Run]) -> None:
    table = Table("run", "graph", "started", "status", "error", box=None)
    for r in runs:
        table.add_row(r.run_id, r.graph, f"{r.started_at:%Y-%m-%d %H:%M:%S}", r.status, Text(r.error or ""))
    out.print(table)


def _detail(found: RunTrace) -> None:
    out.print(
        f"run {found.run.run_id} of {found.run.graph}: {found.run.status} {found.run.error or ''}",
        markup=False,
    )
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
    out.print(f"\n{name}: {len(lines)}", style="bold")
    for line in lines:
        out.print(f"  {line}", markup=False)


def _usage(call: ModelCallRecord) -> str:
    tokens = f"{call.prompt_tokens}+{call.completion_tokens} tokens{' (estimated)' if call.estimated else ''}"
    return f"{call.call} by {call.model}: {tokens}, {call.latency_ms:.0f} ms {call.error or ''}"
