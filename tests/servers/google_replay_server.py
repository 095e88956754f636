"""Gmail's reading routes over a large account that is made up while it is read; run by `google_replay.py` as a process.

All of it is ours, none of it Google's. A message is a function of its number, so memory stays flat however many there
are. Only reading is answered; every operator of a search that is not known here is refused.
"""

import base64
import json
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

ADDRESS = "robin@example.com"
END = int(datetime(2026, 11, 20, tzinfo=UTC).timestamp())
"""Just after the newest message, in seconds since 1970."""
YEAR = 31_556_952
FIRST_ID = 0x1900000000000000
FIRST_HISTORY = 10**20
"""History ids do not fit into 64 bits, as Google's may not."""
LAYOUT = (0, 1, 2, 3, 2, 4, 3, 5, 4, 3, 4, 6, 4)
"""Thirteen messages in a row are of these conversations: four single ones, and one each of two, three and four."""
UNREAD_EVERY = 4
MOST_RESULTS = 500
MOST_CALLS = 100
_SYSTEM_LABELS = ("INBOX", "SENT", "UNREAD", "STARRED", "IMPORTANT", "TRASH", "SPAM", "DRAFT")
_SENTENCES = (
    "Could you send me the price of this item?",
    "I would like to come by on Thursday at ten.",
    "The parcel arrived yesterday, thank you.",
    "Please find the numbers of last month below.",
    "Shall we move our call to next week?",
)


class RefusedError(Exception):
    """A call that is answered with an error."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


@dataclass(frozen=True)
class Mail:
    """The account's mail: messages 0 to `count` - 1, oldest first, evenly spread over `seconds`."""

    count: int
    seconds: int

    def received(self, number: int) -> int:
        """When the message came, in milliseconds since 1970."""
        return (END - self.seconds) * 1000 + number * self.seconds * 1000 // max(1, self.count)

    def first_at(self, milliseconds: int) -> int:
        """The number of the first message received at this time or later."""
        passed = milliseconds - (END - self.seconds) * 1000
        number = passed * self.count // (self.seconds * 1000)
        number = min(max(0, number - 1), self.count)
        while number < self.count and self.received(number) < milliseconds:
            number += 1
        return number

    def conversation(self, number: int) -> list[int]:
        """The numbers of the messages of its conversation, oldest first."""
        start, place = divmod(number, len(LAYOUT))
        start *= len(LAYOUT)
        members = (start + i for i, each in enumerate(LAYOUT) if each == LAYOUT[place])
        return [each for each in members if each < self.count]

    def minimal(self, number: int) -> dict[str, Any]:
        """The message as format=minimal tells it."""
        return {
            "id": message_id(number),
            "threadId": message_id(self.conversation(number)[0]),
            "labelIds": ["INBOX", "UNREAD"] if is_unread(number) else ["INBOX"],
            "snippet": _SENTENCES[number % len(_SENTENCES)],
            "historyId": str(FIRST_HISTORY + number + 1),
            "internalDate": str(self.received(number)),
            "sizeEstimate": 900,
        }

    def raw(self, number: int) -> bytes:
        """The message's source."""
        members = self.conversation(number)
        earlier = members[: members.index(number)]
        subject = f"{'Re: ' if earlier else ''}Question {members[0]}"
        headers = [
            f"From: Sender {members[0]} <sender{members[0]}@example.com>",
            f"To: Robin Example <{ADDRESS}>",
            f"Subject: {subject}",
            f"Date: {formatdate(self.received(number) // 1000)}",
            f"Message-ID: <{number}@example.com>",
            "MIME-Version: 1.0",
        ]
        if earlier:
            headers.append(f"In-Reply-To: <{earlier[-1]}@example.com>")
            headers.append("References: " + " ".join(f"<{each}@example.com>" for each in earlier))
        return "\r\n".join([*headers, *_body(number)]).encode()


def message_id(number: int) -> str:
    """Gmail's form of an id."""
    return f"{FIRST_ID + number:x}"


def is_unread(number: int) -> bool:
    """Whether nobody has read the message."""
    return number % UNREAD_EVERY == 0


def _body(number: int) -> list[str]:
    sentences = [_SENTENCES[(number + i) % len(_SENTENCES)] for i in range(3 + number % 5)]
    text = ["Hi Robin,", "", *sentences, "", "Best", f"Sender {number}", ""]
    if number % 3:
        return ["Content-Type: text/plain; charset=utf-8", "", *text]
    page = "".join(f"<p>{line}</p>" for line in text if line)
    return [
        'Content-Type: multipart/alternative; boundary="part"',
        *["", "--part", "Content-Type: text/plain; charset=utf-8", "", *text],
        *[
            "--part",
            "Content-Type: text/html; charset=utf-8",
            "",
            f"<html><body>{page}</body></html>",
            "--part--",
            "",
        ],
    ]


