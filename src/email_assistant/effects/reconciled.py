"""What the provider says about an effect that was begun and whose end nobody saw."""

from dataclasses import dataclass
from typing import TypeAlias

from email_assistant.journal.json_values import JSON


@dataclass(frozen=True, slots=True)
class Happened:
    """It happened; `result` is what `do` would have returned."""

    result: JSON


@dataclass(frozen=True, slots=True)
class NotHappened:
    """It surely did not happen, so doing it is safe."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The provider cannot tell; `reason` is one sentence for the human."""

    reason: str


Reconciled: TypeAlias = Happened | NotHappened | Unknown


def reconciled_done(result: JSON) -> Reconciled:
    """`Happened`, under a name that does not collide with a tool's."""
    return Happened(result)


def reconciled_not_done() -> Reconciled:
    """`NotHappened`."""
    return NotHappened()


def reconciled_unknown(reason: str) -> Reconciled:
    """`Unknown`."""
    return Unknown(reason)
