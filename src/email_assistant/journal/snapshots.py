"""What a step had in hand and what it gave: whole states as JSON, bounded, each value of a trace kept once.

A step's snapshot is `{"input": PART, "output": PART}`. A PART has small fields in `here`, and for each large one the
digest of its value in `kept`; the values are in the table `snapshot_values`. No name in a state can pass for a digest.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from email_assistant.journal.json_values import JSON, plain

MAX_STEP_BYTES = 64 * 1024
"""What one step's input and output may take together, as JSON."""
SMALL_BYTES = 256
"""A value up to this size stays in the step: a reference to it would save nothing."""
_TEXT_LIMITS = (16_384, 4_096, 1_024, 256, 64)
_ITEM_LIMITS = (200, 50, 10, 3)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A step's states, ready to be stored."""

    parts: dict[str, JSON]
    values: dict[str, JSON]
    """The large values by their digests."""


@dataclass(frozen=True, slots=True)
class _Told:
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

    A value is known by its identity: what is changed in place, which no node may do, would be told as it was.
    """

    _told: dict[int, _Told] = field(default_factory=dict)

    def of(self, inputs: Mapping[str, Any], output: Mapping[str, Any]) -> Snapshot:
        """Both states as JSON of at most `MAX_STEP_BYTES`; what was cut says so, and how much."""
        told = {
            name: {str(key): self._tell(value) for key, value in state.items()}
            for name, state in (("input", inputs), ("output", output))
        }
        if (
            sum(len(key) + len(one.text) + 6 for state in told.values() for key, one in state.items())
            > MAX_STEP_BYTES
        ):
            whole = _bounded(
                {name: {key: one.json for key, one in state.items()} for name, state in told.items()}
            )
            told = {
                name: {key: _tell(value) for key, value in state.items()} for name, state in whole.items()
            }
        values: dict[str, JSON] = {}
        return Snapshot({name: _part(state, values) for name, state in told.items()}, values)

    def _tell(self, value: object) -> _Told:
        known = self._told.get(id(value))
        if known is None:
            known = self._told[id(value)] = _tell(value)
        return known


def _tell(value: object) -> _Told:
    told = plain(value)
    return _Told(value, told, json.dumps(told, sort_keys=True))


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


def _part(state: Mapping[str, _Told], values: dict[str, JSON]) -> JSON:
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