@dataclass
class Replay:
    """Answers calls, and counts them."""

    mail: Mail
    counts: Counter[str] = field(default_factory=Counter)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def call(self, method: str, target: str) -> tuple[int, Any]:
        """Status and JSON of one call."""
        url = urlsplit(target)
        query = parse_qs(url.query)
        for pattern, name, answer in _ROUTES:
            found = pattern.fullmatch(unquote(url.path))
            if found and method == "GET":
                self.count(f"GET /gmail/v1/users/me/{name}")
                try:
                    return 200, answer(self.mail, query, *found.groups())
                except RefusedError as refused:
                    return refused.status, _error(refused.status, refused.reason, str(refused))
        self.count(f"{method} (other)")
        return 404, _error(404, "notFound", "the replay answers Gmail's reading routes only")

    def count(self, key: str) -> None:
        """Note a call of this route."""
        with self._guard:
            self.counts[key] += 1

    def batch(self, content_type: str, body: str) -> tuple[int, str, str]:
        """Status, content type and body of the answer to many calls in one request."""
        self.count("POST /batch/gmail/v1")
        boundary = re.search(r'boundary="?([^";]+)', content_type)
        calls = list(_calls(body, boundary[1])) if boundary else []
        if not 0 < len(calls) <= MOST_CALLS:
            text = json.dumps(_error(400, "badRequest", f"a batch has 1 to {MOST_CALLS} calls"))
            return 400, "application/json", text
        parts = [self._part(*call) for call in calls]
        return 200, "multipart/mixed; boundary=answers", "".join(parts) + "--answers--\r\n"

    def _part(self, name: str, method: str, target: str) -> str:
        status, told = self.call(method, target)
        return (
            f"--answers\r\nContent-Type: application/http\r\nContent-ID: <response-{name}>\r\n\r\n"
            f"HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\n\r\n{json.dumps(told)}\r\n"
        )


def _calls(body: str, boundary: str) -> Iterator[tuple[str, str, str]]:
    for part in body.split(f"--{boundary}")[1:]:
        name = re.search(r"(?im)^content-id:\s*<(.*)>", part)
        line = re.search(r"(?m)^(GET|POST|PUT|PATCH|DELETE) (\S+)", part)
        if name and line:
            yield name[1], line[1], line[2]


def _error(code: int, reason: str, message: str) -> dict[str, Any]:
    errors = [{"domain": "global", "reason": reason, "message": message}]
    return {"error": {"code": code, "message": message, "errors": errors}}


Query = dict[str, list[str]]


def _profile(mail: Mail, _: Query) -> Any:
    threads = sum(mail.conversation(n)[0] == n for n in range(mail.count % len(LAYOUT)))
    threads += mail.count // len(LAYOUT) * len(set(LAYOUT))
    history_id = str(FIRST_HISTORY + mail.count)
    return {
        "emailAddress": ADDRESS,
        "messagesTotal": mail.count,
        "threadsTotal": threads,
        "historyId": history_id,
    }


def _labels(_: Mail, __: Query) -> Any:
    return {"labels": [{"id": name, "name": name, "type": "system"} for name in _SYSTEM_LABELS]}


def _listing(mail: Mail, query: Query) -> Any:
    """Newest first; the page token is the number of the next message."""
    low, high, unread = _searched(mail, _one(query, "q"))
    number = min(high, _whole(_one(query, "pageToken") or str(high), "pageToken")) - 1
    size = min(MOST_RESULTS, _whole(_one(query, "maxResults") or "100", "maxResults"))
    found: list[int] = []
    while number >= low and len(found) < size:
        if not unread or is_unread(number):
            found.append(number)
        number -= 1
    listed = [{"id": message_id(n), "threadId": message_id(mail.conversation(n)[0])} for n in found]
    answer: dict[str, Any] = {"resultSizeEstimate": max(0, high - low)}
    if listed:
        answer["messages"] = listed
    if number >= low:
        answer["nextPageToken"] = str(number + 1)
    return answer


def _searched(mail: Mail, search: str) -> tuple[int, int, bool]:
    """Numbers from … up to … that a search finds, and whether the unread ones only."""
    low, high, unread = 0, mail.count, False
    for term in search.split():
        name, _, value = term.partition(":")
        if term == "in:inbox":
            continue
        if term == "is:unread":
            unread = True
        elif name == "after":
            low = max(low, mail.first_at(_whole(value, term) * 1000))
        elif name == "before":
            high = min(high, mail.first_at(_whole(value, term) * 1000))
        else:
            raise RefusedError(
                400, "invalidArgument", f"the replay does not know how to search for {term[:40]}"
            )
    return low, high, unread


