"""The scorecard's command: what it writes, how it fails, and the page in a real browser."""

import base64
import os
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from eval import langsmith_upload
from eval.__main__ import HERE
from eval.figures import Bars, Figure, Lines, SuiteReport
from eval.page import page
from eval.scorecard import Measured, Scorecard
from eval.summary import summary
from tests.support.chromium import PROGRAM, Chromium, running_chromium

HOSTILE = (
    "</td><script>document.title='owned'</script><img src=http://127.0.0.1:9/x onerror=\"document.title='owned'\">"
    " ![x](http://127.0.0.1:9/y) \u202e"
)
REPORT = SuiteReport(
    f"offline rules {HOSTILE}",
    [
        Figure("test.accuracy", 0.913, low=0.85, high=0.95, of=80, target=0.9),
        Figure(f"a-figure-with-a-name-that-is-longer-than-any-phone-is-wide-{'x' * 60}", 1_234_567, "count"),
    ],
    f"Notes {HOSTILE}\n\n| a | b |\n|---|---|\n| {'W' * 300} | {HOSTILE} |",
    [
        Bars("By field", [("a field", 0.75, "3 of 4"), (HOSTILE, 2.0, "much")]),
        Lines(
            "Risk", "coverage", "risk", {"dev": [(0.1, 0.0), (1.0, 0.2)], HOSTILE: [(0.2, 0.1), (0.9, 0.4)]}
        ),
    ],
)
CARD = Scorecard(
    [
        Measured("triage", "Triage", "python -m eval.one triage", 1.5, REPORT),
        Measured(
            "facts", "Facts in drafts", "python -m eval.one facts", 2.0, replace(REPORT, broken=[HOSTILE])
        ),
        Measured("crash", "Crashes", "python -m eval.one crash", 3.0, None, said=HOSTILE),
    ],
    "2026-11-21 12:00 UTC",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """One browser for all pages."""
    if PROGRAM is None:
        pytest.skip("chromium is not installed (Debian's package `chromium`)")
    with running_chromium(tmp_path_factory.mktemp("chromium")) as tab:
        yield tab


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (360, "dark"), (1200, "light")])
def test_the_page_is_readable_and_nothing_in_it_acts(
    browser: Chromium, tmp_path: Path, width: int, scheme: str
) -> None:
    """At a phone's width, too: nothing is wider than the screen but tables that scroll, text is large enough, the picture is not empty."""
    file = tmp_path / "index.html"
    file.write_bytes(page(CARD))
    browser.open(file, width=width, scheme=scheme)
    assert browser.value("document.title") == "Scorecard"
    assert browser.value("document.documentElement.scrollWidth") <= width
    assert browser.value("document.querySelectorAll('script, img, iframe').length") == 0
    assert browser.value("document.querySelectorAll('svg[role=img]').length") == 4
    small = "[...document.querySelectorAll('p,td,th,text')].filter(e => parseFloat(getComputedStyle(e).fontSize) < 12).length"
    assert browser.value(small) == 0
    widest = "Math.max(...[...document.querySelectorAll('svg')].map(e => e.getBoundingClientRect().right))"
    assert browser.value(widest) <= width
    sent = [
        e["params"]["request"]["url"]
        for e in browser.events
        if e.get("method") == "Network.requestWillBeSent"
    ]
    assert [url for url in sent if not url.startswith("file:")] == []
    colours = browser.value(
        "getComputedStyle(document.body).color + getComputedStyle(document.body).backgroundColor"
    )
    light, dark = (int(each) for each in re.findall(r"\((\d+)", colours))
    assert (light < dark) == (scheme == "light")
    assert _picture(browser) == (width, 900)


def _picture(browser: Chromium) -> tuple[int, int]:
    """The screenshot's size; a page of one colour would be a few kilobytes only."""
    picture = base64.b64decode(browser.call("Page.captureScreenshot", format="png")["data"])
    assert len(picture) > 10_000
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


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


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (
            ["--suite", "knowledge", "--model", "openai:gpt-5"],
            1,
            "error: --suite knowledge: no model answers there",
        ),
        (["--suite", "nothing"], 2, "invalid choice: 'nothing'"),
        (["--repeats", "0"], 2, "--repeats"),
        (["--count", "-1"], 2, "--count"),
    ],
)
def test_wrong_options_are_one_line(options: list[str], code: int, told: str) -> None:
    """With what would be right."""
    done = run("eval", *options)
    assert done.returncode == code
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_model_without_a_key_is_no_result() -> None:
    """A wrong setting is one line, and nothing is measured."""
    done = run("eval.one", "orders", "--model", "openai:gpt-5", OPENAI_API_KEY="", LANGSMITH_API_KEY="")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "error: --model is openai:gpt-5, which cannot be used: " in done.stderr
    assert "OPENAI_API_KEY" in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_is_uploaded_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is anything said of it."""
    monkeypatch.delenv(langsmith_upload.KEY, raising=False)
    assert langsmith_upload.upload(CARD) == ""


def test_with_a_key_suites_and_figures_are_uploaded(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a mock of LangSmith's service, which cannot run here."""
    some = "00000000-0000-0000-0000-000000000001"
    project = {
        "id": some,
        "tenant_id": some,
        "reference_dataset_id": some,
        "start_time": "2026-11-21T12:00:00",
    }
    httpserver.expect_request("/sessions").respond_with_json(project)
    httpserver.expect_request(re.compile("/.*")).respond_with_json({})
    monkeypatch.setenv(langsmith_upload.KEY, "a key")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", httpserver.url_for(""))
    told = langsmith_upload.upload(CARD)
    assert told == "LangSmith: 3 suites are in the project email_assistant scorecard 2026-11-21 12:00 UTC"
    asked = [(request.method, request.path) for request, _ in httpserver.log]
    assert asked.count(("POST", "/runs")) == 3
    assert asked.count(("POST", "/feedback")) == 4


def test_a_service_that_refuses_is_told_and_changes_nothing(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a line."""
    httpserver.expect_request(re.compile("/.*")).respond_with_json({"detail": "no"}, status=401)
    monkeypatch.setenv(langsmith_upload.KEY, "a key")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", httpserver.url_for(""))
    told = langsmith_upload.upload(CARD)
    assert told.startswith("LangSmith: not uploaded")
    assert "\n" not in told
