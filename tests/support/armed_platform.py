"""The platform as langgraph.json names it, with points at which the server dies when a test has said so (`arming.py`)."""

import asyncio
import functools
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from langgraph_runtime_inmem import _persistence

from email_assistant.adapters.ics_calendar import IcsCalendar
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.checkpoints.savers import SqliteSaver
from email_assistant.effects.store import OutboxStore
from email_assistant.journal.mail_log import MailLog
from email_assistant.kit.approval import ApprovalNodes
from email_assistant.server.app import (
    app,
    auth,
    claims_desk,
    email_assistant,
    inbox_organizer,
    ingest,
    order_desk,
    reply_pipeline,
)
from email_assistant.workflows.claims_desk.acting import ActingNodes
from email_assistant.workflows.claims_desk.answering import AnsweringNodes
from email_assistant.workflows.claims_desk.records.incidents import Incidents, TicketTable
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from email_assistant.workflows.claims_desk.refund_endpoint import HttpRefunds
from email_assistant.workflows.claims_desk.verifying import VerifyingNodes
from email_assistant.workflows.inbox_organizer.notes.obsidian import ObsidianVault
from email_assistant.workflows.inbox_organizer.sorting import SortingNodes
from email_assistant.workflows.order_desk import working as order_working
from email_assistant.workflows.order_desk.composing import ComposingNodes
from email_assistant.workflows.order_desk.reading import ReadingNodes
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.reply_pipeline.graph import PipelineNodes
from tests.support.arming import KILL_AT, SAVED, THEN

__all__ = [
    "app",
    "auth",
    "claims_desk",
    "email_assistant",
    "inbox_organizer",
    "ingest",
    "order_desk",
    "reply_pipeline",
]

BEFORE, AFTER = "before", "after"
SAVE_TRIES = 50
POINTS: tuple[tuple[type[Any], str, str], ...] = (
    (MailLog, "claim_all", AFTER),
    (SqliteSaver, "adelete_thread", BEFORE),
    (SqliteSaver, "adelete_thread", AFTER),
    (SortingNodes, "take_up", BEFORE),
    (SortingNodes, "weigh", BEFORE),
    (MaildirMailbox, "change_labels", AFTER),
    (ObsidianVault, "write", AFTER),
    (MaildirMailbox, "save_draft", AFTER),
    (IcsCalendar, "create", AFTER),
    (MaildirMailbox, "send_draft", AFTER),
    (MaildirMailbox, "delete_draft", AFTER),
    (OutboxStore, "claim", AFTER),
    (OutboxStore, "finish", AFTER),
    (RefundLedger, "reserve", AFTER),
    (RefundLedger, "settle", BEFORE),
    (RefundLedger, "settle", AFTER),
    (HttpRefunds, "refund", AFTER),
    (TicketTable, "create", AFTER),
    (Incidents, "record", AFTER),
    *((Orders, name, AFTER) for name in ("take", "record", "confirm", "release")),
    *(
        (nodes, name, moment)
        for nodes, names in (
            (PipelineNodes, ("classify", "retrieve", "decide", "execute_tools", "generate")),
            (ReadingNodes, ("analyze_email", "resolve_product_mentions")),
            (order_working.AgentNodes, ("process_order", "respond_to_inquiry")),
            (ComposingNodes, ("compose_response",)),
            (VerifyingNodes, ("decide",)),
            (ActingNodes, ("refund_review", "perform_refund", "record")),
            (AnsweringNodes, ("final_answer",)),
            (ApprovalNodes, ("review", "rejected", "dispatch")),
        )
        for name in names
        for moment in (BEFORE, AFTER)
    ),
)


def _armed(original: Callable[..., Awaitable[Any]], moment: str) -> Callable[..., Awaitable[Any]]:
    point = f"{moment}:{original.__qualname__}"

    @functools.wraps(original)
    async def armed(*args: Any, **kwargs: Any) -> Any:
        if moment == BEFORE:
            await _come_to(point)
        result = await original(*args, **kwargs)
        if moment == AFTER:
            await _come_to(point)
        return result

    return armed


async def _come_to(point: str) -> None:
    if (
        asyncio._get_running_loop() is None
    ):  # In the journal's writing thread, where a transaction waits for nothing else.
        _die_at(point)
    else:
        await asyncio.to_thread(_die_at, point)


def _die_at(point: str) -> None:
    order = Path(os.environ["EMAIL_ASSISTANT_DATA_DIR"]) / KILL_AT
    if not order.exists():
        return
    points, state = order.read_text().split()
    first, _, later = points.partition(THEN)
    if first != point:
        return
    if later:
        order.write_text(f"{later} {state}")
        return
    if state == SAVED:
        _save()
    order.unlink()
    os.killpg(os.getpgrp(), signal.SIGKILL)


def _save() -> None:
    """What the development server does by itself every ten seconds; when it does so just now, once more after it."""
    for reference in list(_persistence._stores.values()):
        store = reference()
        for left in reversed(range(SAVE_TRIES if store is not None else 0)):
            try:
                store.sync()
                break
            except (OSError, RuntimeError):
                if not left:
                    raise


for _owner, _method, _moment in POINTS:
    setattr(_owner, _method, _armed(getattr(_owner, _method), _moment))
