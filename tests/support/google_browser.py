"""A person at a browser who signs in to Google, and a Google that answers what a test writes down."""

import html
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

GRANTED = (
    "https://www.googleapis.com/auth/gmail.modify "
    "https://www.googleapis.com/auth/calendar.events "
    "https://www.googleapis.com/auth/calendar.readonly"
)
TOKEN = {
    "access_token": "access-1",
    "refresh_token": "refresh-1",
    "expires_in": 3599,
    "token_type": "Bearer",
    "scope": GRANTED,
}


def asked(url: str) -> dict[str, str]:
    """The parameters of the link that asks for consent."""
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def bring(url: str, **answer: str) -> httpx.Response:
    """Bring an answer to where the link says, as a redirect does; its state is the link's unless given."""
    link = asked(url)
    return httpx.get(link["redirect_uri"], params={"state": link["state"]} | answer)


def allow(url: str, email: str) -> httpx.Response:
    """Open the link at the stand-in for Google, choose the account, and follow where that leads."""
    page = httpx.get(url).raise_for_status().text
    for form in re.findall(r"<form.*?</form>", page, re.DOTALL):
        fields = {
            html.unescape(n): html.unescape(v) for n, v in re.findall(r'name="([^"]*)" value="([^"]*)"', form)
        }
        if fields.get("email") == email:
            place = urlsplit(url)
            address = f"{place.scheme}://{place.netloc}{place.path}/callback"
            return httpx.post(address, data=fields, follow_redirects=True)
    raise AssertionError(f"the page does not offer {email}")


class WrittenGoogle:
    """Google's answers to a sign-in as a test writes them down; what it does not write is as usual."""

    def __init__(self, server: HTTPServer, email: str = "robin@example.com") -> None:
        """Answers at `url`."""
        self.url = server.url_for("").rstrip("/")
        self.exchanges: list[dict[str, str]] = []
        self.token: Response | Mapping[str, Any] = TOKEN
        self.profile: Response | Mapping[str, Any] = {"emailAddress": email}
        self.send_as: Response | Mapping[str, Any] = {
            "sendAs": [{"sendAsEmail": email, "displayName": "Robin Example", "isPrimary": True}]
        }
        self.calendars: Response | Mapping[str, Any] = {
            "items": [{"id": email, "primary": True, "timeZone": "Europe/Lisbon"}]
        }
        answers = {
            "/gmail/v1/users/me/profile": lambda: self.profile,
            "/gmail/v1/users/me/settings/sendAs": lambda: self.send_as,
            "/calendar/v3/users/me/calendarList": lambda: self.calendars,
        }
        server.expect_request("/oauth2/token").respond_with_handler(self._exchange)
        for path, answer in answers.items():
            server.expect_request(path).respond_with_handler(lambda _, a=answer: as_response(a()))

    def _exchange(self, request: Request) -> Response:
        self.exchanges.append(dict(parse_qsl(request.get_data(as_text=True))))
        return as_response(self.token)


def as_response(answer: Response | Mapping[str, Any]) -> Response:
    """The answer as it is, or JSON."""
    return answer if isinstance(answer, Response) else refusing(200, answer)


def refusing(status: int, body: object) -> Response:
    """An answer of this status with a JSON body, or with a text."""
    text = body if isinstance(body, str) else json.dumps(body)
    kind = "text/html" if isinstance(body, str) else "application/json"
    return Response(text, status=status, content_type=kind)


def api_error(status: int, reason: str, message: str) -> Response:
    """An error in the form of Google's APIs."""
    errors = [{"domain": "global", "reason": reason, "message": message}]
    return refusing(status, {"error": {"code": status, "message": message, "errors": errors}})
