"""The YAML of front matter: written whole, read without building it, and changed in place at one value."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import yaml

_MAX_DEPTH = 20
_MAX_EVENTS = 100_000
# The parser in C is fifteen times faster, but not on every system.
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_BULLET = re.compile(r"[ \t]*-[ \t]+")
_ASTRAL = re.compile(r"\\\\|\\U([0-9A-F]{8})")
_NULLS = ("", "~", "null", "Null", "NULL")


class UnreadableError(ValueError):
    """The text is not a YAML mapping, or not one that can be changed in place."""


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a key at the top level, with the places of its parts in the text."""

    kind: str
    """"scalar", "block list", "flow list", or "other" (anything that holds more than plain scalars)."""
    items: tuple[str, ...]
    """The scalars as they are written, whatever type YAML would give them."""
    spans: tuple[tuple[int, int], ...]
    start: int
    end: int


class _Writer(yaml.SafeDumper):  # type: ignore[misc]  # the library is not typed
    """Texts always in quotes: versions of YAML differ in what else they take for a number, a date or a truth."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


class _Name(str):
    """The name of a key, written without quotes."""


class _Timestamp(str):
    """A time, written without quotes."""


_Writer.add_representer(str, lambda w, text: w.represent_scalar("tag:yaml.org,2002:str", text, style='"'))
_Writer.add_representer(_Name, lambda w, text: w.represent_scalar("tag:yaml.org,2002:str", text))
_Writer.add_representer(_Timestamp, lambda w, text: w.represent_scalar("tag:yaml.org,2002:timestamp", text))


def written(values: Mapping[str, str | list[str]]) -> str:
    """The mapping as YAML, in this order; texts in quotes, besides those that come from `timestamp`."""
    return _emitted({_Name(name): value for name, value in values.items()})


def timestamp(instant: datetime) -> str:
    """The instant (aware) as a text that is written as YAML's own type for times."""
    return _Timestamp(instant.isoformat(timespec="seconds"))


def quoted(text: str) -> str:
    """The text as one scalar of YAML, on one line."""
    return _emitted(text).removesuffix("\n").removesuffix("\n...")


def top_level(text: str) -> dict[str, Value]:
    """The keys and values of the mapping; raises `UnreadableError`. Linear in the text, however hostile it is."""
    found: dict[str, Value] = {}
    try:
        events = _Events(text)
        events.until(yaml.DocumentStartEvent)
        start = events.next()
        if isinstance(start, yaml.ScalarEvent) and not start.value:
            return {}
        if not isinstance(start, yaml.MappingStartEvent):
            raise UnreadableError("it is no mapping")
        while not isinstance(name := events.next(), yaml.MappingEndEvent):
            if not isinstance(name, yaml.ScalarEvent):
                raise UnreadableError("a name in it is no text")
            value = events.value()
            if name.value in found:
                raise UnreadableError(f"it has {name.value[:40]!r} twice")
            found[name.value] = value
        events.until(yaml.DocumentEndEvent)
        if not isinstance(events.next(), yaml.StreamEndEvent):
            raise UnreadableError("it has more than one part")
    except (yaml.YAMLError, UnicodeError) as error:
        raise UnreadableError(_problem(error)) from error
    return found


def replaced(text: str, name: str, scalar: str) -> str:
    """The text with another scalar as the value of this name; unchanged when there is no scalar to replace."""
    before = top_level(text)
    value = before.get(name)
    if value is None or value.kind != "scalar" or value.items == (scalar,):
        return text
    gap = "" if value.end > value.start else " "
    after = text[: value.start] + gap + scalar + text[value.end :]
    return _checked(after, before, name, (scalar,))


