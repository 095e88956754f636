"""The scorecard's command: what it writes, and how it fails."""

import os
import subprocess
import sys
from dataclasses import replace

from eval.__main__ import HERE
from eval.figures import Figure, SuiteReport
from eval.scorecard import Measured, Scorecard
from eval.summary import summary

REPORT = SuiteReport(
    "offline rules",
    [Figure("test.accuracy", 0.913, low=0.85, high=0.95, of=80, target=0.9)],
    "| a | b |\n|---|---|\n| 1 | 2 |",
)
CARD = Scorecard(
    [
        Measured("triage", "Triage", "python -m eval.one triage", 1.5, REPORT),
        Measured("facts", "Facts in drafts", "", 2.0, replace(REPORT, broken=["a mail left"])),
        Measured("crash", "Crashes", "python -m eval.one crash", 3.0, None, said="it took too long"),
    ],
    "2026-11-21 12:00 UTC",
)


def test_the_summary_has_every_figure_and_says_what_failed() -> None:
    """Suites that did not end as well."""
    text = summary(CARD)
    assert "2 of 3 suites failed: Facts in drafts, Crashes." in text
    assert "| test.accuracy | 91.3 % | 85.0 to 95.0 | 80 | at least 90.0 % |" in text
    assert "## Facts in drafts - FAILED" in text
    assert "## Crashes - FAILED" in text
    assert text.count("| Triage |") == 1


def run(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", *options], cwd=HERE.parent, capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | environment,
    )  # fmt: skip


def test_a_model_without_a_key_is_no_result() -> None:
    """A wrong setting is one line, and nothing is measured."""
    done = run("eval.one", "orders", "--model", "openai:gpt-5", OPENAI_API_KEY="", LANGSMITH_API_KEY="")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "error: --model is openai:gpt-5, which cannot be used: " in done.stderr
    assert "OPENAI_API_KEY" in done.stderr
    assert "Traceback" not in done.stderr
