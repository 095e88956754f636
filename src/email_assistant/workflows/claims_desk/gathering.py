"""intent_gatherer: who asks, what is wanted, what the documents say, and an answer when that is all that is wanted."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from email_assistant.errors import InputError
from email_assistant.kit.conversations import aconversation_of, conversation_text, run_thread_id
from email_assistant.kit.reply_state import FRESH as NO_REPLY
from email_assistant.kit.reply_state import step
from email_assistant.kit.reply_workflow import is_unanswered, wanted
from email_assistant.mail.headers import vouched_by
from email_assistant.mail.message import Conversation, message_key
from email_assistant.mail.text import fence
from email_assistant.models.offline.reading import own_words
from email_assistant.review.pending import new_round
from email_assistant.workflows.claims_desk.asking import CUSTOMER, WHO, asker_of, bound_to, may_read
from email_assistant.workflows.claims_desk.calls import ANSWER, INTENT, FoundInput, IntentResult, SaidInput
from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies, docs_of, labels_of, who_of
from email_assistant.workflows.claims_desk.document_store import Who
from email_assistant.workflows.claims_desk.state import FRESH, ClaimWork

MAX_DOCS, EACH = 12, 6
LEAST = 0.05
"""Parts of documents that are less sure are looked at, too: the verifier judges them, and a citation must be found."""
MAX_CHAT, MAX_SAID = 20, 8_000


@dataclass(frozen=True)
class GatheringNodes:
    """The first node."""

    parts: ClaimsDependencies

    async def intent_gatherer(self, state: ClaimWork, runtime: Runtime[None]) -> dict[str, Any]:
        """Read the message and start clean; raises `InputError` for a wrong input."""
        mail = state.get("email_input")
        identity = await (self._by_mail(state, mail) if mail else self._by_chat(state))
        if mail:
            await self.parts.drafts.sweep(run_thread_id(get_config()))
            conversation = await aconversation_of(mail)
            doubts = identity["sender_warnings"]
            if update := await self.parts.no_answer(state, conversation, doubts, node="intent_gatherer"):
                return {**NO_REPLY, **FRESH, **identity, **update}
        fresh: ClaimWork = {**state, **FRESH, **identity}  # type: ignore[typeddict-item]
        said = await self.said(fresh)
        intent = await self.parts.models.run(INTENT, said)
        queries = [intent.search or said.plain, *intent.aspects]
        docs = await found_parts(self.parts, runtime.store, who_of(fresh), queries)
        found = {"intent_result": intent.model_dump(), "kb_docs": docs}
        answer = await self._answer({**fresh, **found}, intent)  # type: ignore[typeddict-item]
        text = f"{intent.intent}, urgency {intent.urgency}, {len(docs)} parts of documents"
        return {
            **NO_REPLY, **FRESH, **new_round(state), **wanted(state), **identity, **found,
            "answer": answer,
            "offline": self.parts.models.note("strong"),
            **step({}, "intent_gatherer", text),
        }  # fmt: skip

    async def _by_mail(self, state: ClaimWork, mail: Any) -> dict[str, Any]:
        """The asker, by the sender's address; nobody when nobody vouches for the sender, or it is in doubt."""
        current = (await aconversation_of(mail)).current
        tenant = await self._tenant(_text(state, "tenant_id") or self.parts.tenant)
        bound = bound_to(state, "mail", tenant, "")
        doubts = await self.parts.senders.doubts(current)
        vouched = vouched_by(current, host=self.parts.user.mail_host) and not doubts
        found = await self.parts.customers.by_email(current.sender.email, tenant) if vouched else ()
        return {
            "channel": "mail",
            "bound": bound,
            "asker": {"tenant_id": tenant, "user_id": "", "user_role": CUSTOMER},
            "tenant_id": tenant,
            "user_id": found[0].user_id if len(found) == 1 else "",
            "user_role": CUSTOMER,
            "email": current.sender.email,
            "is_known": len(found) == 1,
            "sender_warnings": doubts,
            "message_key": f"mail:{message_key(self.parts.drafts.mailbox.name, current)}",
            "round_start": len(state.get("messages") or []),
        }

    async def _by_chat(self, state: ClaimWork) -> dict[str, Any]:
        """The asker, as the caller of the run says; raises `InputError` for what is missing."""
        tenant, user_id, _ = (_text(state, name) for name in WHO)
        if not tenant:
            raise InputError(
                "tenant_id is missing: a chat needs tenant_id, user_id, user_role and messages; a mail needs email_input"
            )
        asker, messages = asker_of(state), state.get("messages") or []
        bound = bound_to(state, "chat", await self._tenant(tenant), user_id)
        mine = [m for m in messages if isinstance(m, HumanMessage) and may_read(asker, m)]
        latest = mine[-1] if mine else None
        if latest is None or not str(latest.text).strip():
            raise InputError("messages has no message of the user")
        customer = await self.parts.customers.customer(tenant, user_id) if user_id else None
        return {
            "channel": "chat",
            "bound": bound,
            "asker": asker,
            "tenant_id": tenant,
            "user_id": user_id if customer else "",
            "user_role": asker["user_role"],
            "email": _text(state, "email"),
            "is_known": customer is not None,
            "sender_warnings": [],
            "message_key": f"chat:{_key(run_thread_id(get_config()), str(latest.id))}",
            "round_start": len(messages),
        }

    async def _tenant(self, tenant_id: str) -> str:
        """The tenant; raises `InputError` for one that nobody has set up."""
        if tenant_id in self.parts.companies or await self.parts.customers.has_tenant(tenant_id):
            return tenant_id
        raise InputError(
            f"tenant_id: there is no tenant {tenant_id[:60]!r}; import its customers, or name it in EMAIL_ASSISTANT_TENANT_NAMES"
        )

    async def said(self, state: ClaimWork) -> SaidInput:
        """The customer's words, for the calls."""
        p = self.parts
        if state["channel"] == "mail":
            conversation = await aconversation_of(state.get("email_input"))
            text, plain = conversation_text(conversation, p.user.timezone), own_words(conversation.current)
        else:
            spoken = _spoken(state)
            text = "\n\n".join(f"{who}:\n{fence(words, 'mail')}" for who, words in spoken)
            plain = spoken[-1][1]
        company = p.company(state["tenant_id"])
        today = p.now(state).date().isoformat()
        return SaidInput(company.name, company.background or "Nothing is known.", today, text, plain=plain)

    async def _answer(self, state: ClaimWork, intent: IntentResult) -> dict[str, Any] | None:
        """The answer to a plain question, when every part that it cites was found."""
        docs, known = docs_of(state), labels_of(state)
        if intent.intent != "query" or intent.out_of_scope or not docs:
            return None
        answer = await self.parts.models.run(
            ANSWER, found_input(await self.said(state), docs, intent.language)
        )
        citations = [label for label in dict.fromkeys(answer.citations) if label in known]
        if not answer.is_answered or not citations or not answer.answer.strip():
            return None
        return {"text": answer.answer, "citations": citations}


