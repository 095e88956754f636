"""Signing in to Google: the consent in the browser, the code, the token, and everything that may go wrong with them."""

import base64
import hashlib
import json
import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from google.oauth2.credentials import Credentials
from pytest_httpserver import HTTPServer
from werkzeug import Response

from email_assistant.adapters.google.access import (
    CALENDAR_SCOPES,
    GMAIL_SCOPE,
    GoogleTokens,
    OAuthClient,
    Places,
    needed_scopes,
)
from email_assistant.adapters.google.account import GoogleAccount, read_account, read_address
from email_assistant.adapters.google.api import GoogleApi
from email_assistant.adapters.google.consent import sign_in
from email_assistant.errors import (
    AccessError,
    ConfigError,
    EmailAssistantError,
    ProviderError,
)
from tests.servers.google_server import GoogleServer, running_google_server
from tests.support.google_browser import TOKEN, WrittenGoogle, allow, asked, bring, refusing

CLIENT = OAuthClient("client-1.apps.example", "s3cret-of-the-client")
BROWSER = ThreadPoolExecutor(thread_name_prefix="browser")
SWITCHES = ("OAUTHLIB_INSECURE_TRANSPORT", "OAUTHLIB_RELAX_TOKEN_SCOPE")


@pytest.fixture(scope="module")
def stand_in() -> Iterator[GoogleServer]:
    """The stand-in for Google, with its own pages for consent."""
    with running_google_server() as server:
        yield server


@pytest.fixture
def google(httpserver: HTTPServer) -> WrittenGoogle:
    """A Google whose answers the test writes."""
    return WrittenGoogle(httpserver)


@dataclass
class Person:
    """Somebody who does something with the link, at a browser of their own."""

    act: Callable[[str], object]
    links: list[str] = field(default_factory=list)
    acting: list[Future[object]] = field(default_factory=list)

    def __call__(self, url: str, answer_to: str) -> None:
        self.links.append(url)
        assert asked(url)["redirect_uri"] == answer_to
        self.acting.append(BROWSER.submit(self.act, url))


def signing_in(
    url: str, act: Callable[[str], object], *, scopes: tuple[str, ...] = needed_scopes()
) -> Credentials:
    """Sign in at `url` with a person who acts so."""
    person = Person(act)
    try:
        return sign_in(Places(url), CLIENT, scopes, person, seconds=20)
    finally:
        for acting in person.acting:
            acting.result(20)


def with_code(url: str) -> httpx.Response:
    """The person allows it."""
    return bring(url, code="code-1", scope="whatever")


def failing(google: WrittenGoogle, act: Callable[[str], object] = with_code) -> EmailAssistantError:
    """The error that signing in ends with; no secret is in it."""
    with pytest.raises(EmailAssistantError) as caught:
        signing_in(google.url, act)
    told = str(caught.value)
    assert "\n" not in told
    for secret in (CLIENT.client_secret, "code-1", "access-1", "refresh-1"):
        assert secret not in told
    return caught.value


async def test_a_real_flow_gives_a_token_that_works_and_can_be_refreshed(
    stand_in: GoogleServer, tmp_path: Path
) -> None:
    """Consent on the stand-in's own page; its PKCE check and its refresh are not ours."""
    stand_in.account("flow@example.com", name="Flow Example")
    got = signing_in(stand_in.url, lambda url: allow(url, "flow@example.com"))
    tokens = GoogleTokens(Places(stand_in.url), tmp_path)
    tokens.save(got)
    api = GoogleApi(Places(stand_in.url), tokens)
    assert await read_account(api) == GoogleAccount("flow@example.com", "Flow Example")
    told = json.loads(tokens.token_path.read_text()) | {"token": None, "expiry": "2020-01-01T00:00:00Z"}
    tokens.token_path.write_text(json.dumps(told))
    assert await read_address(GoogleApi(Places(stand_in.url), tokens)) == "flow@example.com"
    assert json.loads(tokens.token_path.read_text())["token"] not in {None, got.token}
    assert set(got.scopes or ()) == {GMAIL_SCOPE, *CALENDAR_SCOPES}


def test_what_is_asked_for(google: WrittenGoogle) -> None:
    """Offline access, the consent page every time, these scopes only, and a challenge whose verifier comes later."""
    links: list[str] = []

    def act(url: str) -> None:
        links.append(url)
        with_code(url)

    got = signing_in(google.url, act, scopes=(GMAIL_SCOPE,))
    link = asked(links[0])
    assert links[0].startswith(f"{google.url}/o/oauth2/v2/auth?")
    assert (link["access_type"], link["prompt"], link["scope"]) == ("offline", "consent", GMAIL_SCOPE)
    assert (link["response_type"], link["code_challenge_method"]) == ("code", "S256")
    (exchange,) = google.exchanges
    digest = hashlib.sha256(exchange["code_verifier"].encode()).digest()
    assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == link["code_challenge"]
    assert exchange["code"] == "code-1"
    assert exchange["redirect_uri"] == link["redirect_uri"]
    assert (exchange["client_id"], exchange["client_secret"]) == (CLIENT.client_id, CLIENT.client_secret)
    assert (got.token, got.refresh_token) == ("access-1", "refresh-1")
    assert got.valid
    assert got.token_uri == f"{google.url}/oauth2/token"


