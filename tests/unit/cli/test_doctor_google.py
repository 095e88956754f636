"""What `doctor` says of a Google account."""

import asyncio
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_httpserver
from werkzeug import Response

from email_assistant.app import Container
from email_assistant.cli.doctor import Finding
from email_assistant.cli.doctor_google import google_findings
from email_assistant.clock import FixedClock
from email_assistant.settings import load_settings
from tests.support.dev_server import free_port
from tests.support.google_browser import GRANTED, WrittenGoogle, api_error, refusing

CLIENT = {"installed": {"client_id": "client-1.apps.example", "client_secret": "s3cret-of-the-client"}}
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
TOKEN: dict[str, Any] = {
    "token": "access-1",
    "refresh_token": "refresh-1",
    "client_id": "client-1.apps.example",
    "client_secret": "s3cret-of-the-client",
    "scopes": GRANTED.split(),
    "expiry": "2099-01-01T00:00:00Z",
}


@pytest.fixture
def google(httpserver: pytest_httpserver.HTTPServer) -> WrittenGoogle:
    """A Google whose answers the test writes."""
    return WrittenGoogle(httpserver)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder after a sign-in."""
    for name, content in (("gmail_token.json", TOKEN), ("gmail_secret.json", CLIENT)):
        (tmp_path / name).write_text(json.dumps(content))
        (tmp_path / name).chmod(0o600)
    return tmp_path


def house_of(google: WrittenGoogle, data: Path, **settings: str) -> Container:
    """What these settings describe; Gmail and Google Calendar of robin@example.com unless they say otherwise."""
    usual = {
        "EMAIL_ASSISTANT_DATA_DIR": str(data),
        "EMAIL_ASSISTANT_GOOGLE_ENDPOINT": google.url,
        "EMAIL_ASSISTANT_MAILBOX": "gmail",
        "EMAIL_ASSISTANT_CALENDAR": "google",
        "EMAIL_ASSISTANT_EMAIL": "robin@example.com",
    }
    return Container(load_settings(usual | settings, data))


def look(built: Container) -> dict[str, Finding]:
    """The findings by name, one each; no secret and no line end is in them, and nothing in the folder changes."""
    folder = built.settings.data_path
    before = {f.name: f.read_bytes() for f in folder.iterdir()}
    found = asyncio.run(google_findings(built))
    assert {f.name: f.read_bytes() for f in folder.iterdir()} == before
    for finding in found:
        shown = finding.text + finding.mend
        assert finding.ok == (not finding.mend)
        assert "\n" not in shown
        for secret in ("access-1", "access-2", "refresh-1", "s3cret"):
            assert secret not in shown
    named = {f.name: f for f in found}
    assert len(named) == len(found)
    return named


def write_token(data: Path, **changes: Any) -> None:
    """Change the token's file."""
    told = {k: v for k, v in (TOKEN | changes).items() if v is not None}
    (data / "gmail_token.json").write_text(json.dumps(told))


def only_wrong(found: Mapping[str, Finding], name: str) -> Finding:
    """The one finding that is to be mended."""
    assert [f.name for f in found.values() if not f.ok] == [name]
    return found[name]


def test_all_is_well(google: WrittenGoogle, data: Path) -> None:
    """Every check is there, and says what it saw."""
    found = look(house_of(google, data))
    assert list(found) == [
        "google token", "google scopes", "google quota", "aliases", "google client",
    ]  # fmt: skip
    assert all(f.ok for f in found.values())
    assert found["google token"].text.endswith("gmail_token.json, for robin@example.com")
    assert found["google scopes"].text == "all that gmail and calendar ask for"


def test_an_expired_token_is_refreshed_for_the_look_only(google: WrittenGoogle, data: Path) -> None:
    """The refresh shows that it works, and the file stays as it was (`look` compares it)."""
    write_token(data, expiry="2020-01-01T00:00:00Z")
    google.token = {"access_token": "access-2", "expires_in": 3599, "token_type": "Bearer", "scope": GRANTED}
    assert all(f.ok for f in look(house_of(google, data)).values())
    assert [e["grant_type"] for e in google.exchanges] == ["refresh_token"]


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o700])
@pytest.mark.parametrize(
    ("file", "name"), [("gmail_token.json", "google token"), ("gmail_secret.json", "google client")]
)
def test_a_file_that_others_may_read(
    google: WrittenGoogle, data: Path, mode: int, file: str, name: str
) -> None:
    """The line to mend it can be pasted."""
    (data / file).chmod(mode)
    wrong = only_wrong(look(house_of(google, data)), name)
    assert wrong.mend.startswith("chmod 600 ")
    assert wrong.mend.endswith(file)
    os.chmod(data / file, stat.S_IRUSR)
    assert look(house_of(google, data))[name].ok


