"""`gmail auth`: what it writes, what it says, and what it says when something is wrong."""

import asyncio
import json
import signal
import sys
import tomllib
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from email_assistant.adapters.google.access import GMAIL_SCOPE
from email_assistant.cli.console import journal_deps
from email_assistant.memory.profiles import DEFAULTS, PROFILES
from email_assistant.settings import load_settings
from tests.e2e.cli_support import Cli
from tests.servers.google_server import GoogleServer, running_google_server
from tests.support.dev_server import ROOT
from tests.support.google_browser import TOKEN, WrittenGoogle, bring, refusing
from tests.unit.cli.called import Command

CLIENT = {"installed": {"client_id": "client-1.apps.example", "client_secret": "s3cret-of-the-client"}}
DATA = Path(".email_assistant")
TOKEN_FILE, CLIENT_FILE = DATA / "gmail_token.json", DATA / "gmail_secret.json"
SETTINGS, ACCOUNT = DATA / "settings.toml", DATA / "gmail_account.toml"
NEW = {
    "EMAIL_ASSISTANT_MAILBOX": "gmail",
    "EMAIL_ASSISTANT_CALENDAR": "google",
    "EMAIL_ASSISTANT_EMAIL": "robin@example.com",
    "EMAIL_ASSISTANT_NAME": "Robin Example",
    "EMAIL_ASSISTANT_TIMEZONE": "Europe/Lisbon",
}
BROWSER = f"""\
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.support.google_browser import allow
allow(sys.argv[1], sys.argv[2])
"""


@pytest.fixture(scope="module")
def stand_in() -> Iterator[GoogleServer]:
    """The stand-in for Google, with its own pages for consent."""
    with running_google_server() as server:
        yield server


@pytest.fixture
def folder(folder: Path) -> Path:
    """With the client's file in it."""
    (folder / "client.json").write_text(json.dumps(CLIENT))
    return folder


