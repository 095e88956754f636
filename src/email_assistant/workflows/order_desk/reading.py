"""analyze_email and resolve_product_mentions: what the mail orders and asks, and which products it means."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import structlog
from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from email_assistant.errors import EmailAssistantError
from email_assistant.journal.records import OutboxRow
from email_assistant.kit.conversations import aconversation_of, conversation_of, run_thread_id
from email_assistant.kit.reply_state import FRESH as NO_REPLY
from email_assistant.kit.reply_state import step
from email_assistant.kit.reply_workflow import is_unanswered, wanted
from email_assistant.mail.message import Conversation
from email_assistant.review.pending import new_round
from email_assistant.workflows.order_desk.calls import ANALYZE, AnalyzeInput, EmailAnalysis
from email_assistant.workflows.order_desk.catalogue_index import resolve_by_meaning
from email_assistant.workflows.order_desk.dependencies import OrderDependencies, attempt
from email_assistant.workflows.order_desk.grounding import MailWords
from email_assistant.workflows.order_desk.shop.mention import ProductMention, Resolution
from email_assistant.workflows.order_desk.shop.quantity import read_quantity, unclear_quantity
from email_assistant.workflows.order_desk.shop.resolution.index import ProductIndex
from email_assistant.workflows.order_desk.state import (
    CLASSIFIER,
    NO_ERRORS,
    STOCKKEEPER,
    OrderWork,
    email_input_of,
    is_answerable,
)
from email_assistant.workflows.order_desk.working import held_of

FRESH: dict[str, Any] = NO_REPLY | {
    "email": None, "classifier": None, "stockkeeper": None, "fulfiller": None, "advisor": None, "composer": None, "facts": [],
}  # fmt: skip
MAX_CANDIDATES = 3
MAX_MENTIONS = 200
EXACT = 0.95
"""Least score of words that have a product's id or its whole name; the rules take no other for an order."""
BUYING = ("order", "inquiry")

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ReadingNodes:
    """The first two nodes."""

    parts: OrderDependencies
    asks: bool = True
    """Whether a person can be asked."""

    async def analyze_email(self, state: OrderWork) -> dict[str, Any]:
        """Read the message, start clean, and take it apart; raises `InputError` for a wrong input."""
        email_input = email_input_of(state.get("email"), state.get("email_input"), self.parts.user)
        conversation = await aconversation_of(email_input)
        doubts, held = await self._begun(state, conversation, run_thread_id(get_config()))
        current = conversation.current
        mail = {
            "email_input": email_input,
            "email_id": current.id,
            "subject": current.subject,
            "message": current.text,
            "answerable": is_answerable(current),
            "errors": NO_ERRORS,
            "open_orders": held,
            "sender_warnings": doubts,
        }
        if update := await self.parts.no_answer(
            state, conversation, doubts, node="analyze_email", asks=self.asks
        ):
            return FRESH | mail | update
        analysis, errors = await attempt(CLASSIFIER, lambda: self._analysis(conversation))
        text = _described(analysis) if analysis else f"failed: {errors[CLASSIFIER]}"
        return FRESH | {
            **new_round(state),
            **wanted(state),
            **mail,
            "classifier": analysis.model_dump() if analysis else None,
            "errors": NO_ERRORS | errors,
            "offline": self.parts.models.note("strong"),
            **step({}, "analyze_email", text),
        }

    async def _begun(
        self, state: OrderWork, conversation: Conversation, thread_id: str
    ) -> tuple[list[str], list[str]]:
        """The doubts about the sender and the orders that are held, looked up at once; the drafts of earlier runs go."""
        parts, current = self.parts, conversation.current

        async def read() -> tuple[Sequence[OutboxRow], Sequence[str], list[str]]:
            warnings = await parts.senders.warnings(current) if is_answerable(current) else ()
            held = await held_of(parts.orders, conversation, state.get("open_orders") or [])
            return await parts.drafts.of(thread_id), warnings, held

        left, warnings, held = await parts.orders.database.in_one_read(read)
        await parts.drafts.sweep(thread_id, left=left)
        return await parts.senders.judged(current, warnings) if is_answerable(current) else [], held

    async def _analysis(self, conversation: Conversation) -> EmailAnalysis:
        asked = AnalyzeInput(conversation, self.parts.user)
        if self.parts.models.is_offline("strong"):
            asked = replace(asked, named=_named(await self.parts.catalogue_index.index()))
        return await self.parts.models.run(ANALYZE, asked)

    async def resolve_product_mentions(self, state: OrderWork, runtime: Runtime[None]) -> dict[str, Any]:
        """Find out which products the mentions mean, without a model."""
        resolved, errors = await attempt(STOCKKEEPER, lambda: self._resolved(state, runtime.store))
        mentions = resolved or []
        counts = [
            f"{sum(m['status'] == s for m in mentions)} {s}" for s in ("resolved", "ambiguous", "unresolved")
        ]
        text = f"{len(mentions)} mentions: {', '.join(counts)}"
        return {
            "stockkeeper": {"mentions": mentions} if resolved is not None else None,
            "errors": errors,
            **step(state, "resolve_product_mentions", errors[STOCKKEEPER] or text),
        }

    async def _resolved(self, state: OrderWork, store: BaseStore | None) -> list[dict[str, Any]]:
        found = list(_mentions(state.get("classifier") or {}))[:MAX_MENTIONS]
        if not found:
            return []
        index, language = (
            await self.parts.catalogue_index.index(),
            str((state.get("classifier") or {})["language"]),
        )
        message = conversation_of(state.get("email_input")).current

        def by_words() -> tuple[list[tuple[int, Mapping[str, Any]]], list[Resolution], list[dict[str, Any]]]:
            said = MailWords.of(message)
            mentions = list(said.distinct(found))
            resolved = [index.resolve(_grounded(said, mention)) for _, mention in mentions]
            return mentions, resolved, _resolutions(language, mentions, resolved)

        mentions, resolved, worked_out = await asyncio.to_thread(by_words)
        meant = await self._meant(index, resolved, store)
        if meant is resolved:
            return worked_out
        return await asyncio.to_thread(_resolutions, language, mentions, meant)

    async def _meant(
        self, index: ProductIndex, by_words: Sequence[Resolution], store: BaseStore | None
    ) -> Sequence[Resolution]:
        """What mentions come to when an embedding is asked as well; it only ever adds candidates to ask the customer about."""
        if all(each.status == "resolved" for each in by_words):
            return by_words
        try:
            meaning = await self.parts.catalogue_index.meaning(store)
            if meaning is None:
                return by_words
            return [await resolve_by_meaning(index, each.mention, meaning) for each in by_words]
        except EmailAssistantError as error:
            log.warning("no_meaning", detail=str(error)[:200])
            return by_words


