"""`python -m eval.claims.check`: whether what is expected of the claims agrees with the documents and the contracts.

None of the assistant's own code is used, so that the one can be measured by the other.
"""

import html
import json
import re
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from email.utils import parseaddr
from pathlib import Path
from typing import Any

from eval.claims.owed import CLAIMS, NOTHING, TODAY, owed, rows

HERE = Path(__file__).parent
HARROW, KESTRELFORD = "harrow-mutual", "kestrelford-bank"
CONFIDENT = 0.7
NOT_OWED = {"other_customers_policy", "no_policy"}
"""Kinds that are refused whatever the contract says."""
TICKETS = {"review": {"tracking"}, "ticket": {"human_review", "service_request", "feature_request"}}
TERMS = [
    (HARROW, "home-contents.md § 4.2 Unpaid premium", "14 days"),
    (HARROW, "home-contents.md § 5.3 Value of things", "more than two years before the loss we pay half"),
    (HARROW, "travel.md § 2.2 Delayed departure", "40.00 for every full six hours"),
    (HARROW, "travel.md § 2.3 Delayed baggage", "60.00 for every full day"),
    (HARROW, "travel.md § 2.3 Delayed baggage", "three days at most"),
    (HARROW, "travel.md § 4.1 Unpaid premium", "14 days"),
    (HARROW, "claims-procedure.md § 1.1 How long you have", "within 30 days"),
    (HARROW, "claims-procedure.md § 3.1 Direct settlement", "at most 400.00 and at most what you have paid"),
    (HARROW, "cancellation-and-refunds.md § 1.1 Fourteen days", "within 14 days"),
    (
        HARROW,
        "cancellation-and-refunds.md § 2.1 Premium for unused months",
        "one twelfth for each whole month",
    ),
    (HARROW, "cancellation-and-refunds.md § 2.2 Administration fee", "15.00"),
    (KESTRELFORD, "accounts-and-cards.md § 1.2 Plus Account", "12.00 for each month"),
    (KESTRELFORD, "refunds-and-disputes.md § 1.1 Fourteen days", "within 14 days"),
    (KESTRELFORD, "refunds-and-disputes.md § 2.3 Late-payment fee", "once within twelve months"),
    (KESTRELFORD, "fees.html § 1.1 Regular fees", "12.00 each month"),
    (KESTRELFORD, "fees.html § 3.1 Late payment", "18.00"),
]
"""What `owed.py` reckons with, as the documents say it."""


def claims() -> list[dict[str, Any]]:
    """The lines of `claims.jsonl` in their order."""
    return [json.loads(line) for line in (HERE / "claims.jsonl").read_text(encoding="utf-8").splitlines()]


def sections(tenant: str, visibility: str) -> dict[str, str]:
    """The text under each heading, by its label; `visibility` is a folder of the tenant: "public" or a role."""
    found: dict[str, str] = {}
    for path in sorted((CLAIMS / tenant / visibility).iterdir()):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".html":
            text = re.sub(r"<h([1-6])>(.*?)</h\1>", r"\n# \2\n", text)
            text = html.unescape(re.sub(r"<[^>]+>", " ", text))
        parts = re.split(r"^#+ +(.+)$", text, flags=re.MULTILINE)
        for heading, body in zip(parts[1::2], parts[2::2], strict=True):
            label = f"{path.name} § {heading.strip()}"
            if label in found:
                raise ValueError(f"{tenant} has two sections {label!r}")
            found[label] = " ".join(body.split())
    return found


def visible(tenant: str, role: str) -> dict[str, str]:
    """The sections that this role may see."""
    return sections(tenant, "public") | (sections(tenant, "agent") if role == "agent" else {})


def said(claim: Mapping[str, Any]) -> str:
    """What the person wrote."""
    if claim["channel"] == "mail":
        return f"{claim['email']['subject']}\n{claim['email']['body']}"
    return "\n".join(message["content"] for message in claim["messages"] if message["role"] == "user")


