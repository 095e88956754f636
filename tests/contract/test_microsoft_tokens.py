"""Tokens in the place of a password: XOAUTH2 at servers that are real, and renewal by several processes at once at a stand-in."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from email_assistant.adapters.imap.connection import Commands, Connection
from email_assistant.adapters.microsoft import Microsoft
from email_assistant.adapters.smtp import AccessToken, in_thread
from email_assistant.adapters.smtp import Relay as SmtpRelay
from email_assistant.errors import AccessError
from email_assistant.mail_accounts import Account, KeptSecret, Server
from email_assistant.settings import Settings
from tests.support.mail_servers import DOVECOT, ImapServer, relay
from tests.support.mail_tls import LOCAL, Authority
from tests.support.microsoft_stand_in import (
    CLIENT_ID,
    SignIns,
    TokenRelay,
    microsoft,
    token_dovecot,
    token_pymap,
)

ME = "ana@outlook.example"
AGAIN = f"; run `email-assistant account add {ME}` again"
NEEDS_DOVECOT = pytest.mark.skipif(
    not DOVECOT.exists(), reason="there is no Dovecot: apt-get install dovecot-imapd"
)
DATA = """
EMAIL_ASSISTANT_MICROSOFT_CLIENT_ID = "{client}"
EMAIL_ASSISTANT_MICROSOFT_AUTHORITY = "{authority}"
[accounts.outlook]
email = "{email}"
auth = "microsoft"
"""
PROCESS = """
from email_assistant.adapters.microsoft import secret_of
from email_assistant.settings import load_settings
secret = secret_of(load_settings(), "outlook")
print(*(secret() for _ in range(4)))
"""


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Vouches for the stand-in."""
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def sign_ins(authority: Authority) -> Iterator[SignIns]:
    """The stand-in."""
    with microsoft(authority.certified(), ME) as made:
        yield made


@pytest.fixture(params=["pymap", pytest.param("dovecot", marks=[pytest.mark.whole, NEEDS_DOVECOT])])
def imap(request: pytest.FixtureRequest, sign_ins: SignIns) -> Iterator[ImapServer]:
    """A server of each kind that asks the stand-in whose a token is."""
    with token_pymap(sign_ins) if request.param == "pymap" else token_dovecot(sign_ins) as server:
        yield server


async def test_imap(imap: ImapServer, sign_ins: SignIns) -> None:
    """A token that is good opens the mailbox; any other one is refused in one line that says what to do, and is not shown."""
    sign_ins.tokens.add("good")
    place = Server(host=LOCAL, port=imap.port, security="none")
    connection = Connection(place, ME, AccessToken(lambda: "good"))
    assert "INBOX" in {name for _, _, name in await connection.run(Commands.folders)}
    connection.close()
    wrong = Connection(place, ME, AccessToken(lambda: "wrong-one", AGAIN))
    with pytest.raises(AccessError, match=f"^{LOCAL} does not let {ME} in: .*{AGAIN}$") as error:
        await wrong.run(Commands.folders)
    assert "wrong-one" not in str(error.value)
    assert "\n" not in str(error.value)
    wrong.close()


async def test_smtp(sign_ins: SignIns) -> None:
    """The same; the reason that a server gives is answered with an empty line."""
    sign_ins.tokens.add("good")
    made = TokenRelay(sign_ins=sign_ins)
    with relay(asks=True, made=made):
        place = Server(host=LOCAL, port=made.port, security="none")
        submission = await in_thread(SmtpRelay(place, ME, AccessToken(lambda: "good")).open)
        await in_thread(submission.envelope, ME, ["bo@example.org"], 30)
        submission.close()
        with pytest.raises(AccessError, match=f"^{LOCAL} does not let you in: 535 .*{AGAIN}$") as error:
            await in_thread(SmtpRelay(place, ME, AccessToken(lambda: "wrong-one", AGAIN)).open)
    assert made.answers == [b"\r\n"]
    assert "wrong-one" not in str(error.value)
    assert "\n" not in str(error.value)


def test_processes_that_renew_at_once(sign_ins: SignIns, authority: Authority, tmp_path: Path) -> None:
    """Each gets a token that is good every time, though what brings one is good once: none takes another's, and nothing is torn."""
    sign_ins.seconds = 60
    environment = {
        **os.environ,
        "EMAIL_ASSISTANT_DATA_DIR": str(tmp_path),
        "REQUESTS_CA_BUNDLE": str(authority.file),
    }
    (tmp_path / "settings.toml").write_text(
        DATA.format(client=CLIENT_ID, authority=sign_ins.authority, email=ME), encoding="utf-8"
    )
    kept = Account(email=ME, auth="microsoft").kept_secret("outlook", tmp_path / "accounts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REQUESTS_CA_BUNDLE", str(authority.file))
        settings = Settings(microsoft_client_id=CLIENT_ID, microsoft_authority=sign_ins.authority)
        kept.keep(Microsoft.of(settings).sign_in(lambda line: None)[1])
    before = sign_ins.given
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS], env=environment, cwd=tmp_path, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    told = [process.communicate(timeout=60)[0].split() for process in started]
    tokens = [each for line in told for each in line]
    assert [len(line) for line in told] == [4, 4, 4]
    assert set(tokens) <= sign_ins.tokens
    assert sign_ins.given == before + 12
    assert f"refresh-token-{sign_ins.given}" in kept.read()
    assert KeptSecret(kept.file).file.stat().st_mode & 0o777 == 0o600
