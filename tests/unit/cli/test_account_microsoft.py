"""`account add` for Microsoft 365, which is a stand-in: a code that is typed in there, tokens for both servers, and what is kept of it."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backends import fail

from email_assistant.adapters.server_search import FoundServers, Provider, ServerSearch, provider_of
from email_assistant.cli import account
from email_assistant.settings import load_settings
from tests.support.mail_servers import LOCAL, relay
from tests.support.mail_tls import Authority, between
from tests.support.microsoft_stand_in import CLIENT_ID, CODE, MAY, SignIns, TokenRelay, microsoft, token_pymap
from tests.unit.cli.called import Command, done
from tests.unit.cli.test_account_add import InMemory

ME = "ana@outlook.com"
DATA = Path(".email_assistant")
TOKEN = DATA / "accounts" / "outlook.token"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SignIns, Provider, Path]]:
    """The stand-in, the provider of the table with the mail servers of this machine, and who vouches for all of them."""
    authority = Authority(tmp_path_factory.mktemp("authority"))
    shows = authority.certified()
    with (
        microsoft(shows, ME) as sign_ins,
        token_pymap(sign_ins) as reading,
        relay(asks=True, made=TokenRelay(sign_ins=sign_ins)) as sending,
        between(reading.port, shows=shows) as imap,
        between(sending.port, shows=shows) as smtp,
    ):
        known = provider_of(ME)
        assert known is not None
        here = {"imap": f"{LOCAL}:{imap.port}", "smtp": f"{LOCAL}:{smtp.port}"}
        yield sign_ins, known.model_copy(update=here), authority.file


@pytest.fixture
def sign_ins(
    servers: tuple[SignIns, Provider, Path], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> SignIns:
    """The stand-in as settings name it, trusted as the system's own authorities are; nothing is wrong yet."""
    found, provider, authority = servers

    class Known(ServerSearch):
        """Finds the provider for any address."""

        def find(self, email: str) -> FoundServers | Provider | None:
            """The same for all."""
            return provider

    found.seconds, found.refusal, found.waits, found.given = 3_600, "", 0, 0
    found.tokens.clear()
    found.refreshing.clear()
    found.asked.clear()
    monkeypatch.setattr(account, "SEARCH", Known())
    monkeypatch.setattr(account, "ZONE_FILE", Path("/nowhere/zoneinfo/Europe/Lisbon"))
    monkeypatch.setattr(keyring.core, "_keyring_backend", fail.Keyring())
    monkeypatch.setattr(sys, "stdin", io.StringIO("Ana\n"))
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, str(authority))
    monkeypatch.setenv("EMAIL_ASSISTANT_MICROSOFT_CLIENT_ID", CLIENT_ID)
    monkeypatch.setenv("EMAIL_ASSISTANT_MICROSOFT_AUTHORITY", found.authority)
    return found


def test_a_code_signs_in(command: Command, sign_ins: SignIns) -> None:
    """Where to type it is told; both servers take the token, which nothing shows; a file of the user's alone keeps what brings the next."""
    sign_ins.waits = 1
    out = done(command("account", "add", ME))
    assert f"Open https://login.example/device in a browser and type the code {CODE} there." in out
    assert f"Signed in. The sign-in is in {TOKEN}, readable by you only." in out
    asked = sign_ins.asked[0]
    scopes = set(asked["scope"].split())
    assert {f"https://outlook.office.com/{each}" for each in MAY} <= scopes
    assert ("offline_access" in scopes, asked["client_id"], len(sign_ins.asked)) == (True, CLIENT_ID, 3)
    made = load_settings()
    assert (made.mailbox, made.email, made.account("outlook").auth) == ("imap:outlook", ME, "microsoft")
    assert TOKEN.stat().st_mode & 0o777 == 0o600
    assert "refresh-token-1" in TOKEN.read_text()
    shown = out + (DATA / "settings.toml").read_text()
    assert not any(each in shown for each in ("access-token", "refresh-token"))
    assert CLIENT_ID in shown
    assert f"ok   imap: {LOCAL} lets {ME} in" in command("doctor")[1]
    assert sign_ins.given == 1, "one that is good is not asked for again"