@pytest.mark.parametrize(
    ("content", "text", "mend"),
    [
        (None, "nobody has signed in to Google yet", "run `email-assistant gmail auth`"),
        ("{", "gmail_token.json is not JSON", "run `email-assistant gmail auth`"),
        ("{}", "neither 'token' nor 'refresh_token'", "run `email-assistant gmail auth`"),
        ('{"token": "x", "expiry": "soon"}', "unreadable 'expiry'", "soon"),
    ],
)
def test_a_token_that_is_none(
    google: WrittenGoogle, data: Path, content: str | None, text: str, mend: str
) -> None:
    """What can be checked without it is."""
    (data / "gmail_token.json").unlink()
    if content is not None:
        (data / "gmail_token.json").write_text(content)
    found = look(house_of(google, data))
    assert list(found) == ["google token", "google client"]
    wrong = only_wrong(found, "google token")
    assert text in wrong.text
    assert mend in wrong.mend


@pytest.mark.parametrize("told", ["sam@example.org", "robin@example.com.example"])
def test_a_token_of_somebody_else(google: WrittenGoogle, data: Path, told: str) -> None:
    """Both ways out are named."""
    google.profile = {"emailAddress": told}
    wrong = only_wrong(look(house_of(google, data)), "google token")
    assert f"is for {told}, and EMAIL_ASSISTANT_EMAIL is robin@example.com" in wrong.text
    assert wrong.mend.startswith(f"set EMAIL_ASSISTANT_EMAIL to {told}, or run `email-assistant gmail auth`")


def test_letters_of_an_address_may_be_large(google: WrittenGoogle, data: Path) -> None:
    """Gmail does not tell them apart."""
    google.profile = {"emailAddress": "Robin@Example.com"}
    assert all(f.ok for f in look(house_of(google, data)).values())


def test_nobody_is_named(google: WrittenGoogle, data: Path) -> None:
    """The address to set is told."""
    wrong = look(house_of(google, data, EMAIL_ASSISTANT_EMAIL=""))["google token"]
    assert "EMAIL_ASSISTANT_EMAIL is not set" in wrong.text


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (
            api_error(401, "authError", "Invalid Credentials"),
            "does not accept the token (expired or revoked)",
        ),
        (
            api_error(403, "accessNotConfigured", "Enable it by visiting https://console.example"),
            "not enabled",
        ),
        (api_error(400, "failedPrecondition", "Mail service not enabled"), "Mail service not enabled"),
        ({"emailAddress": 7}, "did not say whose account"),
    ],
)
def test_an_account_that_cannot_be_used(
    google: WrittenGoogle, data: Path, answer: Response, text: str
) -> None:
    """Said once, with Google's own reason; what depends on it is not checked."""
    google.profile = answer
    wrong = only_wrong(look(house_of(google, data)), "google token")
    assert text in wrong.text + wrong.mend


def test_a_token_that_was_revoked(google: WrittenGoogle, data: Path) -> None:
    """Google does not refresh it."""
    write_token(data, expiry="2020-01-01T00:00:00Z")
    google.token = refusing(400, {"error": "invalid_grant", "error_description": "Token has been expired"})
    found = look(house_of(google, data))
    wrong = only_wrong(found, "google token")
    assert wrong.mend == "run `email-assistant gmail auth` to sign in again"
    assert "google quota" not in found


def test_scopes_that_the_token_says_it_lacks(google: WrittenGoogle, data: Path) -> None:
    """A token for Gmail, while the calendar is Google's."""
    write_token(data, scopes=GRANTED.split()[:1])
    wrong = only_wrong(look(house_of(google, data)), "google scopes")
    assert '"View and edit events on all your calendars"' in wrong.text
    assert wrong.mend == "run `email-assistant gmail auth` again and tick every box"
    assert look(house_of(google, data, EMAIL_ASSISTANT_CALENDAR="ics"))["google scopes"].ok


@pytest.mark.parametrize("scopes", [None, GRANTED.split()])
def test_scopes_that_google_says_are_missing(
    google: WrittenGoogle, data: Path, scopes: list[str] | None
) -> None:
    """Whatever the token's file says, the call tells."""
    write_token(data, scopes=scopes)
    google.calendars = api_error(403, "insufficientPermissions", "Request had insufficient scopes")
    wrong = only_wrong(look(house_of(google, data)), "google scopes")
    assert wrong.text == "the token lacks the permission one for calendar"