def test_two_sign_ins_have_nothing_in_common(google: WrittenGoogle) -> None:
    """State, challenge and port are made anew."""
    links: list[dict[str, str]] = []
    for _ in range(2):
        signing_in(google.url, lambda url: (links.append(asked(url)), with_code(url)))
    for name in ("state", "code_challenge", "redirect_uri"):
        assert links[0][name] != links[1][name]


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        ({"error": "access_denied"}, AccessError, "access was refused in the browser; nothing was saved"),
        (
            {"error": "admin_policy_enforced"},
            ProviderError,
            "did not sign you in (admin_policy_enforced); nothing",
        ),
        ({"code": "code-1", "state": "somebody-elses"}, AccessError, "belongs to another sign-in"),
    ],
)
def test_an_answer_without_consent(
    google: WrittenGoogle, answer: dict[str, str], kind: type[Exception], words: str
) -> None:
    """Cancel, a policy, and an answer to another question: one line each, and no code is exchanged."""
    error = failing(google, lambda url: bring(url, **answer))
    assert isinstance(error, kind)
    assert words in str(error)
    assert "`email-assistant gmail auth`" in str(error)
    assert google.exchanges == []


def test_nobody_answers(google: WrittenGoogle) -> None:
    """After the time is over it says so, and the port is free again."""
    person = Person(lambda _: None)
    with pytest.raises(AccessError, match="nobody consented within 0 minutes"):
        sign_in(Places(google.url), CLIENT, (GMAIL_SCOPE,), person, seconds=0.01)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(asked(person.links[0])["redirect_uri"][17:-1]))) != 0


@pytest.mark.parametrize(
    ("token", "kind", "words"),
    [
        (refusing(401, {"error": "invalid_client", "error_description": "Unauthorized"}), ConfigError, "--client"),
        (refusing(400, {"error": "invalid_grant"}), AccessError, "used already, too old"),
        (refusing(400, {"error": "strange", "error_description": "two\nlines"}), ProviderError, "(strange); nothing was saved: two lines"),
        (refusing(500, "<h1>Sorry</h1>"), ProviderError, "gave no token"),
        (refusing(200, {}), ProviderError, "gave no token"),
        (TOKEN | {"expires_in": "soon"}, ProviderError, "cannot be used"),
        (refusing(302, ""), ProviderError, "gave no token"),
    ],
)  # fmt: skip
def test_an_exchange_that_fails(
    google: WrittenGoogle, token: Response | dict[str, object], kind: type[Exception], words: str
) -> None:
    """Whatever the token endpoint answers, it is one line that says who must act."""
    google.token = token
    error = failing(google)
    assert type(error) is kind
    assert words in str(error)


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        (GMAIL_SCOPE, "View and edit events on all your calendars"),
        (" ".join(CALENDAR_SCOPES), "Read, compose and send emails"),
    ],
)
def test_a_box_that_was_not_ticked_is_named(google: WrittenGoogle, scope: str, words: str) -> None:
    """In the words of the consent page."""
    google.token = TOKEN | {"scope": scope}
    error = failing(google)
    assert isinstance(error, AccessError)
    assert words in str(error)
    assert "tick every box" in str(error)


def test_a_token_that_cannot_be_refreshed_is_not_taken(google: WrittenGoogle) -> None:
    """It would end within the hour, when nobody looks."""
    google.token = {k: v for k, v in TOKEN.items() if k != "refresh_token"}
    assert "no refresh token" in str(failing(google))


def test_the_code_is_printed_nowhere(google: WrittenGoogle, capfd: pytest.CaptureFixture[str]) -> None:
    """The web server on this machine keeps no log of what the browser asks for."""
    signing_in(google.url, with_code)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("url", ["http://google.example", "http://10.0.0.1:4102", "http://127.0.0.1.example"])
def test_http_to_another_machine_is_refused(url: str) -> None:
    """The client's secret and the token would cross the network for everyone to read."""
    person = Person(with_code)
    with pytest.raises(ConfigError, match="use https"):
        sign_in(Places(url), CLIENT, (GMAIL_SCOPE,), person)
    assert person.links == []


def test_google_itself_is_asked_over_https(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an endpoint setting the link goes to Google, and oauthlib's guard against http stays on."""
    monkeypatch.delenv(SWITCHES[0], raising=False)
    seen: list[str | None] = []
    person = Person(lambda _: None)

    def show(url: str, answer_to: str) -> None:
        seen.append(os.environ.get(SWITCHES[0]))
        person(url, answer_to)

    with pytest.raises(AccessError, match="nobody consented"):
        sign_in(Places(), CLIENT, (GMAIL_SCOPE,), show, seconds=0)
    assert person.links[0].startswith("https://accounts.google.com/o/oauth2/v2/auth?")
    assert seen == [None]