def test_a_keyring_that_works(command: Command, sign_ins: SignIns) -> None:
    """Has what brings tokens, and no file has it; it is renewed there."""
    keyring.set_keyring(InMemory())
    sign_ins.seconds = 60
    assert "The sign-in is in the system's keyring." in done(command("account", "add", ME))
    assert f"ok   imap: {LOCAL} lets {ME} in" in command("doctor")[1]
    assert sign_ins.given > 1
    assert not any(b"refresh-token" in file.read_bytes() for file in DATA.rglob("*") if file.is_file())


def test_doctor_signs_in_with_another_token(command: Command, sign_ins: SignIns) -> None:
    """One that is about to end is renewed without a question, and what brings the next one is kept in the place of what did this one."""
    sign_ins.seconds = 60
    done(command("account", "add", ME))
    _, out, err = command("doctor", "--send-to-self")
    assert f"ok   imap: {LOCAL} lets {ME} in" in out
    assert f"ok   smtp: replies go out by {LOCAL}:" in out
    assert f"ok   letter to yourself: {LOCAL} has taken it" in out
    assert sign_ins.given > 2
    assert [each for each in sign_ins.refreshing if each in TOKEN.read_text()] == [
        f"refresh-token-{sign_ins.given}"
    ]
    assert not any(each in out + err for each in ("access-token", "refresh-token"))


def test_a_sign_in_that_was_ended(command: Command, sign_ins: SignIns) -> None:
    """Revoked at Microsoft: one line says why and what to run; that brings the account back."""
    sign_ins.seconds = 60
    done(command("account", "add", ME))
    sign_ins.refreshing.clear()
    (line,) = [each for each in command("doctor")[1].splitlines() if "imap: Microsoft" in each]
    assert "imap: Microsoft does not let you in: AADSTS70000: used; run `email-assistant account add" in line
    assert line.count("account add") == 1
    assert "Trace" not in line
    done(command("account", "add", ME))
    assert f"ok   imap: {LOCAL} lets {ME} in" in command("doctor")[1]


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ("access_denied", "Microsoft does not let you in: AADSTS70000: access_denied"),
        ("expired_token", "the code was not used in time"),
        ("", "does not let ana@outlook.com in"),
    ],
)
def test_a_sign_in_that_fails_keeps_nothing(
    command: Command, sign_ins: SignIns, monkeypatch: pytest.MonkeyPatch, refusal: str, words: str
) -> None:
    """Refused by the user, not typed in, or of somebody else's mailbox: one line, no file."""
    sign_ins.refusal = refusal
    if not refusal:
        monkeypatch.setattr(sign_ins, "user", "bo@outlook.com")
    code, _, err = command("account", "add", ME)
    (line,) = err.splitlines()
    assert (code, words in line, "access-token" in line) == (1, True, False), line
    assert not DATA.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "set EMAIL_ASSISTANT_MICROSOFT_CLIENT_ID to its client id, and run this again"),
        (("--imap", "outlook.office365.com:993"), "EMAIL_ASSISTANT_MICROSOFT_CLIENT_ID is not set"),
        (
            ("--imap", "outlook.office365.com", "--smtp", "mail.example:465"),
            "--smtp must be smtp.office365.com",
        ),
        (("--imap", "outlook.office365.com", "--calendar", "https://x.example/"), "there is no CalDAV"),
    ],
)
@pytest.mark.usefixtures("sign_ins")
def test_what_it_needs(
    command: Command, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], words: str
) -> None:
    """No application is ours: one line says what to set; a token is for Microsoft's servers alone."""
    monkeypatch.delenv("EMAIL_ASSISTANT_MICROSOFT_CLIENT_ID")
    code, _, err = command("account", "add", ME, *options)
    (line,) = err.splitlines()
    assert (code, words in line) == (1, True), line
    assert not DATA.exists()


@pytest.mark.usefixtures("sign_ins")
def test_without_the_extra(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says how to install it."""
    monkeypatch.setitem(sys.modules, "msal", None)
    code, _, err = command("account", "add", ME)
    assert (code, "needs msal: `pipx inject email-assistant msal`" in err) == (1, True)
    assert not DATA.exists()
