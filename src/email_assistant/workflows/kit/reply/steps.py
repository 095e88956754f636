"""The trace in the state: what each step has done, in one sentence."""

from collections.abc import Mapping
from typing import Any


def step(state: Mapping[str, Any], name: str, told: str) -> dict[str, Any]:
    """The update that adds a step."""
    steps = list(state.get("steps") or [])
    return {"steps": [*steps, {"step_name": name, "step_order": len(steps) + 1, "told": told}]}
