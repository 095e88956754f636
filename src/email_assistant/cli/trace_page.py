"""A trace as one HTML page: what came, what was done when, what was found, decided and written, what it cost."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from xml.etree.ElementTree import Element, SubElement

from email_assistant.charts import Piece, timeline
from email_assistant.cli.html_page import add, add_folded, add_table, new_page, written
from email_assistant.cli.trace_findings import dropped, retrieved, selected
from email_assistant.cli.trace_words import (
    NO_SNAPSHOT,
    Mail,
    as_text,
    belonging,
    call_words,
    card_words,
    cost_words,
    dollars,
    duration,
    last_value,
    pause_words,
    stray,
    tool_words,
    total_words,
)
from email_assistant.journal.json_values import JSON
from email_assistant.journal.records import ModelCallRecord, Run, RunTrace, Step, ToolExecution
from email_assistant.journal.traces import WholeTrace

DECIDED = ("classification", "confidence", "requires_approval", "decision", "error")
SHORT = 120
"""Characters of a value that is shown again although it has not changed."""
Seen = dict[tuple[str, str], int]
"""In which step a field with this text was shown first."""
FINAL = ("final_response", "draft_response")


def page(trace: WholeTrace, mail: Mail, now: datetime) -> bytes:
    """The whole page in UTF-8."""
    html, main = new_page("Email assistant: trace", "report.css", "trace.css")
    add(main, "h1", mail.subject or f"Trace of {trace.graph}")
    _header(main, trace, mail, now)
    add(main, "h2", "Timeline")
    main.append(_timeline(trace, now))
    _found(main, trace)
    _decided(main, trace)
    _final(main, trace)
    add(main, "h2", "Step by step")
    seen: Seen = {}
    for number, run in enumerate(trace.runs, 1):
        _run(main, trace, number, run, seen)
    _costs(main, trace)
    return written(html)


def _header(main: Element, trace: WholeTrace, mail: Mail, now: datetime) -> None:
    facts = {
        "From": mail.sender or "not on record",
        "Graph": trace.graph,
        "Status": trace.status,
        "Started": f"{trace.runs[0].run.started_at:%Y-%m-%d %H:%M:%S} UTC",
        "Time": f"{duration(trace.working_ms)} of work, {total_words(trace, now)} altogether",
        "Cost": cost_words(trace),
        "Trace": trace.trace_id,
    }
    listed = SubElement(main, "dl")
    for name, value in facts.items():
        add(listed, "dt", name)
        add(listed, "dd", value)
    for one in trace.runs:
        if one.run.error:
            add(main, "p", f"Failed: {one.run.error}", "bad")


def _timeline(trace: WholeTrace, now: datetime) -> Element:
    pauses = {pause.after: pause for pause in trace.pauses}
    stretches: list[list[Piece]] = []
    for one in trace.runs:
        stretches.append([_piece(one.run, step) for step in one.steps])
        if pause := pauses.get(one.run.run_id):
            label, told = pause_words(pause, now)
            stretches.append([Piece(label, told, pause=True)])
    title = f"{len(trace.steps)} steps in {len(trace.runs)} runs: {duration(trace.working_ms)} of work"
    return timeline(stretches, identifier="timeline", title=title)


def _piece(run: Run, step: Step) -> Piece:
    began = step.recorded_at - timedelta(milliseconds=step.latency_ms)
    start = max((began - run.started_at).total_seconds() * 1000, 0)
    told = duration(step.latency_ms) + (", failed" if step.error else "")
    return Piece(f"{step.position} {step.name}", told, start, step.latency_ms, failed=bool(step.error))


def _found(main: Element, trace: WholeTrace) -> None:
    value = last_value(trace, "retrieved", "context")
    if value is None:
        return
    add(main, "h2", "What was retrieved")
    found = retrieved(value)
    for one in found:
        score = "" if one.score is None else f" (score {one.score})"
        add_folded(main, f"{one.source}{score}", one.text)
    if not found:
        add(main, "p", "Nothing.")


def _decided(main: Element, trace: WholeTrace) -> None:
    facts = [(name, last_value(trace, name)) for name in DECIDED]
    known = [(name.replace("_", " "), as_text(value)) for name, value in facts if value is not None]
    tools, left = selected(trace), dropped(trace)
    cards = [card for run in trace.runs for card in run.reviews]
    if not (known or tools or left or cards):
        return
    add(main, "h2", "What was decided")
    known += [("tools selected", ", ".join(tools))] if tools else []
    known += [("tools dropped", ", ".join(left))] if left else []
    listed = SubElement(main, "dl")
    for name, value in [*known, *(("card", card_words(card)) for card in cards)]:
        add(listed, "dt", name)
        add(listed, "dd", value)


def _final(main: Element, trace: WholeTrace) -> None:
    for name in FINAL:
        value = last_value(trace, name)
        if value is not None:
            add(main, "h2", name.replace("_", " ").capitalize())
            body = value.get("body") if isinstance(value, dict) else value
            add(main, "pre", as_text(value if body is None else body))
            return


def _run(main: Element, trace: WholeTrace, number: int, run: RunTrace, seen: Seen) -> None:
    section = SubElement(main, "section", {"aria-label": f"run {number}"})
    took = "" if run.run.latency_ms is None else f", {duration(run.run.latency_ms)}"
    add(section, "p", f"Run {number}: {run.run.status}{took}", "soft")
    for step in run.steps:
        add(section, "h3", f"{step.position}. {step.name}, {duration(step.latency_ms)}")
        if step.error:
            add(section, "p", f"Failed: {step.error}", "bad")
        _done(section, *belonging(run, step))
        for name, state in (("Input", trace.input_state(step)), ("Output", trace.output_state(step))):
            if state is None:
                add(section, "p", f"{name}: {NO_SNAPSHOT}", "soft")
            else:
                add_folded(
                    section, f"{name}: {', '.join(state) or 'nothing'}", _state(state, step.position, seen)
                )
    lost = stray(run)
    if any(lost):
        add(section, "h3", "In no finished step")
        _done(section, *lost)
    for card in run.reviews:
        add(section, "h3", f"{card.step_name or 'A card'} asks")
        add(section, "p", card_words(card))
        add_folded(section, "The card", as_text(card.card))
        if card.answers:
            add_folded(section, "The answers", as_text([dict(answer) for answer in card.answers]))


def _state(state: Mapping[str, JSON], position: int, seen: Seen) -> str:
    """Field by field; a long value that an earlier step has shown is not shown again."""
    return "\n\n".join(f"{name}:\n{_value(name, value, position, seen)}" for name, value in state.items())


def _value(name: str, value: JSON, position: int, seen: Seen) -> str:
    text = as_text(value)
    first = seen.setdefault((name, text), position)
    return text if first == position or len(text) <= SHORT else f"(unchanged, shown in full at step {first})"


def _done(section: Element, tools: list[ToolExecution], calls: list[ModelCallRecord]) -> None:
    for call in calls:
        add(section, "p", f"Model call: {call_words(call)}", "bad" if call.error else "")
    for tool in tools:
        add(section, "p", f"Tool: {tool_words(tool)}", "" if tool.success else "bad")
        add_folded(
            section,
            f"{tool.name}: parameters and result",
            f"{as_text(tool.params)}\n\n{as_text(tool.result)}",
        )


def _costs(main: Element, trace: WholeTrace) -> None:
    add(main, "h2", "What it cost")
    calls = [call for run in trace.runs for call in run.model_calls]
    if not calls:
        add(main, "p", "No model was called.")
        return
    rows = [
        (c.call, c.model, f"{c.prompt_tokens + c.completion_tokens:,}{' (est.)' if c.estimated else ''}",
         duration(c.latency_ms), "unknown" if c.cost_usd is None else f"{c.cost_usd:,.6f}")
        for c in calls
    ]  # fmt: skip
    add_table(main, ("Call", "Model", "Tokens", "Time", "US dollars"), rows, numbers=(2, 3, 4))
    add(main, "p", f"All together {dollars(trace.cost_usd)}.")
