"""Whatever a run carries, as JSON that every database takes; and what a step had in hand and what it gave, as bounded snapshots.

A step's snapshot is `{"input": PART, "output": PART}`. A PART has small fields in `here`, and for each large one the
digest of its value in `kept`; the values are in the table `snapshot_values`. No name in a state can pass for a digest.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime, time
from enum import Enum
from typing import Any, TypeAlias

from pydantic import BaseModel

JSON: TypeAlias = "dict[str, Any] | list[Any] | str | int | float | bool | None"
MAX_DEPTH = 40
MAX_INT_BITS = 8_192
"""Python refuses to write longer numbers in decimal."""
MAX_STEP_BYTES = 64 * 1024
"""What one step's input and output may take together, as JSON."""
SMALL_BYTES = 256
"""A value up to this size stays in the step: a reference to it would save nothing."""
_TEXT_LIMITS = (16_384, 4_096, 1_024, 256, 64)
_ITEM_LIMITS = (200, 50, 10, 3)


def plain(value: Any, *, depth: int = MAX_DEPTH) -> JSON:  # noqa: PLR0911
    """The value as JSON: times in ISO 8601, sets sorted, records (dataclasses, pydantic's models) by their fields,
    anything unknown or nested too deeply as its text.

    It raises nothing for any value whose `str` works: the record must not fail the work it records.
    """
    if isinstance(value, Enum):
        return plain(value.value, depth=depth)
    if isinstance(value, int) and value.bit_length() > MAX_INT_BITS:
        return hex(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if depth > 0 and (of_record := fields_of(value)) is not None:
        return plain(of_record, depth=depth)
    if depth > 0 and isinstance(value, Mapping):
        return {str(k): plain(v, depth=depth - 1) for k, v in value.items()}
    if depth > 0 and isinstance(value, Set):
        return sorted((plain(v, depth=depth - 1) for v in value), key=str)
    if depth > 0 and isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [plain(v, depth=depth - 1) for v in value]
    return str(value)


def fields_of(value: Any) -> dict[str, Any] | None:
    """A dataclass's or pydantic model's fields as they are; None for anything else."""
    if isinstance(value, BaseModel):
        return dict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name, None) for f in fields(value)}
    return None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A step's states, ready to be stored."""

    parts: dict[str, JSON]
    values: dict[str, JSON]
    """The large values by their digests."""


@dataclass(frozen=True, slots=True)
class _Value:
    """A value of a state as JSON, and that as text."""

    value: object
    json: JSON
    text: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Takes the snapshots of one run, whose steps are handed most values as the ones before were: each is put into JSON once.

    A value is known by its identity: what is changed in place, which no node may do, would be recorded as it was.
    """

    _values: dict[int, _Value] = field(default_factory=dict)

    def of(self, inputs: Mapping[str, Any], output: Mapping[str, Any]) -> Snapshot:
        """Both states as JSON of at most `MAX_STEP_BYTES`; what was cut says so, and how much."""
        states = {
            name: {str(key): self._known(value) for key, value in state.items()}
            for name, state in (("input", inputs), ("output", output))
        }
        if (
            sum(len(key) + len(one.text) + 6 for state in states.values() for key, one in state.items())
            > MAX_STEP_BYTES
        ):
            whole = _bounded(
                {name: {key: one.json for key, one in state.items()} for name, state in states.items()}
            )
            states = {
                name: {key: _value(value) for key, value in state.items()} for name, state in whole.items()
            }
        values: dict[str, JSON] = {}
        return Snapshot({name: _part(state, values) for name, state in states.items()}, values)

    def _known(self, value: object) -> _Value:
        known = self._values.get(id(value))
        if known is None:
            known = self._values[id(value)] = _value(value)
        return known


def _value(value: object) -> _Value:
    as_json = plain(value)
    return _Value(value, as_json, json.dumps(as_json, sort_keys=True))


def restored(parts: JSON, values: Mapping[str, JSON], name: str) -> dict[str, JSON] | None:
    """The `input` or `output` of a snapshot; None when the step was recorded without one."""
    part = parts.get(name) if isinstance(parts, dict) else None
    if not isinstance(part, dict) or set(part) != {"here", "kept"}:
        return None
    here: dict[str, JSON] = part["here"]
    return here | {field: values.get(digest) for field, digest in part["kept"].items()}


def digests(parts: Iterable[JSON]) -> set[str]:
    """What these snapshots refer to."""
    found = [p for snapshot in parts if isinstance(snapshot, dict) for p in snapshot.values()]
    return {d for p in found if isinstance(p, dict) for d in (p.get("kept") or {}).values()}


def _part(state: Mapping[str, _Value], values: dict[str, JSON]) -> JSON:
    here: dict[str, JSON] = {}
    kept: dict[str, JSON] = {}
    for name, one in state.items():
        if len(one.text) <= SMALL_BYTES:
            here[name] = one.json
        else:
            kept[name] = one.digest
            values[one.digest] = one.json
    return {"here": here, "kept": kept}


def _bounded(states: dict[str, dict[str, JSON]]) -> dict[str, dict[str, JSON]]:
    """Long texts are cut first, then long lists; a state that is large all the same is left out with a note."""
    whole: Any = states
    for texts, items in [(t, None) for t in _TEXT_LIMITS] + [(_TEXT_LIMITS[-1], i) for i in _ITEM_LIMITS]:
        if (size := _size(whole)) <= MAX_STEP_BYTES:
            return dict(whole)
        whole = _cut(states, texts, items)
    if (size := _size(whole)) <= MAX_STEP_BYTES:
        return dict(whole)
    note: JSON = f"[left out: the step's states take {size:,} bytes even when cut]"
    return {name: {"snapshot": note} for name in states}


def _size(value: JSON) -> int:
    return len(json.dumps(value))


def _cut(value: JSON, texts: int, items: int | None) -> JSON:
    if isinstance(value, str):
        left = len(value) - texts
        return (
            value if left <= 0 else f"{value[:texts]}… [cut: {left:,} of {len(value):,} characters left out]"
        )
    if isinstance(value, list):
        kept = [_cut(v, texts, items) for v in value[:items]]
        left = len(value) - len(kept)
        return [*kept, f"[cut: {left:,} of {len(value):,} entries left out]"] if left else kept
    if isinstance(value, dict):
        some = dict(list(value.items())[:items])
        left = len(value) - len(some)
        note: dict[str, Any] = {"[cut]": f"{left:,} of {len(value):,} fields left out"} if left else {}
        return {_cut_name(k): _cut(v, texts, items) for k, v in some.items()} | note
    return value


def _cut_name(name: str) -> str:
    return name if len(name) <= 256 else f"{name[:256]}… [cut: {len(name):,} characters]"
