"""The sample claims through the real claims desk: once with a model that follows a script, once by the offline rules."""

import json
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from pydantic import ValidationError

from email_assistant.app.assistant import AppDeps
from email_assistant.app.graphs import graph_of
from email_assistant.knowledge.embedding import DIMS
from email_assistant.models.failures import ModelOutputError
from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from email_assistant.settings import load_settings
from email_assistant.workflows.claims_desk.claims.claim import Incident
from email_assistant.workflows.claims_desk.claims.customer_csv import read_customers, read_policies
from email_assistant.workflows.claims_desk.document_import import DocumentImport
from email_assistant.workflows.claims_desk.document_store import public_space, role_space
from email_assistant.workflows.claims_desk.documents.reading import read_document
from email_assistant.workflows.claims_desk.records.customers import Customers
from email_assistant.workflows.claims_desk.records.incidents import Incidents
from eval.mails import HOST, vouching
from eval.workbench import answering, house_of

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples" / "claims"
NOW = "2026-11-20T10:00:00Z"
ACCEPT = [{"type": "accept", "args": None}]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one claim."""

    state: Mapping[str, Any]
    cards: Sequence[Mapping[str, Any]]
    """The cards that were shown, the reply's the last one; the refund's is accepted."""
    heard: Sequence[str]
    """What the model was told."""


def claims(name: str = "claims.jsonl") -> list[dict[str, Any]]:
    """The lines of a file of this folder."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


class Script(Models):
    """A model that says what a claim's line says; everything else is the real thing."""

    def __init__(self) -> None:
        super().__init__(ModelSettings(fast="offline", strong="offline"))
        object.__setattr__(self, "claim", {})
        object.__setattr__(self, "heard", [])
        object.__setattr__(self, "passes", 0)

    claim: Mapping[str, Any]
    heard: list[str]
    passes: int

    def follow(self, claim: Mapping[str, Any]) -> None:
        """The next claim."""
        object.__setattr__(self, "claim", claim)
        object.__setattr__(self, "passes", 0)
        self.heard.clear()

    async def run(self, call: Any, inputs: Any, *, escalate_below: float | None = None) -> Any:
        """The scripted answer; the prompt is rendered all the same."""
        self.heard.append(str(await self._rendered(call.prompt, inputs)))
        try:
            return call.output.model_validate(_SAYS[call.name](self.claim))
        except ValidationError:
            raise ModelOutputError(f"{call.name}: the model's answer does not fit") from None

    async def turn(self, call: Any, inputs: Any, messages: Sequence[BaseMessage], tools: Any) -> AIMessage:
        """The calls of the next pass, then none."""
        self.heard.append(str([await self._rendered(call.prompt, inputs), *messages]))
        passes = _calls(self.claim)
        number = self.passes
        object.__setattr__(self, "passes", number + 1)
        wanted = passes[number] if number < len(passes) else []
        calls = [{"name": n, "args": a, "id": f"call_{number}_{i}"} for i, (n, a) in enumerate(wanted)]
        return AIMessage("" if calls else "Enough.", tool_calls=calls)


@asynccontextmanager
async def desk(mode: str, models: Models | None = None, **settings: str) -> AsyncIterator["ClaimsDesk"]:
    """A desk with the sample companies, in a folder of its own; `models` answer when given, else the script or the rules."""
    with tempfile.TemporaryDirectory() as folder:
        values = {
            "EMAIL_ASSISTANT_DATA_DIR": folder, "EMAIL_ASSISTANT_NAME": "Claims desk", "EMAIL_ASSISTANT_EMAIL": "claims@desk.example",
            "EMAIL_ASSISTANT_NOW": NOW, "EMAIL_ASSISTANT_AUTHSERV_ID": HOST, "EMAIL_ASSISTANT_MODEL_FAST": "offline",
            "EMAIL_ASSISTANT_MODEL_STRONG": "offline",
        }  # fmt: skip
        models = Script() if mode == "scripted" else models
        house = house_of(load_settings(values | settings, Path(folder)), models)
        yield await opened(house)


async def customers(house: AppDeps) -> None:
    """The customers of the sample companies, and their contracts, into the house."""
    with (SAMPLES / "customers.csv").open("rb") as people, (SAMPLES / "policies.csv").open("rb") as contracts:
        found = read_customers(people, "customers.csv")
        await Customers(house.database).import_all(found, read_policies(contracts, "policies.csv", found))


