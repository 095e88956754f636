"""Identity tokens of pushes, signed by a key of our own in the place of Google's."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from google.auth import crypt, jwt
from pytest_httpserver import HTTPServer

from email_assistant.adapters.google.access import Places
from email_assistant.adapters.google.push_identity import PushIdentity
from email_assistant.errors import InputError, TransientError

AUDIENCE = "https://hook.example.com/push/gmail"
ACCOUNT = "pusher@project.iam.gserviceaccount.com"
Sign = Callable[..., str]


def a_key() -> tuple[bytes, bytes]:
    """A private key and its self-signed certificate, as PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    certificate = builder.sign(key, hashes.SHA256())
    form = serialization.PrivateFormat.TraditionalOpenSSL
    private = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    return private, certificate.public_bytes(serialization.Encoding.PEM)


KEY, CERTIFICATE = a_key()
OTHER_KEY, _ = a_key()


@pytest.fixture
def identity(httpserver: HTTPServer) -> PushIdentity:
    """A check that gets its certificates from the loopback."""
    httpserver.expect_request("/oauth2/v1/certs").respond_with_json({"one": CERTIFICATE.decode()})
    return at(httpserver)


def at(httpserver: HTTPServer) -> PushIdentity:
    """A check that gets its certificates from there."""
    return PushIdentity(Places(httpserver.url_for("").rstrip("/")), AUDIENCE, ACCOUNT)


def token(*, key: bytes = KEY, **changes: Any) -> str:
    """A token as Pub/Sub shows it, with changes."""
    now = int(datetime.now(UTC).timestamp())
    claims = {
        "iss": "https://accounts.google.com",
        "aud": AUDIENCE,
        "email": ACCOUNT,
        "email_verified": True,
        "iat": now,
        "exp": now + 600,
    }
    return str(jwt.encode(crypt.RSASigner.from_string(key, "one"), claims | changes).decode())


async def test_the_expected_account_is_let_in(identity: PushIdentity) -> None:
    """Google's signature, our audience, the named account."""
    await identity.verify(token())


NOW = int(datetime.now(UTC).timestamp())


@pytest.mark.parametrize(
    "changes",
    [
        {"key": OTHER_KEY},
        {"aud": "https://other.example.com"},
        {"email": "mallory@project.iam.gserviceaccount.com"},
        {"email_verified": False},
        {"email_verified": "true"},
        {"iss": "https://evil.example"},
        {"exp": NOW - 3600, "iat": NOW - 7200},
        {"iat": NOW + 7200, "exp": NOW + 9000},
        {"email": None},
        {"iat": "now"},
        {"exp": None},
        {"exp": True},
        {"aud": [AUDIENCE]},
    ],
)
async def test_anybody_else_is_refused(identity: PushIdentity, changes: dict[str, Any]) -> None:
    """Each claim counts: anybody can have Google sign a token for any audience."""
    with pytest.raises(InputError, match="identity token"):
        await identity.verify(token(**changes))


async def test_certificates_are_kept_for_a_minute(httpserver: HTTPServer) -> None:
    """Many pushes at once ask for them once, and so do strangers' tokens; after their time they are asked for anew."""
    httpserver.expect_ordered_request("/oauth2/v1/certs").respond_with_json({"zero": CERTIFICATE.decode()})
    httpserver.expect_ordered_request("/oauth2/v1/certs").respond_with_json({"one": CERTIFICATE.decode()})
    identity, now = at(httpserver), 0.0
    identity.certificates.monotonic = lambda: now
    for now in (0.0, 59.0):  # noqa: B007 - the clock reads it
        with pytest.raises(InputError):
            await identity.verify(token())
    assert len(httpserver.log) == 1
    now = 60.0
    await asyncio.gather(*(identity.verify(token()) for _ in range(20)))
    assert len(httpserver.log) == 2


@pytest.mark.parametrize("content", ["[]", "{", "[" * 100_000, '"text"', '{"one": "no certificate"}'])
async def test_certificates_that_are_none_let_nobody_in(httpserver: HTTPServer, content: str) -> None:
    """Whatever comes in their place, and however much of it."""
    httpserver.expect_request("/oauth2/v1/certs").respond_with_data(content)
    with pytest.raises((InputError, TransientError)):
        await at(httpserver).verify(token())


@pytest.mark.parametrize("junk", ["", "x", "a.b.c", "a" * 100_000, "é.é.é", token()[:-3]])
async def test_junk_is_refused(identity: PushIdentity, junk: str) -> None:
    """What is no token at all, or one that was cut."""
    with pytest.raises(InputError):
        await identity.verify(junk)


async def test_without_google_s_keys_it_is_to_come_again(httpserver: HTTPServer) -> None:
    """An outage of the certificates is not the pusher's fault."""
    places = Places("http://127.0.0.1:9")
    with pytest.raises(TransientError):
        await PushIdentity(places, AUDIENCE, ACCOUNT).verify(token())
    httpserver.expect_request("/oauth2/v1/certs").respond_with_data("no", status=500)
    with pytest.raises(TransientError):
        await PushIdentity(Places(httpserver.url_for("").rstrip("/")), AUDIENCE, ACCOUNT).verify(token())
