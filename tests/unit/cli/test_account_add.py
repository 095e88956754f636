"""`account add`: what it asks, finds, keeps, writes and says; the servers are real ones on this machine."""

import io
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail

from email_assistant.adapters.server_search import FoundServers, Provider, ServerSearch
from email_assistant.cli import account
from email_assistant.cli.running import prepare_samples
from email_assistant.mail_accounts import CalendarServer, Password, Server
from email_assistant.settings import load_settings
from tests.support.calendar_servers import radicale
from tests.support.desk import mail
from tests.support.mail_servers import LOCAL, PASSWORD, ImapServer, Relay, pymap, relay
from tests.unit.cli.called import Command, done, told

ME = "robin@firm.example"
DATA = Path(".email_assistant")
SETTINGS = DATA / "settings.toml"
Type = Callable[..., None]


class InMemory(KeyringBackend):
    """A keyring of the test's own."""

    priority = 9

    def __init__(self) -> None:
        """Holds nothing."""
        self.kept: dict[tuple[str, str], str] = {}
        super().__init__()

    def get_password(self, service: str, username: str) -> str | None:
        """What is kept."""
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep it."""
        self.kept[service, username] = password


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's is never touched, and its time zone is one."""
    monkeypatch.setattr(keyring.core, "_keyring_backend", fail.Keyring())
    monkeypatch.setattr(account, "ZONE_FILE", Path("/nowhere/zoneinfo/Europe/Lisbon"))


@pytest.fixture(scope="module")
def reading() -> Iterator[ImapServer]:
    """Where mail is read."""
    with pymap() as made:
        yield made


@pytest.fixture(scope="module")
def sending() -> Iterator[Relay]:
    """Where it is given in, with a password."""
    with relay(asks=True) as made:
        yield made


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Type:
    """Lets these lines be typed."""
    return lambda *lines: monkeypatch.setattr(
        sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines))
    )


