"""How far what the assistant does is what the user wants, over the stream."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval.figures import Lines
from eval.learning.running import Seen
from eval.learning.tastes import TASTES

WINDOW = 25


@dataclass(frozen=True, slots=True)
class Checks:
    """Checks of one taste, in the order of the stream: (right, whether the user corrected it)."""

    found: Sequence[tuple[bool, bool]]

    @property
    def first(self) -> int:
        """How many there were up to the first correction, that one included; all when there was none."""
        return next((n for n, (_, corrected) in enumerate(self.found, 1) if corrected), len(self.found))

    @property
    def corrections(self) -> int:
        """Mails that the user corrected."""
        return sum(corrected for _, corrected in self.found)

    @property
    def settled(self) -> list[bool]:
        """The checks after the last correction: what was learned has to go on being right."""
        last = max((n for n, (_, corrected) in enumerate(self.found, 1) if corrected), default=0)
        return [right for right, _ in self.found[last:]]

    @property
    def before(self) -> list[bool]:
        """The checks before anything was taught."""
        return [right for right, _ in self.found[: self.first]]

    @property
    def after(self) -> list[bool]:
        """The checks after the first correction."""
        return [right for right, _ in self.found[self.first :]]


def by_taste(seen: Sequence[Seen]) -> dict[str, Checks]:
    """The checks of each taste."""
    return {
        name: Checks(
            [(each.checks[name], name in each.corrected and not each.checks[name]) for each in seen if name in each.checks]
        )
        for name in TASTES
    }  # fmt: skip


def corrected(found: Mapping[str, Checks]) -> list[Checks]:
    """Those of tastes that the user corrected at all."""
    return [checks for checks in found.values() if checks.corrections]


def of_tastes(seen: Sequence[Seen]) -> list[bool]:
    """All checks of tastes."""
    return [right for each in seen for name, right in each.checks.items() if name in TASTES]


def chart(taught: Sequence[Seen], untaught: Sequence[Seen]) -> Lines:
    """Agreement in windows of the stream, with lessons and without."""
    series = {"with lessons": _windows(taught), "without lessons": _windows(untaught)}
    title = f"Agreement with the tastes, in windows of {WINDOW} mails"
    return Lines(title, "share of the stream", "agreement", series)


def _windows(seen: Sequence[Seen]) -> list[tuple[float, float]]:
    points = []
    for start in range(0, len(seen), WINDOW):
        right = of_tastes(seen[start : start + WINDOW])
        if right:
            points.append((min(1.0, (start + WINDOW) / len(seen)), sum(right) / len(right)))
    return points


def table(found: Mapping[str, Checks], holds: Mapping[str, bool]) -> str:
    """A row a taste."""
    lines = [
        "| taste | about | wants | right before the first correction | right after it | corrected mails | holds at the end |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, checks in found.items():
        taste = TASTES[name]
        shares = [f"{sum(part)} of {len(part)}" for part in (checks.before, checks.after)]
        end = "yes" if holds.get(name) else "no"
        lines.append(
            f"| {name} | {taste.sender or 'everybody'} | {taste.wants} | {shares[0]} | {shares[1]} | {checks.corrections} | {end} |"
        )
    return "\n".join(lines)
