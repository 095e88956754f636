"""The stand-in for Google itself: what its shell adds to the emulator, and the replay of a large account."""

import base64
import http.client
import itertools
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest

from tests.servers.google_replay import GoogleReplay, running_google_replay
from tests.servers.google_replay_server import Mail, message_id
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

    def test_it_ends_with_its_block_and_listens_here_only(self) -> None:
        """After the block nothing listens any more; the address is the loopback's."""
        with running_google_server() as server:
            assert server.url.startswith("http://127.0.0.1:")
            server.account("a@example.com")
        with pytest.raises(urllib.error.URLError):
            server.account("b@example.com")

    def test_reset_forgets_everything(self) -> None:
        """Accounts, tokens, faults and calls are gone."""
        with running_google_server() as server:
            token = server.account("a@example.com")
            server.faults({"match": ".", "status": 500})
            server.reset()
            with client_of(server, token) as client:
                assert client.get(f"{GMAIL}/profile").status_code == 401
            assert [r["status"] for r in server.requests] == [401]
            with pytest.raises(RuntimeError, match=r"no account a@example\.com"):
                server.drafts("a@example.com")

    def test_wrong_control_is_told(self, google: GoogleServer, user: User) -> None:
        """An unknown control, a mail to nobody and a naive time are errors, not silence."""
        with pytest.raises(RuntimeError, match="no such control"):
            google._control("nonsense")
        with pytest.raises(RuntimeError, match=r"no account nobody@example\.com"):
            google.deliver("nobody@example.com", mail())
        with pytest.raises(ValueError, match="time zone"):
            google.deliver(user.email, mail(), received=datetime(2026, 11, 20))

    @pytest.mark.parametrize(
        ("target", "status"), [("/gmail/v1/users/me/%zz", 400), ("/nowhere", 404), ("/__ctl/toString", 404)]
    )
    def test_odd_addresses_do_no_harm(
        self, google: GoogleServer, user: User, target: str, status: int
    ) -> None:
        """An address that cannot be read or leads nowhere is an error in Google's form."""
        connection = http.client.HTTPConnection(google.url.removeprefix("http://"))
        connection.request("POST", target, b"{", {"authorization": f"Bearer {user.token}"})
        answer = connection.getresponse()
        assert (answer.status, json.load(answer)["error"]["code"]) == (status, status)
        connection.close()

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

    def test_more_calls_than_the_emulator_would_take(self, google: GoogleServer, user: User) -> None:
        """The emulator's own server answers a token 5000 times an hour; here there is no such limit."""
        for _ in range(52):
            assert all(s == 200 for s, _ in batch(user, *[("GET", f"{GMAIL}/labels/INBOX")] * 100))


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

    def test_a_body_of_ones_own(self, google: GoogleServer, user: User) -> None:
        """An answer may be anything at all."""
        google.faults({"match": "profile", "status": 200, "body": "<html>"})
        assert user.call("GET", f"{GMAIL}/profile").text == "<html>"

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

    def test_a_batch_that_is_cut(self, google: GoogleServer, user: User) -> None:
        """When one call closes the connection, the batch has no answer."""
        google.faults({"match": "profile", "drop": True})
        with pytest.raises(httpx.HTTPError):
            batch(user, ("GET", f"{GMAIL}/labels"), ("GET", f"{GMAIL}/profile"))


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


class TestBatch:
    """Many calls in one request."""

    @pytest.mark.parametrize("path", ["/batch", "/batch/gmail/v1", "/batch/calendar/v3"])
    def test_reading_and_writing(self, user: User, path: str) -> None:
        """Calls of both services are carried out in order."""
        event = {"start": {"date": "2026-11-26"}, "end": {"date": "2026-11-27"}}
        answers = batch(
            user,
            ("POST", f"{GMAIL}/labels", {"name": "Work"}),
            ("POST", EVENTS, event),
            ("GET", EVENTS),
            path=path,
        )
        assert [status for status, _ in answers] == [200, 200, 200]
        assert answers[2][1]["items"] == [answers[1][1]]

    def test_what_is_no_batch(self, user: User) -> None:
        """More than 100 calls, none, or nonsense are refused; a nonsensical call fails by itself."""
        with pytest.raises(httpx.HTTPStatusError, match="400"):
            batch(user, *[("GET", f"{GMAIL}/profile")] * 101)
        for content, kind in (("", "multipart/mixed; boundary=b"), ("x", "text/plain")):
            answer = user.client.post("/batch", content=content, headers={"content-type": kind})
            assert answer.status_code == 400
        assert [
            s for s, _ in batch(user, ("GET", "/batch"), ("NONSENSE", "/"), ("POST", "/__ctl/reset"))
        ] == [404, 400, 400]


