"""What `doctor` says of a Google account."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import pytest_httpserver
from werkzeug import Response

from email_assistant.app.assistant import AppDeps, deps_of
from email_assistant.cli.doctor import Finding, google_findings
from email_assistant.settings import load_settings
from tests.support.google_browser import GRANTED, WrittenGoogle, api_error

CLIENT = {"installed": {"client_id": "client-1.apps.example", "client_secret": "s3cret-of-the-client"}}
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


@pytest.fixture
def deps(google: WrittenGoogle, data: Path) -> AppDeps:
    """Gmail and Google Calendar of robin@example.com."""
    settings = {
        "EMAIL_ASSISTANT_DATA_DIR": str(data),
        "EMAIL_ASSISTANT_GOOGLE_ENDPOINT": google.url,
        "EMAIL_ASSISTANT_MAILBOX": "gmail",
        "EMAIL_ASSISTANT_CALENDAR": "google",
        "EMAIL_ASSISTANT_EMAIL": "robin@example.com",
    }
    return deps_of(load_settings(settings, data))


def look(deps: AppDeps) -> dict[str, Finding]:
    """The findings by name, one each; no secret and no line end is in them, and nothing in the folder changes."""
    folder = deps.settings.data_path
    before = {f.name: f.read_bytes() for f in folder.iterdir()}
    found = asyncio.run(google_findings(deps))
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


def test_all_is_well(google: WrittenGoogle, deps: AppDeps) -> None:
    """Each service in use answers; Gmail does not tell large letters apart."""
    google.profile = {"emailAddress": "Robin@Example.com"}
    found = look(deps)
    assert [each.name for each in found.values() if each.ok] == ["gmail", "google calendar"]
    assert found["gmail"].text == "it answers, for Robin@Example.com"


def test_a_token_that_is_none(deps: AppDeps, data: Path) -> None:
    """No service is asked."""
    for content, text in (
        (None, "nobody has signed in to Google yet"),
        ("{", "gmail_token.json is not JSON"),
    ):
        (data / "gmail_token.json").unlink()
        if content is not None:
            (data / "gmail_token.json").write_text(content)
        wrong = look(deps)["google token"]
        assert text in wrong.text
        assert "run `email-assistant gmail auth`" in wrong.mend
        (data / "gmail_token.json").touch()


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
        ({"emailAddress": 7}, "did not say whose account"),
        ({"emailAddress": "sam@example.org"}, "set EMAIL_ASSISTANT_EMAIL to sam@example.org, or run"),
    ],
)
def test_an_account_that_cannot_be_used(
    google: WrittenGoogle, deps: AppDeps, answer: Response, text: str
) -> None:
    """Google's own reason; the other service is asked all the same."""
    google.profile = answer
    (wrong,) = (each for each in look(deps).values() if not each.ok)
    assert wrong.name == "gmail"
    assert text in wrong.text + wrong.mend
