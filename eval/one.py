"""`python -m eval.one SUITE [options]`: one suite in this process; its report as JSON to `--out`, or as Markdown to the screen."""

import argparse
import asyncio
import importlib
import sys
from dataclasses import replace
from pathlib import Path

from email_assistant.errors import EmailAssistantError, InputError
from eval.figures import SuiteReport
from eval.setup import Setup
from eval.suites import SUITES
from eval.summary import section


def add_options(parser: argparse.ArgumentParser, *, recordings: str = "this file") -> None:
    """The options that decide how a suite is run."""
    parser.add_argument(
        "--model", default="offline", help="provider:model that answers, or offline (the rules)"
    )
    parser.add_argument(
        "--split",
        default="all",
        choices=("dev", "test", "all", "locked"),
        help="which half of the data; locked: what is counted on request only, of times",
    )
    parser.add_argument("--repeats", type=_positive, default=1, help="runs of each case, for pass^k")
    parser.add_argument(
        "--record", type=Path, metavar="PATH", help=f"write the model's answers to {recordings}"
    )
    parser.add_argument(
        "--replay", type=Path, metavar="PATH", help=f"take the answers from {recordings}; no model is asked"
    )
    parser.add_argument("--count", type=_positive, help="how many cases, for suites that make them")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def setup_of(args: argparse.Namespace) -> Setup:
    """What the options say."""
    return Setup(args.model, args.split, args.repeats, args.record, args.replay, args.count)


async def measured(name: str, setup: Setup) -> SuiteReport:
    """Run a suite."""
    if setup.split == "locked" and name != "times":
        raise InputError(f"--split locked: {name} has no such data")
    await setup.check()
    report: SuiteReport = await importlib.import_module(SUITES[name].module).report(setup)
    return replace(report, broken=[*report.broken, *setup.failed_calls])


def main() -> None:
    """Run it; exit 1 when it fails."""
    parser = argparse.ArgumentParser(prog="python -m eval.one", description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--out", type=Path, help="write the report here as JSON")
    add_options(parser)
    args = parser.parse_args()
    try:
        found = asyncio.run(measured(args.suite, setup_of(args)))
    except EmailAssistantError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    if args.out:
        args.out.write_text(found.dumped(), encoding="utf-8")
    else:
        print(section(args.suite, found))
    sys.exit(bool(found.failures))


if __name__ == "__main__":
    main()