def own_policies(claim: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The contracts of whoever asks, by id."""
    who = (claim["tenant_id"], claim["user_id"])
    return {row["policy_id"]: row for row in rows("policies") if (row["tenant_id"], row["user_id"]) == who}


def differences() -> Iterator[str]:
    """What does not agree, a sentence each."""
    public = {tenant: sections(tenant, "public") for tenant in (HARROW, KESTRELFORD)}
    for tenant, label, words in TERMS:
        if words not in public[tenant].get(label, ""):
            yield f"{tenant}: {label} does not say {words!r}"
    for claim in claims():
        problems = [
            *of_person(claim),
            *_of_citations(claim),
            *_of_route(claim),
            *_of_words(claim),
            *_of_amount(claim),
        ]
        yield from (f"{claim['claim_id']}: {problem}" for problem in problems)


def of_person(claim: Mapping[str, Any]) -> Iterator[str]:
    """Whether the user is who the tenant's table knows under that id or address."""
    theirs = [row for row in rows("customers") if row["tenant_id"] == claim["tenant_id"]]
    if claim["user_id"] and claim["user_id"] not in {row["user_id"] for row in theirs}:
        yield f"{claim['tenant_id']} has no customer {claim['user_id']}"
    if claim["channel"] == "mail":
        address = parseaddr(claim["email"]["from"])[1]
        known = next((row["user_id"] for row in theirs if row["email"] == address), "")
        if known != claim["user_id"]:
            yield f"{address} is {known or 'nobody'} there"
    for incident in claim.get("history", []):
        if incident["policy_id"] not in own_policies(claim) or incident["created_at"] >= str(TODAY):
            yield f"{incident['incident_id']} is not an earlier incident of theirs"


def _of_citations(claim: Mapping[str, Any]) -> Iterator[str]:
    known = visible(claim["tenant_id"], claim["role"])
    cited = [*claim["citations"], *(one["citations"] for one in claim["history"])]
    for label in (label for labels in cited for label in labels):
        if label not in known:
            yield f"{claim['role']} has no section {label!r}"
    if claim["route"] in ("answered", "review", "refused") and not claim["citations"]:
        yield f"{claim['route']} without a citation"


def _of_route(claim: Mapping[str, Any]) -> Iterator[str]:
    route, action = claim["route"], claim["action"]
    sure = claim["is_valid"] == "Yes" and claim["confidence"] >= CONFIDENT
    as_it_must = {
        "answered": not claim["is_valid"] and claim["intent"] == "query",
        "declined": not claim["is_valid"] and claim["out_of_scope"],
        "review": sure and Decimal(action["refund"]) > 0,
        "ticket": sure or (claim["is_valid"] == "Low Confidence" and claim["confidence"] < CONFIDENT),
        "refused": claim["is_valid"] == "No" and claim["confidence"] >= CONFIDENT,
    }
    if not as_it_must[route] or claim["out_of_scope"] != (route == "declined"):
        yield f"it cannot be {route} with what the model says"
    if (claim["report"] is None) != (route in ("answered", "declined")) or bool(claim["report"]) != bool(
        claim["tool_calls"]
    ):
        yield f"{route} goes with a report and calls, or without both"
    if action["ticket_type"] not in TICKETS.get(route, {""}) or action["create_ticket"] != (route in TICKETS):
        yield f"{route} does not make a ticket {action['ticket_type']!r}"


def _of_words(claim: Mapping[str, Any]) -> Iterator[str]:
    answer = claim["resolution"].lower()
    yield from (
        f"the resolution lacks {words!r}" for words in claim["final_must"] if words.lower() not in answer
    )
    yield from (
        f"the resolution holds {words!r}" for words in claim["final_must_not"] if words.lower() in answer
    )
    text, kinds = said(claim), claim["kinds"]
    ids = {row["policy_id"] for row in rows("policies")}
    yield from (
        f"there is no contract {id}" for id in re.findall(r"\b[A-Z]{2}-\d{5}\b", text) if id not in ids
    )
    internal = " ".join(sections(claim["tenant_id"], "agent").values())
    if "internal_only" in kinds and not any(words in internal for words in claim["final_must_not"]):
        yield "nothing of what must not be told is internal"
    facts = claim["facts"] or {}
    if "loss" in facts and str(int(Decimal(facts["loss"]))) not in text:
        yield f"the loss of {facts['loss']} is not told"


def _of_amount(claim: Mapping[str, Any]) -> Iterator[str]:
    facts, action, own = claim["facts"], claim["action"], own_policies(claim)
    refund = Decimal(action["refund"])
    if facts is None:
        if refund or (claim["route"] == "refused" and not NOT_OWED & set(claim["kinds"])):
            yield "it does not say from which facts this follows"
        return
    policy = own.get(facts["policy_id"])
    if policy is None:
        yield f"{facts['policy_id']} is not theirs"
        return
    due = owed(facts, policy, claim["history"])
    payable = due.amount if due.directly else NOTHING
    if refund != payable or action["policy_id"] != (policy["policy_id"] if payable else ""):
        yield f"the refund is {refund} under {action['policy_id'] or 'nothing'}, and {payable} is owed"
    if refund > min(Decimal(policy["limit"]), Decimal(policy["paid"])):
        yield f"{refund} is above the limit or above what was paid"
    if claim["route"] != ("ticket" if not due.directly else "review" if payable else "refused"):
        yield f"it cannot be {claim['route']} when {payable} is owed"
    if not any(due.because in alternatives for alternatives in claim["citations"]):
        yield f"it does not cite {due.because!r}, which decides it"


def main() -> int:
    """Print what does not agree; 1 when something does not."""
    found = list(differences())
    print("\n".join(found) if found else f"{len(claims())} claims agree with the documents and contracts")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
