"""`python -m eval`: the suites of the scorecard, one after the other, told in `eval/report/summary.md`.

Without options every suite is run with the offline rules, or with the script that stands in for a model, and each recording in
`eval/recordings/` is replayed. With --model the suites that a model can answer are answered by it. A suite that fails, or an exact figure
that is worse than in `eval/baseline.json`, makes the command fail (exit 1).
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from email_assistant.errors import EmailAssistantError, InputError
from email_assistant.models.settings import OFFLINE
from eval import scorecard
from eval.figures import SuiteReport, loaded
from eval.one import add_options
from eval.recording import recorded_model
from eval.scorecard import Measured, Scorecard
from eval.suites import SUITES
from eval.summary import summary

HERE = Path(__file__).parent
REPORT = HERE / "report"
RECORDINGS = HERE / "recordings"
SECONDS = 1_800
"""Longest time a suite may take with the rules; a model gets ten times as long."""


@dataclass(frozen=True, slots=True)
class Job:
    """A suite and its options."""

    suite: str
    options: tuple[str, ...] = ()
    model: str = OFFLINE

    @property
    def command(self) -> str:
        """What runs it again."""
        return " ".join(["python -m eval.one", self.suite, *self.options])


def main(arguments: Sequence[str] | None = None, prog: str = "python -m eval") -> int:
    """Run, write, and print where; returns the exit code."""
    args = _parser(prog).parse_args(arguments)
    try:
        jobs = list(_jobs(args))
    except EmailAssistantError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    (REPORT / "results").mkdir(parents=True, exist_ok=True)
    measured = []
    for job in jobs:
        measured.append(run(job))
        one = measured[-1]
        print(
            f"{one.title} ({one.answers}): {'FAILED' if one.failures else 'passed'}, {one.seconds:.0f} s",
            flush=True,
        )
        for failure in one.failures[:5]:
            print(f"  {failure}", flush=True)
    card = Scorecard(measured, f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    if args.write_baseline:
        print(f"{scorecard.write_baseline(measured)} figures are in {scorecard.BASELINE}")
        _write_page(measured)
    (REPORT / "summary.md").write_text(summary(card), encoding="utf-8")
    print(card.verdict)
    print(REPORT / "summary.md")
    return int(any(one.failures for one in measured))


def _write_page(measured: Sequence[Measured]) -> None:
    """The figures of all suites; of those not measured now, what they came to last, when they have ever been."""
    fresh = {one.name: one for one in measured if one.report is not None}
    every = [fresh.get(name) or _last(name) for name in SUITES]
    known = [one for one in every if one is not None]
    if len(known) == len(SUITES):
        scorecard.write_page(Scorecard(known, ""))


def _last(name: str) -> Measured | None:
    report = _report(_out(Job(name)))
    return Measured(name, SUITES[name].title, "", 0.0, report) if report else None


def _out(job: Job) -> Path:
    return REPORT / "results" / f"{job.suite}.{job.model.replace(':', '-').replace('/', '-')}.json"


def _report(path: Path) -> SuiteReport | None:
    return loaded(path.read_text(encoding="utf-8")) if path.exists() else None


def run(job: Job) -> Measured:
    """One suite in a process of its own, compared with the baseline when rules or scripts answered all of it."""
    suite, started = SUITES[job.suite], time.perf_counter()
    out = _out(job)
    out.unlink(missing_ok=True)
    command = [sys.executable, "-m", "eval.one", job.suite, "--out", str(out), *job.options]
    limit = SECONDS if job.model == OFFLINE else 10 * SECONDS
    try:
        done = subprocess.run(
            command, cwd=HERE.parent, capture_output=True, text=True, timeout=limit, check=False
        )
        said = " ".join((done.stderr.strip().splitlines() or [""])[-1].split())[:300]
    except subprocess.TimeoutExpired:
        said = f"it took more than {limit} seconds"
    seconds = time.perf_counter() - started
    report = _report(out)
    same = report is not None and not job.options
    worse = scorecard.regressions(report, scorecard.baseline().get(job.suite, {})) if report and same else []
    return Measured(job.suite, suite.title, job.command, seconds, report, said, worse)


def _jobs(args: argparse.Namespace) -> Iterator[Job]:
    chosen = args.suite or [
        name for name, suite in SUITES.items() if suite.takes_model or args.model == OFFLINE
    ]
    for name in chosen:
        if args.model != OFFLINE and not SUITES[name].takes_model:
            raise InputError(f"--suite {name}: no model answers there; leave --model out")
        yield Job(name, tuple(_options(args, name)), args.model)
    if args.model == OFFLINE and not args.suite:
        for path in sorted(RECORDINGS.glob("*/*.jsonl")):
            model = recorded_model(path)
            yield Job(path.stem, ("--model", model, "--replay", str(path)), model)


def _options(args: argparse.Namespace, name: str) -> Iterator[str]:
    for option in ("model", "split", "repeats", "count"):
        if getattr(args, option) != _DEFAULTS[option]:
            yield from (f"--{option}", str(getattr(args, option)))
    for option in ("record", "replay"):
        if getattr(args, option) is not None:
            yield from (f"--{option}", str(getattr(args, option) / f"{name}.jsonl"))


_DEFAULTS = {"model": OFFLINE, "split": "all", "repeats": 1, "count": None}


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--suite",
        action="append",
        choices=SUITES,
        metavar="NAME",
        help=f"only this one; again for more: {', '.join(SUITES)}",
    )
    add_options(parser, recordings="this folder, a file for each suite")
    parser.add_argument(
        "--write-baseline",
        action="store_true",
        help="take the exact figures into eval/baseline.json, and the headlines into docs/scorecard.md",
    )
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
