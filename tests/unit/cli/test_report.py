"""The report's page: true figures, opened in a real browser, with texts from mail that would act if they could."""

import asyncio
import os
import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import pytest

from email_assistant.app import Container
from email_assistant.cli.html_page import bar, templates
from email_assistant.cli.main import main
from email_assistant.journal.records import CallUsage, MailRecord, MailStatus
from email_assistant.settings import NAMES, load_settings
from email_assistant.workflows.inbox_organizer.commands.report import (
    MAX_SHOWN,
    FailedMail,
    OrganizerReport,
    cut,
    page,
)
from email_assistant.workflows.inbox_organizer.records.organizer_mail import OrganizerMail
from email_assistant.workflows.inbox_organizer.records.sorting import Sorted
from tests.support.chromium import PROGRAM, Chromium, running_chromium

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
HOSTILE = (
    "</td></table><script>document.title='owned'</script><img src=http://127.0.0.1:9/x onerror=\"document.title='owned'\">"
    "<style>body{display:none}</style><meta http-equiv=refresh content='0;url=http://127.0.0.1:9'>"
    "<svg onload=document.title='owned'>&lt;b&gt; \u202egnp.exe\x00\x1b[2J\ud800 ]]> <!-- " + "W" * 400
)
SORTED = Sorted(
    mails=1_234_567, without_model=493_827, fast=493_826, escalated=123_457, strong=123_457, human=61_728,
    rules=12, corrections=1, cost_usd=Decimal("12.34567"),
)  # fmt: skip
FULL = OrganizerReport(
    at=NOW,
    sorted=SORTED,
    hints=2,
    organizer=OrganizerMail(mails=1_234_567, processing=3, labeled=1_234_560, pending_approval=2, dead_letter=2),
    mail={"done": 1_234_560, "waiting_review": 2, "dead_letter": 2},
    usage=[
        CallUsage("categorize", 12_345_678, 987_654_321, 87_654_321, 0, Decimal("1234.5"), 3, 7, 12),
        CallUsage(HOSTILE, 1, 1, 1, 0, Decimal(0), 0, 0),
    ],
    failures=[FailedMail(HOSTILE, HOSTILE, "inbox_organizer", "dead_letter", 3, HOSTILE, NOW)] * 20,
)  # fmt: skip
EMPTY = OrganizerReport(NOW, Sorted(), 0, OrganizerMail(), {}, [], [])


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """One browser for all pages."""
    if PROGRAM is None:
        pytest.skip("chromium is not installed (Debian's package `chromium`)")
    with running_chromium(tmp_path_factory.mktemp("chromium")) as tab:
        yield tab


@pytest.fixture
def report_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command in a folder without settings; gives its exit code, stdout and stderr."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["email-assistant", *args])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out, printed.err

    return run


