"""Whatever a run carries, as JSON that every database takes."""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from enum import Enum
from typing import Any, TypeAlias

from pydantic import BaseModel

JSON: TypeAlias = "dict[str, Any] | list[Any] | str | int | float | bool | None"
MAX_DEPTH = 40
MAX_INT_BITS = 8_192
"""Python refuses to write longer numbers in decimal."""
MAX_TEXT = 16_384
"""Characters of one text in a step's state."""


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


def state_as_json(state: Mapping[str, Any]) -> JSON:
    """A step's state as JSON, with long texts cut; what was cut says so, and how much."""
    return _cut(plain(state))


def _cut(value: JSON) -> JSON:
    if isinstance(value, str):
        left = len(value) - MAX_TEXT
        return (
            f"{value[:MAX_TEXT]}… [cut: {left:,} of {len(value):,} characters left out]"
            if left > 0
            else value
        )
    if isinstance(value, list):
        return [_cut(each) for each in value]
    return {name: _cut(each) for name, each in value.items()} if isinstance(value, dict) else value