def after_analysis(state: OrderWork) -> Literal["resolve_product_mentions", "notify", "__end__"]:
    """Mail that gets no answer ends here, or is shown."""
    return is_unanswered(state) or "resolve_product_mentions"


def route_resolver_result(state: OrderWork) -> list[str]:
    """Orders to the fulfiller, questions to the advisor, both side by side; a mail with neither is just answered."""
    kinds = {segment["segment_type"] for segment in (state.get("classifier") or {}).get("segments", [])}
    goals = {"order": "process_order", "inquiry": "respond_to_inquiry"}
    return [goal for kind, goal in goals.items() if kind in kinds] or ["compose_response"]


def _mentions(analysis: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, segment in enumerate(analysis.get("segments", [])):
        if segment["segment_type"] in BUYING:
            yield from (
                (number, mention | {"segment_type": segment["segment_type"]})
                for mention in segment["product_mentions"]
            )


def _grounded(mail: MailWords, values: Mapping[str, Any]) -> ProductMention:
    """The mention with what the mail says of it and nothing else."""
    return ProductMention(
        **mail.grounded({name: value for name, value in values.items() if name != "segment_type"})
    )


def _resolutions(
    language: str, lines: Sequence[tuple[int, Mapping[str, Any]]], resolved: Sequence[Resolution]
) -> list[dict[str, Any]]:
    return [_resolution(language, *each, now) for each, now in zip(lines, resolved, strict=True)]


def _resolution(
    language: str, segment: int, values: Mapping[str, Any], resolution: Resolution
) -> dict[str, Any]:
    """The mention with its candidates. A range or "all remaining" is read from its words by code; else the number given counts."""
    fields = {name: value for name, value in values.items() if name != "segment_type"}
    grounded = resolution.mention
    words = grounded.mention_text
    first = [candidate.product_id for candidate in resolution.candidates[:1]]
    goods = (grounded.product_id, grounded.product_name, *first)
    said = read_quantity(words, goods=goods, language=language)
    is_range = said is not None and said.is_range
    buys = values["segment_type"] == "order"
    return {
        "mention": fields,
        "segment": segment,
        "segment_type": values["segment_type"],
        "quantity": said.low if said is not None and is_range else fields["quantity"],
        "is_range": is_range,
        "everything": bool(said and said.everything),
        "unclear_quantity": unclear_quantity(words, goods=goods, language=language)
        or (words if said and not said.is_range and not said.admits(fields["quantity"]) else ""),
        # What is bought must be told by the mail's own words, or it is asked back.
        "status": resolution.status
        if words or not buys or resolution.status == "unresolved"
        else "ambiguous",
        "candidates": [asdict(candidate) for candidate in resolution.candidates[:MAX_CANDIDATES]],
    }


def _named(index: ProductIndex) -> Callable[[str], str]:
    """The id of the product that words name exactly, or ""."""

    def named(words: str) -> str:
        found = index.resolve(ProductMention(mention_text=words))
        return found.product_id if found.candidates and found.candidates[0].score >= EXACT else ""

    return named


def _described(analysis: EmailAnalysis) -> str:
    kinds = [segment.segment_type for segment in analysis.segments]
    parts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)) or "nothing in it"
    return f"{analysis.primary_intent}, language {analysis.language}: {parts}"
