"""report_maker, claim_verifier ⇄ tool_execution, decide: from what was said to what the rules make of it."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime

from email_assistant.kit.conversations import run_thread_id
from email_assistant.kit.reply_state import step
from email_assistant.mail.text import fence
from email_assistant.models.client import MAX_CALLS, normalised, surplus
from email_assistant.models.failures import ModelOutputError
from email_assistant.review.pending import put
from email_assistant.tools.concerns import sentence
from email_assistant.workflows.claims_desk.calls import DECIDE, REPORT, VERIFY, Verification, VerifyInput
from email_assistant.workflows.claims_desk.claims.ruling import Bounds, Ruling, Verdict, rule
from email_assistant.workflows.claims_desk.dependencies import (
    ClaimsDependencies,
    docs_of,
    has_ticket,
    labels_of,
)
from email_assistant.workflows.claims_desk.gathering import MAX_DOCS, GatheringNodes, found_input
from email_assistant.workflows.claims_desk.refund_card import REFUNDED, refund_action
from email_assistant.workflows.claims_desk.refunding import doer, refund_key
from email_assistant.workflows.claims_desk.state import ClaimWork
from email_assistant.workflows.claims_desk.tools import call, schemas

MAX_PASSES = 4
"""Passes with tools; after them a person decides."""
MAX_RESULT = 6_000
UNFINISHED = Verdict("Low Confidence", 0.0, "The verifier did not come to a decision.")


@dataclass(frozen=True)
class VerifyingNodes:
    """The report and the loop."""

    parts: ClaimsDependencies

    async def report_maker(self, state: ClaimWork) -> dict[str, Any]:
        """Lay out the claim."""
        language = state["intent_result"]["language"]
        said = await GatheringNodes(self.parts).said(state)
        report = await self.parts.models.run(REPORT, found_input(said, docs_of(state), language))
        known = labels_of(state)
        values = report.model_dump() | {
            "policy_refs": [label for label in report.policy_refs if label in known]
        }
        return {"report": values, **self._noted(state), **step(state, "report_maker", report.issue[:200])}

    async def claim_verifier(self, state: ClaimWork) -> dict[str, Any]:
        """Ask for tools, or give a verdict when there is enough; the tools' results come back here."""
        passes = state.get("passes") or 0
        inputs = await self._inputs(state)
        if passes < MAX_PASSES:
            messages = _of_round(state)
            reply = normalised(await self.parts.models.turn(VERIFY, inputs, messages, schemas()))
            if reply.tool_calls:
                names = ", ".join(c["name"][:40] for c in reply.tool_calls[:MAX_CALLS])
                return {
                    "messages": [reply],
                    "passes": passes + 1,
                    "verdict": None,
                    **step(state, "claim_verifier", f"asks for {names}"),
                }
        elif _of_round(state) and isinstance(_of_round(state)[-1], ToolMessage):
            return self._given(state, UNFINISHED, f"no decision after {MAX_PASSES} passes")
        try:
            decided = await self.parts.models.run(DECIDE, inputs)
        except ModelOutputError as error:
            return self._given(state, UNFINISHED, str(error)[:200])
        verdict = _verdict(decided)
        return self._given(state, verdict, f"{verdict.is_valid}, confidence {verdict.confidence:.2f}")

    def _given(self, state: ClaimWork, verdict: Verdict, text: str) -> dict[str, Any]:
        given = asdict(verdict) | {"policy_citations": list(verdict.policy_citations)}
        return {"verdict": given, **self._noted(state), **step(state, "claim_verifier", text)}

    def _noted(self, state: ClaimWork) -> dict[str, Any]:
        """Why rules have answered one of the round's calls, for the cards."""
        return {"offline": self.parts.models.note("strong") or state.get("offline") or ""}

    async def _inputs(self, state: ClaimWork) -> VerifyInput:
        said = await GatheringNodes(self.parts).said(state)
        known = bool(state.get("is_known"))
        policies = await self.parts.customers.policies(state["tenant_id"], state["user_id"]) if known else ()
        return VerifyInput(
            said.company, said.background, said.today, said.said, docs_of(state), said.plain, state["intent_result"]["language"],
            state.get("report"), _results(_of_round(state)), policies, known,
        )  # fmt: skip

    async def tool_execution(self, state: ClaimWork, runtime: Runtime[None]) -> dict[str, Any]:
        """Run the tools side by side; every call gets its answer."""
        asked = state["messages"][-1]
        asked = asked if isinstance(asked, AIMessage) else AIMessage("")
        wanted = asked.tool_calls[:MAX_CALLS]
        said = await asyncio.gather(
            *(call(self.parts, state, runtime.store, str(c["name"]), c["args"]) for c in wanted)
        )
        answers = [
            ToolMessage(text[:MAX_RESULT], tool_call_id=str(c["id"]), name=str(c["name"])[:60])
            for c, (text, _) in zip(wanted, said, strict=True)
        ]
        return {
            "messages": [*answers, *surplus(asked)],
            "kb_docs": _with_found(state, [each for _, found in said for each in found]),
            "performed": [
                {
                    "id": str(c["id"]), "name": str(c["name"])[:60], "params": dict(c["args"]) if isinstance(c["args"], dict) else {},
                    "result": text[:500], "success": True,
                }
                for c, (text, _) in zip(wanted, said, strict=True)
            ],
            **step(state, "tool_execution", ", ".join(str(c["name"])[:40] for c in wanted)),
        }  # fmt: skip

    async def decide(self, state: ClaimWork) -> dict[str, Any]:
        """Let the rules decide what the verdict comes to."""
        given = state.get("verdict") or {}
        verdict = (
            Verdict(**(given | {"policy_citations": tuple(given.get("policy_citations", ()))}))
            if given
            else UNFINISHED
        )
        known = bool(state.get("is_known"))
        policies = await self.parts.customers.policies(state["tenant_id"], state["user_id"]) if known else ()
        bounds = Bounds(labels_of(state), policies, self.parts.ceiling, self.parts.automatic, known)
        if (state.get("intent_result") or {}).get("intent") == "feature request":
            verdict = replace(verdict, ticket_type="feature_request")
        ruling = rule(verdict, bounds)
        makes_ticket = has_ticket({**state, "ruling": ruling_json(ruling)})
        decided: dict[str, Any] = {
            "ruling": ruling_json(ruling),
            "verification": {
                "is_valid": ruling.is_valid,
                "resolution": verdict.resolution,
                "confidence": verdict.confidence,
                "policy_citations": list(ruling.citations),
                "action_plan": {
                    "create_ticket": makes_ticket,
                    "ticket_type": ruling.ticket_type if makes_ticket else "",
                    "make_db_entry": True,
                    "refund": str(ruling.refund),
                    "policy_id": ruling.policy_id,
                },
            },
            "performed": [],
            **step(state, "decide", f"{ruling.route}: {'; '.join(ruling.reasons) or ruling.is_valid}"),
        }
        if ruling.route != "review":
            return decided
        thread_id, refunding = run_thread_id(get_config()), self.parts.refunding
        key = await refund_key(state, thread_id, refunding.ledger)
        action = refund_action({**state, **decided}, key, self.parts.currency)  # type: ignore[typeddict-item]
        if made := await refunding.made_by_others(state["tenant_id"], key, doer(state, thread_id)):
            action = replace(action, warnings=(sentence(made, REFUNDED, self.parts.user.timezone),))
        return decided | put(state, action)


