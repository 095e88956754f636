"""What people see: the whole page, and the fragments of it that its script asks for. Nothing here acts."""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from importlib.resources import files
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from email_assistant.clock import Clock, SampleClock
from email_assistant.meetings.looked_up import looked_up
from email_assistant.page.answering import ELSEWHERE
from email_assistant.page.answers import AnsweredRow, answered_rows
from email_assistant.page.data_routes import disk_trouble, failed, failures
from email_assistant.page.list_view import WaitingList, start, waiting_list
from email_assistant.page.meeting import Strip, day, strip
from email_assistant.page.overview import KEYS, digest, overview
from email_assistant.page.pane import CardPage, GroupPage
from email_assistant.page.services import PageServices
from email_assistant.page.texts import card_place, environment, long_day, place_of
from email_assistant.review.moved_mail import told_where
from email_assistant.review.queue import Row, bundles, now_of, rows
from email_assistant.review.waiting import WaitingCard, waiting_cards

TOLD_FOR = timedelta(hours=24)
"""How long an answer is listed."""
STATIC = {".css": "text/css", ".js": "text/javascript"}


@dataclass(frozen=True)
class _Now:
    """What waits at this moment, in the user's zone."""

    rows: list[Row]
    waiting: WaitingList
    answered: list[AnsweredRow]
    """What was answered within a day."""
    clock: Clock
    timezone: str

    @property
    def now(self) -> datetime:
        """The time, where no mail is spoken of."""
        return self.clock.now().astimezone(ZoneInfo(self.timezone))

    @property
    def today(self) -> str:
        """The day, as the head of the page says it."""
        return self.clock.notice if isinstance(self.clock, SampleClock) else long_day(self.now.date())

    def card(self, thread: str, interrupt: str) -> tuple[Row, WaitingCard] | None:
        """The card of that question, and its row."""
        at = card_place(thread, interrupt)
        found = ((row, card) for row in self.rows for card in row.cards)
        return next((each for each in found if place_of(each[1]) == at), None)


class _Pages:
    """The templates filled with what waits."""

    def __init__(self, page: PageServices) -> None:
        self._page = page
        self._templates: Environment | None = None

    async def fill(self, name: str, **context: Any) -> str:
        if self._templates is None:
            self._templates = await asyncio.to_thread(environment)
        return self._templates.get_template(name).render(context)

    async def now(self) -> _Now:
        deps = await self._page.deps()
        zone = deps.settings.timezone
        clock = deps.agenda_clock
        cards = await waiting_cards(await self._page.client(), deps.trace)
        cards = await looked_up(await told_where(cards, deps.mail_log), deps.calendar, clock.now())
        found = rows(cards, clock, zone)
        answered = answered_rows(await deps.trace.answers_since(deps.clock.now() - TOLD_FOR), zone)
        return _Now(found, waiting_list(found), answered, clock, zone)

    async def pane(self, place: str, at: _Now) -> dict[str, Any] | None:
        """The template of what is at the place, with its context; None when nothing is there any more."""
        kind, _, rest = place.partition("/")
        if kind == "card":
            thread, _, interrupt = rest.partition("/")
            found = at.card(thread, interrupt)
            return None if found is None else await self._card(*found, at)
        if kind == "group":
            bundle = next((each for each in bundles(at.rows) if each.group.value == rest), None)
            if bundle is None:
                return None
            return {"pane": "group.html", "group": GroupPage(bundle, at.waiting.place_of(place))}
        if kind == "failed":
            failing = await self.failing()
            return {"pane": "failures.html", "failures": failing} if failing else None
        deps = await self._page.deps()
        text, real = await digest(deps), deps.clock.now().astimezone(at.now.tzinfo)
        return {"pane": "overview.html"} | overview(at.waiting, at.now, real, text, at.answered)

    async def failing(self) -> dict[str, Any] | None:
        """What could not be dealt with."""
        return failed(await failures(await self._page.deps()))

    async def banners(self) -> dict[str, Any]:
        """What stands above everything."""
        deps = await self._page.deps()
        return {"failures": await self.failing(), "trouble": await asyncio.to_thread(disk_trouble, deps)}

    async def _card(self, row: Row, card: WaitingCard, at: _Now) -> dict[str, Any]:
        made = CardPage(
            row,
            card,
            now_of(card.facts, at.clock, at.timezone),
            at.timezone,
            at.waiting.place_of(place_of(row.card)),
        )
        return {"pane": "card.html", "card": made, "strip": await self._strip(made, card, at)}

    async def _strip(self, made: CardPage, card: WaitingCard, at: _Now) -> Strip | None:
        """The day of a proposed meeting, looked up now."""
        if made.meeting is None or not made.meeting.date:
            return None
        deps = await self._page.deps()
        cards = [each for row in at.rows for each in row.cards]
        found = await day(made.meeting.date, deps.calendar, at.timezone, cards)
        others = [each for each in found["waiting"] if each["thread"] != card.thread_id]
        bars = [("busy", each) for each in found["busy"]]
        bars += [("wait", {**each, "title": each["who"]}) for each in others]
        bars += [("asked", {**asked, "title": ""})] if (asked := made.meeting.asked_times) else []
        bars += [("new", {"end": "", "title": "", **card.facts.event})] if made.meeting.is_new else []
        return strip(
            date.fromisoformat(made.meeting.date), at.timezone, made.now, bars, deps.settings.working_hours
        )