@pytest.fixture
def found(reading: ImapServer, sending: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the search, which finds the servers of this machine."""
    imap = Server(host=LOCAL, port=reading.port, security="none", login=reading.user)
    smtp = Server(host=LOCAL, port=sending.port, security="none", login=reading.user)

    class Known(ServerSearch):
        """Finds them for any address."""

        def find(self, email: str) -> FoundServers | Provider | None:
            """The same for all."""
            return FoundServers(imap, smtp, "the test", "switch IMAP on")

    monkeypatch.setattr(account, "SEARCH", Known())


@pytest.fixture
def own(reading: ImapServer, sending: Relay) -> tuple[str, ...]:
    """The options that name the servers."""
    places = ("--imap", f"{LOCAL}:{reading.port}", "--smtp", f"{LOCAL}:{sending.port}")
    return (*places, "--security", "none", "--login", reading.user)


def stored(file: Path = SETTINGS) -> dict[str, object]:
    """What is set."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


@pytest.mark.usefixtures("found")
def test_two_questions(command: Command, typed: Type, reading: ImapServer, sending: Relay) -> None:
    """Password and name; what was found is told before, and the settings, the secret's file and the words say the rest."""
    typed(PASSWORD, "Robin Firm")
    out = done(command("account", "add", ME))
    assert f"{LOCAL}:{reading.port} and {LOCAL}:{sending.port}, as the test says." in out
    assert "The password is in .email_assistant/accounts/firm.password, readable by you only." in out
    assert PASSWORD not in out
    settings = load_settings()
    assert (settings.mailbox, settings.email, settings.name, settings.timezone) == (
        "imap:firm", ME, "Robin Firm", "Europe/Lisbon",
    )  # fmt: skip
    secret = settings.account_secret("firm")
    assert (secret(), secret.file.stat().st_mode & 0o777, DATA.stat().st_mode & 0o777) == (
        PASSWORD,
        0o600,
        0o700,
    )
    assert SETTINGS.stat().st_mode & 0o777 == 0o600


def test_the_mail_is_found(command: Command, typed: Type, own: tuple[str, ...], reading: ImapServer) -> None:
    """With what was written, doctor signs in to both servers and tells the folders, and sends a letter to oneself when told."""
    reading.empty()
    reading.put(mail("Hi Robin,\n\nwhich oil do you use?\n\nAna"))
    typed(PASSWORD, "")
    done(command("account", "add", ME, *own))
    assert load_settings().name == "Robin"
    code, out, err = command("doctor")
    assert code == 1  # No server runs.
    assert "to be mended: server" in err
    for line in (
        f"ok   imap: {LOCAL} lets robin in",
        "ok   folders: sent mail is in Sent, drafts are in Drafts",
        f"ok   mailbox: imap:{ME}: 1 messages, 1 unread",
        f"ok   smtp: replies go out by {LOCAL}:",
    ):
        assert line in out


def test_a_letter_to_oneself(command: Command, typed: Type, own: tuple[str, ...], sending: Relay) -> None:
    """Only when it is asked for; with a mailbox of this machine nothing is sent."""
    assert (
        "letter to yourself: --send-to-self is for an account over IMAP"
        in command("doctor", "--send-to-self")[1]
    )
    typed(PASSWORD, "Robin")
    done(command("account", "add", ME, *own))
    before = len(sending.accepted)
    command("doctor")
    assert len(sending.accepted) == before
    assert f"ok   letter to yourself: {LOCAL} has taken it (250" in command("doctor", "--send-to-self")[1]
    people, raw = sending.accepted[-1]
    assert (len(sending.accepted), people, f"To: {ME}".encode() in raw) == (before + 1, [ME], True)


@pytest.mark.usefixtures("found")
def test_a_wrong_password_keeps_nothing(command: Command, typed: Type) -> None:
    """It is asked for three times, each time with the hint; then one line, and no file."""
    typed("wrong", "wrong", "wrong", PASSWORD)
    code, out, err = command("account", "add", ME)
    assert code == 1
    assert out.count("does not let robin in") == 2
    assert out.count("(switch IMAP on)") == 2
    assert "nothing was kept" in err
    assert len(err.splitlines()) == 1
    assert "wrong" not in out + err
    assert not DATA.exists()


@pytest.mark.usefixtures("found")
def test_the_second_password_does(command: Command, typed: Type) -> None:
    """One mistyped is no reason to begin again."""
    typed("wrong", PASSWORD, "Robin")
    done(command("account", "add", ME))
    assert load_settings().account_secret("firm")() == PASSWORD


def test_a_password_that_only_sending_refuses(command: Command, typed: Type, own: tuple[str, ...]) -> None:
    """Nothing is kept; for drafts only the same command does."""
    other = list(own)
    with relay(asks=True) as refusing:
        other[3] = f"{LOCAL}:{refusing.port}"
        refusing_all = pytest.MonkeyPatch()
        refusing_all.setattr("tests.support.mail_servers.PASSWORD", "another")
        typed(*[PASSWORD] * 3)
        line = told_last(command("account", "add", ME, *other))
        refusing_all.undo()
    assert "535" in line
    assert not DATA.exists()
    typed(PASSWORD, "Robin")
    assert "no server to send over" in done(command("account", "add", ME, *own[:2], "--no-smtp", *own[4:]))
    assert load_settings().account("firm").smtp is None
    assert "smtp: drafts only" in command("doctor")[1]


def told_last(result: tuple[int, str, str]) -> str:
    """The one line on stderr of a command that failed after it had asked."""
    code, _, err = result
    (line,) = err.splitlines()
    assert code == 1
    return line


def test_a_server_that_is_not_there(command: Command, typed: Type, own: tuple[str, ...]) -> None:
    """No other password mends that: one line, at once."""
    typed(PASSWORD)
    line = told_last(command("account", "add", ME, "--imap", f"{LOCAL}:1", *own[2:]))
    assert "cannot be reached" in line
    assert not DATA.exists()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ana@gmail.com", "run `email-assistant gmail auth`"),
        ("ana@googlemail.com", "run `email-assistant gmail auth`"),
        ("ana@outlook.com", "lets no password in"),
        ("ana", "must be one email address"),
        ("ana@firm.example\x1b[31m", "must be one email address"),
    ],
)
def test_an_address_that_has_another_way(command: Command, address: str, words: str) -> None:
    """One line says which; nothing is asked and nothing kept."""
    assert words in told(command("account", "add", address))
    assert not DATA.exists()