def added(text: str, name: str, item: str) -> str:
    """The text with one more item in the list of this name, which becomes a list when it is a single scalar."""
    before = top_level(text)
    value = before.get(name)
    if value is None or value.kind == "other":
        raise UnreadableError(f"'{name}' is no list")
    nothing = value.kind == "scalar" and value.items[0] in _NULLS
    old = () if nothing else value.items
    if value.kind == "block list" and value.items:
        after = _after_bullet(text, value, quoted(item))
    elif value.kind == "flow list" and value.items:
        end = value.spans[-1][1]
        after = f"{text[:end]}, {quoted(item)}{text[end:]}"
    else:
        gap = "" if value.end > value.start else " "
        new = ", ".join(map(quoted, (*old, item)))
        after = f"{text[: value.start]}{gap}[{new}]{text[value.end :]}"
    return _checked(after, before, name, (*old, item))


def _after_bullet(text: str, value: Value, item: str) -> str:
    """A line like that of the last item, after it (and after a comment that follows it)."""
    start, end = value.spans[-1]
    bullet = _BULLET.match(text, text.rfind("\n", 0, start) + 1, start)
    if bullet is None or bullet.end() != start:
        raise UnreadableError("a list in it has an unusual shape")
    newline = text.find("\n", end)
    newline = len(text) if newline < 0 else newline
    at = newline - 1 if text[newline - 1 : newline] == "\r" else newline
    line_end = "\r\n" if at < newline else "\n"
    return f"{text[:at]}{line_end}{bullet.group()}{item}{text[at:]}"


def _checked(text: str, before: Mapping[str, Value], name: str, items: tuple[str, ...]) -> str:
    """The changed text, when reading it again gives exactly what was wanted."""
    expected = {key: items if key == name else value.items for key, value in before.items()}
    if {key: value.items for key, value in top_level(text).items()} != expected:
        raise UnreadableError(f"'{name}' has an unusual shape")
    return text


class _Events:
    """What a parser says of a text, with bounds on how much and how deep."""

    def __init__(self, text: str) -> None:
        self._events = iter(yaml.parse(text, Loader=_LOADER))
        self._left = _MAX_EVENTS
        self._depth = 0

    def next(self) -> Any:
        event = next(self._events)
        self._left -= 1
        self._depth += isinstance(event, yaml.CollectionStartEvent)
        self._depth -= isinstance(event, yaml.CollectionEndEvent)
        if self._left < 0 or self._depth > _MAX_DEPTH:
            raise UnreadableError("it is too large or too deep")
        return event

    def until(self, kind: type) -> None:
        while not isinstance(event := self.next(), kind):
            if isinstance(event, yaml.StreamEndEvent):
                raise UnreadableError("it is empty")

    def value(self) -> Value:
        first = self.next()
        start = first.start_mark.index
        if isinstance(first, yaml.ScalarEvent):
            return Value(
                "scalar", (first.value,), ((start, first.end_mark.index),), start, first.end_mark.index
            )
        if not isinstance(first, yaml.CollectionStartEvent):
            return Value("other", (), (), start, first.end_mark.index)
        items: list[Any] = []
        simple = isinstance(first, yaml.SequenceStartEvent)
        depth = self._depth
        while self._depth >= depth:
            last = self.next()
            items.append(last)
            simple = simple and (self._depth < depth or isinstance(last, yaml.ScalarEvent))
        if not simple:
            texts = tuple(str(getattr(event, "value", type(event).__name__)) for event in items)
            return Value("other", texts, (), start, items[-1].end_mark.index)
        return Value(
            "flow list" if first.flow_style else "block list",
            tuple(event.value for event in items[:-1]),
            tuple((event.start_mark.index, event.end_mark.index) for event in items[:-1]),
            start,
            items[-1].end_mark.index,
        )


def _emitted(value: object) -> str:
    text = yaml.dump(
        value,
        Dumper=_Writer,
        allow_unicode=True,
        width=float("inf"),
        default_flow_style=False,
        sort_keys=False,
    )
    # The library escapes what is beyond the basic plane (emoji); YAML does not ask for that.
    return _ASTRAL.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[0], str(text))


def _problem(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f" (line {mark.line + 2} of the file)" if mark else ""
    return f"{getattr(error, 'problem', None) or 'it cannot be read'}{where}"
