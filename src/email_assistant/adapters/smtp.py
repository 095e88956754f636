"""Giving a message in for sending over SMTP (RFC 5321, 6409), step by step: only so is the moment known from which it may be out."""

import asyncio
import re
import smtplib
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TypeVar

from email_assistant.errors import AccessError, ProviderError, TransientError, UncertainError
from email_assistant.mail.text import one_line
from email_assistant.mail_accounts import Password, Server

CONNECT_SECONDS, STEP_SECONDS, END_SECONDS = 30.0, 120.0, 600.0
"""How long a server may take: to be reached, for a step, and for its answer to the whole text (RFC 5321 §4.5.3.2.6)."""
_OWN_NAME = "[127.0.0.1]"
"""What this machine is called, which is nobody's business."""
_MAYBE = re.compile(r"421\b|[45]\d\d[ -][45]\.4\.\d")
"""A proxy that has lost the server behind it answers so, whether the mail went out or not."""
_RENEW = "whoever runs the server has to renew it, or the clock here is wrong"
_RENAME = "set host to a name that it is for"
_MENDED = {9: _RENEW, 10: _RENEW, 62: _RENAME, 64: _RENAME}
"""What mends a certificate, by OpenSSL's numbers."""
_BYTES = re.compile(r"\bb(['\"])(.*)\1$")
"""How imaplib quotes what a server has said."""
_BARE_LINE_END = re.compile(rb"\r?\n|\r(?!\n)")
_DOT = re.compile(rb"^\.", re.MULTILINE)


Secret = Callable[[], str]
"""Tells the password of an account when it is needed; raises `AccessError` when there is none."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A `Secret` that is a token, which servers are told by XOAUTH2 in the place of a password."""

    read: Secret
    hint: str = ""
    """What to do when a server does not take it, as the end of a line."""

    def __call__(self) -> str:
        """The token."""
        return self.read()

    def answers(self, login: str) -> Callable[..., str]:
        """Answers challenges: whose token it is, then an empty line to why it is refused, which the server waits for."""
        answers = chain([f"user={login}\1auth=Bearer {self.read()}\1\1"], repeat(""))
        return lambda challenge=None: next(answers)


_THREADS = ThreadPoolExecutor(8, "smtp")
"""Of their own: a server may take ten minutes for its last answer."""


async def in_thread(work: Callable[..., T], *args: object) -> T:
    """What `work` returns, which blocks."""
    return await asyncio.get_running_loop().run_in_executor(_THREADS, work, *args)


@dataclass(frozen=True)
class Relay:
    """A server that sends mail on."""

    server: Server
    login: str
    secret: Secret

    def open(self) -> "Submission":
        """Connect and sign in. Blocks. Raises `AccessError`, `ProviderError`, `TransientError`."""
        server = self.server
        with told(server.host):
            context = tls_context(server)
            if server.security == "tls":
                client: smtplib.SMTP = smtplib.SMTP_SSL(
                    server.host, server.port, _OWN_NAME, timeout=CONNECT_SECONDS, context=context
                )
            else:
                client = smtplib.SMTP(server.host, server.port, _OWN_NAME, timeout=CONNECT_SECONDS)
        submission = Submission(client, server.host)
        try:
            with told(server.host, hint_of(self.secret)):
                _timeout(client, STEP_SECONDS)
                if server.security == "starttls":
                    client.starttls(context=context)
                client.ehlo_or_helo_if_needed()
                if isinstance(self.secret, AccessToken):
                    client.auth("XOAUTH2", self.secret.answers(self.login))
                elif client.has_extn("auth"):
                    client.login(self.login, self.secret())
        except BaseException:
            submission.close()
            raise
        return submission


