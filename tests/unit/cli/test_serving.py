"""One server a data folder, with the command's own settings, ended by every signal that ends the command."""

import signal
import socket
import threading
from pathlib import Path

import pytest

from email_assistant.cli.server import ends_on_signals, given_settings
from email_assistant.cli.server_note import check_port, known_url, only_server, running_url
from email_assistant.errors import ConfigError
from email_assistant.settings import load_settings


def test_the_server_gets_every_setting_whoever_gave_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders are absolute, secrets are plain, what was not given is left out; read again it is the same."""
    monkeypatch.chdir(tmp_path)
    Path("email_assistant.toml").write_text(
        'EMAIL_ASSISTANT_DATA_DIR = "d"\nEMAIL_ASSISTANT_MAILBOX = "maildir:m"\nDATABASE_URL = "sqlite:///j.db"\n'
        'EMAIL_ASSISTANT_API_TOKEN = "secret"\nEMAIL_ASSISTANT_NOW = 2026-11-20T08:00:00+00:00\n'
    )
    settings = load_settings(
        {"EMAIL_ASSISTANT_CALENDAR": "ics:c.ics", "EMAIL_ASSISTANT_MODEL_TIMEOUT": "2.5"}
    )
    told = given_settings(settings)
    assert told == {
        "EMAIL_ASSISTANT_DATA_DIR": str(tmp_path / "d"),
        "EMAIL_ASSISTANT_MAILBOX": f"maildir:{tmp_path / 'm'}",
        "EMAIL_ASSISTANT_CALENDAR": f"ics:{tmp_path / 'c.ics'}",
        "DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path / 'j.db'}",
        "EMAIL_ASSISTANT_API_TOKEN": "secret",
        "EMAIL_ASSISTANT_NOW": "2026-11-20T08:00:00+00:00",
        "EMAIL_ASSISTANT_MODEL_TIMEOUT": "2.5",
    }
    again = load_settings(told, tmp_path / "elsewhere")
    assert (again.data_path, again.today, again.api_token) == (
        settings.data_path,
        settings.today,
        settings.api_token,
    )


def test_one_server_a_data_folder(tmp_path: Path) -> None:
    """While it runs the others find it and a second one is refused; afterwards nothing is left to mislead."""
    data = tmp_path / "new" / "data"
    with only_server(data, 4711):
        assert known_url(data) == "http://127.0.0.1:4711"
        with pytest.raises(ConfigError, match=r"at http://127\.0\.0\.1:4711"), only_server(data, 4712):
            pass
        assert known_url(data) == "http://127.0.0.1:4711"
    assert (running_url(data), known_url(data)) == (None, "http://127.0.0.1:2024")


def test_the_note_of_a_dead_server_is_not_believed(tmp_path: Path) -> None:
    """A kill leaves the note behind, but not the lock."""
    (tmp_path / "server.url").write_text("http://127.0.0.1:4711")
    assert known_url(tmp_path) == "http://127.0.0.1:2024"


def test_a_taken_port_is_told() -> None:
    """The server itself would silently take another one."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ConfigError, match=r"is taken: .*--port"):
            check_port(taken.getsockname()[1])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_signal_ends_the_block_as_ctrl_c_does(number: signal.Signals) -> None:
    """Also where SIGINT was ignored; afterwards the handlers are those of before."""
    hung_up = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # Under nohup it is ignored.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt), ends_on_signals():
            _raise_until_it_is_heard(number)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGHUP, hung_up)


def _raise_until_it_is_heard(number: signal.Signals) -> None:
    """The interpreter passes over what comes while it collects something."""
    for _ in range(100):
        signal.raise_signal(number)
        threading.Event().wait(0.05)
