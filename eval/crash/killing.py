"""Goes through a scenario undisturbed, then once for each kill, and compares what came of it."""

import multiprocessing
import shutil
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from eval.crash.effects import Found, found_in
from eval.crash.points import STATEMENT, Point, different, read
from eval.crash.scenarios import SCENARIOS
from eval.crash.worker import ERRORS, FINISH, PREPARE, SERVER, STEP, Job, work

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["eval.crash.warmed"])
MAX_STAGES = 6
BETWEEN_STATEMENTS = frozenset({"assistant"})
"""Scenarios that are killed after each statement of the journal's writer, besides."""
WAIT = 60.0
"""Seconds until a process counts as hanging."""
KILL_ATTEMPTS = 3
"""A kill of which that is all that is known is tried again: how the process ended may be lost to the fork server (`UNKNOWN`)."""
UNKNOWN = 255
"""What `multiprocessing` gives when its fork server lost sight of how a process ended."""
Losing = Literal["kept", "forgotten", "gone"]
"""What becomes of the server's state: kept up to the kill, as it was when the run began, or gone altogether."""


@dataclass(frozen=True, slots=True)
class Kill:
    """One death."""

    stage: int
    """0 while mail is looked for, n while the n-th card's answer is worked on."""
    point: Point
    losing: Losing

    def __str__(self) -> str:
        return f"stage {self.stage}, boundary {self.point.number} ({self.point.name}), state {self.losing}"


@dataclass(slots=True)
class Outcome:
    """What came of a kill, compared with the undisturbed run."""

    kill: Kill
    happened: bool = False
    """Whether the process died of it."""
    twice: Counter[str] = field(default_factory=Counter)
    """Kind → effects more than in the undisturbed run."""
    lost: Counter[str] = field(default_factory=Counter)
    unapproved: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    """Drafts, begun effects, held orders and money set aside that nobody comes back to."""
    lost_mail: int = 0
    asked_again: int = 0
    """Cards accepted more often than in the undisturbed run: a server that forgot the answer asks once more."""
    notes: list[str] = field(default_factory=list)
    """What else is different, or went wrong."""

    @property
    def complaints(self) -> list[str]:
        """What must not be, in words."""
        kinds = {
            "twice": self.twice,
            "lost": self.lost,
            "unapproved": self.unapproved,
            "left behind": self.left,
        }
        told = [f"{what}: {dict(counted)}" for what, counted in kinds.items() if counted]
        if self.lost_mail:
            told.append(f"lost mail: {self.lost_mail}")
        return told + self.notes


