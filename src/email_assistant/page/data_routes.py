"""What the page's script reads and asks for beside cards and answers."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from email_assistant.errors import InputError, NotFoundError
from email_assistant.ingest.reopening import bring_back
from email_assistant.ingest.starter import Starter
from email_assistant.mail.identity import key_of_id
from email_assistant.page.day import day
from email_assistant.page.digest import digest, forget
from email_assistant.page.events import stream
from email_assistant.page.failures import failures, retry
from email_assistant.page.requests import json_body
from email_assistant.page.services import PageServices
from email_assistant.review.waiting import waiting_cards

SAVED = {"content-type": "application/octet-stream", "content-security-policy": "default-src 'none'; sandbox"}
"""Of what a mail brought: no browser draws it, whatever it says it is."""


def saved_as(name: str) -> str:
    """The content-disposition of a file to be saved under this name (RFC 6266, RFC 8187)."""
    plain = "".join(each if " " <= each <= "~" and each not in '"%;\\/' else "_" for each in name)
    return f"attachment; filename=\"{plain or 'attachment'}\"; filename*=UTF-8''{quote(name or 'attachment', safe='')}"


def data_routes(page: PageServices) -> list[Route]:
    """Events, the day of a meeting, what was done today, and what failed."""

    async def events(_: Request) -> Response:
        if page.events.is_full:
            return JSONResponse({"why": "Too many pages are open."}, 503)
        return StreamingResponse(stream(page.events), media_type="text/event-stream")

    async def one_day(request: Request) -> Response:
        built = await page.container()
        cards = await waiting_cards(await page.client())
        zone = built.settings.timezone
        return JSONResponse(await day(request.path_params["date"], built.calendar, zone, cards))

    async def today(_: Request) -> Response:
        return JSONResponse(await digest(await page.container()))

    async def attachment(request: Request) -> Response:
        """A file that is saved and never shown: what is in it is a stranger's."""
        built, asked = await page.container(), request.path_params
        cards = await waiting_cards(await page.client())
        facts = next((each.facts for each in cards if each.thread_id == asked["thread"]), None)
        files = facts.attachments if facts else ()
        index, mailbox = asked["index"], built.mailbox
        records = await built.mail_log.by_run_thread(asked["thread"])
        mails = (
            each
            for each in records
            if facts and key_of_id(mailbox.name, each.message_id) == facts.message_key
        )
        if index >= len(files) or (mail := next(mails, None)) is None:
            raise NotFoundError("No card that waits has this attachment.")
        content = await mailbox.attachment(mail.message_id, index)
        return Response(content, headers=SAVED | {"content-disposition": saved_as(str(files[index]["name"]))})

    async def reopen(request: Request) -> Response:
        built = await page.container()
        key = request.path_params["key"]
        record = (
            await built.mail_log.in_row(int(key))
            if key.isascii() and key.isdigit() and len(key) < 16
            else None
        )
        if record is None:
            raise NotFoundError("There is no such mail.")
        starter = Starter(await page.client(), built.mail_log)
        return JSONResponse({"thread": await bring_back(built.mail_log, starter, record)})

    async def forget_line(request: Request) -> Response:
        body = await json_body(request, dict)
        profile, line = body.get("profile"), body.get("line")
        if not isinstance(profile, str) or not isinstance(line, str):
            raise InputError("profile and line must be texts.")
        await forget(await page.container(), profile, line)
        return Response(status_code=204)

    async def failed(_: Request) -> Response:
        return JSONResponse(await failures(await page.container()))

    async def again(_: Request) -> Response:
        return JSONResponse({"number": await retry(await page.container(), await page.client())})

    return [
        Route("/review/events", events, methods=["GET"]),
        Route("/review/day/{date}", one_day, methods=["GET"]),
        Route("/review/digest", today, methods=["GET"]),
        Route("/review/files/{thread}/{index:int}", attachment, methods=["GET"]),
        Route("/review/mails/{key}/reopen", reopen, methods=["POST"]),
        Route("/review/learned/forget", forget_line, methods=["POST"]),
        Route("/review/failures", failed, methods=["GET"]),
        Route("/review/failures/retry", again, methods=["POST"]),
    ]
