"""An effect that a lost run has left on record with other content is asked about again by every graph: no dead letter.

That each effect keeps this is `tests/contract/test_effects.py`.
"""

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from email_assistant.effects.outbox import Outbox, Outcome
from email_assistant.effects.store import Intent
from email_assistant.errors import TransientError
from email_assistant.journal.records import OutboxStatus
from email_assistant.mail.message import Message
from email_assistant.workflows.claims_desk.records.incidents import TicketTable
from eval.workbench import Workbench, answering
from tests.graphs.test_claims_desk import CLAIMS, REFUND, TENANT, claims_desk, config
from tests.graphs.test_meeting_changes import CANCELS, later, made
from tests.support.desk import desk
from tests.support.mailings import leaving_desk, mailings
from tests.support.workflows import ACCEPT, WORKFLOWS, echoed

OTHERWISE = {"otherwise": True}
Waiting = tuple[Workbench, Message, Any]
"""An assistant, a message, and the card that waits for it."""


async def reply(graph: str, folder: Path, _: HTTPServer) -> Waiting:
    """A reply."""
    bench = await WORKFLOWS[graph].open(folder)  # type: ignore[index]
    return bench, *await bench.to_reply()


async def changed(body: str, of: Any, folder: Path, _: HTTPServer) -> Waiting:
    """A meeting that is to be moved, or called off."""
    assistant = await made(folder, of)
    return assistant, *await later(assistant, body)


async def leaving(folder: Path, server: HTTPServer) -> Waiting:
    """A mailing that is to be left."""
    server.expect_request("/leave").respond_with_data("ok")
    assistant = leaving_desk(folder, server)
    way = f"<{server.url_for('/leave')}>"
    return assistant, *await mailings(assistant, "news", way=way)


CARDS: Mapping[str, tuple[str, Callable[[Path, HTTPServer], Awaitable[Waiting]]]] = {
    **{f"reply of {graph}": ("send", partial(reply, graph)) for graph in WORKFLOWS},
    "its guests": ("guests", partial(changed, CANCELS, desk)),
    "mailing": ("unsubscribe", leaving),
}
"""The kind of effect, and how a person comes to its card."""


def lost(kind: str) -> Callable[..., Awaitable[Outcome]]:
    """`Outbox.perform` after a run that had begun the effect in another form, and was lost."""
    perform, begun = Outbox.perform, set[str]()

    async def dies() -> Any:
        raise TransientError("killed")

    async def performs(outbox: Outbox, effect: Intent, do: Any, reconcile: Any) -> Outcome:
        if effect.kind == kind and not begun:
            begun.add(effect.action_id)
            otherwise = replace(effect, payload={**effect.payload, **OTHERWISE})
            with contextlib.suppress(TransientError):
                await perform(outbox, otherwise, dies, reconcile)
        return await perform(outbox, effect, do, reconcile)

    return performs


@pytest.mark.parametrize("what", CARDS)
async def test_what_is_on_record_otherwise_is_asked_again(
    tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """The card says that there was an earlier try; accepted again it is done, once."""
    kind, card_of = CARDS[what]
    assistant, message, card = await card_of(tmp_path, httpserver)
    assert card is not None
    monkeypatch.setattr(Outbox, "perform", lost(kind))
    again = await assistant.answer(message, echoed(card))
    assert again is not None
    first = again["description"].splitlines()[0]
    assert "n earlier try" in first
    title = card["action_request"]["action"]
    assert again["action_request"]["action"] != title
    # A number behind a title may shorten it.
    assert again["action_request"]["action"].startswith(title.partition(" (")[0][:60])
    following = await assistant.answer(message, echoed(again))
    assert following is None or "n earlier try" not in following["description"].splitlines()[0]
    rows = await assistant.house.outbox.of_kinds(kind)
    assert [row.status for row in rows if not row.payload.keys() & OTHERWISE.keys()][-1:] == [
        OutboxStatus.done
    ]


async def test_a_refund_that_is_on_record_otherwise_goes_to_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Money is not asked for twice: nothing is paid, and the ticket says why."""
    made = await claims_desk(tmp_path)
    await made.bring(CLAIMS[REFUND], approve=False)
    monkeypatch.setattr(Outbox, "perform", lost("refund"))
    await made.graph.ainvoke(await answering(made.graph, config(REFUND), ACCEPT), config(REFUND))
    (ticket,) = await TicketTable(made.house.database, made.house.clock).of_user(TENANT, "U001")
    assert ticket.type == "human_review"
    rows = await made.house.outbox.of_kinds("refund")
    assert [row.status for row in rows] == [OutboxStatus.started]
