"""The stand-in for Google itself: what its shell adds to the emulator, and the replay of a large account."""

import base64
import itertools
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.servers.google_replay import GoogleReplay, running_google_replay
from tests.servers.google_replay_server import message_id
from tests.servers.google_server import CLIENT_ID, CLIENT_SECRET, SCOPES, GoogleServer, running_google_server

GMAIL = "/gmail/v1/users/me"
CALENDAR = "/calendar/v3"
EVENTS = f"{CALENDAR}/calendars/primary/events"
_NUMBERS = itertools.count(1)


def mail(
    number: int = 1,
    *,
    sender: str = "Ana Petrova <ana@example.org>",
    to: str = "Robin <robin@example.com>",
    subject: str = "Ring fitting",
    more: str = "",
    body: str = "When can I come by?",
) -> bytes:
    """A message whose Message-ID is <NUMBER@example.org>, of NUMBER minutes after nine."""
    head = (
        f"From: {sender}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <{number}@example.org>\r\n"
        f"Date: Fri, 20 Nov 2026 09:{number:02}:00 +0000\r\n{more}"
    )
    return f"{head}\r\n{body}\r\n".encode()


def coded(raw: bytes) -> str:
    """The source as Gmail takes it."""
    return base64.urlsafe_b64encode(raw).decode()


@dataclass
class User:
    """An account with a token, and a client for it."""

    google: GoogleServer
    email: str
    token: str
    client: httpx.Client

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> httpx.Response:
        """One call."""
        return self.client.request(method, path, json=body, params=query)

    def get(self, path: str, **query: Any) -> Any:
        """The JSON of a call that succeeds."""
        return self.call("GET", path, **query).raise_for_status().json()

    def post(self, path: str, body: Any, **query: Any) -> Any:
        """The JSON of a call that succeeds."""
        return self.call("POST", path, body, **query).raise_for_status().json()

    def found(self, q: str, **query: Any) -> list[str]:
        """Ids of the messages that a search finds."""
        return [m["id"] for m in self.get(f"{GMAIL}/messages", q=q, **query).get("messages", [])]

    def deliver(self, *args: Any, **kwargs: Any) -> str:
        """Put a message into the inbox."""
        return self.google.deliver(self.email, mail(*args, **kwargs))

    def draft(self, raw: bytes = b"", **more: str) -> Any:
        """Save a draft."""
        raw = raw or mail(5, sender=self.email, to="ana@example.org")
        return self.post(f"{GMAIL}/drafts", {"message": {"raw": coded(raw), **more}})

    def history(self, start: str) -> httpx.Response:
        """What happened since."""
        return self.call("GET", f"{GMAIL}/history", startHistoryId=start)


@pytest.fixture(scope="module")
def google() -> Iterator[GoogleServer]:
    """A server that the tests share."""
    with running_google_server() as server:
        yield server


@pytest.fixture
def user(google: GoogleServer) -> Iterator[User]:
    """A new account."""
    email = f"user{next(_NUMBERS)}@example.com"
    token = google.account(email, name="Robin Example")
    with client_of(google, token) as client:
        yield User(google, email, token, client)
    google.faults()


def client_of(google: GoogleServer, token: str) -> httpx.Client:
    """A client that shows the token."""
    return httpx.Client(base_url=google.url, headers={"authorization": f"Bearer {token}"}, timeout=30)


def reason(answer: httpx.Response) -> tuple[int, str]:
    """Status and reason of an error in Google's form."""
    error = answer.json()["error"]
    assert error["code"] == answer.status_code
    return answer.status_code, error["errors"][0]["reason"]


class TestServer:
    """The process and its control."""

    def test_journal_and_counts(self, google: GoogleServer, user: User) -> None:
        """Calls are noted in order with query and body; counts leave ids out; `forget` starts anew."""
        one = user.deliver()
        google.forget()
        user.get(f"{GMAIL}/messages/{one}", format="minimal")
        user.post(f"{GMAIL}/messages/{one}/modify", {"removeLabelIds": ["UNREAD"]})
        first, second = google.requests
        assert first == {
            "key": f"GET {GMAIL}/messages/{one}",
            "query": "?format=minimal",
            "status": 200,
            "body": None,
            "batched": False,
        }
        assert second["body"] == {"removeLabelIds": ["UNREAD"]}
        assert google.counts() == {
            f"GET {GMAIL}/messages/{{id}}": 1,
            f"POST {GMAIL}/messages/{{id}}/modify": 1,
        }
        google.forget()
        assert (google.requests, google.counts()) == ([], {})


