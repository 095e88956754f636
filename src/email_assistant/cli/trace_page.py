"""A trace as one HTML page: what came, what was done when, what was found, decided and written, what it cost."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from email_assistant.cli import trace_words
from email_assistant.cli.html_page import ChartRow, Piece, html_page, timeline
from email_assistant.cli.trace_words import (
    Mail,
    as_text,
    card_words,
    dropped,
    duration,
    last_value,
    pause_words,
    retrieved,
    selected,
    total_words,
)
from email_assistant.journal.json_values import JSON
from email_assistant.journal.records import Run, Step
from email_assistant.journal.traces import WholeTrace

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