def html_routes(page: PageServices) -> list[Route]:
    """`/review` and its fragments."""
    pages = _Pages(page)

    async def whole(request: Request) -> Response:
        at, place = await pages.now(), request.query_params.get("open", "")
        pane = await pages.pane(place, at)
        listing = {"waiting": at.waiting, "answered": at.answered}
        context = {
            "title": f"{at.waiting.mails} left · Review",
            "begin": start(at.waiting),
            "is_open": bool(place and pane),
            "today": at.today,
            "etag": _tag(listing),
            "all_keys": KEYS,
        }
        shown = pane or await pages.pane("", at) or {}
        html = await pages.fill("page.html", **(context | await pages.banners() | listing | shown))
        return HTMLResponse(html)

    async def listed(request: Request) -> Response:
        at = await pages.now()
        listing = {"waiting": at.waiting, "answered": at.answered}
        headers = {"etag": _tag(listing)}
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return HTMLResponse(await pages.fill("list.html", **listing), headers=headers)

    async def fragment(request: Request) -> Response:
        at = await pages.now()
        place = request.url.path.removeprefix("/review/")
        pane = await pages.pane("" if place == "overview" else place, at)
        shown = {"pane": "gone.html", "why": ELSEWHERE} if pane is None else pane
        return HTMLResponse(await pages.fill(shown["pane"], **({"waiting": at.waiting} | shown)))

    async def banner(_: Request) -> Response:
        return HTMLResponse(await pages.fill("banner.html", **await pages.banners()))

    return [
        Route("/review", whole, methods=["GET"]),
        Route("/review/list", listed, methods=["GET"]),
        Route("/review/banner", banner, methods=["GET"]),
        Route("/review/overview", fragment, methods=["GET"]),
        Route("/review/failed", fragment, methods=["GET"]),
        Route("/review/card/{thread}/{interrupt}", fragment, methods=["GET"]),
        Route("/review/group/{name}", fragment, methods=["GET"]),
        Route("/review/static/{name}", _static, methods=["GET"]),
    ]


def _tag(listing: Mapping[str, Any]) -> str:
    """Of the list, by what is in it: nothing is drawn to know it."""
    return f'"{hashlib.sha256(repr(listing).encode(errors="surrogatepass")).hexdigest()[:32]}"'


async def _static(request: Request) -> Response:
    """A style sheet or a script; a browser asks again each time and gets it once."""
    found = await asyncio.to_thread(_file, request.path_params["name"])
    if found is None:
        return JSONResponse({"why": "There is no such file."}, 404)
    content, media_type = found
    headers = {"etag": f'"{hashlib.sha256(content).hexdigest()[:32]}"', "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=media_type)


def _file(name: str) -> tuple[bytes, str] | None:
    folder = files("email_assistant.page") / "static"
    known = {each.name: each for each in folder.iterdir()}
    media_type = next((kind for end, kind in STATIC.items() if name.endswith(end)), "")
    return (known[name].read_bytes(), media_type) if name in known and media_type else None