def test_gmail_with_an_app_password(command: Command, typed: Type) -> None:
    """Who names Gmail's server goes on; the one for sending is known."""
    typed("")
    code, out, err = command("account", "add", "ana@gmail.com", "--imap", "imap.gmail.com:993")
    assert (code, "no password was given; nothing was kept" in err) == (1, True)
    assert "imap.gmail.com:993 and smtp.gmail.com:465, as you say." in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--imap", "imap.firm.example", "--no-smtp", "--security", "none"),
            "imap.firm.example is not this machine",
        ),
        (("--imap", "imap.firm.example"), "--imap needs --smtp"),
        (("--login", "ana"), "--imap HOST:PORT is missing"),
        (("--imap", "imap.firm.example", "--no-smtp", "--security", "ssl"), "must be tls, starttls or none"),
        (("--name", "My Home"), "must be small letters and digits"),
    ],
)
def test_options_that_are_wrong(command: Command, options: tuple[str, ...], words: str) -> None:
    """A password in clear goes to this machine alone; one line says what is wrong."""
    assert words in told(command("account", "add", ME, *options))
    assert not DATA.exists()


MINE = '''# My settings.
EMAIL_ASSISTANT_NAME = "R. Firm"   # as on my card
EMAIL_ASSISTANT_MAILBOX = "maildir"
EMAIL_ASSISTANT_BACKGROUND = """
[accounts.firm]
EMAIL_ASSISTANT_MAILBOX = none of a setting
"""
'''


def test_what_the_user_wrote_stays(command: Command, typed: Type, own: tuple[str, ...]) -> None:
    """But for what is replaced, in its place; what was set is not asked, and an account that is added again changes what is new."""
    DATA.mkdir()
    SETTINGS.write_text(MINE)
    typed(PASSWORD)
    done(command("account", "add", ME, *own))
    text = SETTINGS.read_text()
    kept = [line for line in MINE.splitlines() if line != 'EMAIL_ASSISTANT_MAILBOX = "maildir"']
    assert all(line in text for line in kept)
    settings = load_settings()
    assert (settings.name, settings.mailbox, settings.background) == (
        "R. Firm", "imap:firm", "[accounts.firm]\nEMAIL_ASSISTANT_MAILBOX = none of a setting\n",
    )  # fmt: skip
    typed(PASSWORD)
    done(command("account", "add", ME, *own))
    assert SETTINGS.read_text() == text
    typed(PASSWORD)
    done(command("account", "add", ME, *own[:2], "--no-smtp", *own[4:]))
    assert load_settings().account("firm").smtp is None
    assert all(line in SETTINGS.read_text() for line in kept)