def after_verify(state: ClaimWork) -> Literal["tool_execution", "decide"]:
    """Tools were asked for, or there is a verdict."""
    return "decide" if state.get("verdict") else "tool_execution"


def after_decide(state: ClaimWork) -> Literal["refund_review", "perform_refund", "record"]:
    """A refund is approved first; what needs none goes on record."""
    route = (state.get("ruling") or {}).get("route")
    goals: dict[str, Literal["refund_review", "perform_refund"]] = {
        "review": "refund_review",
        "automatic": "perform_refund",
    }
    return goals.get(str(route), "record")


def ruling_json(ruling: Ruling) -> dict[str, Any]:
    """For the state; money as text."""
    return asdict(ruling) | {
        "citations": list(ruling.citations),
        "reasons": list(ruling.reasons),
        "refund": str(ruling.refund),
    }


def _verdict(decided: Verification) -> Verdict:
    plan = decided.action_plan
    return Verdict(
        decided.is_valid, decided.confidence, decided.resolution, tuple(decided.policy_citations), plan.refund, plan.policy_id,
        plan.ticket_type,
    )  # fmt: skip


def _of_round(state: ClaimWork) -> list[AnyMessage]:
    """The messages of verifier and tools about this message."""
    return list((state.get("messages") or [])[state.get("round_start") or 0 :])


def _results(messages: Sequence[AnyMessage]) -> str:
    lines = [f"{m.name}:\n{fence(str(m.text), 'tool')}" for m in messages if isinstance(m, ToolMessage)]
    return "\n\n".join(lines)


def _with_found(state: ClaimWork, found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parts that were found before and now; each once."""
    by_label = {each["label"]: each for each in [*found, *(state.get("kb_docs") or [])]}
    return list(by_label.values())[: MAX_DOCS * (MAX_PASSES + 1)]