class TestFaults:
    """Faults that a test sets."""

    def test_a_fault_fits_so_many_calls(self, google: GoogleServer, user: User) -> None:
        """It has the status, reason and headers asked for, so often, and only where it fits."""
        google.faults(
            {"match": f"GET {GMAIL}/profile", "status": 429, "reason": "rateLimitExceeded", "times": 2}
            | {"headers": {"retry-after": "1"}}
        )
        answers = [user.call("GET", f"{GMAIL}/profile") for _ in range(3)]
        assert [a.status_code for a in answers] == [429, 429, 200]
        assert reason(answers[0]) == (429, "rateLimitExceeded")
        assert answers[0].headers["retry-after"] == "1"

    @pytest.mark.parametrize("after", [False, True])
    def test_a_lost_answer(self, google: GoogleServer, user: User, after: bool) -> None:
        """The connection closes without an answer; with `after` the call was carried out."""
        google.faults({"match": "drafts", "drop": True, "after": after, "times": 1})
        with pytest.raises(httpx.HTTPError):
            user.draft()
        assert len(google.drafts(user.email)) == after

    def test_single_calls_of_a_batch(self, google: GoogleServer, user: User) -> None:
        """A fault fits one call of a batch, and leaves the others."""
        one, two = user.deliver(1), user.deliver(2)
        google.faults({"match": two, "status": 503})
        google.forget()
        answers = batch(
            user, *[("GET", f"{GMAIL}/messages/{i}?format=minimal") for i in (one, two, "18c0ffee")]
        )
        assert [status for status, _ in answers] == [200, 503, 404]
        noted = google.requests
        assert [r["batched"] for r in noted] == [True, True, True, False]
        assert noted[-1]["key"] == "POST /batch/gmail/v1"


def batch(
    user: User, *calls: tuple[str, str] | tuple[str, str, Any], path: str = "/batch/gmail/v1"
) -> list[tuple[int, Any]]:
    """Many calls in one request: status and JSON of each."""
    text = ""
    for number, (method, target, *body) in enumerate(calls):
        text += (
            f"--b\r\nContent-Type: application/http\r\nContent-ID: <x + {number}>\r\n\r\n"
            f"{method} {target} HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{json.dumps(body[0]) if body else ''}\r\n"
        )
    headers = {"content-type": 'multipart/mixed; boundary="b"'}
    answer = user.client.post(path, content=text + "--b--", headers=headers).raise_for_status()
    parts = answer.text.split("--batch_of_answers")[1:-1]
    assert [f"<response-x + {n}>" in part for n, part in enumerate(parts)] == [True] * len(calls)
    bodies = [part.strip().split("\r\n\r\n", 2) for part in parts]
    return [(int(b[1].split()[1]), json.loads(b[2]) if len(b) > 2 and b[2] else None) for b in bodies]


