"""Claims by rule: what a message wants, an answer quoted from the documents, and the few decisions that dates alone give."""

import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from email_assistant.language.text import language_of
from email_assistant.models.offline import words
from email_assistant.word_files import WordFiles
from email_assistant.workflows.claims_desk.claims.claim import CustomerPolicy

CLAIMS_WORDS = WordFiles((Path(__file__).with_name("words.toml"),), frozenset({"matters", "answers"}))
Docs = Sequence[tuple[str, str]]
with CLAIMS_WORDS.section("matters") as section:
    _REQUEST = section.pattern(r"\b(?:{request})\b")
    _FEATURE = section.pattern(r"\b(?:{feature})\b")
    _UNHAPPY = section.pattern("{unhappy}")
    _URGENT = section.pattern(r"\b(?:{urgent})\b")
    _MATTER = section.pattern(r"\b(?:{matter})\b")
    _ELSEWHERE = section.pattern(r"\b(?:{elsewhere})\b")
    """Matters that no company is asked about: beyond them a rule cannot tell what is out of scope."""
_HAPPY = re.compile(
    r"\b(?:thank you so much|many thanks for|wonderful|grateful|very happy|herzlichen dank)\b",
    re.IGNORECASE,
)
_CONTRACT = re.compile(r"\b[A-Z]{2,3}-\d{4,6}\b")
MAX_ASPECTS = 4
SURE = 0.75


def intent_of(text: str) -> dict[str, Any]:
    """The fields of the desk's `IntentResult`."""
    asks, requests = bool(words.QUESTION.search(text)), bool(_REQUEST.search(text))
    unhappy = bool(_UNHAPPY.search(text) or words.COMPLAINT.search(text))
    kinds = (
        (bool(_FEATURE.search(text)) and not requests, "feature request"),
        (requests, "service request"),
        (unhappy, "complaint"),
        (asks, "query"),
    )
    intent = next((kind for holds, kind in kinds if holds), "service request")
    sentiment = "negative" if unhappy else "positive" if _HAPPY.search(text) else "neutral"
    return {
        "intent": intent,
        "urgency": "high"
        if _URGENT.search(text)
        else "low"
        if intent in ("query", "feature request")
        else "medium",
        "sentiment": sentiment,
        "aspects": list(dict.fromkeys(m.lower() for m in _MATTER.findall(text)))[:MAX_ASPECTS],
        "out_of_scope": bool(_ELSEWHERE.search(text)) and not _MATTER.search(text),
        "language": language_of(text) or "en",
        "search": " ".join(dict.fromkeys(m.lower() for m in _MATTER.findall(text)))[:500],
    }


def answer_of(text: str, docs: Docs) -> dict[str, Any]:
    """The part that was found first, quoted: whether it answers all of the question no rule can tell, so one question only."""
    if not docs or text.count("?") > 1:
        return {"is_answered": False}
    label, found = docs[0]
    return {"is_answered": True, "answer": f"{' '.join(found.split())[:1_500]}", "citations": [label]}


def report_of(text: str, docs: Docs) -> dict[str, Any]:
    """The customer's own sentences, and the labels of what was found."""
    sentence = " ".join(text.split())
    return {
        "issue": sentence[:300],
        "user_demand": sentence[:1_000],
        "company_docs_about_issue": "\n".join(
            f"{label}: {' '.join(found.split())[:300]}" for label, found in docs
        )[:4_000],
        "support_info_from_user": ", ".join(_CONTRACT.findall(text)),
        "policy_refs": [label for label, _ in docs][:20],
    }


def decision_of(
    text: str, docs: Docs, policies: Sequence[CustomerPolicy], today: str, language: str
) -> dict[str, Any]:
    """A decision where the dates of the contract that is named give one, else none."""
    named = [p for p in policies if p.policy_id in _CONTRACT.findall(text)] or (
        list(policies) if len(policies) == 1 else []
    )
    problem = _problem(named[0], date.fromisoformat(today[:10])) if len(named) == 1 else None
    if problem is None:
        return _unsure("A rule cannot decide this claim.")
    sentence, needles = problem
    cited = [
        label for label, found in docs if any(needle in f"{label} {found}".lower() for needle in needles)
    ][:2]
    if not cited:
        return _unsure(sentence)
    return {"is_valid": "No", "resolution": sentence, "confidence": SURE, "policy_citations": cited}


def _problem(policy: CustomerPolicy, today: date) -> tuple[str, tuple[str, ...]] | None:
    """The reason against any claim now, and words of the rule that says so."""
    if policy.status == "lapsed":
        return f"The contract {policy.policy_id} has lapsed.", ("lapse",)
    if policy.starts > today:
        return f"The contract {policy.policy_id} begins on {policy.starts.isoformat()}.", ("begin", "start")
    if policy.status == "active" and policy.ends < today:
        return f"The contract {policy.policy_id} ended on {policy.ends.isoformat()}.", ("end",)
    if policy.status == "active" and policy.paid_until < today:
        return f"The premium of {policy.policy_id} is paid until {policy.paid_until.isoformat()} only.", (
            "unpaid",
            "premium",
        )
    return None


def _unsure(text: str) -> dict[str, Any]:
    return {"is_valid": "Low Confidence", "resolution": text, "confidence": 0.4, "policy_citations": []}