@dataclass
class Bench:
    """One scenario in a folder."""

    folder: Path
    scenario: str
    bug: str = ""
    stages: list[list[Point]] = field(default_factory=list)
    """The boundaries of each stage of the undisturbed run."""
    expected: Found | None = None

    @property
    def work(self) -> Path:
        """Where every attempt is: a mailbox's name is its path."""
        return self.folder / "work"

    def prepare(self) -> None:
        """Go through it undisturbed, with a copy of the folder from before each stage."""
        self.work.mkdir(parents=True)
        self._lives(PREPARE)
        for stage in range(MAX_STAGES):
            shutil.copytree(self.work, self._copy(stage))
            listed = self.folder / "points.txt"
            self._lives(STEP, listed)
            self.stages.append(read(listed))
            if not any(
                status.startswith(("unknown", "waiting")) for status in found_in(self.work).mail.values()
            ):
                break
        self._lives(FINISH)
        self.expected = found_in(self.work)
        if self.expected.lost_mail or not self.expected.mail:
            raise AssertionError(f"{self.scenario}: undisturbed, it does not end: {self.expected.mail}")

    def kills(self) -> list[Kill]:
        """All that make a difference."""
        found = []
        for stage, points in enumerate(self.stages):
            found += [Kill(stage, point, "kept") for point in different(points, is_state_kept=True)]
            if self.scenario in BETWEEN_STATEMENTS:
                found += [Kill(stage, point, "kept") for point in points if point.kind == STATEMENT]
            lost = different(points, is_state_kept=False)
            found += [Kill(stage, point, "forgotten") for point in lost]
            if stage:
                found += [Kill(stage, point, "gone") for point in lost]
        return found

    def attempt(self, kill: Kill) -> Outcome:
        """Kill it there, let others go on, and compare."""
        outcome = Outcome(kill)
        for _ in range(KILL_ATTEMPTS):
            shutil.rmtree(self.work)
            shutil.copytree(self._copy(kill.stage), self.work)
            ended = self._run(STEP, kill_at=kill.point.number)
            outcome.happened = ended == -signal.SIGKILL
            if outcome.happened:
                break
        else:
            outcome.notes.append(f"it lived {KILL_ATTEMPTS} times, and ended with {ended}")
        unasked = SCENARIOS[self.scenario].unasked
        before = found_in(self.work).unapproved(unasked)
        self._lose(kill)
        ended = self._run(FINISH)
        if ended == UNKNOWN:  # Nothing is left to do when it came to its end; else it is one more restart.
            ended = self._run(FINISH)
        after = found_in(self.work)
        if ended != 0:
            outcome.notes.append(
                "the process that went on did not end" if ended is None else f"it ended with {ended}"
            )
        outcome.unapproved = Counter(before) | Counter(after.unapproved(unasked))
        self._compare(outcome, after)
        return outcome

    def _lose(self, kill: Kill) -> None:
        if kill.losing == "kept":
            return
        shutil.rmtree(self.work / SERVER)
        if kill.losing == "forgotten":
            shutil.copytree(self._copy(kill.stage) / SERVER, self.work / SERVER)

    def _compare(self, outcome: Outcome, after: Found) -> None:
        expected = self.expected
        assert expected is not None
        for kind, effects in after.done.items():
            outcome.twice[kind] = (effects - expected.done[kind]).total()
            outcome.lost[kind] = (expected.done[kind] - effects).total()
        for kind, left in after.left.items():
            outcome.left[kind] = (left - expected.left[kind]).total()
        # A draft may be what was approved: then another like it is that once more, and its want a loss.
        meant, drafts = expected.left["drafts"], after.left["drafts"]
        outcome.lost["drafts"] = (meant - drafts).total()
        outcome.twice["drafts"] = Counter({k: n for k, n in (drafts - meant).items() if k in meant}).total()
        outcome.left["drafts"] -= outcome.twice["drafts"]
        for counted in (outcome.twice, outcome.lost, outcome.left):
            counted += Counter()  # Leaves out what is 0.
        outcome.lost_mail = len(after.lost_mail)
        outcome.asked_again = after.accepted.total() - expected.accepted.total()
        if not outcome.lost_mail and after.mail != expected.mail:
            outcome.notes.append(f"the mail's end is {sorted(after.mail.values())}")
        errors = (self.work / ERRORS).read_text(encoding="utf-8")
        if outcome.complaints and errors:
            outcome.notes.append(f"runs failed: {errors[:300]}")

    def _copy(self, stage: int) -> Path:
        return self.folder / f"stage-{stage}"

    def _lives(self, task: str, points: Path | None = None) -> None:
        before, code = self.folder / "before", None
        shutil.copytree(self.work, before)
        for _ in range(KILL_ATTEMPTS):
            if (code := self._run(task, points=points)) != UNKNOWN:
                break
            shutil.rmtree(self.work)
            shutil.copytree(before, self.work)
        shutil.rmtree(before)
        if code != 0:
            raise AssertionError(f"{self.scenario}: undisturbed, {task} ended with {code}")

    def _run(self, task: str, *, kill_at: int = 0, points: Path | None = None) -> int | None:
        job = Job(self.work, self.scenario, task, kill_at, points, self.bug)
        process = CONTEXT.Process(target=work, args=(job,))
        process.start()
        process.join(WAIT)
        if process.exitcode is None:
            process.kill()
            process.join()
            return None
        return process.exitcode


def thinned(kills: Sequence[Kill], count: int) -> list[Kill]:
    """So many of them, spread evenly; all of them when there are no more."""
    if count >= len(kills):
        return list(kills)
    return [kills[number * len(kills) // count] for number in range(count)]
