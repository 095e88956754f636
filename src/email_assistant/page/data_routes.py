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
from email_assistant.app import ingesting
from email_assistant.app.assistant import AppDeps
from email_assistant.checkpoints.savers import aside_notice
from email_assistant.errors import InputError, NotFoundError, ProviderError
from email_assistant.ingest.starter import Starter, bring_back
from email_assistant.journal.attention import failing_now, mend_for
from email_assistant.journal.records import MailStatus
from email_assistant.mail.message import key_of_id
from email_assistant.page.door import json_body
from email_assistant.page.meeting import day
from email_assistant.page.overview import digest, forget
from email_assistant.page.services import PageServices
from email_assistant.page.texts import count
from email_assistant.review.waiting import run_cards, waiting_cards

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
        deps = await page.deps()
        cards = await run_cards(await page.client())
        zone = deps.settings.timezone
        return JSONResponse(await day(request.path_params["date"], deps.calendar, zone, cards))

    async def today(_: Request) -> Response:
        return JSONResponse(await digest(await page.deps()))

    async def attachment(request: Request) -> Response:
        """A file that is saved and never shown: what is in it is a stranger's."""
        deps, asked = await page.deps(), request.path_params
        cards = await waiting_cards(await page.client(), deps.trace)
        card = next((each for each in cards if each.thread_id == asked["thread"]), None)
        facts = card.facts if card else None
        files = facts.attachments if facts else ()
        index, mailbox = asked["index"], deps.mailbox
        records = await deps.mail_log.by_run_thread(card.run_thread) if card else []
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
        starter = Starter(await page.client(), (await page.deps()).mail_log)
        return JSONResponse({"thread": await bring_back(starter, request.path_params["key"])})

    async def forget_line(request: Request) -> Response:
        body = await json_body(request, dict)
        profile, line = body.get("profile"), body.get("line")
        if not isinstance(profile, str) or not isinstance(line, str):
            raise InputError("profile and line must be texts.")
        await forget(await page.deps(), profile, line)
        return Response(status_code=204)

    async def failed(_: Request) -> Response:
        return JSONResponse(await failures(await page.deps()))

    async def again(_: Request) -> Response:
        return JSONResponse({"number": await retry(await page.deps(), await page.client())})

    return [
        Route("/review/changes", changes, methods=["GET"]),
        Route("/review/day/{date}", one_day, methods=["GET"]),
        Route("/review/digest", today, methods=["GET"]),
        Route("/review/files/{thread}/{index:int}", attachment, methods=["GET"]),
        Route("/review/mails/{key:int}/reopen", reopen, methods=["POST"]),
        Route("/review/learned/forget", forget_line, methods=["POST"]),
        Route("/review/failures", failed, methods=["GET"]),
        Route("/review/failures/retry", again, methods=["POST"]),
    ]


async def failures(deps: AppDeps) -> dict[str, Any]:
    """{"number", "given_up", "everything", "causes": [{"number", "reason", "mend", "named", "given_up", "attempts"}]}.

    The same as the commands tell first; `number` 0 when nothing fails.
    """
    failing = await failing_now(deps.database)
    return {
        "number": failing.number,
        "given_up": failing.given_up,
        "everything": failing.everything,
        "causes": [asdict(cause) | {"mend": mend_for(cause.reason)} for cause in failing.causes],
    }


def disk_trouble(deps: AppDeps) -> str:
    """What is wrong with what is kept on disk, and what to do, in a line; "" when nothing is. Blocks."""
    mailbox = deps.settings.maildir_path
    if mailbox and not (mailbox / FILE).exists():
        return str(gone(mailbox))
    return aside_notice(deps.settings.data_path)


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


async def retry(deps: AppDeps, client: LangGraphClient) -> int:
    """Try all that fails again, at once, and what was given up with fresh attempts; the number of mails."""
    number = (await failures(deps))["number"]
    for record in await deps.mail_log.with_status(MailStatus.dead_letter, limit=MAX_LETTERS):
        # Somebody else may be first, and the mailbox may have lost what the journal never had: that stays where it is.
        with contextlib.suppress(NotFoundError, ProviderError):
            if record.email_input is None:
                await ingesting.replay_all(deps, client, [record])
            else:
                await deps.mail_log.replay(record)
    await ingesting.recovery(deps, client).recover(deps.clock.now() - ON_ITS_WAY, after_start=True)
    return int(number)
