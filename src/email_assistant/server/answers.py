"""Answers as the server must get them: never null, and bound to the card that they are for.

LangGraph takes a null resume (`{"command": {"resume": null}}`) for "no resume" and fails the thread, which hides its card from
the human, and takes an empty object for "nothing was answered". Here both become the empty text, which the graph answers like any
other answer it does not understand: by asking again.

An answer that names no card LangGraph keeps with the thread, and gives it to whatever asks there next: to the card after the one it
was for, when the run that took it is cut off and the thread goes on, or when a second click is late. Named by its id it is given to
that card alone, and is kept nowhere.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ID = re.compile(r"[0-9a-f]{32}")
NO_CARD = "0" * 32
"""What an answer is for that comes when nothing is asked."""

_RUNS = re.compile(r"^/threads/[^/]+/runs(?:/wait|/stream)?$")
_SUSPECT = re.compile(rb'"resume"\s*:\s*(?:null|\{\s*\})')


class NullAnswer:
    """ASGI middleware; requests without a null answer pass through byte for byte."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Rewrite the body of a run request when it holds one of the two answers."""
        if scope["type"] != "http" or scope["method"] != "POST" or not _RUNS.match(scope["path"]):
            await self._app(scope, receive, send)
            return
        messages = [await receive()]
        while messages[-1]["type"] == "http.request" and messages[-1].get("more_body"):
            messages.append(await receive())
        body = b"".join(m.get("body", b"") for m in messages)
        if _SUSPECT.search(body):
            body, scope = _mended(body, scope)
            messages = [{"type": "http.request", "body": body, "more_body": False}]
        queue = iter(messages)

        async def replay() -> Message:
            return next(queue, None) or await receive()

        await self._app(scope, replay, send)


def _mended(body: bytes, scope: Scope) -> tuple[bytes, Scope]:
    try:
        request = json.loads(body)
    except ValueError:
        return body, scope
    command = request.get("command") if isinstance(request, dict) else None
    if not isinstance(command, dict) or command.get("resume", "") not in (None, {}):
        return body, scope
    command["resume"] = ""
    mended = json.dumps(request).encode()
    headers = [(k, v) for k, v in scope["headers"] if k.lower() != b"content-length"]
    return mended, {**scope, "headers": [*headers, (b"content-length", str(len(mended)).encode())]}


def bound(answer: Any, thread: Mapping[str, Any] | None) -> Any:
    """The answer (`command.resume`) with the id of the thread's card; one that names its card already stays as it is."""
    if isinstance(answer, Mapping) and answer and all(_ID.fullmatch(str(key)) for key in answer):
        return answer
    shown = [i["id"] for asked in ((thread or {}).get("interrupts") or {}).values() for i in asked]
    return {(shown or [NO_CARD])[0]: answer}
