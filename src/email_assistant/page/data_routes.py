"""Routes of the page's script beside cards and answers: changes, a day, files, the digest; mails that failed, and another try."""

import contextlib
from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from langgraph_sdk.client import LangGraphClient
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from email_assistant.adapters.maildir_beside import FILE, gone
from email_assistant.app.container import Container
from email_assistant.checkpoints.savers import told_of_aside
from email_assistant.errors import InputError, NotFoundError, ProviderError
from email_assistant.ingest.starter import Starter, bring_back
from email_assistant.journal.attention import failing_now, mend_for
from email_assistant.mail.message import key_of_id
from email_assistant.page.door import json_body
from email_assistant.page.meeting import day
from email_assistant.page.overview import digest, forget
from email_assistant.page.services import PageServices
from email_assistant.page.texts import count
from email_assistant.review.waiting import waiting_cards

SAVED = {"content-type": "application/octet-stream", "content-security-policy": "default-src 'none'; sandbox"}
"""Of what a mail brought: no browser draws it, whatever it says it is."""
MAX_LETTERS = 1_000
ON_ITS_WAY = timedelta(seconds=3)
"""What was touched since is left alone: its run may be about to be made."""


def saved_as(name: str) -> str:
    """The content-disposition of a file to be saved under this name (RFC 6266, RFC 8187)."""
    plain = "".join(each if " " <= each <= "~" and each not in '"%;\\/' else "_" for each in name)
    return f"attachment; filename=\"{plain or 'attachment'}\"; filename*=UTF-8''{quote(name or 'attachment', safe='')}"


def data_routes(page: PageServices) -> list[Route]:
    """What has changed, the day of a meeting, what was done today, and what failed."""

    async def changes(_: Request) -> Response:
        return JSONResponse(await page.changes())

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
        Route("/review/changes", changes, methods=["GET"]),
        Route("/review/day/{date}", one_day, methods=["GET"]),
        Route("/review/digest", today, methods=["GET"]),
        Route("/review/files/{thread}/{index:int}", attachment, methods=["GET"]),
        Route("/review/mails/{key}/reopen", reopen, methods=["POST"]),
        Route("/review/learned/forget", forget_line, methods=["POST"]),
        Route("/review/failures", failed, methods=["GET"]),
        Route("/review/failures/retry", again, methods=["POST"]),
    ]


async def failures(built: Container) -> dict[str, Any]:
    """{"number", "given_up", "everything", "causes": [{"number", "reason", "mend", "named", "given_up", "attempts"}]}.

    The same as the commands tell first; `number` 0 when nothing fails.
    """
    failing = await failing_now(built.database)
    return {
        "number": failing.number,
        "given_up": failing.given_up,
        "everything": failing.everything,
        "causes": [asdict(cause) | {"mend": mend_for(cause.reason)} for cause in failing.causes],
    }


def disk_trouble(built: Container) -> str:
    """What is wrong with what is kept on disk, and what to do, in a line; "" when nothing is. Blocks."""
    mailbox = built.settings.maildir_path
    if mailbox and not (mailbox / FILE).exists():
        return str(gone(mailbox))
    return told_of_aside(built.settings.data_path)


def failed(failing: Mapping[str, Any]) -> dict[str, Any] | None:
    """The context of the banner and of its pane, `failing` being the failures; None when nothing fails."""
    number = failing["number"]
    if not number:
        return None
    causes = failing["causes"]
    title = f"{count(number, 'mail')} could not be dealt with"
    others = f" And {count(len(causes) - 1, 'other cause')}." if len(causes) > 1 else ""
    cause = f"{str(causes[0]['reason']).rstrip('.')}.{others}" if causes else ""
    retry = f"Try all {number} again" if number > 1 else "Try it again"
    return {"title": title, "cause": f"{cause} Nothing is lost.".strip(), "retry": retry, "causes": causes}


async def retry(built: Container, client: LangGraphClient) -> int:
    """Try all that fails again, at once, and what was given up with fresh attempts; the number of mails."""
    number = (await failures(built))["number"]
    for letter in await built.mail_log.dead_letters(limit=MAX_LETTERS):
        record = await built.mail_log.get(letter.mailbox, letter.message_id, letter.graph)
        # Somebody else may be first, and the mailbox may have lost what the journal never had: that stays where it is.
        with contextlib.suppress(NotFoundError, ProviderError):
            if record is not None and record.email_input is None:
                await built.replay_all(client, [(letter, record)])
            elif record is not None:
                await built.mail_log.replay(letter)
    await built.recovery(client).recover(built.clock.now() - ON_ITS_WAY, after_start=True)
    return int(number)