class TestAccess:
    """Tokens, scopes and the sign-in."""

    @pytest.mark.parametrize(
        ("scopes", "gmail", "reading", "writing"),
        [
            (SCOPES[:1], 200, 403, 403),
            (SCOPES[2:], 403, 200, 403),
            (("openid",), 403, 403, 403),
        ],
    )
    def test_scopes(
        self, google: GoogleServer, scopes: tuple[str, ...], gmail: int, reading: int, writing: int
    ) -> None:
        """A token may do what its scopes say; 400 is the answer to an empty event that one may write."""
        token = google.account(f"scopes{next(_NUMBERS)}@example.com", scopes=scopes)
        with client_of(google, token) as client:
            answers = [client.get(f"{GMAIL}/profile"), client.get(EVENTS), client.post(EVENTS, json={})]
        assert [a.status_code for a in answers] == [gmail, reading, writing]
        assert all(reason(a) == (403, "insufficientPermissions") for a in answers if a.status_code == 403)

    def test_revoking_takes_back_everything(self, google: GoogleServer, user: User) -> None:
        """All of the account's tokens are void, and refreshing says invalid_grant."""
        grant = google.refresh_token(user.email)
        google.revoke(grant.access_token)
        answer = self.refresh(google, grant.refresh_token)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
        assert user.call("GET", f"{GMAIL}/profile").status_code == 401
        with client_of(google, google.account(user.email)) as client:
            assert client.get(f"{GMAIL}/profile").status_code == 200

    def refresh(self, google: GoogleServer, token: str) -> httpx.Response:
        """Exchange a refresh token."""
        data = {"grant_type": "refresh_token", "refresh_token": token}
        return httpx.post(
            f"{google.url}/oauth2/token", data=data | {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
        )


class TestMessages:
    """Delivering, ids and searching."""

    @pytest.mark.parametrize(
        ("q", "numbers"),
        [
            ("in:inbox is:unread", "9765432"),
            ("from:ana@example.org", "98654321"),
            ("subject:grüße", "2"),
            ("after:1795165260 before:1795165380", "2"),
            ("rfc822msgid:<4@example.org>", "4"),
            ("-label:work in:inbox", "9754321"),
            ("in:inbox (from:bo OR (cc:desk is:unread))", "73"),
        ],
    )
    def test_searching(
        self, google: GoogleServer, searched: tuple[User, list[str]], q: str, numbers: str
    ) -> None:
        """What a search finds, newest first; the numbers are those of the messages."""
        user, ids = searched
        assert user.found(q) == [ids[int(n) - 1] for n in numbers]

    @pytest.fixture(scope="class")
    def searched(self, google: GoogleServer) -> Iterator[tuple[User, list[str]]]:
        """An account with nine messages, numbered from one."""
        email = "searched@example.com"
        token = google.account(email)
        ids = [
            google.deliver(email, mail(1), labels=("INBOX",)),
            google.deliver(email, mail(2, subject="=?utf-8?q?Gr=C3=BC=C3=9Fe?=")),
            google.deliver(email, mail(3, more="Cc: desk@example.com\r\n")),
            google.deliver(email, mail(4)),
            google.deliver(email, mail(5, to="desk@example.com")),
            google.deliver(email, mail(6), labels=("INBOX", "UNREAD", "work")),
            google.deliver(email, mail(7, sender="Bo <bo@example.net>")),
            google.deliver(email, mail(8, body="Sent."), labels=("SENT", "UNREAD")),
            google.deliver(email, mail(9)),
        ]
        with client_of(google, token) as client:
            yield User(google, email, token, client), ids

    @pytest.mark.parametrize("q", ["older_than:2d", "-larger:5M"])
    def test_an_operator_that_nobody_knows_is_refused(self, user: User, q: str) -> None:
        """No test may lean on an operator that is passed over."""
        assert reason(user.call("GET", f"{GMAIL}/messages", q=q)) == (400, "invalidArgument")


class TestHistory:
    """What changed since."""

    def test_ids_only_grow(self, user: User) -> None:
        """However fast messages come in, each has a history id beyond the one before, longer than 64 bits."""
        start = user.get(f"{GMAIL}/profile")["historyId"]
        ids = user.google.deliver_many(user.email, [mail(n) for n in range(1, 51)])
        told = user.history(start).json()
        entries = [int(entry["id"]) for entry in told["history"]]
        assert entries == sorted(set(entries))
        assert [e["messagesAdded"][0]["message"]["id"] for e in told["history"]] == ids
        assert int(told["historyId"]) == entries[-1] > 2**64
        assert (
            "history" not in user.history(told["historyId"]).json()
            or not user.history(told["historyId"]).json()["history"]
        )

    def test_an_expired_history(self, google: GoogleServer, user: User) -> None:
        """Ids known before are not found any more; the account goes on from a new one."""
        user.deliver(1)
        before = user.get(f"{GMAIL}/profile")["historyId"]
        google.expire_history(user.email)
        assert reason(user.history(before)) == (404, "notFound")
        now = user.get(f"{GMAIL}/profile")["historyId"]
        assert user.history(now).json()["historyId"] == now
        two = user.deliver(2)
        (entry,) = user.history(now).json()["history"]
        assert entry["messagesAdded"][0]["message"]["id"] == two


class TestDrafts:
    """Drafts as Gmail has them."""

    def test_of_ten_that_send_at_once_one_does(self, user: User) -> None:
        """Simultaneous sends of one draft send it once."""
        draft = user.draft()
        with ThreadPoolExecutor(10) as pool:
            sends = [
                pool.submit(user.call, "POST", f"{GMAIL}/drafts/send", {"id": draft["id"]}) for _ in range(10)
            ]
        assert sorted(s.result().status_code for s in sends) == [200] + [404] * 9
        assert len(user.found("in:sent")) == 1


def timed(day: int = 26, start: str = "10:00", end: str = "11:00", **more: Any) -> dict[str, Any]:
    """An event of November 2026, in Berlin."""
    return {
        "summary": "Meeting",
        "start": {"dateTime": f"2026-11-{day:02}T{start}:00+01:00", "timeZone": "Europe/Berlin"},
        "end": {"dateTime": f"2026-11-{day:02}T{end}:00+01:00", "timeZone": "Europe/Berlin"},
    } | more


class TestCalendar:
    """Events."""

    def test_changing_and_deleting(self, google: GoogleServer, user: User) -> None:
        """PATCH changes what it names, PUT the rest too; a deleted event stays as cancelled, and its id taken."""
        made = user.post(EVENTS, timed(id="event", location="Room 5"))
        patched = user.call(
            "PATCH", f"{EVENTS}/event", {"summary": "Moved"} | {"end": timed(end="12:00")["end"]}
        ).json()
        assert (patched["summary"], patched["location"], patched["sequence"]) == ("Moved", "Room 5", 1)
        assert patched["end"]["dateTime"] == "2026-11-26T11:00:00Z"
        assert (patched["start"], patched["etag"] != made["etag"]) == (made["start"], True)
        assert len(user.get(EVENTS, timeMin="2026-11-26T10:30:00Z")["items"]) == 1
        assert user.call("PATCH", f"{EVENTS}/event", {"end": timed(25)["end"]}).status_code == 400
        put = user.call("PUT", f"{EVENTS}/event", timed(27)).json()
        assert put["start"]["dateTime"] == "2026-11-27T09:00:00Z"
        assert "location" not in put
        assert user.call("DELETE", f"{EVENTS}/event", sendUpdates="all").status_code == 204
        assert reason(user.call("DELETE", f"{EVENTS}/event")) == (410, "deleted")
        assert user.get(f"{EVENTS}/event")["status"] == "cancelled"
        assert user.get(EVENTS)["items"] == []
        assert [e["id"] for e in user.get(EVENTS, showDeleted="true")["items"]] == ["event"]
        assert reason(user.call("POST", EVENTS, timed(id="event"))) == (409, "duplicate")
        assert google.events(user.email)[0]["sendUpdates"] == "all"
        assert user.call("PATCH", f"{EVENTS}/unknown", {}).status_code == 404

    def test_a_series(self, google: GoogleServer) -> None:
        """Each occurrence is an event of its own at the same time on the clock, also when the clocks change (25 October)."""
        email = f"series{next(_NUMBERS)}@example.com"
        with client_of(google, google.account(email, timezone="UTC")) as client:
            user = User(google, email, "", client)
            when = {"timeZone": "Europe/Berlin"}
            event = {
                "start": when | {"dateTime": "2026-10-23T11:00:00"},
                "end": when | {"dateTime": "2026-10-23T12:00:00"},
            }
            made = user.post(
                EVENTS,
                event
                | {"id": "series", "recurrence": ["RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;UNTIL=20261106"]},
            )
            told = user.get(
                EVENTS, singleEvents="true", timeMin="2026-10-01T00:00:00Z", timeMax="2026-12-01T00:00:00Z"
            )
            got = [e["start"]["dateTime"] for e in told["items"]]
            assert got == [f"2026-{each}:00:00Z" for each in ("10-23T09", "11-02T10", "11-06T10")]
            assert {e["recurringEventId"] for e in told["items"]} == {"series"}
            assert user.get(EVENTS)["items"] == [made]

    def test_of_many_that_create_one_id_one_does(self, user: User) -> None:
        """Simultaneous inserts of one id make one event."""
        with ThreadPoolExecutor(8) as pool:
            made = [pool.submit(user.call, "POST", EVENTS, timed(id="event")) for _ in range(8)]
        assert sorted(m.result().status_code for m in made) == [200] + [409] * 7


class TestReplay:
    """The replay of a large account."""

    @pytest.fixture(scope="class")
    def replay(self) -> Iterator[GoogleReplay]:
        """An account of a million messages."""
        with running_google_replay(1_000_000, years=5) as running:
            yield running

    def get(self, replay: GoogleReplay, path: str, status: int = 200, **query: Any) -> Any:
        """The JSON of a call."""
        answer = httpx.get(f"{replay.url}{GMAIL}/{path}", params=query, timeout=30)
        assert answer.status_code == status
        return answer.json()

    def test_a_listing(self, replay: GoogleReplay) -> None:
        """Newest first, in pages, by time and by what is unread."""
        first = self.get(replay, "messages", q="in:inbox", maxResults=500)
        second = self.get(replay, "messages", q="in:inbox", maxResults=9999, pageToken=first["nextPageToken"])
        ids = [m["id"] for m in first["messages"] + second["messages"]]
        assert ids == [message_id(n) for n in range(999_999, 998_999, -1)]
        at = int(self.get(replay, f"messages/{ids[500]}", format="minimal")["internalDate"]) // 1000
        found = self.get(replay, "messages", q=f"in:inbox is:unread after:{at} before:{at + 3600}")[
            "messages"
        ]
        numbers = [int(m["id"], 16) - int(message_id(0), 16) for m in found]
        assert 5 <= len(numbers) <= 7
        assert all(n % 4 == 0 for n in numbers)
        assert numbers == sorted(numbers, reverse=True)
        assert "messages" not in self.get(replay, "messages", q="before:1000")

    @pytest.mark.parametrize(
        ("path", "query", "status"),
        [
            ("messages/18c0ffee0000dead", {"format": "raw"}, 404),
            ("messages", {"q": "from:ana"}, 400),
            ("drafts", {}, 404),
        ],
    )
    def test_what_it_does_not_know_it_refuses(
        self, replay: GoogleReplay, path: str, query: dict[str, str], status: int
    ) -> None:
        """Nothing is answered by guessing."""
        self.get(replay, path, status, **query)
