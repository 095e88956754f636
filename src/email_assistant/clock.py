"""Injected time: aware and UTC inside, the user's zone at the edges."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Protocol

Uptime = tuple[str, float]
"""Which start of the machine it is, and the seconds since then, those asleep included; no setting of a clock changes them."""
UNTOLD: Uptime = ("", 0.0)
"""Of a machine that does not tell."""


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        ...


def uptime() -> Uptime:
    """The machine's; reads from disk the first time."""
    return (_boot(), time.clock_gettime(time.CLOCK_BOOTTIME)) if _boot() else UNTOLD


@cache
def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:  # There is one on Linux alone.
        return ""


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
