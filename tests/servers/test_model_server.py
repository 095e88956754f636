"""The stand-in itself: its control, its end, and what is said when it cannot run."""

import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.servers import npm
from tests.servers.model_server import running_model_server


def test_it_ends_with_its_block() -> None:
    """After the block nothing listens any more; two servers at once have ports of their own."""
    with running_model_server() as one, running_model_server() as two:
        assert one.url != two.url
        one.script({"content": "Hi"})
        assert one.requests == two.requests == []
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(one.url, timeout=5)


def test_an_unscripted_request_is_refused() -> None:
    """Without an answer in the script there is a 400 that says so, and it is on record."""
    with running_model_server() as server:
        server.script()
        request = urllib.request.Request(f"{server.base_url}/chat/completions", data=b"{}", method="POST")
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request, timeout=5)
        assert (caught.value.code, b"no answer" in caught.value.read()) == (400, True)
        assert server.bodies == [{}]


@pytest.mark.parametrize("present", [[], ["node"]])
def test_a_missing_program_is_one_clear_line(
    present: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without node or npm the tests fail and say what is missing."""
    for name in present:
        (tmp_path / name).write_text("#!/bin/sh\necho v22.1.0\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = "npm" if present else "node"
    with pytest.raises(RuntimeError, match=f"^the test stand-ins need {missing} "), running_model_server():
        pass


def test_an_old_node_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """node before 20 is named with its version."""
    (tmp_path / "node").write_text("#!/bin/sh\necho v18.19.0\n", encoding="utf-8")
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"this is v18\.19\.0"):
        npm.installed()


def test_the_lock_file_names_no_registry() -> None:
    """Packages come from whatever registry npm is set up with."""
    assert "resolved" not in (npm.FOLDER / "package-lock.json").read_text(encoding="utf-8")
