"""What a suite of the scorecard reports: figures with their intervals and targets, and what must not have happened."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Kind = Literal["share", "count", "ms", "seconds", "tokens", "usd", "ratio"]
Better = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure."""

    name: str
    """Stays the same from run to run, lower case with dots and dashes: `test.accuracy`."""
    value: float
    kind: Kind = "share"
    better: Better = "higher"
    target: float | None = None
    """The worst value that is good enough; None when the figure is only told."""
    low: float | None = None
    high: float | None = None
    """The 95 % confidence interval."""
    of: int | None = None
    """Of how many cases."""
    exact: bool = True
    """Whether it is the same on every machine, so that a worse one is a regression."""

    @property
    def missed(self) -> bool:
        """Whether it is worse than its target."""
        return self.target is not None and self.worse_than(self.target)

    def worse_than(self, other: float, slack: float = 1e-9) -> bool:
        """Whether another value would be better."""
        return self.value < other - slack if self.better == "higher" else self.value > other + slack

    def wanted(self) -> str:
        """The target in words."""
        return "" if self.target is None else _told(self.target, self.kind)

    def told(self) -> str:
        """The value in words, like "91.3 % (85.1 to 95.2)"."""
        interval = ""
        if self.low is not None and self.high is not None:
            interval = (
                f" ({_told(self.low, self.kind, unit=False)} to {_told(self.high, self.kind, unit=False)})"
            )
        return _told(self.value, self.kind) + interval


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """What a suite found."""

    answers: str
    """Who answered: "offline rules", `provider:model`, "a script that obeys the attacker"."""
    figures: Sequence[Figure] = ()
    text: str = ""
    """Tables and notes, Markdown."""
    broken: Sequence[str] = field(default_factory=tuple)
    """What must not happen and did, a line each."""

    @property
    def failures(self) -> list[str]:
        """Why the suite failed; empty when it did not."""
        missed = [f"{f.name} is {f.told()}, wanted {f.wanted()}" for f in self.figures if f.missed]
        return [*self.broken, *missed]

    def dumped(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))


def loaded(text: str) -> SuiteReport:
    """What `dumped` wrote."""
    value: dict[str, Any] = json.loads(text)
    value["figures"] = [Figure(**each) for each in value["figures"]]
    return SuiteReport(**value)


def _told(value: float, kind: Kind, *, unit: bool = True) -> str:
    match kind:
        case "share":
            return f"{100 * value:.1f}" + (" %" if unit else "")
        case "count" | "tokens":
            return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
        case "usd":
            return f"{value:.4f}" + (" USD" if unit else "")
        case "ratio":
            return f"{value:.2f}" + ("×" if unit else "")
        case _:
            short = {"ms": "ms", "seconds": "s"}[kind]
            return f"{value:,.1f}" + (f" {short}" if unit else "")
