"""`python -m eval`: every suite that needs no key, one after the other, as `eval/report/summary.md` and one page, `index.html`.

The figures are what the suites print; nothing is added by hand. A suite that fails makes the command fail.
"""

import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

REPORT = Path(__file__).parent / "report"
SECONDS = 900
SUITES: Sequence[tuple[str, str, tuple[str, ...]]] = (
    ("Facts in drafts", "eval.fact_check", ()),
    ("Similar past mail", "eval.knowledge", ()),
    ("Documents", "eval.documents", ()),
    ("Which product is meant", "eval.resolution", ()),
    ("Orders and questions by mail", "eval.orders", ()),
    ("Claims", "eval.claims", ()),
    ("A model that says anything, on claims", "eval.claims.attack", ("200",)),
)
STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 0 auto; padding: 1rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
tbody tr:nth-child(even) { background: var(--soft); } pre { overflow-x: auto; }
"""


@dataclass(frozen=True, slots=True)
class Told:
    """What a suite printed."""

    title: str
    module: str
    text: str
    seconds: float
    failed: bool


def run(title: str, module: str, args: Sequence[str]) -> Told:
    """One suite in a process of its own."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", module, *args], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    text = done.stdout.strip() or done.stderr.strip()[-2_000:] or "It printed nothing."
    return Told(title, module, text, time.perf_counter() - started, done.returncode != 0)


def summary(told: Sequence[Told]) -> str:
    """All of it as Markdown."""
    parts = [
        "# Scorecard",
        f"Without a key: offline rules, and scripts in the place of a model where it says so. Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}.",
    ]
    for one in told:
        state = " - FAILED" if one.failed else ""
        parts += [f"## {one.title}{state}", f"`python -m {one.module}`, {one.seconds:.0f} s", one.text]
    return "\n\n".join(parts) + "\n"


def page(markdown: str) -> str:
    """The summary as one page without scripts; markup in the suites' output is text."""
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    head += f"<title>Scorecard</title><style>{STYLE}</style>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def main() -> None:
    """Run, write and print where."""
    told = []
    for title, module, args in SUITES:
        told.append(run(title, module, args))
        print(f"{title}: {'FAILED' if told[-1].failed else 'done'}, {told[-1].seconds:.0f} s", flush=True)
    REPORT.mkdir(exist_ok=True)
    text = summary(told)
    (REPORT / "summary.md").write_text(text, encoding="utf-8")
    (REPORT / "index.html").write_text(page(text), encoding="utf-8")
    print(f"{REPORT / 'summary.md'} and {REPORT / 'index.html'}")
    sys.exit(any(one.failed for one in told))


if __name__ == "__main__":
    main()