class TestAccess:
    """Tokens, scopes and the sign-in."""

    def test_an_unknown_token(self, google: GoogleServer) -> None:
        """Without a token that was given out, nothing is answered."""
        with client_of(google, "made-up") as client:
            for path in (f"{GMAIL}/profile", f"{GMAIL}/messages", EVENTS):
                assert reason(client.get(path)) == (401, "authError")
        assert httpx.get(f"{google.url}{GMAIL}/messages").status_code == 401

    @pytest.mark.parametrize(
        ("scopes", "gmail", "reading", "writing"),
        [
            (SCOPES[:1], 200, 403, 403),
            (SCOPES[1:], 403, 200, 400),
            (SCOPES[1:2], 403, 200, 400),
            (SCOPES[2:], 403, 200, 403),
            (("openid",), 403, 403, 403),
            ((), 200, 200, 400),
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

    def test_another_user_is_not_found(self, google: GoogleServer, user: User) -> None:
        """An account sees only itself, by whatever name."""
        google.account("other@example.com")
        assert user.call("GET", f"/gmail/v1/users/{user.email}/profile").status_code == 200
        assert user.call("GET", "/gmail/v1/users/other@example.com/profile").status_code == 404
        assert user.call("GET", "/gmail/v1/users/other@example.com/messages").status_code == 404

    def test_refreshing_and_expiring(self, google: GoogleServer, user: User) -> None:
        """An access token that has run out is replaced by its refresh token's next one."""
        grant = google.refresh_token(user.email)
        with client_of(google, grant.access_token) as client:
            assert client.get(f"{GMAIL}/profile").json()["emailAddress"] == user.email
            google.expire(grant.access_token)
            assert reason(client.get(f"{GMAIL}/profile")) == (401, "authError")
        fresh = self.refresh(google, grant.refresh_token).json()["access_token"]
        with client_of(google, fresh) as client:
            assert client.get(f"{GMAIL}/profile").status_code == 200

    @pytest.mark.parametrize("public", [False, True])
    @pytest.mark.parametrize("which", ["refresh_token", "access_token"])
    def test_revoking_takes_back_everything(
        self, google: GoogleServer, user: User, which: str, public: bool
    ) -> None:
        """Whichever token is named, and by whom, all of the account's are void, and refreshing says invalid_grant."""
        grant = google.refresh_token(user.email)
        token = getattr(grant, which)
        if public:
            httpx.post(f"{google.url}/oauth2/revoke", data={"token": token}).raise_for_status()
        else:
            google.revoke(token)
        answer = self.refresh(google, grant.refresh_token)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
        assert user.call("GET", f"{GMAIL}/profile").status_code == 401
        assert httpx.post(f"{google.url}/oauth2/revoke", data={"token": token}).status_code == 400
        with client_of(google, google.account(user.email)) as client:
            assert client.get(f"{GMAIL}/profile").status_code == 200

    def refresh(self, google: GoogleServer, token: str, secret: str = CLIENT_SECRET) -> httpx.Response:
        """Exchange a refresh token."""
        data = {"grant_type": "refresh_token", "refresh_token": token}
        return httpx.post(
            f"{google.url}/oauth2/token", data=data | {"client_id": CLIENT_ID, "client_secret": secret}
        )

    def test_the_client_is_checked(self, google: GoogleServer, user: User) -> None:
        """A wrong secret, an unknown client and a redirect to another machine are refused."""
        grant = google.refresh_token(user.email)
        assert self.refresh(google, grant.refresh_token, "wrong").json()["error"] == "invalid_client"
        for client, redirect in ((CLIENT_ID, "http://evil.example/"), ("unknown", "http://127.0.0.1:1/")):
            asked = {"client_id": client, "redirect_uri": redirect, "scope": SCOPES[0]}
            assert httpx.get(f"{google.url}/o/oauth2/v2/auth", params=asked).status_code == 400

    def test_the_browser_is_led_to_any_port_of_this_machine(self, google: GoogleServer, user: User) -> None:
        """`consent` plays the person: the code and the state come to the program that waits for them."""
        came: list[str] = []

        class Waiting(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                came.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"You may close this page.")

            def log_message(self, format: str, *args: Any) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Waiting) as waiting:
            thread = Thread(target=waiting.handle_request)
            thread.start()
            redirect = f"http://127.0.0.1:{waiting.server_port}/back"
            asked = {"client_id": CLIENT_ID, "redirect_uri": redirect, "scope": SCOPES[0], "state": "s&t"}
            page = google.consent(f"{google.url}/o/oauth2/v2/auth?{urlencode(asked)}", user.email)
            thread.join(10)
        assert page == "You may close this page."
        assert came[0].startswith("/back?code=")
        assert came[0].endswith("&state=s%26t")
        with pytest.raises(RuntimeError, match="does not offer nobody"):
            google.consent(f"{google.url}/o/oauth2/v2/auth?{urlencode(asked)}", "nobody@example.com")


class TestMessages:
    """Delivering, ids and searching."""

    def test_delivering(self, google: GoogleServer, user: User) -> None:
        """A message is there as it was put in, with its labels, received when its Date says or as told."""
        raw = mail(3, body="Grüße")
        ids = google.deliver_many(user.email, [raw, mail(4)])
        at = datetime(1999, 12, 31, 23, tzinfo=UTC)
        old = google.deliver(user.email, mail(5), labels=("Work/Later",), received=at)
        told = user.get(f"{GMAIL}/messages/{ids[0]}", format="raw")
        assert base64.urlsafe_b64decode(told["raw"] + "==") == raw
        assert (told["labelIds"], told["internalDate"]) == (["INBOX", "UNREAD"], "1795165380000")
        told = user.get(f"{GMAIL}/messages/{old}", format="minimal")
        assert told["internalDate"] == str(int(at.timestamp() * 1000))
        (label,) = told["labelIds"]
        assert user.get(f"{GMAIL}/labels/{label}")["name"] == "Work/Later"
        archived = google.deliver(user.email, mail(6), labels=())
        assert user.get(f"{GMAIL}/messages/{archived}", format="minimal")["labelIds"] == []

    def test_threading(self, user: User) -> None:
        """A reply joins by References or In-Reply-To, folded or not; the conversation has its first message's id."""
        one = user.deliver(1)
        two = user.deliver(2, more="References: <x@example.org>\r\n <1@example.org>\r\n")
        three = user.deliver(3, more="In-Reply-To: <2@example.org>\r\n")
        other = user.deliver(4)
        thread = user.get(f"{GMAIL}/threads/{one}", format="minimal")
        assert [m["id"] for m in thread["messages"]] == [one, two, three]
        assert user.get(f"{GMAIL}/messages/{other}", format="minimal")["threadId"] == other

    def test_ids(self, user: User) -> None:
        """Ids are hexadecimal; what is not is malformed, what is unknown is not found."""
        assert int(user.deliver(), 16) < 2**64
        for kind, format_ in (("messages", "minimal"), ("threads", "minimal")):
            assert reason(user.call("GET", f"{GMAIL}/{kind}/18c0ffee0000dead", format=format_)) == (
                404,
                "notFound",
            )
            answer = user.call("GET", f"{GMAIL}/{kind}/nonsense", format=format_)
            assert reason(answer) == (400, "invalidArgument")
            assert answer.json()["error"]["message"] == "Invalid id value"

    def test_the_profile(self, user: User) -> None:
        """It counts messages and conversations, and has the history id that the account stands at."""
        first = user.get(f"{GMAIL}/profile")
        user.deliver(1)
        user.deliver(2, more="In-Reply-To: <1@example.org>\r\n")
        last = user.deliver(3)
        told = user.get(f"{GMAIL}/profile")
        assert (told["emailAddress"], told["messagesTotal"], told["threadsTotal"]) == (user.email, 3, 2)
        assert int(first["historyId"]) < int(told["historyId"])
        assert told["historyId"] == user.get(f"{GMAIL}/messages/{last}", format="minimal")["historyId"]

    def test_metadata_has_every_header(self, user: User) -> None:
        """Headers come decoded, as often as they occur, and only those asked for, in whatever case."""
        more = "X-One: a\r\nReceived: first\r\nReceived: second\r\n  half\r\n"
        one = user.deliver(1, subject="=?utf-8?q?Gr=C3=BC=C3=9Fe?= =?utf-8?b?ISE=?=", more=more)
        told = user.get(f"{GMAIL}/messages/{one}", format="metadata", metadataHeaders=["received", "SUBJECT"])
        headers = told["payload"]["headers"]
        assert [(h["name"], h["value"]) for h in headers] == [
            ("Subject", "Grüße!!"),
            ("Received", "first"),
            ("Received", "second half"),
        ]
        everything = user.get(f"{GMAIL}/messages/{one}", format="metadata")["payload"]["headers"]
        assert {h["name"] for h in everything} >= {"X-One", "From", "Message-ID"}

    def test_a_label_that_exists_is_a_conflict(self, user: User) -> None:
        """The second label of a name is refused with 409."""
        user.post(f"{GMAIL}/labels", {"name": "Work"})
        assert reason(user.call("POST", f"{GMAIL}/labels", {"name": "work"})) == (409, "aborted")

    def test_many_messages_changed_at_once(self, user: User) -> None:
        """batchModify is the emulator's, and works."""
        ids = [user.deliver(n) for n in (1, 2)]
        answer = user.call(
            "POST", f"{GMAIL}/messages/batchModify", {"ids": ids, "removeLabelIds": ["UNREAD"]}
        )
        assert answer.status_code == 204
        assert user.found("is:unread") == []

    @pytest.mark.parametrize(
        ("q", "numbers"),
        [
            ("", "987654321"),
            ("in:inbox", "97654321"),
            ("in:inbox is:unread", "9765432"),
            ("is:read", "1"),
            ("from:ana@example.org", "98654321"),
            ("from:BO", "7"),
            ("to:desk@example.com", "5"),
            ("subject:ring", "98765431"),
            ("subject:grüße", "2"),
            ("after:1795165380", "987654"),
            ("before:1795165380", "21"),
            ("after:1795165260 before:1795165380", "2"),
            ("rfc822msgid:4@example.org", "4"),
            ("rfc822msgid:<4@example.org>", "4"),
            ("-in:inbox", "8"),
            ("in:sent", "8"),
            ("-from:ana", "7"),
            ("label:work", "6"),
            ("-label:work in:inbox", "9754321"),
            ("label:nothing-of-the-kind", ""),
            ("in:nowhere", ""),
            ('"come by"', "97654321"),
            ('"by come"', ""),
            ("come by", "97654321"),
            ('from:"ana petrova"', "98654321"),
            ("cc:desk", "3"),
            ("{from:bo cc:desk}", "73"),
            ("from:bo OR cc:desk OR to:desk", "753"),
            ("in:inbox {from:bo cc:desk} -cc:desk", "7"),
            ("in:inbox (from:bo OR (cc:desk is:unread))", "73"),
            ("-{from:ana from:bo}", ""),
            ("from:bo AND in:inbox", "7"),
            ("has:attachment", "9"),
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
        attachment = (
            'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\n\r\ncome by\r\n--x\r\n'
            'Content-Type: text/csv\r\nContent-Disposition: attachment; filename="a.csv"\r\n\r\n1,2\r\n--x--\r\n'
        )
        ids = [
            google.deliver(email, mail(1), labels=("INBOX",)),
            google.deliver(email, mail(2, subject="=?utf-8?q?Gr=C3=BC=C3=9Fe?=")),
            google.deliver(email, mail(3, more="Cc: desk@example.com\r\n")),
            google.deliver(email, mail(4)),
            google.deliver(email, mail(5, to="desk@example.com")),
            google.deliver(email, mail(6), labels=("INBOX", "UNREAD", "work")),
            google.deliver(email, mail(7, sender="Bo <bo@example.net>")),
            google.deliver(email, mail(8, body="Sent."), labels=("SENT", "UNREAD")),
            google.deliver(email, mail(9, more=attachment)),
            google.deliver(email, mail(10, sender="x@example.com", subject="spam"), labels=("SPAM",)),
        ]
        with client_of(google, token) as client:
            yield User(google, email, token, client), ids

    def test_searching_beside_the_inbox(self, searched: tuple[User, list[str]]) -> None:
        """Junk is found only when it is named."""
        user, ids = searched
        assert user.found("in:spam") == [ids[9]]
        assert user.found("in:anywhere") == ids[::-1]
        assert user.found("", labelIds="nonsense") == []
        assert user.found("", labelIds=["INBOX", "SENT"]) == []

    @pytest.mark.parametrize("q", ["older_than:2d", "-larger:5M", "list:x"])
    def test_an_operator_that_nobody_knows_is_refused(self, user: User, q: str) -> None:
        """No test may lean on an operator that is passed over."""
        assert reason(user.call("GET", f"{GMAIL}/messages", q=q)) == (400, "invalidArgument")

    @pytest.mark.parametrize(
        "q", ["(", "}{", '"', '-"', "OR", "- ", "((((a", "a OR", ") b", "-" * 5000, "(" * 50]
    )
    def test_junk_in_a_search_does_no_harm(self, user: User, q: str) -> None:
        """Whatever is typed, there is an answer."""
        assert user.call("GET", f"{GMAIL}/messages", q=q).status_code == 200

    def test_too_many_brackets(self, user: User) -> None:
        """There is a limit to how deep they may be nested."""
        assert reason(user.call("GET", f"{GMAIL}/messages", q="(" * 2000)) == (400, "invalidArgument")

    def test_pages(self, google: GoogleServer, user: User) -> None:
        """A listing comes in pages, with our searches as with the emulator's."""
        ids = google.deliver_many(user.email, [mail(n) for n in range(1, 8)])[::-1]
        for q in ("in:inbox", "in:inbox -from:bo"):
            got: list[str] = []
            query: dict[str, Any] = {"q": q, "maxResults": 3}
            while True:
                told = user.get(f"{GMAIL}/messages", **query)
                got += [m["id"] for m in told["messages"]]
                if "nextPageToken" not in told:
                    break
                query["pageToken"] = told["nextPageToken"]
            assert got == ids


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

    @pytest.mark.parametrize("start", ["", "nonsense", "-1", "1e9"])
    def test_an_id_that_is_none(self, user: User, start: str) -> None:
        """Nonsense is refused as malformed."""
        assert reason(user.history(start)) == (400, "invalidArgument")


class TestDrafts:
    """Drafts as Gmail has them."""

    def test_changing_keeps_the_draft_and_not_its_message(self, user: User) -> None:
        """The draft's id stays, the message inside is a new one in the same conversation, with nothing of the old."""
        first = user.deliver(1)
        draft = user.draft(mail(2, more="Cc: bo@example.net\r\n"), threadId=first)
        changed = user.call(
            "PUT", f"{GMAIL}/drafts/{draft['id']}", {"message": {"raw": coded(mail(3, subject="Better"))}}
        ).json()
        assert changed["id"] == draft["id"]
        assert changed["message"]["id"] != draft["message"]["id"]
        assert changed["message"]["threadId"] == first
        told = user.get(f"{GMAIL}/drafts/{draft['id']}", format="full")["message"]["payload"]["headers"]
        assert {h["name"]: h["value"] for h in told}.keys() & {"Cc", "Subject"} == {"Subject"}
        assert user.google.drafts(user.email) == [first]
        assert user.call("GET", f"{GMAIL}/messages/{draft['message']['id']}").status_code == 404

    def test_sending_makes_a_new_message(self, user: User) -> None:
        """The draft is gone, a second send is not found, and history tells of the sent message."""
        first = user.deliver(1)
        draft = user.draft(threadId=first)
        start = user.get(f"{GMAIL}/profile")["historyId"]
        sent = user.post(f"{GMAIL}/drafts/send", {"id": draft["id"]})
        assert sent["id"] != draft["message"]["id"]
        assert (sent["threadId"], sent["labelIds"]) == (first, ["SENT"])
        assert reason(user.call("POST", f"{GMAIL}/drafts/send", {"id": draft["id"]})) == (404, "notFound")
        assert user.google.drafts(user.email) == []
        added, deleted = user.history(start).json()["history"]
        assert added["messagesAdded"][0]["message"]["id"] == sent["id"]
        assert deleted["messagesDeleted"][0]["message"]["id"] == draft["message"]["id"]

    def test_of_ten_that_send_at_once_one_does(self, user: User) -> None:
        """Simultaneous sends of one draft send it once."""
        draft = user.draft()
        with ThreadPoolExecutor(10) as pool:
            sends = [
                pool.submit(user.call, "POST", f"{GMAIL}/drafts/send", {"id": draft["id"]}) for _ in range(10)
            ]
        assert sorted(s.result().status_code for s in sends) == [200] + [404] * 9
        assert len(user.found("in:sent")) == 1

    def test_of_changing_and_sending_at_once_nothing_is_lost(self, user: User) -> None:
        """A draft that is changed while it is sent is sent once, as it was or as it became."""
        for number in range(5):
            draft = user.draft()
            with ThreadPoolExecutor(2) as pool:
                change = pool.submit(
                    user.call, "PUT", f"{GMAIL}/drafts/{draft['id']}", {"message": {"raw": coded(mail(7))}}
                )
                send = pool.submit(user.call, "POST", f"{GMAIL}/drafts/send", {"id": draft["id"]})
            assert send.result().status_code == 200
            assert change.result().status_code in {200, 404}
            assert (user.google.drafts(user.email), len(user.found("in:sent"))) == ([], number + 1)

    def test_what_cannot_be_saved_or_sent(self, user: User) -> None:
        """A conversation that is gone is not found, a malformed one refused; a draft to nobody is not sent."""
        message = {"raw": coded(mail(2))}
        for path in ("drafts", "messages/send"):
            for thread, status in (("18c0ffee0000dead", 404), ("nonsense", 400)):
                body = message | {"threadId": thread}
                body = {"message": body} if path == "drafts" else body
                assert user.call("POST", f"{GMAIL}/{path}", body).status_code == status
        draft = user.draft(b"Subject: To nobody\r\n\r\nHello\r\n")
        assert reason(user.call("POST", f"{GMAIL}/drafts/send", {"id": draft["id"]})) == (
            400,
            "invalidArgument",
        )
        assert user.call("PUT", f"{GMAIL}/drafts/r-1", {"message": message}).status_code == 404
        assert user.call("POST", f"{GMAIL}/drafts/send", {}).status_code == 404
        assert len(user.google.drafts(user.email)) == 1

    def test_a_draft_is_searched_for(self, user: User) -> None:
        """drafts.list takes a search."""
        one, two = user.draft(mail(1)), user.draft(mail(2))
        for number, draft in ((1, one), (2, two)):
            told = user.get(f"{GMAIL}/drafts", q=f"rfc822msgid:{number}@example.org")
            assert [d["id"] for d in told["drafts"]] == [draft["id"]]
        assert len(user.get(f"{GMAIL}/drafts")["drafts"]) == 2


def timed(day: int = 26, start: str = "10:00", end: str = "11:00", **more: Any) -> dict[str, Any]:
    """An event of November 2026, in Berlin."""
    return {
        "summary": "Meeting",
        "start": {"dateTime": f"2026-11-{day:02}T{start}:00+01:00", "timeZone": "Europe/Berlin"},
        "end": {"dateTime": f"2026-11-{day:02}T{end}:00+01:00", "timeZone": "Europe/Berlin"},
    } | more


class TestCalendar:
    """Events."""

    def test_an_event_under_its_own_id(self, user: User) -> None:
        """It is stored under the id, with what it was given, and a second one of the id is refused."""
        event = timed(id="0123456789abcdef", transparency="transparent", location="Room 5")
        made = user.post(EVENTS, event | {"attendees": [{"email": "ana@example.org", "displayName": "Ana"}]})
        assert made["id"] == "0123456789abcdef"
        assert made["attendees"] == [
            {"responseStatus": "needsAction", "email": "ana@example.org", "displayName": "Ana"}
        ]
        assert user.get(f"{EVENTS}/0123456789abcdef") == made
        assert (made["transparency"], made["iCalUID"]) == ("transparent", "0123456789abcdef@google.com")
        assert reason(user.call("POST", EVENTS, event)) == (409, "duplicate")
        assert user.get(EVENTS)["items"] == [made]

    def test_without_an_id_one_is_made(self, user: User) -> None:
        """It is of Google's form."""
        made = user.post(EVENTS, timed())
        assert set(made["id"]) <= set("0123456789abcdefghijklmnopqrstuv")
        assert user.get(f"{CALENDAR}/calendars/{quote(user.email)}/events/{made['id']}") == made

    @pytest.mark.parametrize(
        "wrong",
        [
            {"id": "with-dash"},
            {"id": "abc"},
            {"id": "UPPER0"},
            {"start": {}},
            {"end": {"dateTime": "nonsense"}},
            {"start": {"dateTime": "2026-11-26T10:00:00"}},
            {"start": {"date": "2026-11-26"}},
            {"end": {"dateTime": "2026-11-25T10:00:00Z"}},
            {"recurrence": ["RRULE:FREQ=YEARLY"]},
        ],
    )
    def test_what_is_no_event(self, user: User, wrong: dict[str, Any]) -> None:
        """Ids and times that Google would refuse are refused; so are rules that the stand-in does not know."""
        assert user.call("POST", EVENTS, timed() | wrong).status_code == 400
        assert user.get(EVENTS)["items"] == []

    def test_how_it_was_asked_for_is_on_record(self, google: GoogleServer, user: User) -> None:
        """`events` tells of invitations and of the video call that was asked for, which comes only with version 1."""
        call = {"createRequest": {"requestId": "r1", "conferenceSolutionKey": {"type": "hangoutsMeet"}}}
        event = timed(id="first", conferenceData=call)
        made = user.post(EVENTS, event, sendUpdates="all", conferenceDataVersion=1)
        assert made["hangoutLink"].startswith("https://meet.google.com/")
        assert made["conferenceData"]["createRequest"]["status"] == {"statusCode": "success"}
        plain = user.post(EVENTS, event | {"id": "second"})
        assert "hangoutLink" not in plain
        first, second = google.events(user.email)
        assert (first["sendUpdates"], first["conferenceRequested"]) == ("all", call["createRequest"])
        assert (second["sendUpdates"], second["conferenceRequested"]) == (None, None)
        assert first["body"] == event
        assert first["calendar"] == user.email

    def test_the_edges_of_a_period(self, user: User) -> None:
        """An event is found when it ends after the period begins and begins before it ends."""
        user.post(EVENTS, timed())
        for start, end, count in (
            ("08:00:00Z", "09:00:00Z", 0),
            ("08:00:00Z", "09:00:01Z", 1),
            ("09:59:59Z", "12:00:00Z", 1),
            ("10:00:00Z", "12:00:00Z", 0),
        ):
            found = user.get(EVENTS, timeMin=f"2026-11-26T{start}", timeMax=f"2026-11-26T{end}")["items"]
            assert len(found) == count
        for wrong in ({"timeMin": "2026-11-26"}, {"orderBy": "startTime"}):
            assert user.call("GET", EVENTS, **wrong).status_code == 400

    def test_whole_days(self, user: User) -> None:
        """An event of whole days keeps its dates."""
        made = user.post(EVENTS, {"start": {"date": "2026-11-26"}, "end": {"date": "2026-11-28"}})
        assert (made["start"], made["end"]) == ({"date": "2026-11-26"}, {"date": "2026-11-28"})

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

    @pytest.mark.parametrize(
        ("rule", "starts"),
        [
            ("FREQ=DAILY;COUNT=3", ["23T09", "24T09", "25T10"]),
            ("FREQ=DAILY;INTERVAL=3;UNTIL=20261029T235959Z", ["23T09", "26T10", "29T10"]),
            ("FREQ=WEEKLY;COUNT=2", ["23T09", "30T10"]),
            ("FREQ=WEEKLY;BYDAY=FR,MO;COUNT=3", ["23T09", "26T10", "30T10"]),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;UNTIL=20261106", ["23T09", "11-02T10", "11-06T10"]),
        ],
    )
    def test_a_series(self, google: GoogleServer, rule: str, starts: list[str]) -> None:
        """Each occurrence is an event of its own at the same time on the clock, also when the clocks change (25 October)."""
        email = f"series{next(_NUMBERS)}@example.com"
        with client_of(google, google.account(email, timezone="UTC")) as client:
            user = User(google, email, "", client)
            when = {"timeZone": "Europe/Berlin"}
            event = {
                "start": when | {"dateTime": "2026-10-23T11:00:00"},
                "end": when | {"dateTime": "2026-10-23T12:00:00"},
            }
            made = user.post(EVENTS, event | {"id": "series", "recurrence": [f"RRULE:{rule}"]})
            told = user.get(
                EVENTS, singleEvents="true", timeMin="2026-10-01T00:00:00Z", timeMax="2026-12-01T00:00:00Z"
            )
            got = [e["start"]["dateTime"] for e in told["items"]]
            assert got == [f"2026-{s if s.count('-') else '10-' + s}:00:00Z" for s in starts]
            assert {e["recurringEventId"] for e in told["items"]} == {"series"}
            assert user.get(f"{EVENTS}/{told['items'][1]['id']}") == told["items"][1]
            assert user.get(EVENTS)["items"] == [made]
            assert "recurrence" in made
            user.call("DELETE", f"{EVENTS}/series")
            assert user.get(EVENTS, singleEvents="true")["items"] == []

    def test_a_series_without_an_end(self, user: User) -> None:
        """It ends where the period does; days are told as days."""
        event = {"start": {"date": "2026-11-02"}, "end": {"date": "2026-11-03"}, "id": "forever"}
        user.post(EVENTS, event | {"recurrence": ["RRULE:FREQ=DAILY"]})
        told = user.get(
            EVENTS, singleEvents="true", timeMin="2027-03-01T00:00:00Z", timeMax="2027-03-03T00:00:00Z"
        )
        assert [e["id"] for e in told["items"]] == ["forever_20270301", "forever_20270302"]
        assert told["items"][0]["end"] == {"date": "2027-03-02"}

    def test_several_calendars(self, google: GoogleServer, user: User) -> None:
        """Each has its role and its events; one whose events may not be read or written says so."""
        google.calendar(
            user.email, "team@example.com", role="reader", selected=False, timezone="Europe/Berlin"
        )
        google.calendar(user.email, "boss@example.com", role="freeBusyReader")
        items = user.get(f"{CALENDAR}/users/me/calendarList")["items"]
        listed = {i["id"]: (i["accessRole"], i["selected"], i.get("primary", False)) for i in items}
        assert listed == {
            user.email: ("owner", True, True),
            "team@example.com": ("reader", False, False),
            "boss@example.com": ("freeBusyReader", True, False),
        }
        added = google.add_event(user.email, timed(), calendar="team@example.com")
        team = f"{CALENDAR}/calendars/team%40example.com/events"
        assert user.get(team)["items"] == [added]
        assert added["start"]["dateTime"] == "2026-11-26T10:00:00+01:00"
        assert reason(user.call("POST", team, timed())) == (403, "requiredAccessLevel")
        boss = f"{CALENDAR}/calendars/boss%40example.com/events"
        assert reason(user.call("GET", boss)) == (403, "requiredAccessLevel")
        assert reason(user.call("GET", f"{CALENDAR}/calendars/unknown/events")) == (404, "notFound")

    def test_busy_times(self, google: GoogleServer, user: User) -> None:
        """They are joined, cut to the period, and leave out what is transparent or deleted; an unknown calendar is an error."""
        google.calendar(user.email, "boss@example.com", role="freeBusyReader")
        for event in (
            timed(),
            timed(start="10:30", end="11:30"),
            timed(start="13:00", end="14:00", transparency="transparent"),
        ):
            google.add_event(user.email, event, calendar="boss@example.com")
        daily = timed(start="08:00", end="08:30") | {"recurrence": ["RRULE:FREQ=DAILY;COUNT=2"]}
        google.add_event(user.email, daily, calendar="boss@example.com")
        items = [{"id": "boss@example.com"}, {"id": "nobody@example.com"}]
        period = {"timeMin": "2026-11-26T00:00:00Z", "timeMax": "2026-11-26T10:15:00Z"}
        told = user.post(f"{CALENDAR}/freeBusy", period | {"items": items})["calendars"]
        assert told["boss@example.com"]["busy"] == [
            {"start": "2026-11-26T07:00:00Z", "end": "2026-11-26T07:30:00Z"},
            {"start": "2026-11-26T09:00:00Z", "end": "2026-11-26T10:15:00Z"},
        ]
        assert told["nobody@example.com"]["errors"] == [{"domain": "global", "reason": "notFound"}]

    def test_the_time_zone(self, google: GoogleServer) -> None:
        """The setting, the list of calendars and times without an offset go by the account's zone."""
        token = google.account("tokyo@example.com", timezone="Asia/Tokyo")
        with client_of(google, token) as client:
            user = User(google, "tokyo@example.com", token, client)
            assert user.get(f"{CALENDAR}/users/me/settings/timezone")["value"] == "Asia/Tokyo"
            assert user.get(f"{CALENDAR}/users/me/calendarList")["items"][0]["timeZone"] == "Asia/Tokyo"
            assert user.post(EVENTS, timed())["start"]["dateTime"] == "2026-11-26T18:00:00+09:00"

    def test_of_many_that_create_one_id_one_does(self, user: User) -> None:
        """Simultaneous inserts of one id make one event."""
        with ThreadPoolExecutor(8) as pool:
            made = [pool.submit(user.call, "POST", EVENTS, timed(id="event")) for _ in range(8)]
        assert sorted(m.result().status_code for m in made) == [200] + [409] * 7

    def test_pages_of_events(self, user: User) -> None:
        """More events than a page holds come in order on the next ones."""
        for number in range(260):
            user.post(EVENTS, timed(day=1 + number % 28) | {"id": f"{number:05}"})
        first = user.get(EVENTS, maxResults=2500)
        second = user.get(EVENTS, maxResults=2500, pageToken=first["nextPageToken"])
        starts = [e["start"]["dateTime"] for e in first["items"] + second["items"]]
        assert (len(starts), starts) == (260, sorted(starts))
        assert "nextPageToken" not in second


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

    def test_times_and_numbers_agree(self) -> None:
        """`first_at` is the inverse of `received`, for every message and at both ends."""
        for count, seconds in ((1, 10), (7, 3), (100, 86_400), (1000, 7)):
            account = Mail(count, seconds)
            times = [account.received(n) for n in range(count)]
            assert times == sorted(times)
            for at in {t + d for t in times for d in (-1, 0, 1)}:
                assert account.first_at(at) == sum(t < at for t in times)

    def test_messages_and_conversations_agree(self, replay: GoogleReplay) -> None:
        """Every message of a conversation names it; its source has the headers that join it."""
        listed = self.get(replay, "messages", q="in:inbox", maxResults=13)["messages"]
        for thread_id in {m["threadId"] for m in listed}:
            thread = self.get(replay, f"threads/{thread_id}", format="minimal")
            assert thread["messages"][0]["id"] == thread_id
            assert {m["threadId"] for m in thread["messages"]} == {thread_id}
            last = self.get(replay, f"messages/{thread['messages'][-1]['id']}", format="raw")
            source = base64.urlsafe_b64decode(last["raw"])
            assert (b"References: " in source) == (len(thread["messages"]) > 1)
        sizes = [len(Mail(1_000_000, 5).conversation(n)) for n in range(13)]
        assert sorted(sizes) == [1, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4]

    def test_the_profile_counts_what_is_there(self) -> None:
        """Conversations are counted right for an account of any size."""
        for count in (0, 1, 12, 13, 30):
            with running_google_replay(count) as replay:
                told = self.get(replay, "profile")
                listed = self.get(replay, "messages", maxResults=500).get("messages", [])
                assert (told["messagesTotal"], len(listed)) == (count, count)
                assert told["threadsTotal"] == len({m["threadId"] for m in listed})

    def test_history(self, replay: GoogleReplay) -> None:
        """It tells of the messages after an id, in pages, oldest first, and then where it stands."""
        now = self.get(replay, "profile")["historyId"]
        told = self.get(replay, "history", startHistoryId=str(int(now) - 700), maxResults=500)
        more = self.get(
            replay, "history", startHistoryId="0", maxResults=500, pageToken=told["nextPageToken"]
        )
        added = [e["messagesAdded"][0]["message"]["id"] for e in told["history"] + more["history"]]
        assert added == [message_id(n) for n in range(999_300, 1_000_000)]
        assert "nextPageToken" not in more
        assert self.get(replay, "history", startHistoryId=now) == {"historyId": now}

    @pytest.mark.parametrize(
        ("path", "query", "status"),
        [
            ("messages/nonsense", {"format": "raw"}, 400),
            ("messages/18c0ffee0000dead", {"format": "raw"}, 404),
            (f"messages/{message_id(1)}", {"format": "full"}, 400),
            (f"threads/{message_id(4)}", {"format": "minimal"}, 404),
            ("messages", {"q": "from:ana"}, 400),
            ("messages", {"q": "after:soon"}, 400),
            ("messages", {"pageToken": "-5"}, 400),
            ("history", {"startHistoryId": "x"}, 400),
            ("drafts", {}, 404),
        ],
    )
    def test_what_it_does_not_know_it_refuses(
        self, replay: GoogleReplay, path: str, query: dict[str, str], status: int
    ) -> None:
        """Nothing is answered by guessing."""
        self.get(replay, path, status, **query)

    def test_batches_and_counts(self, replay: GoogleReplay) -> None:
        """A batch answers each of its calls, and every one is counted."""
        replay.forget()
        with httpx.Client(base_url=replay.url) as client:
            user = User(GoogleServer(replay.url), "", "", client)
            targets = [f"{GMAIL}/messages/{message_id(n)}?format=raw" for n in range(98)]
            text = "".join(
                f"--b\r\nContent-ID: <x + {n}>\r\n\r\nGET {target} HTTP/1.1\r\n\r\n\r\n"
                for n, target in enumerate([*targets, f"{GMAIL}/labels", f"{GMAIL}/messages/nonsense"])
            )
            headers = {"content-type": "multipart/mixed; boundary=b"}
            answer = user.client.post("/batch/gmail/v1", content=text + "--b--", headers=headers)
        assert (answer.text.count("HTTP/1.1 200"), answer.text.count("HTTP/1.1 400")) == (99, 1)
        assert replay.counts() == {
            "POST /batch/gmail/v1": 1,
            f"GET {GMAIL}/messages/{{id}}": 99,
            f"GET {GMAIL}/labels": 1,
        }
        assert httpx.post(f"{replay.url}/batch", content="x").status_code == 400