@pytest.mark.parametrize(
    ("answer", "text", "mend"),
    [
        (api_error(429, "rateLimitExceeded", "slow"), "slow down", "wait a minute"),
        (api_error(403, "userRateLimitExceeded", "slow"), "slow down", "wait a minute"),
        (api_error(403, "quotaExceeded", "all"), "quota", "renewed at 09:00 CET (midnight in California)"),
        (api_error(403, "dailyLimitExceeded", "all"), "quota", "renewed at 09:00 CET"),
        (api_error(503, "backendError", "sorry"), "failed (503)", "try again later"),
    ],
)
def test_a_quota_that_is_used_up(
    google: WrittenGoogle,
    data: Path,
    answer: Response,
    text: str,
    mend: str,
    httpserver: pytest_httpserver.HTTPServer,
) -> None:
    """When it comes back, in the person's zone; the call is made once, not over and over."""
    google.profile = answer
    built = house_of(google, data, EMAIL_ASSISTANT_TIMEZONE="Europe/Berlin")
    found = look(replace(built, clock=FixedClock(NOW)))
    assert text in found["google quota"].text
    assert mend in found["google quota"].mend
    asked = [r.path for r, _ in httpserver.log]
    assert asked.count("/gmail/v1/users/me/profile") == 1


def test_google_cannot_be_reached(google: WrittenGoogle, data: Path) -> None:
    """The token is not blamed for it."""
    found = look(house_of(google, data, EMAIL_ASSISTANT_GOOGLE_ENDPOINT=f"http://127.0.0.1:{free_port()}"))
    assert found["google token"].ok
    assert "whose it is could not be asked" in found["google token"].text
    assert "cannot be reached" in found["google quota"].text
    assert "connection" in found["google quota"].mend


def test_aliases_that_are_not_named(google: WrittenGoogle, data: Path) -> None:
    """The whole value to set is told, the ones that are named already first."""
    entries = [{"sendAsEmail": a} for a in ("desk@example.org", "Old@example.org", "shop@example.net")]
    google.send_as = {"sendAs": entries}
    wrong = only_wrong(look(house_of(google, data, EMAIL_ASSISTANT_ALIASES="old@example.org")), "aliases")
    assert wrong.text == "the account also sends as desk@example.org, shop@example.net"
    value = "old@example.org, desk@example.org, shop@example.net"
    assert wrong.mend == f'set EMAIL_ASSISTANT_ALIASES="{value}"'
    assert look(house_of(google, data, EMAIL_ASSISTANT_ALIASES=value))["aliases"].ok


def test_only_the_calendar_is_google_s(google: WrittenGoogle, data: Path) -> None:
    """Gmail is not asked: the token need not have its permission."""
    write_token(data, scopes=GRANTED.split()[1:])
    google.profile = api_error(403, "insufficientPermissions", "no")
    found = look(house_of(google, data, EMAIL_ASSISTANT_MAILBOX="maildir"))
    assert all(f.ok for f in found.values())
    assert "aliases" not in found
    assert found["google token"].text.endswith("for robin@example.com")


def test_a_token_in_the_environment(google: WrittenGoogle, data: Path) -> None:
    """Its name is told, its file's mode is nobody's business, and that it will end when it cannot be refreshed."""
    (data / "gmail_token.json").chmod(0o644)
    found = look(house_of(google, data, GMAIL_TOKEN=json.dumps({"token": "access-1"})))
    assert found["google token"].text == (
        "GMAIL_TOKEN, for robin@example.com; it has no refresh token and ends within the hour"
    )
    assert all(f.ok for f in found.values())


def test_the_client(google: WrittenGoogle, data: Path) -> None:
    """From the environment, inside the token, missing, or wrong."""
    assert (
        look(house_of(google, data, GMAIL_SECRET=json.dumps(CLIENT)))["google client"].text == "GMAIL_SECRET"
    )
    wrong = look(house_of(google, data, GMAIL_SECRET='{"web": {}}'))["google client"]
    assert "type Web application" in wrong.text
    (data / "gmail_secret.json").unlink()
    assert look(house_of(google, data))["google client"].text == "the token brings its own"
    write_token(data, client_id=None, client_secret=None, refresh_token=None)
    wrong = only_wrong(look(house_of(google, data)), "google client")
    assert "docs/google.md" in wrong.mend
