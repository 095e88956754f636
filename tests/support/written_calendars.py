"""A Google Calendar whose answers a test writes down, in the form of Google's reference (API v3)."""

import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from email_assistant.adapters.google.access import GoogleTokens, Places
from email_assistant.adapters.google.api import GoogleApi
from email_assistant.adapters.google.calendar import GoogleCalendar

BERLIN = ZoneInfo("Europe/Berlin")
ME = "robin@example.com"
DAY = (datetime(2026, 11, 26, tzinfo=BERLIN), datetime(2026, 11, 27, tzinfo=BERLIN))
INSERT = "POST /calendar/v3/calendars/primary/events"
LIST = "GET /calendar/v3/users/me/calendarList"
FREE_BUSY = "POST /calendar/v3/freeBusy"


@dataclass
class Waits:
    """Notes how long the program wants to wait, and lets it go on at once."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        """Does not wait."""
        self.seconds.append(seconds)


@dataclass(frozen=True)
class Maker:
    """Makes calendars, at any base URL, that do not wait."""

    folder: Path
    waits: Waits = field(default_factory=Waits)

    def __call__(
        self, url: str, token: str = "a-token", owner: str = ME, zone: str = "Europe/Berlin"
    ) -> GoogleCalendar:
        """The calendar of the token's account."""
        places = Places(url)
        tokens = GoogleTokens(places, self.folder, token=json.dumps({"token": token}))
        return GoogleCalendar(GoogleApi(places, tokens, sleep=self.waits), owner, zone)


@dataclass
class Asked:
    """One call as it arrived."""

    key: str
    query: dict[str, str]
    body: Any


Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]


class WrittenCalendars:
    """Google's calendar service as a test writes it down; of several answers to a call the last one stays."""

    def __init__(self, server: HTTPServer) -> None:
        """Answers at `url`; what nobody has written down is a 404."""
        self.url = server.url_for("").rstrip("/")
        self.asked: list[Asked] = []
        self._answers: list[tuple[str, list[Answer]]] = []
        server.expect_request(re.compile(".*")).respond_with_handler(self._respond)

    def on(self, key: str, *answers: Answer) -> None:
        """What a call ("GET /path") is answered with, one after the other."""
        self._answers.insert(0, (key, list(answers)))

    def calendars(self, *entries: dict[str, Any]) -> None:
        """The user's list of calendars."""
        self.on(LIST, (200, {"kind": "calendar#calendarList", "items": list(entries)}))

    def holds(self, calendar_id: str, *events: dict[str, Any]) -> None:
        """What a calendar holds."""
        self.on(events_of(calendar_id), (200, {"kind": "calendar#events", "items": list(events)}))

    @property
    def keys(self) -> list[str]:
        """The calls so far."""
        return [asked.key for asked in self.asked]

    def _respond(self, request: Request) -> Response:
        key, body = f"{request.method} {request.path}", request.get_data()
        self.asked.append(Asked(key, dict(request.args.items()), json.loads(body) if body else None))
        answers = next(
            (found for pattern, found in self._answers if pattern == key), [refusal(404, "notFound")]
        )
        status, told, *headers = answers.pop(0) if len(answers) > 1 else answers[0]
        text = told if isinstance(told, str) else json.dumps(told)
        return Response(
            text, status=status, headers=headers[0] if headers else {}, content_type="application/json"
        )


def events_of(calendar_id: str) -> str:
    """The call that lists a calendar's events."""
    return f"GET /calendar/v3/calendars/{calendar_id}/events"


def refusal(status: int, reason: str, message: str = "No.", **headers: str) -> Answer:
    """An error in the form of Google's."""
    errors = [{"domain": "global", "reason": reason, "message": message}]
    body = {"error": {"code": status, "message": message, "errors": errors}}
    return status, body, {name.replace("_", "-"): value for name, value in headers.items()}


def calendar_entry(calendar_id: str = ME, **more: Any) -> dict[str, Any]:
    """An entry of the user's list, by default the user's own calendar."""
    entry = {"id": calendar_id, "timeZone": "Europe/Berlin", "accessRole": "owner", "selected": True}
    return entry | ({"primary": True} if calendar_id == ME else {}) | more


def told(
    event_id: str = "evt01", begins: str = "10:00", ends: str = "11:00", /, **more: Any
) -> dict[str, Any]:
    """An event on 2026-11-26 as Google tells of it."""
    return {
        "kind": "calendar#event",
        "id": event_id,
        "status": "confirmed",
        "summary": event_id,
        "iCalUID": f"{event_id}@google.com",
        "start": {"dateTime": f"2026-11-26T{begins}:00+01:00", "timeZone": "Europe/Berlin"},
        "end": {"dateTime": f"2026-11-26T{ends}:00+01:00", "timeZone": "Europe/Berlin"},
    } | more


def free_busy(**calendars: Any) -> Answer:
    """An answer to a free/busy query; "__" in a name stands for "@"."""
    told = {name.replace("__", "@") + ".example.com": value for name, value in calendars.items()}
    return 200, {"kind": "calendar#freeBusy", "calendars": told}
