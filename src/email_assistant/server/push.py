"""Where Gmail's push notifications arrive, by way of Cloud Pub/Sub.

A notification says only that an account has changed. It is taken as a nudge to look into the mailbox, never as a
message; what it says is not trusted beyond that.
"""

import asyncio
import base64
import binascii
import hmac
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import structlog
from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from email_assistant.errors import EmailAssistantError, InputError, TransientError

PATH = "/push/gmail"
MAX_BYTES = 64 * 1024
SECONDS = 15.0
"""For checking who pushes and reading the body."""
SHOWN = "email_assistant.push_token"
"""Where `HiddenToken` puts the token of the address."""

log = structlog.get_logger(__name__)


class HiddenToken:
    """ASGI middleware that takes the token out of a push's address, before the server writes the address into its log."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, the token beside it."""
        if scope["type"] == "http" and scope["path"] == PATH:
            shown = QueryParams(scope.get("query_string", b"")).get("token", "")
            scope = {**scope, "query_string": b"", SHOWN: shown}
        await self._app(scope, receive, send)


@dataclass(frozen=True)
class PushRules:
    """What a notification must show."""

    account: str
    """The mailbox's address."""
    token: str | None = None
    """What `?token=` must equal."""
    audience: str | None = None
    """What the identity token of Pub/Sub must be for."""


@dataclass
class PushEndpoint:
    """Checks notifications and starts looks, one at a time: what arrives during a look leads to one more."""

    rules: Callable[[], Awaitable[PushRules]]
    verify_identity: Callable[[str], Awaitable[None]]
    """Checks the identity token that Pub/Sub shows (OpenID Connect); raises `InputError`, or `TransientError`."""
    look: Callable[[], Awaitable[Any]]
    """Looks into the mailbox, to its end."""
    _wanted: bool = field(default=False, init=False)
    _looking: asyncio.Task[None] | None = field(default=None, init=False)

    async def __call__(self, request: Request) -> Response:
        """204 for a notification that was taken, 401 for whatever stands in the way; Pub/Sub sends that again."""
        rules = await self.rules()
        if rules.token is None and rules.audience is None:
            text = (
                "Push is off: set EMAIL_ASSISTANT_PUSH_TOKEN, or EMAIL_ASSISTANT_PUSH_AUDIENCE and _ACCOUNT."
            )
            return PlainTextResponse(text, 404)
        try:
            async with asyncio.timeout(SECONDS):
                await self._check(request, rules)
                address = _account_of(await _body(request))
        except (InputError, TransientError) as error:
            return PlainTextResponse(str(error), 401)
        except (TimeoutError, ClientDisconnect):
            return PlainTextResponse("the push took too long", 401)
        if address is None or address.lower() != rules.account.lower():
            # Sending it again would change nothing, so it is acknowledged.
            log.warning("push_ignored", reason="no notification of this account")
        else:
            self._want()
        return Response(status_code=204)

    async def _check(self, request: Request, rules: PushRules) -> None:
        shown = request.scope.get(SHOWN) or request.query_params.get("token", "")
        if rules.token is not None and not hmac.compare_digest(shown.encode(), rules.token.encode()):
            raise InputError("the token of the push address is missing or wrong")
        if rules.audience is not None:
            scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not bearer:
                raise InputError(
                    "the push shows no identity token: switch on authentication for the subscription"
                )
            await self.verify_identity(bearer.strip())

    def _want(self) -> None:
        self._wanted = True
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_while_wanted())

    async def _look_while_wanted(self) -> None:
        while self._wanted:
            self._wanted = False
            try:
                await self.look()
            except (EmailAssistantError, OSError) as error:
                # The mail is found by the next look: the cursor has not moved.
                log.warning("push_look_failed", reason=type(error).__name__)


async def _body(request: Request) -> bytes:
    """The body, or b"" for one that is too long to be a notification."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BYTES:
            return b""
    return body


def _account_of(body: bytes) -> str | None:
    """The address in a Pub/Sub message of Gmail: `{"message": {"data": base64 of {"emailAddress", "historyId"}}}`."""
    try:
        data = json.loads(body)["message"]["data"]
        notification = json.loads(base64.b64decode(data, altchars=b"-_", validate=False))
        return str(notification["emailAddress"])
    except (ValueError, KeyError, TypeError, binascii.Error, RecursionError):
        return None
