"""What docs/architecture.md tells to read first is what a mail comes through, and little enough to be read."""

import re
import subprocess
import sys

import pytest

from tests.support.dev_server import ROOT

PACKAGE = ROOT / "src" / "email_assistant"
MAX_FILES, MAX_LINES = 12, 250
pytestmark = pytest.mark.xdist_group("reading paths")  # They are measured once.
WAY = re.compile(r"^\d\. \*\*(?P<way>[^*]+)\*\*:(?P<files>(?: .*\n(?:   .*\n)*))", re.MULTILINE)


def paths() -> dict[str, list[str]]:
    """The files to read, by their way."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return {found["way"]: re.findall(r"`([^`]+)`", found["files"]) for found in WAY.finditer(page)}


@pytest.fixture(scope="module")
def entered() -> dict[str, set[str]]:
    """The files that each way enters, as a program of its own finds them: it looks at every call."""
    command = [sys.executable, "-W", "ignore", "-m", "eval.reach", "--files"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=100).stdout
    ways: dict[str, set[str]] = {}
    for line in told.splitlines():
        if way := re.fullmatch(r" *\d+ files, +\d+ functions  (.+)", line):
            ways[way[1]] = set()
        else:
            ways[[*ways][-1]].add(line.strip())
    return ways


def test_each_way_has_its_path(entered: dict[str, set[str]]) -> None:
    """Every one that is measured."""
    assert paths().keys() == entered.keys()


@pytest.mark.parametrize("way", paths())
def test_the_way_goes_through_what_is_to_be_read(way: str, entered: dict[str, set[str]]) -> None:
    """At most twelve files, none long, each of them entered."""
    files = paths()[way]
    assert 0 < len(files) <= MAX_FILES
    assert [name for name in files if name not in entered[way]] == []
    lengths = {name: len((PACKAGE / name).read_text(encoding="utf-8").splitlines()) for name in files}
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}