async def found_parts(
    parts: ClaimsDependencies, store: BaseStore | None, who: Who, queries: Sequence[str]
) -> list[dict[str, Any]]:
    """The parts of the asker's documents that answer any of the queries, each once, the surest first."""
    if store is None:
        return []
    best: dict[str, dict[str, Any]] = {}
    for query in dict.fromkeys(filter(None, queries)):
        for chunk in await parts.documents.find(store, who, query, EACH, least=LEAST):
            known = best.get(chunk.label)
            if known is None or known["score"] < chunk.score:
                best[chunk.label] = {
                    "label": chunk.label, "section": chunk.section, "text": chunk.text, "score": chunk.score,
                }  # fmt: skip
    return sorted(best.values(), key=lambda each: (-each["score"], each["label"]))[:MAX_DOCS]


def found_input(said: SaidInput, docs: Sequence[tuple[str, str]], language: str) -> FoundInput:
    """The customer's words with the parts that were found."""
    return FoundInput(said.company, said.background, said.today, said.said, docs, said.plain, language)


def after_intent(state: ClaimWork) -> Literal["report_maker", "final_answer", "notify", "__end__"]:
    """A question that the documents answer, and what is out of scope, end here; everything else becomes a report.

    Mail that gets no answer ends the run, or is shown.
    """
    if goal := is_unanswered(state):
        return goal
    out_of_scope = bool((state.get("intent_result") or {}).get("out_of_scope"))
    return "final_answer" if state.get("answer") or out_of_scope else "report_maker"


def conversation_for(state: ClaimWork, conversation: Conversation | None) -> list[str]:
    """The customer's own words, for the fact check."""
    if conversation is not None:
        return [m.text for m in (*conversation.earlier, conversation.current)]
    return [words for who, words in _spoken(state) if who == "Customer"]


def _spoken(state: ClaimWork) -> list[tuple[str, str]]:
    """The last words of the chat, without the tools' part, however many calls lie between them."""
    said: list[tuple[str, str]] = []
    for message in reversed(state.get("messages") or []):
        text = str(message.text).strip()[:MAX_SAID] if may_read(state["asker"], message) else ""
        if text and isinstance(message, HumanMessage):
            said.append(("Customer", text))
        elif text and isinstance(message, AIMessage) and not message.tool_calls:
            said.append(("Company", text))
        if len(said) == MAX_CHAT:
            break
    return said[::-1]


def _text(state: ClaimWork, name: str) -> str:
    value = state.get(name) or ""
    if not isinstance(value, str):
        raise InputError(f"{name} must be text")
    return value.strip()


def _key(*text: str) -> str:
    """Short and without characters that a key may not have."""
    return hashlib.sha256("\n".join(text).encode(errors="replace")).hexdigest()[:32]
