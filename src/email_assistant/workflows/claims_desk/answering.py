"""final_answer: what the customer is told, in the conversation and in one of four languages."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from langchain_core.messages import ToolMessage

from email_assistant.facts.fact import CheckedDraft, Gap, Own, Source
from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.reply_state import step
from email_assistant.models.offline.courtesy import Courtesy, names_of
from email_assistant.tools.draft_check import MAX_SOURCE, with_gaps
from email_assistant.workflows.claims_desk.asking import said_by
from email_assistant.workflows.claims_desk.claims.ruling import NOTHING, amount_of
from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies, docs_of
from email_assistant.workflows.claims_desk.gathering import conversation_for
from email_assistant.workflows.claims_desk.offline import CLAIMS_WORDS
from email_assistant.workflows.claims_desk.state import ClaimWork

MAX_FACTS = 100
with CLAIMS_WORDS.section("answers") as section:
    _PAID = section.pattern("{paid}")
    """Says of money that it has been paid."""
    _SENTENCES = {language: section.entries(language) for language in ("en", "de", "fr", "es")}


@dataclass(frozen=True)
class AnsweringNodes:
    """The last node before the review."""

    parts: ClaimsDependencies

    async def final_answer(self, state: ClaimWork) -> dict[str, Any]:
        """Put the answer together by code, with the verifier's words only as far as something supports them.

        A mail's answer is reviewed, with gaps where nothing supports it. A chat's answer is given at once, so words that nothing
        supports are left out of it, and a person gets to look.
        """
        said = self._said(state)
        checked = await self._checked(said, state) if said else None
        is_chat, gaps = state["channel"] == "chat", [gap.quoted for gap in checked.gaps] if checked else []
        text = "" if is_chat and gaps else checked.text if checked else ""
        route = route_of(state)
        body = "\n\n".join(_blocks(state, text, self.parts))
        ended = (
            {
                "outcome": route,
                "final_response": body,
                "settled": True,
                "messages": [said_by(state["asker"], body)],
            }
            if is_chat
            else {}
        )
        return {
            "draft_response": body,
            "final_response": "",
            # Code puts the letter together, whoever the model is.
            "ignored_words": list(state.get("feedback") or ()),
            "facts": [f"{f.quoted} ({f.source})" for f in checked.facts if f.source][:MAX_FACTS]
            if checked
            else [],
            "performed": [],
            **ended,
            **step(state, "final_answer", f"{route}, {len(gaps)} gaps"),
        }

    def _said(self, state: ClaimWork) -> str:
        """The words of the model that the customer is to read."""
        if answer := state.get("answer"):
            return str(answer["text"])
        ruling, verdict = state.get("ruling") or {}, state.get("verdict") or {}
        # What a person has to decide first, a refund above all, is not told as decided.
        open_ = ruling.get("route") == "ticket" and (
            ruling["is_valid"] != "Yes" or amount_of(verdict.get("refund")) != NOTHING
        )
        return "" if open_ else str((state.get("verification") or {}).get("resolution", ""))

    async def _checked(self, text: str, state: ClaimWork) -> CheckedDraft:
        p, company = self.parts, self.parts.company(state["tenant_id"])
        own = Own(company.name, company.email, (company.background,))
        sources = list(_sources(state, p.currency))
        checked = await with_gaps(text, sources, p.user, p.now(state), own)
        return _not_yet_paid(checked) if (state.get("refund") or {}).get("is_due") else checked


def _not_yet_paid(checked: CheckedDraft) -> CheckedDraft:
    """A refund that somebody has still to pay is not told as paid."""
    said = [m["paid"] for m in _PAID.finditer(checked.text) if m["paid"]]
    gaps = [Gap("promise", words, "it is due, and not paid yet") for words in said]
    text = _PAID.sub(lambda m: f"[confirm: {m['paid']}]" if m["paid"] else m.group(), checked.text)
    return replace(checked, text=text, gaps=(*checked.gaps, *gaps))


def after_answer(state: ClaimWork) -> Literal["review", "__end__"]:
    """A mail's answer is reviewed and sent; a chat's is given."""
    return "__end__" if state["channel"] == "chat" else "review"


def route_of(state: ClaimWork) -> str:
    """ "answered", "declined", "refused", "review", "automatic" or "ticket"."""
    if state.get("answer"):
        return "answered"
    ruling = state.get("ruling")
    return str(ruling["route"]) if ruling else "declined"


def _blocks(state: ClaimWork, text: str, parts: ClaimsDependencies) -> Iterator[str]:
    """The letter, block by block."""
    words, ruling = words_of(state["intent_result"]["language"]), state.get("ruling") or {}
    is_mail = state["channel"] == "mail"
    names = names_of(conversation_of(state.get("email_input")).current) if is_mail else ("", "")
    courtesy = Courtesy(state["intent_result"]["language"])
    yield courtesy.greeting(*names)
    route, refund, ticket = route_of(state), state.get("refund"), state.get("ticket")
    if route == "declined":
        yield words.declined.format(company=parts.company(state["tenant_id"]).name)
    if text:
        yield text
    if refund:
        yield (words.due if refund.get("is_due") else words.refunded).format(
            amount=refund["amount"], currency=refund["currency"], policy=refund["policy_id"]
        )
    if route == "ticket" or (route not in ("answered", "declined") and not text):
        yield words.person.format(ticket=ticket["key"]) if ticket else words.person_plain
    elif ticket:
        yield words.tracked.format(ticket=ticket["key"])
    if cited := (state.get("answer") or ruling).get("citations"):
        yield words.sources.format(labels="; ".join(cited))
    if route == "refused" and not ticket:
        yield words.complaint
    yield courtesy.closing(parts.company(state["tenant_id"]).name)


def _sources(state: ClaimWork, currency: str) -> Iterator[Source]:
    """The sources of the answer: documents, record, rules and the user's words are ours, the customer's never are."""
    yield Source("what you said", "\n".join(state.get("feedback") or ()), "ours")
    for label, text in docs_of(state):
        yield Source(label, text[:MAX_SOURCE], "ours")
    for message in (state.get("messages") or [])[state.get("round_start") or 0 :]:
        if isinstance(message, ToolMessage) and message.name in ("get_user_data", "list_user_policies"):
            yield Source(str(message.name), str(message.text)[:MAX_SOURCE], "ours")
    ruling = state.get("ruling") or {}
    if ruling and ruling["refund"] != "0.00":
        paid = f"We refund {ruling['refund']} {currency} for {ruling['policy_id']}. {ruling['refund']}"
        yield Source("the decision", paid, "ours")
    conversation = conversation_of(state.get("email_input")) if state["channel"] == "mail" else None
    for text in conversation_for(state, conversation):
        yield Source("the customer", text[:MAX_SOURCE], "theirs")


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """Sentences of one language."""

    declined: str
    refunded: str
    due: str
    """Of a refund that somebody has still to pay."""
    person: str
    person_plain: str
    tracked: str
    sources: str
    complaint: str


WORDS: Mapping[str, AnswerWords] = {language: AnswerWords(**said) for language, said in _SENTENCES.items()}


def words_of(language: str) -> AnswerWords:
    """The sentences of the language; English for one that is not among them."""
    return WORDS.get(language, WORDS["en"])