def written(folder: Path, report: OrganizerReport) -> Path:
    """The page as a file."""
    path = folder / "report.html"
    path.write_bytes(page(report))
    return path


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("report", [FULL, EMPTY], ids=["full", "empty"])
def test_it_is_readable_on_a_phone_and_on_a_screen(
    browser: Chromium, tmp_path: Path, report: OrganizerReport, scheme: str, width: int
) -> None:
    """No sideways scrolling, nothing in the console, no request but the page's own, in both colour schemes."""
    browser.open(written(tmp_path, report), width=width, scheme=scheme)
    assert browser.value("document.documentElement.scrollWidth") <= width
    assert browser.value("innerWidth") == width
    background = browser.value("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[scheme]
    assert not browser.methods() & {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"}
    asked = [
        e["params"]["request"]["url"] for e in browser.events if e["method"] == "Network.requestWillBeSent"
    ]
    assert asked == [(tmp_path / "report.html").as_uri()]


@pytest.mark.parametrize("width", [390, 1280])
def test_each_bar_has_its_words_and_its_length(browser: Chromium, tmp_path: Path, width: int) -> None:
    """Within the page, beside each other and not over each other, and as long as the share says."""
    browser.open(written(tmp_path, FULL), width=width, scheme="light")
    boxes = "[...document.querySelectorAll('svg text')].map(t => {const b = t.getBoundingClientRect(); return [b.left, b.right]})"
    edges = browser.value(boxes)
    assert len(edges) == 10
    for (left, label_end), (figures, right) in zip(edges[::2], edges[1::2], strict=True):
        assert 0 <= left < label_end < figures < right <= width
    lengths = browser.value(
        "[...document.querySelectorAll('.bar')].map(b => b.getBBox().width / b.ownerSVGElement.clientWidth)"
    )
    shares = [SORTED.shares[way] for way in ("without_model", "fast", "escalated", "strong", "human")]
    assert lengths == pytest.approx(shares, abs=0.001)


def test_texts_from_mail_stay_texts(browser: Chromium, tmp_path: Path) -> None:
    """No element is made of them, no script runs, and what turns the reading direction round is shown as what it is."""
    browser.open(written(tmp_path, FULL), width=390, scheme="light")
    assert browser.value("document.title") == "Email assistant: report"
    assert (
        browser.value("document.querySelectorAll('script, img, main style, svg svg, main meta, a').length")
        == 0
    )
    cell = browser.value("document.querySelectorAll('table')[3].rows[1].cells[1].textContent")
    assert cell.startswith("</td></table><script>document.title='owned'</script><img src=")
    assert "\\u202egnp.exe\\u0000\\u001b[2J\\ud800" in cell
    assert browser.value("document.querySelectorAll('table')[3].rows.length") == 21


def test_the_policy_itself_stops_a_script(browser: Chromium, tmp_path: Path) -> None:
    """Were a text to become markup all the same, it could neither run nor fetch anything."""
    path = tmp_path / "broken.html"
    bad = "<script>document.title='owned'</script><img src='http://127.0.0.1:9/x' onerror=\"document.title='owned'\">"
    path.write_bytes(page(EMPTY).replace(b"</main>", f"{bad}</main>".encode()))
    browser.open(path, width=390, scheme="light")
    assert browser.value("document.title") == "Email assistant: report"
    sent = [e for e in browser.events if e["method"] == "Network.responseReceived"]
    assert [e["params"]["response"]["url"] for e in sent] == [path.as_uri()]


def test_an_empty_journal_says_so() -> None:
    """And shows no chart and no table."""
    text = page(EMPTY).decode()
    assert "Nothing is on record yet" in text
    assert not re.search("<svg|<table|<h2", text)


def test_rules_are_called_rules() -> None:
    """Where they spoke, and only there."""
    told = "Offline rules, not a language model, spoke for the tiers in 12 of these."
    assert told in page(FULL).decode()
    without = OrganizerReport(NOW, Sorted(mails=1, fast=1), 0, OrganizerMail(), {}, [], [])
    assert b"ffline rules" not in page(without)


def test_a_long_text_is_cut() -> None:
    """A reason may be as long as a mail."""
    assert cut("x" * MAX_SHOWN) == "x" * MAX_SHOWN
    assert cut("x" * 5_000) == "x" * (MAX_SHOWN - 1) + "…"


def test_a_chart_is_told_in_words() -> None:
    """For whoever does not see it; what is beyond its ends is cut, and its words cannot become markup."""
    chart = templates("email_assistant.cli").get_template("parts.html").module.chart  # type: ignore[attr-defined]
    read = ElementTree.fromstring(
        chart([bar("<b>", -1, "none"), bar("Two", 7, "\u202eall")], "c", "A & B").strip()
    )
    space = "{http://www.w3.org/2000/svg}"
    assert (read.findtext(f"{space}title"), read.findtext(f"{space}desc")) == (
        "A & B",
        "<b>: none; Two: \\u202eall",
    )
    assert read.get("aria-labelledby") == "c-title c-desc"
    widths = [rect.get("width") for rect in read.iter(f"{space}rect") if rect.get("class") == "bar"]
    assert widths == ["0.00%", "100.00%"]


def test_the_command_writes_what_the_journal_says(
    tmp_path: Path, report_command: Callable[..., tuple[int, str, str]]
) -> None:
    """To the data folder or to a file, private, whole; prints where; again it is replaced."""
    house = Container(load_settings({}, tmp_path))
    failed = MailRecord("box", "<m1>", "inbox_organizer", "t", "r", email_input={"subject": "<i>Shelf</i>"})

    async def fill() -> None:
        await house.mail_log.claim(failed)
        await house.mail_log.fail("box", "<m1>", "inbox_organizer", "Timeout & <b>", max_attempts=1)
        await house.mail_log.claim(
            MailRecord("box", "m2", "inbox_organizer", "t2", "r2", MailStatus.done, "labeled")
        )
        await house.database.close()

    asyncio.run(fill())
    for args, path in (
        ((), tmp_path / ".email_assistant" / "report.html"),
        (("--output", "own.html"), Path("own.html")),
    ):
        assert report_command("report", *args) == (0, f"{path}\n", "")
        text = path.read_text(encoding="utf-8")
        assert "&lt;i&gt;Shelf&lt;/i&gt; [&lt;m1&gt;]" in text
        assert "dead letter after 1 failure: Timeout &amp; &lt;b&gt;" in text
        assert os.stat(path).st_mode & 0o777 == 0o600
    assert report_command("report")[0] == 0


@pytest.mark.parametrize("target", ["nowhere/report.html", "."])
def test_a_place_that_cannot_be_written_is_told(
    report_command: Callable[..., tuple[int, str, str]], target: str
) -> None:
    """In one line that names it."""
    code, out, err = report_command("report", "--output", target)
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert "--output" in err