@dataclass(frozen=True)
class Submission:
    """A connection on which one message is given in; all of it blocks."""

    client: smtplib.SMTP
    host: str

    def envelope(self, sender: str, recipients: Sequence[str], size: int) -> None:
        """From whom and to whom. Raises an error that names the first recipient who is refused: nobody gets it then."""
        with told(self.host):
            options = [f"size={size}"] if self.client.has_extn("size") else []
            self._check(*self.client.mail(sender, options))
            for each in recipients:
                self._check(*self.client.rcpt(each), about=f"{each}: ")

    def text(self, raw: bytes) -> None:
        """The whole message, but for the end."""
        with told(self.host):
            self.client.putcmd("data")
            code, said = self.client.getreply()
            self._check(code, said, expected=354)
            body = _DOT.sub(b"..", _BARE_LINE_END.sub(b"\r\n", raw))
            self.client.send(body if body.endswith(b"\r\n") else body + b"\r\n")

    def end(self) -> str:
        """The end of the message: now it is out, or is not; what the server says. Raises `UncertainError` when that cannot be told."""
        try:
            _timeout(self.client, END_SECONDS)
            self.client.send(b".\r\n")
            code, said = self.client.getreply()
        except (OSError, smtplib.SMTPException) as error:
            raise UncertainError(
                f"the connection to {self.host} broke after the text was handed over"
            ) from error
        answer = f"{code} {_text(said)}"
        if _MAYBE.match(answer):
            raise UncertainError(f"{self.host} answered {answer} after the text was handed over")
        self._check(code, said)
        return answer

    def close(self) -> None:
        """Hang up; what was not ended is not sent."""
        with suppress(OSError, smtplib.SMTPException):
            self.client.close()

    def _check(self, code: int, said: bytes, *, about: str = "", expected: int = 0) -> None:
        if code == expected or (not expected and 200 <= code < 300):
            return
        text = f"not sent: {self.host}: {about}{code} {_text(said)}"
        raise (TransientError if 400 <= code < 500 else ProviderError)(text)


def tls_context(server: Server) -> ssl.SSLContext | None:
    """What vouches for the server; None where nothing is encrypted. Raises `ProviderError` for a file that cannot be read."""
    if server.security == "none":
        return None
    try:
        return ssl.create_default_context(cafile=server.ca_file or None)
    except OSError as error:
        raise ProviderError(f"ca_file {server.ca_file} cannot be read: {error}") from error


def hint_of(secret: Secret) -> str:
    """Where the password is that was refused, or what brings another token, as the end of a line."""
    return secret.hint if isinstance(secret, Password | AccessToken) else ""


def lost(host: str, error: Exception) -> TransientError:
    """The error of a connection that was not made, or broke."""
    return TransientError(f"{host} cannot be reached, or hung up: {said_in(error)}")


def said_in(error: Exception) -> str:
    """What an error says."""
    return _BYTES.sub(r"\2", one_line(str(error))) or type(error).__name__


@contextmanager
def told(host: str, hint: str = "") -> Iterator[None]:
    """What goes wrong on the way, as a domain error of one line; `hint` ends the one of a password."""
    try:
        yield
    except smtplib.SMTPAuthenticationError as error:
        text = f"{host} does not let you in: {error.smtp_code} {_text(error.smtp_error)}"
        is_passing = 400 <= error.smtp_code < 500
        raise (TransientError(text) if is_passing else AccessError(text + hint)) from error
    except smtplib.SMTPNotSupportedError as error:
        raise AccessError(f"{host}: {said_in(error).rstrip('.')}; nothing was sent in clear") from error
    except ssl.SSLCertVerificationError as error:
        mended = _MENDED.get(error.verify_code, "set ca_file if its authority is your firm's own")
        raise AccessError(
            f"{host}: its certificate is not vouched for ({error.verify_message}); {mended}"
        ) from error
    except (ssl.SSLEOFError, ssl.SSLZeroReturnError) as error:
        raise lost(host, error) from error
    except ssl.SSLError as error:
        said = error.reason or said_in(error)
        raise ProviderError(f"{host} does not speak TLS here: {said}; check port and security") from error
    except smtplib.SMTPResponseException as error:
        kind = TransientError if 400 <= error.smtp_code < 500 else ProviderError
        raise kind(f"{host}: {error.smtp_code} {_text(error.smtp_error)}") from error
    except OSError as error:  # What smtplib raises else is one, too.
        raise lost(host, error) from error


def _text(said: bytes | str) -> str:
    return one_line(said.decode(errors="replace") if isinstance(said, bytes) else said)


def _timeout(client: smtplib.SMTP, seconds: float) -> None:
    if isinstance(client.sock, socket.socket):
        client.sock.settimeout(seconds)