@pytest.fixture
def google(folder: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> WrittenGoogle:
    """A Google whose answers the test writes, and a person at the browser who allows everything."""
    written = WrittenGoogle(httpserver)
    monkeypatch.setenv("EMAIL_ASSISTANT_GOOGLE_ENDPOINT", written.url)
    browse(monkeypatch, lambda url: bring(url, code="code-1"))
    return written


def browse(monkeypatch: pytest.MonkeyPatch, act: Callable[[str], object]) -> None:
    """Let a person who acts so sit at the browser that is opened."""
    monkeypatch.setattr(webbrowser, "open", act)


def signed_in(command: Command, *args: str) -> str:
    """What a sign-in that works prints."""
    code, out, err = command("gmail", "auth", "--client", "client.json", *args)
    assert (code, err) == (0, "")
    for secret in ("s3cret-of-the-client", "code-1", "access-1", "refresh-1"):
        assert secret not in out
    return out


def failed(command: Command, *args: str) -> str:
    """The one line on stderr of a sign-in that fails; no secret is printed, and no setting or token is written."""
    settings = ACCOUNT.read_bytes() if ACCOUNT.exists() else None
    code, out, err = command("gmail", "auth", *args)
    (line,) = err.splitlines()
    assert code == 1
    assert line.startswith("email-assistant: ")
    for secret in ("s3cret-of-the-client", "code-1", "access-1", "refresh-1"):
        assert secret not in out + err
    assert (ACCOUNT.read_bytes() if ACCOUNT.exists() else None) == settings
    return line


def stored() -> dict[str, object]:
    """What the sign-in has set."""
    return tomllib.loads(ACCOUNT.read_text(encoding="utf-8"))


def test_the_first_sign_in(command: Command, google: WrittenGoogle) -> None:
    """Client and token are kept for the owner only, the settings name the account, and the words say so."""
    out = signed_in(command)
    assert "Open this link in a browser" in out
    assert f"{google.url}/o/oauth2/v2/auth?" in out
    assert "5 minutes at most" in out
    assert "Signed in as robin@example.com." in out
    assert f"Set in {ACCOUNT}: EMAIL_ASSISTANT_MAILBOX=gmail; EMAIL_ASSISTANT_CALENDAR=google;" in out
    assert stored() == NEW
    assert json.loads(TOKEN_FILE.read_text())["refresh_token"] == "refresh-1"
    assert json.loads(CLIENT_FILE.read_text()) == CLIENT
    for file in (TOKEN_FILE, CLIENT_FILE, ACCOUNT):
        assert file.stat().st_mode & 0o777 == 0o600
    assert load_settings().mailbox == "gmail"


def test_signing_in_again_changes_nothing_but_the_token(command: Command, google: WrittenGoogle) -> None:
    """The client is known by now, and the settings are as they were."""
    signed_in(command)
    before = ACCOUNT.read_text()
    google.token = TOKEN | {"access_token": "access-2"}
    assert command("gmail", "auth")[0] == 0
    assert ACCOUNT.read_text() == before
    assert json.loads(TOKEN_FILE.read_text())["token"] == "access-2"


def test_a_token_in_the_environment_is_the_one_that_counts(
    command: Command, google: WrittenGoogle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signing in would have no effect; nobody is asked anything."""
    monkeypatch.setenv("GMAIL_TOKEN", json.dumps({"token": "access-1"}))
    opened: list[str] = []
    browse(monkeypatch, opened.append)
    assert "GMAIL_TOKEN is set" in failed(command, "--client", "client.json")
    assert opened == []
    assert not CLIENT_FILE.exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "wrong.json cannot be read (No such file or directory): download"),
        (b"hello", "wrong.json is not JSON"),
        (b"{}", "wrong.json has no 'client_id' and 'client_secret'"),
        (b'{"web": {"client_id": "x", "client_secret": "y"}}', "type Web application"),
        (b'{"type": "service_account", "client_id": "x"}', "service account's key"),
    ],
)
def test_a_file_that_is_no_client(
    command: Command, google: WrittenGoogle, content: bytes | None, words: str
) -> None:
    """One line names it and what is wrong; the client that was there stays."""
    signed_in(command)
    before = ACCOUNT.read_bytes()
    if content is not None:
        Path("wrong.json").write_bytes(content)
    assert words in failed(command, "--client", "wrong.json")
    assert json.loads(CLIENT_FILE.read_text()) == CLIENT
    assert ACCOUNT.read_bytes() == before


def test_cancel(command: Command, google: WrittenGoogle, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one who presses it is told that nothing was saved."""
    browse(monkeypatch, lambda url: bring(url, error="access_denied"))
    assert "access was refused in the browser; nothing was saved" in failed(
        command, "--client", "client.json"
    )
    assert not TOKEN_FILE.exists()


def test_a_failure_keeps_the_older_token(command: Command, google: WrittenGoogle) -> None:
    """Whatever goes wrong at the exchange, what worked before still works."""
    signed_in(command)
    before = TOKEN_FILE.read_bytes()
    for token in (
        refusing(401, {"error": "invalid_client"}),
        TOKEN | {"scope": "openid"},
        refusing(502, "x"),
    ):
        google.token = token
        failed(command)
    assert TOKEN_FILE.read_bytes() == before


def test_what_somebody_set_stays(command: Command, google: WrittenGoogle) -> None:
    """Their file is not touched and wins, and what it sets against the account is said."""
    DATA.mkdir()
    mine = '# mine\nEMAIL_ASSISTANT_NAME = "R."\nEMAIL_ASSISTANT_CALENDAR = "ics"\nEMAIL_ASSISTANT_ALIASES = "old@example.org"\n'
    SETTINGS.write_text(mine)
    google.send_as = {"sendAs": [{"sendAsEmail": "desk@example.org"}]}
    assert "EMAIL_ASSISTANT_CALENDAR is set to ics by you: set it to google" in signed_in(command)
    assert SETTINGS.read_text() == mine
    assert stored()["EMAIL_ASSISTANT_ALIASES"] == "desk@example.org"
    now = load_settings()
    assert (now.name, now.aliases, now.calendar, now.mailbox) == ("R.", "old@example.org", "ics", "gmail")


def test_without_the_calendar(command: Command, google: WrittenGoogle) -> None:
    """A second sign-in for Gmail only: the token may no longer read the calendar, and it is no longer used."""
    signed_in(command)
    google.token = TOKEN | {"scope": GMAIL_SCOPE}
    signed_in(command, "--no-calendar")
    assert (load_settings().mailbox, load_settings().calendar) == ("gmail", "ics")


def test_another_person_s_account(command: Command, google: WrittenGoogle) -> None:
    """A warning says both ways out, and neither name, zone nor aliases of the account are given to the other person."""
    DATA.mkdir()
    SETTINGS.write_text('EMAIL_ASSISTANT_EMAIL = "sam@example.org"\n')
    google.send_as = {"sendAs": [{"sendAsEmail": "desk@example.org"}]}
    out = signed_in(command)
    assert "EMAIL_ASSISTANT_EMAIL is sam@example.org, but the account is robin@example.com: set it to" in out
    assert set(stored()) == {"EMAIL_ASSISTANT_MAILBOX", "EMAIL_ASSISTANT_CALENDAR"}
    assert load_settings().email == "sam@example.org"


@pytest.mark.parametrize("changed", [False, True])
def test_the_sample_person_leaves(command: Command, google: WrittenGoogle, changed: bool) -> None:
    """The samples' settings go, and what the samples taught; a file that was changed by hand stays, and its person is named."""
    DATA.mkdir()
    sample = (ROOT / "samples" / "settings.toml").read_text(encoding="utf-8")
    SETTINGS.write_text(f'{sample}\nEMAIL_ASSISTANT_MODEL_FAST = "offline"\n' if changed else sample)

    async def teach() -> None:
        deps = journal_deps()
        await deps.profiles.write(PROFILES[0], "- What the samples taught.", origin="sample")
        await deps.profiles.write(PROFILES[1], "- Mine.", origin="edit")
        await deps.database.close()

    asyncio.run(teach())
    out = signed_in(command)
    assert SETTINGS.exists() is changed
    assert ("EMAIL_ASSISTANT_EMAIL is robin@vale.example, but the account is" in out) is changed
    assert changed or stored() == NEW

    async def taught() -> list[str]:
        deps = journal_deps()
        contents = [(await deps.profiles.read(name, None)).content for name in PROFILES]
        await deps.database.close()
        return contents

    assert asyncio.run(taught()) == [DEFAULTS[PROFILES[0]], "- Mine.", DEFAULTS[PROFILES[2]]]


def test_a_name_made_to_break_things(command: Command, google: WrittenGoogle) -> None:
    """Quotes, line ends and escapes in a display name neither break the file nor act on the terminal."""
    name = 'Robin "R" \\\\ \x7f\x1b[31m\nEMAIL_ASSISTANT_API_TOKEN = "x"'
    google.send_as = {"sendAs": [{"sendAsEmail": "robin@example.com", "displayName": name}]}
    out = signed_in(command)
    assert "\x1b" not in out
    assert stored()["EMAIL_ASSISTANT_NAME"] == " ".join(name.split())
    assert load_settings().api_token is None


@pytest.fixture
def user(folder: Path, stand_in: GoogleServer) -> Cli:
    """A new user at a shell, whose browser allows what it is shown."""
    (folder / "browser.py").write_text(BROWSER)
    return Cli(folder, folder / "data", {"EMAIL_ASSISTANT_GOOGLE_ENDPOINT": stand_in.url})


def test_a_new_user_at_the_shell(user: Cli, stand_in: GoogleServer) -> None:
    """The installed command, a browser that is a process, the consent page of the stand-in, then doctor."""
    stand_in.account("shell@example.com", name="Shell Example")
    browser = f"{sys.executable} {user.folder / 'browser.py'} %s shell@example.com"
    done = user.run("gmail", "auth", "--client", "client.json", BROWSER=browser)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Signed in as shell@example.com." in done.stdout
    looked = user.run("doctor", "--url", "http://127.0.0.1:9", "--json")
    found = {f["name"]: f for f in json.loads(looked.stdout)}
    assert [name for name, f in found.items() if not f["ok"]] == ["server"]
    assert found["gmail"]["text"] == "it answers, for shell@example.com"


def test_ctrl_c(user: Cli) -> None:
    """It ends without a word, and nothing is left of the attempt."""
    with user.background("gmail", "auth", "--no-browser", "--client", "client.json") as running:
        running.until("Ctrl-C ends it)")
        running.process.send_signal(signal.SIGINT)
        code, rest = running.end()
    assert (code, rest.strip()) == (130, "…")
    assert not (user.data / "gmail_token.json").exists()