def _message(mail: Mail, query: Query, given: str) -> Any:
    number = _number(mail, given)
    form = _one(query, "format")
    if form == "minimal":
        return mail.minimal(number)
    if form == "raw":
        return mail.minimal(number) | {"raw": base64.urlsafe_b64encode(mail.raw(number)).decode()}
    raise RefusedError(400, "invalidArgument", "the replay knows format=minimal and format=raw")


def _thread(mail: Mail, query: Query, given: str) -> Any:
    members = mail.conversation(_number(mail, given))
    if message_id(members[0]) != given:
        raise RefusedError(404, "notFound", "Requested entity was not found.")
    if _one(query, "format") != "minimal":
        raise RefusedError(400, "invalidArgument", "the replay knows conversations with format=minimal")
    messages = [mail.minimal(each) for each in members]
    return {"id": given, "historyId": messages[-1]["historyId"], "messages": messages}


def _history(mail: Mail, query: Query) -> Any:
    start = _whole(_one(query, "pageToken") or _one(query, "startHistoryId"), "startHistoryId")
    size = min(MOST_RESULTS, _whole(_one(query, "maxResults") or "100", "maxResults"))
    first = max(0, start - FIRST_HISTORY)
    numbers = range(first, min(mail.count, first + size))
    entries = [_entry(mail.minimal(number)) for number in numbers]
    answer: dict[str, Any] = {"historyId": str(FIRST_HISTORY + mail.count)}
    if entries:
        answer["history"] = entries
    if numbers and numbers[-1] + 1 < mail.count:
        answer["nextPageToken"] = str(FIRST_HISTORY + numbers[-1] + 1)
    return answer


def _entry(message: dict[str, Any]) -> dict[str, Any]:
    short = {name: message[name] for name in ("id", "threadId", "labelIds")}
    return {"id": message["historyId"], "messages": [short], "messagesAdded": [{"message": short}]}


def _number(mail: Mail, given: str) -> int:
    if not re.fullmatch(r"[0-9a-f]{1,16}", given):
        raise RefusedError(400, "invalidArgument", "Invalid id value")
    number = int(given, 16) - FIRST_ID
    if not 0 <= number < mail.count:
        raise RefusedError(404, "notFound", "Requested entity was not found.")
    return number


def _one(query: Query, name: str) -> str:
    return query.get(name, [""])[-1]


def _whole(value: str, name: str) -> int:
    if not re.fullmatch(r"[0-9]{1,40}", value):
        raise RefusedError(400, "invalidArgument", f"Invalid {name}")
    return int(value)


_ROUTES: tuple[tuple[re.Pattern[str], str, Callable[..., Any]], ...] = tuple(
    (re.compile("/gmail/v1/users/[^/]+/" + name.replace("{id}", "([^/]+)")), name, answer)
    for name, answer in (
        ("messages/{id}", _message),
        ("threads/{id}", _thread),
        ("messages", _listing),
        ("history", _history),
        ("labels", _labels),
        ("profile", _profile),
    )
)


class Handler(BaseHTTPRequestHandler):
    """One connection, kept open."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    replay: Replay

    def do_GET(self) -> None:
        """A single call, or the counts."""
        if self.path == "/__ctl/counts":
            return self._send(200, "application/json", json.dumps(self.replay.counts))
        status, told = self.replay.call("GET", self.path)
        return self._send(status, "application/json", json.dumps(told))

    def do_POST(self) -> None:
        """A batch; or forget the counts."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode("utf-8", "replace")
        if self.path == "/__ctl/forget":
            self.replay.counts.clear()
            return self._send(200, "application/json", "{}")
        if re.fullmatch(r"/batch(/gmail/v1)?", self.path):
            return self._send(*self.replay.batch(self.headers.get("content-type") or "", body))
        status, told = self.replay.call("POST", self.path)
        return self._send(status, "application/json", json.dumps(told))

    def _send(self, status: int, content_type: str, text: str) -> None:
        body = text.encode()
        head = (
            f"HTTP/1.1 {status} Answer\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.wfile.write(head.encode() + body)  # In one piece, so that no packet waits for another.

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


def main(count: str, years: str) -> None:
    """Serve on a free port until the standard input ends."""
    Handler.replay = Replay(Mail(int(count), int(float(years) * YEAR)))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
