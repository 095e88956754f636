"""Findings in a trace's states: what was retrieved and which tools were chosen, whatever the states' exact form."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from email_assistant.cli.trace_words import as_text, last_value
from email_assistant.journal.json_values import JSON
from email_assistant.journal.traces import WholeTrace

SOURCES = ("source", "citation", "path", "title", "url", "id", "key")
SCORES = ("score", "relevance", "similarity")
TEXTS = ("text", "content", "snippet", "passage", "page_content", "body", "value")
NAMES = ("name", "tool", "tool_name")
LISTS = ("passages", "documents", "results", "items", "hits")


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
