"""Cards that wait, as the server holds them: for the page and for the commands that show or answer them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from email_assistant.journal.records import DEFERRED
from email_assistant.review.card import ALLOWED, card_of
from email_assistant.review.card_facts import card_facts
from email_assistant.review.card_view import CardView
from email_assistant.review.kinds import CardKind, kind_or_unknown
from email_assistant.workflow_registry import NAMES

if TYPE_CHECKING:  # Slow to import; each is imported where it is built.
    from collections.abc import Mapping, Sequence

    from langgraph_sdk.client import LangGraphClient

    from email_assistant.journal.traces import TraceReads

PAGE = 500
_SELECT = ("thread_id", "status", "metadata", "interrupts", "created_at")


@dataclass(frozen=True)
class WaitingCard:
    """A card that waits for an answer, and the thread it waits on."""

    thread_id: str
    graph: str
    title: str
    args: dict[str, str]
    config: dict[str, bool]
    description: str
    view: dict[str, Any] = field(default_factory=dict)
    """The facts that the description was drawn from."""
    interrupt_id: str = ""
    """The server's id of this very question: another card of the thread has another one."""
    waits_since: str = ""
    """When the server began the thread; ISO 8601."""
    original: WaitingCard | None = None
    """The card as it was asked, where this one has what was looked up since."""

    @cached_property
    def facts(self) -> CardView:
        """The facts; where this version cannot read them, the title, the description and what it can be answered with."""
        try:
            return CardView.from_json(self.view)
        except TypeError:
            answers = [each for each, name in ALLOWED.items() if self.config.get(name)]
            first = next((line for line in self.description.splitlines() if line.strip()), "")
            return CardView(
                "",
                self.title,
                first,
                args=self.args,
                answers=answers,
                message=self.description,
                gist=self.title,
            )

    @property
    def kind(self) -> CardKind:
        """What its kind has in common."""
        return kind_or_unknown(self.facts.kind)

    @property
    def run_thread(self) -> str:
        """The run thread whose mail it is about."""
        return self.thread_id.removeprefix(DEFERRED)

    @property
    def is_deferred(self) -> bool:
        """Whether no run waits for it: what is decided is done at once."""
        return self.thread_id.startswith(DEFERRED)

    @property
    def chosen(self) -> str:
        """What the field says that is chosen and not written; "" where there is none."""
        return self.args.get(self.kind.choice, "")

    @property
    def summary(self) -> str:
        """The problem with the last answer, if any, else what is asked."""
        return self.facts.problem or self.facts.ask

    @cached_property
    def digest(self) -> str:
        """Tells what is asked apart from everything else that could be: an answer counts for this alone.

        It is over what is drawn, and nothing else; what is looked up while it is drawn is no part of the question.
        """
        if self.original:
            return self.original.digest
        kind, sentence = self.facts.kind, card_facts(self.facts)
        drawn: list[Any] = [self.interrupt_id, self.title, self.args, self.config, self.description, kind]
        drawn += [[each.heading, each.lines] for each in sentence]
        text = json.dumps(drawn, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


async def waiting_cards(client: LangGraphClient, trace: TraceReads) -> list[WaitingCard]:
    """Every card that waits: those of runs, oldest first, then those that no run waits for."""
    return [*await run_cards(client), *await deferred_cards(trace)]


async def deferred_cards(trace: TraceReads) -> list[WaitingCard]:
    """The cards that no run waits for, oldest first."""
    found = [(each, each.card) for each in await trace.deferred()]
    return [
        _of_card(each.run_thread_id, card["graph"], card, each.review_id, each.first_shown_at.isoformat())
        for each, card in found
        if isinstance(card, dict)
    ]


async def run_cards(client: LangGraphClient) -> list[WaitingCard]:
    """Every card that a run of our graphs waits for, oldest first."""
    threads = await all_threads(client, "interrupted", sort_by="created_at", select=_SELECT)
    return list({card.thread_id: card for thread in threads if (card := _card(thread))}.values())


async def all_threads(
    client: LangGraphClient, status: str, *, sort_by: str, select: Sequence[str]
) -> list[dict[str, Any]]:
    """Every thread of that status with these columns, the least of `sort_by` first; one that changes meanwhile may be there twice."""
    found: list[dict[str, Any]] = []
    search: Any = client.threads.search
    while True:
        page = await search(
            status=status, sort_by=sort_by, sort_order="asc", select=[*select], limit=PAGE, offset=len(found)
        )
        found.extend(page)
        if len(page) < PAGE:
            return found


async def waiting_card(client: LangGraphClient, trace: TraceReads, thread_id: str) -> WaitingCard | None:
    """The card that waits on the thread now, or None."""
    if not thread_id.startswith(DEFERRED):
        return await run_card(client, thread_id)
    return next((card for card in await deferred_cards(trace) if card.thread_id == thread_id), None)


async def run_card(client: LangGraphClient, thread_id: str) -> WaitingCard | None:
    """The card that the thread's run waits for now, or None."""
    from langgraph_sdk.errors import NotFoundError

    try:
        thread: Any = await client.threads.get(thread_id)
    except NotFoundError:
        return None
    return _card(thread) if thread.get("status") == "interrupted" else None


def _card(thread: Mapping[str, Any]) -> WaitingCard | None:
    graph = str((thread.get("metadata") or {}).get("graph_id"))
    if graph not in NAMES:
        return None
    for interrupts in (thread.get("interrupts") or {}).values():
        for interrupt in interrupts:
            if (card := card_of(interrupt.get("value"))) is not None:
                created, interrupt_id = str(thread.get("created_at") or ""), str(interrupt.get("id") or "")
                return _of_card(thread["thread_id"], graph, card, interrupt_id, created)
    return None


def _of_card(thread_id: str, graph: str, card: Mapping[str, Any], card_id: str, since: str) -> WaitingCard:
    request = card["action_request"]
    about = (request["action"], request["args"], card["config"], card["description"], card.get("view") or {})
    return WaitingCard(thread_id, graph, *about, card_id, since)
