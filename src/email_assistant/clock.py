"""Injected time: aware and UTC inside, the user's zone at the edges."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        ...


@dataclass(frozen=True)
class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True)
class FixedClock:
    """A clock that stands still, for tests and for trying out samples with fixed dates."""

    instant: datetime

    def now(self) -> datetime:
        """The instant it was made with, in UTC."""
        return self.instant.astimezone(UTC)