def test_what_wins_is_said(
    command: Command, typed: Type, own: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A setting of the environment, or of the user's own file, that stands against the account."""
    Path("email_assistant.toml").write_text('EMAIL_ASSISTANT_EMAIL = "sam@example.org"\n')
    typed(PASSWORD, "Robin")
    out = done(command("account", "add", ME, *own))
    assert f"EMAIL_ASSISTANT_EMAIL is set to sam@example.org by you, which counts: set it to {ME}" in out
    monkeypatch.setenv("EMAIL_ASSISTANT_MAILBOX", "maildir")
    typed(PASSWORD)
    assert "EMAIL_ASSISTANT_MAILBOX is set to maildir by you, which counts: set it to imap:firm" in done(
        command("account", "add", ME, *own)
    )


def test_the_samples_stay(command: Command, typed: Type, own: tuple[str, ...]) -> None:
    """The account gets a data folder of its own, which is used from then on; the samples' is as it was, its day too."""
    prepare_samples()
    before = {file: file.read_bytes() for file in DATA.rglob("*") if file.is_file()}
    Path("email_assistant.toml").write_text("# mine\nEMAIL_ASSISTANT_HOLD_SECONDS = 5\n")
    typed(PASSWORD, "Robin")
    out = done(command("account", "add", ME, *own))
    assert (
        ".email_assistant stays as it is; email_assistant.toml names .email_assistant-firm as the data folder."
        in out
    )
    assert {file: file.read_bytes() for file in DATA.rglob("*") if file.is_file()} == before
    settings = load_settings()
    assert (settings.data_dir, settings.mailbox, settings.email) == (
        Path(".email_assistant-firm"),
        "imap:firm",
        ME,
    )
    assert (settings.today, settings.hold_seconds, settings.name) == (None, 5, "Robin")
    assert Path("email_assistant.toml").read_text().startswith("# mine\nEMAIL_ASSISTANT_HOLD_SECONDS = 5\n")


def test_a_second_account(command: Command, typed: Type, own: tuple[str, ...]) -> None:
    """It is written beside the first, which stays in use; one line says so and how to switch, and the list has both."""
    typed(PASSWORD, "Robin")
    done(command("account", "add", ME, *own))
    typed(PASSWORD, "")
    out = done(command("account", "add", "robin@other.example", *own))
    assert (
        "imap:firm stays the mailbox in use, and robin@other.example is not looked at: "
        "to switch, set EMAIL_ASSISTANT_DATA_DIR to .email_assistant-other."
    ) in out
    assert load_settings().mailbox == "imap:firm"
    switched = load_settings(data_dir=Path(".email_assistant-other"))
    assert (switched.mailbox, switched.email, switched.name) == ("imap:other", "robin@other.example", "Robin")
    assert switched.account_secret("other")() == PASSWORD


def test_two_accounts_of_one_domain(command: Command, typed: Type, own: tuple[str, ...]) -> None:
    """The second is called by what stands before the @; a name that is another's is refused."""
    typed(PASSWORD, "Robin")
    done(command("account", "add", ME, *own))
    assert "no other account's" in told(command("account", "add", "ana@firm.example", *own, "--name", "firm"))
    typed(PASSWORD, "Ana")
    assert "[accounts.ana]" in done(command("account", "add", "ana@firm.example", *own))


def test_a_keyring_that_works(command: Command, typed: Type, own: tuple[str, ...]) -> None:
    """Has the password, and no file has it; a file is read before, the environment before that."""
    keyring.set_keyring(InMemory())
    typed(PASSWORD, "Robin")
    assert "The password is in the system's keyring." in done(command("account", "add", ME, *own))
    secret = load_settings().account_secret("firm")
    assert (secret(), secret.file.exists()) == (PASSWORD, False)
    assert not any(PASSWORD.encode() in file.read_bytes() for file in DATA.rglob("*") if file.is_file())
    secret.file.parent.mkdir()
    secret.file.write_text("of the file\n")
    assert secret() == "of the file"
    assert Password("firm", "given", secret.file.parent, ME)() == "given"


def test_a_password_that_no_server_takes(command: Command, typed: Type, own: tuple[str, ...]) -> None:
    """What protocols do not carry is told in one line."""
    typed("pässwort")
    assert "beyond ASCII" in told_last(command("account", "add", ME, *own))


def test_servers_that_nobody_knows(command: Command, typed: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Are asked for, the one for sending with a guess; names that nobody vouches for have to be looked at."""

    class Unknown(ServerSearch):
        """Finds what it is told to."""

        result: FoundServers | None = None

        def find(self, email: str) -> FoundServers | Provider | None:
            """The same for all."""
            return self.result

    monkeypatch.setattr(account, "SEARCH", search := Unknown())
    typed("imap.localhost:1", "", PASSWORD)
    code, out, err = command("account", "add", ME)
    assert (
        code,
        "[smtp.localhost]" in out,
        "imap.localhost:1 and smtp.localhost:465, as you say." in out,
    ) == (1, True, True)
    assert "cannot be reached" in err
    elsewhere = FoundServers(
        Server(host=LOCAL, port=1), Server(host=LOCAL, port=1), "the name servers", is_sure=False
    )
    object.__setattr__(search, "result", elsewhere)
    typed("n")
    code, out, err = command("account", "add", ME)
    assert (code, "Nobody vouches for these names" in out, "name the servers yourself" in err) == (
        1,
        True,
        True,
    )


def test_folders_that_nobody_knows(command: Command, typed: Type) -> None:
    """Are asked for when there is a choice, and written down; those that were named, or whose names tell it, are not asked again."""
    with pymap() as server:
        own = ("--imap", f"{LOCAL}:{server.port}", "--no-smtp", "--security", "none", "--login", server.user)
        with server.program() as client:
            for name in ("Papierkorb", "Verschickt", "Notizen"):
                client.create(name)
        typed(PASSWORD, "0", "0", "Robin")
        out = done(command("account", "add", ME, *own))
        assert "which folder sent mail is in.\n0 make a folder Sent\n1 Notizen\n2 Verschickt\n" in out
        assert "which folder drafts are in.\n0 make a folder Drafts\n1 Notizen\n2 Verschickt\n" in out
        imap = {"host": LOCAL, "port": server.port, "security": "none", "login": server.user}
        assert stored()["accounts"] == {"firm": {"email": ME, "imap": imap}}
        typed(PASSWORD, "9", "2", "1")
        assert "0 make a folder Drafts\n1 Notizen\nD" in done(command("account", "add", ME, *own))
        typed(PASSWORD)
        done(command("account", "add", ME, *own))
        named = {"sent": "Verschickt", "drafts": "Notizen"}
        assert stored()["accounts"] == {"firm": {"email": ME, "imap": imap | named}}
        assert "ok   folders: sent mail is in Verschickt, drafts are in Notizen" in command("doctor")[1]
        server.rename("Verschickt", "Ausgang")
        line = f'imap.sent of {ME} is "Verschickt", and there is no such folder; there are: Ausgang, Notizen, Papierkorb'
        assert f"MEND imap: {line} → " in command("doctor")[1]


def test_its_calendar(command: Command, typed: Type, own: tuple[str, ...]) -> None:
    """Of several the one that is chosen is written down; one that was looked for and lets nobody in costs the account nothing."""
    with radicale({"robin": PASSWORD}) as server:
        paths = sorted((server.make("home"), server.make("work")))
        typed(PASSWORD, "2", "Robin")
        out = done(command("account", "add", ME, *own, "--calendar", server.base))
        assert "1 home\n2 work\n" in out
        made = load_settings()
        assert made.calendar == "caldav:firm"
        assert made.account("firm").calendar == CalendarServer(url=f"{server.base}{paths[1]}", login="robin")
        typed(PASSWORD)
        done(command("account", "add", ME, *own, "--no-calendar"))
        assert (load_settings().calendar, load_settings().account("firm").calendar) == ("ics", None)
        typed(PASSWORD)
        wrong = ("--calendar", f"{server.base}/nowhere/")
        code, _, err = command("account", "add", "ana@other.example", *own, *wrong)
        assert (code, "nothing was kept" in err, Path(".email_assistant-other").exists()) == (1, True, False)


@pytest.mark.usefixtures("found")
def test_a_calendar_that_does_not_open(
    command: Command, typed: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was looked for, and lets nobody in: that is told, and the mail is used all the same."""
    with radicale({}) as server:
        find = account.SEARCH.find
        monkeypatch.setattr(account.SEARCH, "find", lambda email: replace(find(email), calendar=server.base))
        typed(PASSWORD, "Robin")
        assert "Without its calendar: 127.0.0.1 does not let robin@firm.example in." in done(
            command("account", "add", ME)
        )
    made = load_settings()
    assert (made.mailbox, made.calendar, made.account("firm").calendar) == ("imap:firm", "ics", None)
