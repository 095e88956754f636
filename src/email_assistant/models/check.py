"""One small real call, to see whether a tier's model can be used at all."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pydantic import BaseModel, Field

from email_assistant.models.call import ModelCall, Tier
from email_assistant.models.runner import Models

SECONDS = 20.0
"""Longest time one attempt of a check may take."""


class Sum(BaseModel):
    """The sum of the two numbers."""

    value: int = Field(description="The sum.")


@dataclass(frozen=True)
class SumInput:
    """Two numbers."""

    first: int
    second: int

    def variables(self) -> Mapping[str, str]:
        """Values for check.md."""
        return {"first": str(self.first), "second": str(self.second)}


def _sum_offline(inputs: SumInput) -> Sum:
    return Sum(value=inputs.first + inputs.second)


CHECK = ModelCall(name="check", prompt="check", output=Sum, tier="fast", offline=_sum_offline)


async def check_model(models: Models, tier: Tier) -> bool:
    """Ask the tier's own model what 2 plus 3 is; whether it said 5. Its fallback is not asked, nothing is put on record.

    Raises what `Models.run` raises when there is no answer in the form asked for.
    """
    seconds = min(SECONDS, models.settings.timeout_seconds)
    settings = replace(models.settings, fallback=None, timeout_seconds=seconds)
    asked = Models(settings, sleep=_at_once)
    try:
        return (await asked.run(replace(CHECK, tier=tier), SumInput(2, 3))).value == 5
    finally:
        await asked.close()


async def _at_once(_: float) -> None:
    """A person waits for the answer."""
    await asyncio.sleep(0)
