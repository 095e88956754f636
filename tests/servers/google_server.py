"""A stand-in for Google on the loopback: the published emulator behind a shell of our own (see `google_server.mjs`)."""

import base64
import html
import http.client
import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.servers import npm
from tests.servers.processes import serving

CLIENT_ID = "client.apps.googleusercontent.com"
CLIENT_SECRET = "secret"
SCOPES = (
    "https://www.googleapis.com/auth/gmail.modify",
    "https://www.googleapis.com/auth/calendar.events",
    "https://www.googleapis.com/auth/calendar.readonly",
)
IN_INBOX = ("INBOX", "UNREAD")
_REDIRECT = "http://127.0.0.1/"
_ANSWER_SECONDS = 60


class Grant(NamedTuple):
    """What an account's consent gave."""

    refresh_token: str
    access_token: str
    client_id: str = CLIENT_ID
    client_secret: str = CLIENT_SECRET


@dataclass(frozen=True)
class GoogleServer:
    """A running server. Whatever it is asked about an account that was not made raises `RuntimeError`."""

    url: str

    def account(
        self,
        email: str,
        *,
        name: str | None = None,
        scopes: Sequence[str] = (),
        timezone: str = "UTC",
        aliases: Sequence[str] = (),
    ) -> str:
        """An access token of the account, which is made (empty, with a primary calendar) when there is none yet.

        Without `scopes` the token may do everything; the account may send as its `aliases`.
        """
        asked = {
            "email": email,
            "name": name,
            "scopes": list(scopes),
            "timezone": timezone,
            "aliases": list(aliases),
        }
        token: str = self._control("account", **{k: v for k, v in asked.items() if v is not None})["token"]
        return token

    def deliver(
        self,
        email: str,
        raw: bytes,
        *,
        labels: Sequence[str] = IN_INBOX,
        received: datetime | None = None,
    ) -> str:
        """Put a message into the account; returns its id.

        It joins the conversation of its References; received when its Date says unless given. New labels are made.
        """
        return self._deliver(email, [_delivery(raw, labels, received)])[0]

    def deliver_many(
        self, email: str, raws: Iterable[bytes], *, labels: Sequence[str] = IN_INBOX
    ) -> list[str]:
        """`deliver` of each, in one request."""
        return self._deliver(email, [_delivery(raw, labels, None) for raw in raws])

    def drafts(self, email: str) -> list[str]:
        """The conversation (thread id) of each of the account's drafts."""
        found: list[str] = self._control("drafts", email=email)
        return found

    def calendar(
        self,
        email: str,
        calendar_id: str,
        *,
        role: str = "owner",
        selected: bool = True,
        timezone: str = "UTC",
    ) -> None:
        """A further calendar in the account's list; `role` is Google's accessRole."""
        asked = {"id": calendar_id, "role": role, "selected": selected, "timezone": timezone}
        self._control("calendar", email=email, **asked)

    def add_event(self, email: str, event: Mapping[str, Any], *, calendar: str = "primary") -> dict[str, Any]:
        """Put an event, in the form of Google's API, into a calendar whoever may write there; returns it as Google tells it."""
        added: dict[str, Any] = self._control("event", email=email, calendar=calendar, event=dict(event))
        return added

    def events(self, email: str) -> list[dict[str, Any]]:
        """Every stored event, deleted ones and series included, as Google tells it, with what it was last asked with.

        That is `calendar`, `sendUpdates`, `conferenceRequested` (the createRequest that counted) and `body`.
        """
        found: list[dict[str, Any]] = self._control("events", email=email)
        return found

    def faults(self, *faults: Mapping[str, Any]) -> None:
        """What goes wrong from now on; each call meets the first fault that fits it. Without arguments nothing does.

        `match` is searched in "METHOD /path" (a regular expression; single calls of a batch are matched too). `status`
        with `reason`, `message`, `headers`, `body` answers so; `drop` closes the connection without an answer; `delayMs`
        waits first. With `after` the call is carried out all the same. `times` is how often (always).
        """
        self._control("faults", faults=[dict(fault) for fault in faults])

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The calls since `forget`: `key` ("GET /path"), `query`, `status` (0: no answer), `body` (JSON or None), `batched`."""
        found: list[dict[str, Any]] = self._control("requests")
        return found

    def counts(self) -> dict[str, int]:
        """How often each route was called since `forget`; ids are written "{id}"."""
        found: dict[str, int] = self._control("counts")
        return found

    def forget(self) -> None:
        """Forget the calls so far."""
        self._control("forget")

    def expire(self, token: str) -> None:
        """The access token has run out; its refresh token has not."""
        self._control("expire", token=token)

    def revoke(self, token: str) -> None:
        """The account takes back its consent: all of its tokens, of either kind, are void."""
        self._control("revoke", token=token)

    def expire_history(self, email: str) -> None:
        """Every history id known so far is too old from now on."""
        self._control("expireHistory", email=email)

    def reset(self) -> None:
        """Forget everything: accounts, tokens, faults, calls."""
        self._control("reset")

    def consent(self, auth_url: str, email: str) -> str:
        """Play the person at the browser: allow the account what `auth_url` asks for; returns the page that ends it."""
        with urllib.request.urlopen(self._allowed(auth_url, email), timeout=_ANSWER_SECONDS) as response:
            page: str = response.read().decode()
        return page

    def refresh_token(self, email: str, *, scopes: Sequence[str] = SCOPES) -> Grant:
        """Tokens of the account as a sign-in in the browser gives them."""
        asked = {"client_id": CLIENT_ID, "redirect_uri": _REDIRECT, "response_type": "code"}
        place = self._allowed(
            f"{self.url}/o/oauth2/v2/auth?{urlencode(asked | {'scope': ' '.join(scopes)})}", email
        )
        code = parse_qs(urlsplit(place).query)["code"][0]
        told = self._token(grant_type="authorization_code", code=code, redirect_uri=_REDIRECT)
        return Grant(told["refresh_token"], told["access_token"])

    def _allowed(self, auth_url: str, email: str) -> str:
        """Where the browser is sent after the account was chosen."""
        with urllib.request.urlopen(auth_url, timeout=_ANSWER_SECONDS) as response:
            page = response.read().decode()
        for form in re.findall(r"<form.*?</form>", page, re.DOTALL):
            fields = {
                html.unescape(n): html.unescape(v)
                for n, v in re.findall(r'name="([^"]*)" value="([^"]*)"', form)
            }
            if fields.get("email") == email:
                return self._location(f"{urlsplit(auth_url).path}/callback", fields)
        raise RuntimeError(f"the page does not offer {email}")

    def _location(self, path: str, fields: Mapping[str, str]) -> str:
        """Post a form; where the answer redirects to."""
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=_ANSWER_SECONDS)
        try:
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            connection.request("POST", path, urlencode(fields), headers)
            location = connection.getresponse().getheader("location")
        finally:
            connection.close()
        if location is None:
            raise RuntimeError("the page does not lead back")
        return location

    def _token(self, **fields: str) -> dict[str, Any]:
        client = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
        request = urllib.request.Request(f"{self.url}/oauth2/token", urlencode(fields | client).encode())
        with urllib.request.urlopen(request, timeout=_ANSWER_SECONDS) as response:
            told: dict[str, Any] = json.load(response)
        return told

    def _deliver(self, email: str, messages: Sequence[Mapping[str, Any]]) -> list[str]:
        ids: list[str] = self._control("deliver", email=email, messages=messages)["ids"]
        return ids

    def _control(self, name: str, /, **given: Any) -> Any:
        request = urllib.request.Request(
            f"{self.url}/__ctl/{name}", json.dumps(given).encode(), {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=_ANSWER_SECONDS) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise RuntimeError(
                f"the stand-in for Google refused {name}: {error.read().decode()[:500]}"
            ) from None


@contextmanager
def running_google_server(port: int = 0) -> Iterator[GoogleServer]:
    """A server of one's own on a free port (or `port`), ended with the block.

    Raises `RuntimeError` with one line when node or npm is missing or the server does not start.
    """
    command = [npm.node(), str(npm.installed() / "google_server.mjs"), str(port)]
    with serving(command, "the stand-in for Google") as url:
        yield GoogleServer(url)


def _delivery(raw: bytes, labels: Sequence[str], received: datetime | None) -> dict[str, Any]:
    if received is not None and received.utcoffset() is None:
        raise ValueError("'received' has no time zone")
    coded = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
    return {"raw": coded, "labels": list(labels), "received": received.isoformat() if received else None}
