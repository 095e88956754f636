"""A trace in words: what the tree and the page both say, and what is read off its states, whatever their exact form."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from email_assistant.journal.json_values import JSON
from email_assistant.journal.records import ModelCallRecord, Review, RunTrace, Step, ToolExecution
from email_assistant.journal.traces import Pause, WholeTrace

NO_SNAPSHOT = "only its digest is on record"
SOURCES = ("source", "citation", "path", "title", "url", "id", "key")
SCORES = ("score", "relevance", "similarity")
TEXTS = ("text", "content", "snippet", "passage", "page_content", "body", "value")
NAMES = ("name", "tool", "tool_name")
LISTS = ("passages", "documents", "results", "items", "hits")


@dataclass(frozen=True, slots=True)
class Mail:
    """What the header says about the mail."""

    subject: str = ""
    sender: str = ""


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
    told = [str(a.get("decision")) for a in card.answers]
    if card.decision and card.decision not in told:
        told.append(card.decision)
    times = f", shown {card.shown_count} times" if card.shown_count > 1 else ""
    return f"{card.title}: {', then '.join(told) or 'waits for an answer'}{times}"


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


def states(trace: WholeTrace) -> Iterator[dict[str, JSON]]:
    """Every state on record, in order: what a node had, then what it gave."""
    for step in trace.steps:
        for state in (trace.input_state(step), trace.output_state(step)):
            if state is not None:
                yield state


def last_value(trace: WholeTrace, *names: str) -> JSON:
    """What the first of these fields that ever had a value held last."""
    found: dict[str, JSON] = {}
    for state in states(trace):
        found |= {name: state[name] for name in names if state.get(name) not in (None, "", [], {})}
    return next((found[name] for name in names if name in found), None)


def mail_of(source: Any) -> Mail | None:
    """Subject and sender of an email in a state, or of a run's input."""
    if not isinstance(source, Mapping):
        return None
    sender = source.get("from") or source.get("sender") or source.get("author") or ""
    if isinstance(sender, Mapping):
        sender = " ".join(str(sender.get(k) or "") for k in ("name", "address", "email")).strip()
    return Mail(str(source.get("subject") or ""), str(sender))


def as_text(value: JSON) -> str:
    """A text as it is, anything else as JSON to be read."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One passage."""

    source: str
    score: str | None
    text: str


def retrieved(value: JSON) -> list[Retrieved]:
    """The passages in a state's `context` or `retrieved`; what has no known form is shown as it is."""
    return [_passage(name, item) for name, item in _items(value)]


def selected(trace: WholeTrace) -> list[str]:
    """The tools chosen last."""
    return [name for name, gone in _tools(trace) if not gone]


def dropped(trace: WholeTrace) -> list[str]:
    """The tools that were considered or wished for, and left out, with the reason when there is one."""
    named = last_value(trace, "dropped_tools", "rejected_tools")
    more = [_told(item) for _, item in _items(named)] if named is not None else []
    return list(dict.fromkeys([name for name, gone in _tools(trace) if gone] + more))


def _tools(trace: WholeTrace) -> Iterator[tuple[str, bool]]:
    value = last_value(trace, "selected_tools")
    if isinstance(value, dict) and {"selected", "dropped"} & set(value):
        for part in ("selected", "dropped"):
            yield from ((_told(item), part == "dropped") for _, item in _items(value.get(part)))
        return
    for _, item in _items(value):
        gone = isinstance(item, Mapping) and (bool(item.get("dropped")) or item.get("selected") is False)
        yield _told(item), gone


def _told(item: Any) -> str:
    if not isinstance(item, Mapping):
        return as_text(item)
    name = _first(item, NAMES)
    reason = item.get("reason") or item.get("dropped")
    told = as_text(dict(item)) if name is None else str(name)
    return f"{told} ({reason})" if isinstance(reason, str) and reason else told


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    """The entries of a list; of an object its list of passages, itself when it is a passage, or its fields."""
    if value is None or value == "":
        return
    if isinstance(value, Mapping):
        inner = next((value[name] for name in LISTS if isinstance(value.get(name), list)), None)
        if inner is not None:
            yield from _items(inner)
        elif _first(value, (*TEXTS, *NAMES)) is not None:
            yield "", value
        else:
            for name, one in value.items():
                if isinstance(one, list):
                    yield from ((str(name), item) for item in one)
                elif one not in (None, "", {}):
                    yield str(name), one
    elif isinstance(value, list):
        yield from (("", item) for item in value)
    else:
        yield "", value


def _passage(name: str, item: Any) -> Retrieved:
    if not isinstance(item, Mapping):
        return Retrieved(name or "no source on record", None, as_text(item))
    source, score, text = (_first(item, keys) for keys in (SOURCES, SCORES, TEXTS))
    told = as_text(dict(item)) if text is None else as_text(text)
    return Retrieved(
        as_text(source or name or "no source on record"), None if score is None else f"{score}", told
    )


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)
