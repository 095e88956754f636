"""`account add` and `doctor` against Dovecot: encrypted servers with a certificate of one's own, and a mailbox that is full."""

import io
import sys
from pathlib import Path

import pytest

from email_assistant.settings import load_settings
from tests.support.desk import mail
from tests.support.mail_servers import DOVECOT, LOCAL, PASSWORD, dovecot, relay
from tests.support.mail_tls import Authority
from tests.unit.cli.called import Command, done

pytestmark = [
    pytest.mark.skipif(not DOVECOT.exists(), reason="there is no Dovecot: apt-get install dovecot-imapd"),
    pytest.mark.xdist_group("dovecot"),
]
ME = "robin@firm.example"
DATA = Path(".email_assistant")
SECRET = PASSWORD.replace(" ", "_")
"""Dovecot's, which the relay takes as well."""
QUOTA = """
mail_plugins = quota
protocol imap {
  mail_plugins = quota imap_quota
}
plugin {
  quota = maildir:User quota
  quota_rule = *:storage=20K
}
"""


@pytest.fixture(autouse=True)
def one_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of both servers, as of an account."""
    monkeypatch.setattr("tests.support.mail_servers.PASSWORD", SECRET)


def test_certificates_of_one_s_own(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever names who vouches for both servers gets in by STARTTLS; nobody else does, and no password is kept, nor asked again."""
    authority = Authority(tmp_path)
    shown = authority.certified()
    more = f"ssl = required\nssl_cert = <{shown.chain}\nssl_key = <{shown.key}\n"
    with dovecot(more=more) as reading, relay(shown, asks=True) as sending:
        places = ("--imap", f"{LOCAL}:{reading.port}", "--smtp", f"{LOCAL}:{sending.port}")
        own = (*places, "--security", "starttls", "--login", reading.user)
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{SECRET}\n{SECRET}\n"))
        code, _, err = command("account", "add", ME, *own)
        assert (code, "its certificate is not vouched for" in err, DATA.exists()) == (1, True, False)
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{SECRET}\nRobin\n"))
        done(command("account", "add", ME, *own, "--ca-file", str(authority.file)))
        out = command("doctor")[1]
        assert f"ok   smtp: replies go out by {LOCAL}:{sending.port}" in out
        assert "ok   folders: sent mail is in Gesendet, drafts are in Entwürfe" in out
    assert load_settings().account("firm").imap.ca_file == str(authority.file)


def test_a_mailbox_that_is_full(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """How much room is left is told where the server tells it, and to be mended when there is none; so is a password that was changed."""
    with dovecot(more=QUOTA) as reading:
        own = (
            "--imap",
            f"{LOCAL}:{reading.port}",
            "--no-smtp",
            "--security",
            "none",
            "--login",
            reading.user,
        )
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{SECRET}\nRobin\n"))
        done(command("account", "add", ME, *own))
        assert "ok   room: 0.0 of 0.0 MB are taken up" in command("doctor")[1]
        reading.put(mail("x" * 19_400))
        out = command("doctor")[1]
        assert "MEND room: 0.0 of 0.0 MB are taken up → delete mail or get more room" in out
        assert "ok   smtp: drafts only" in out
        (DATA / "accounts" / "firm.password").write_text("old\n")
        out = command("doctor")[1]
        assert f"MEND imap: {LOCAL} does not let robin in" in out
        assert f"→ `email-assistant account add {ME}` asks for it again" in out
        assert "mailbox:" not in out