async def documents(house: AppDeps, store: Any, company: str = "*") -> None:
    """The documents of a sample company, or of all, into the store."""
    for folder in sorted(path for path in SAMPLES.glob(f"{company}/*") if path.is_dir()):
        tenant, role = folder.parent.name, folder.name
        space = public_space(tenant) if role == "public" else role_space(tenant, role)
        read = [read_document(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]
        await DocumentImport(house.embedder).replace(store, space, read)


async def opened(house: AppDeps, checkpointer: Any = None) -> "ClaimsDesk":
    """The desk over a house, with documents, customers and contracts; its state is in memory when there is no checkpointer."""
    await customers(house)
    store = InMemoryStore(index={"embed": house.embedder.embed, "dims": DIMS, "fields": ["text"]})
    await documents(house, store)
    graph = graph_of(house, "claims_desk", checkpointer=checkpointer or InMemorySaver(), store=store)
    return ClaimsDesk(house, graph)


@dataclass(frozen=True)
class ClaimsDesk:
    """The desk, and a way to bring claims to it."""

    house: AppDeps
    graph: Any

    async def bring(self, claim: Mapping[str, Any], *, approve: bool = True) -> Outcome:
        """One claim up to the reply's card or the end; the refund's card is accepted, or with `approve` False left."""
        await remember(self.house, claim)
        models, cards = self.house.models, []
        if isinstance(models, Script):
            models.follow(claim)
        config = {"configurable": {"thread_id": claim["claim_id"]}}
        await self.graph.ainvoke(input_of(claim), config)
        for _ in range(3):
            state = await self.graph.aget_state(config)
            if not state.interrupts:
                break
            cards.append(state.interrupts[0].value[0])
            if not approve or not cards[-1]["action_request"]["action"].startswith("Refund "):
                break
            await self.graph.ainvoke(await answering(self.graph, config, ACCEPT), config)
        heard = list(models.heard) if isinstance(models, Script) else []
        return Outcome(dict((await self.graph.aget_state(config)).values), cards, heard)


def input_of(claim: Mapping[str, Any]) -> dict[str, Any]:
    """What the run is started with."""
    if claim["channel"] == "chat":
        return {
            "messages": claim["messages"], "tenant_id": claim["tenant_id"], "user_id": claim["user_id"], "user_role": claim["role"],
        }  # fmt: skip
    mail = claim["email"]
    message = {
        "id": claim["claim_id"], "thread_id": claim["claim_id"], "from": mail["from"], "to": "claims@desk.example",
        "subject": mail["subject"], "body": mail["body"], "message_id": f"<{claim['claim_id']}@post.example>",
        "headers": {"Authentication-Results": vouching(mail["from"])},
    }  # fmt: skip
    return {"email_input": message, "tenant_id": claim["tenant_id"]}


async def remember(house: AppDeps, claim: Mapping[str, Any]) -> None:
    """Put on record what was decided for the claim's customer before."""
    for entry in claim.get("history", []):
        await Incidents(house.database).record(_incident(claim, entry))


def _incident(claim: Mapping[str, Any], entry: Mapping[str, Any]) -> Incident:
    return Incident(
        claim["tenant_id"], entry["incident_id"], claim["user_id"], entry["policy_id"], entry["issue"], entry["is_valid"],
        entry["resolution"], tuple(entry["citations"]), entry["confidence"], Decimal(entry["amount"]),
        datetime.fromisoformat(entry["created_at"]),
    )  # fmt: skip


def _calls(claim: Mapping[str, Any]) -> list[list[tuple[str, dict[str, Any]]]]:
    if "model" in claim:
        return [[(c["name"], c["args"]) for c in each] for each in claim["model"]["tool_calls"]]
    return [
        [(name, {"query": claim["search"] or "rules"} if name == "retriever_tool" else {}) for name in each]
        for each in claim["tool_calls"]
    ]


def _intent(claim: Mapping[str, Any]) -> dict[str, Any]:
    fields = {
        name: claim[name] for name in ("urgency", "sentiment", "aspects", "out_of_scope") if name in claim
    }
    text = json.dumps(claim.get("email") or claim.get("messages"), ensure_ascii=False)
    language = (
        "de" if "german" in claim.get("kinds", ()) else "fr" if "french" in claim.get("kinds", ()) else "en"
    )
    told = {
        "intent": "service request",
        "urgency": "medium",
        "sentiment": "neutral",
        "aspects": [],
        "out_of_scope": False,
    }
    return (
        told
        | fields
        | {
            "intent": claim.get("intent", "service request"),
            "language": language,
            "search": claim.get("search") or text[:400],
        }
    )


def _decision(claim: Mapping[str, Any]) -> dict[str, Any]:
    said = claim.get("model") or claim
    cited = [each if isinstance(each, str) else each[0] for each in said["citations"]]
    action = said["action"]
    plan = {
        "create_ticket": bool(action.get("create_ticket")),
        "refund": str(action.get("refund", "0.00"))[:40],
        "policy_id": str(action.get("policy_id", ""))[:100],
    }
    if action.get("ticket_type"):
        plan["ticket_type"] = action["ticket_type"]
    return {
        "is_valid": said["is_valid"] or "Low Confidence", "resolution": said["resolution"], "confidence": said["confidence"] or 0.0,
        "policy_citations": cited, "action_plan": plan,
    }  # fmt: skip


def _report(claim: Mapping[str, Any]) -> dict[str, Any]:
    report = claim.get("report") or {
        "issue": str(claim.get("trick", "")),
        "user_demand": "",
        "support_info_from_user": "",
    }
    return {**report, "company_docs_about_issue": "", "policy_refs": []}


def _answer(claim: Mapping[str, Any]) -> dict[str, Any]:
    said = claim.get("model") or claim
    return {
        "is_answered": claim.get("route", "answered") == "answered", "answer": said["resolution"],
        "citations": [each if isinstance(each, str) else each[0] for each in said["citations"]],
    }  # fmt: skip


_SAYS = {
    "claim_intent": _intent,
    "claim_answer": _answer,
    "claim_report": _report,
    "claim_decide": _decision,
}


def said_by(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that the script says about a claim, by the names of the answers; `turns` are the verifier's tool calls."""
    return {
        "IntentResult": _intent(claim),
        "DocumentAnswer": _answer(claim),
        "Report": _report(claim),
        "Verification": _decision(claim),
        "turns": _calls(claim),
    }
