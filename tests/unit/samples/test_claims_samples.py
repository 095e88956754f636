"""The two sample companies, the claims to them and the hostile claims are well-formed."""

import json
from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Any, get_args

import pytest

from email_assistant.workflows.claims_desk.claims.claim import (
    Customer,
    CustomerPolicy,
    PolicyStatus,
    TicketType,
    Validity,
)
from email_assistant.workflows.claims_desk.documents.reading import read_document
from eval.claims import check
from eval.claims.owed import CLAIMS, rows

POLICIES = rows("policies")
Claim = dict[str, Any]


def test_customers_and_contracts_are_whole() -> None:
    """Ids and addresses are unique within a tenant, and contracts belong to customers of theirs."""
    customers = [
        Customer(**{**row, "since": date.fromisoformat(row["since"])})  # type: ignore[arg-type]
        for row in rows("customers")
    ]
    known = {(one.tenant_id, one.user_id) for one in customers}
    assert len(known) == len({(one.tenant_id, one.email) for one in customers}) == len(customers) == 20
    assert all(one.email == one.email.lower() and one.email.endswith(".example") for one in customers)
    assert len({(row["tenant_id"], row["policy_id"]) for row in POLICIES}) == len(POLICIES) == 40
    assert {(row["tenant_id"], row["user_id"]) for row in POLICIES} < known, "somebody has no contract"


@pytest.mark.parametrize("row", POLICIES, ids=[f"{row['tenant_id']} {row['policy_id']}" for row in POLICIES])
def test_every_contract_can_be_read(row: dict[str, str]) -> None:
    """Its dates are in order, its amounts have two decimals, and it has a day of cancellation exactly when it was cancelled."""
    assert set(row) == set(CustomerPolicy.__dataclass_fields__)
    starts, ends, _ = (date.fromisoformat(row[name]) for name in ("starts", "ends", "paid_until"))
    assert starts < ends
    for name in ("paid", "limit", "excess"):
        assert Decimal(row[name]).as_tuple().exponent == -2
        assert Decimal(row[name]) >= 0
    assert row["status"] in get_args(PolicyStatus)
    assert bool(row["cancelled_on"]) == (row["status"] == "cancelled")


def test_each_company_has_documents_for_all_and_for_agents() -> None:
    """Four to six files each, in sections with a text; what both have under one name differs."""
    names: Counter[str] = Counter()
    for tenant in (check.HARROW, check.KESTRELFORD):
        files = [path for path in (CLAIMS / tenant).rglob("*") if path.is_file()]
        assert 4 <= len(files) <= 6
        assert len({path.name for path in files}) == len(files)
        names.update(path.name for path in files)
        seen = check.visible(tenant, "agent")
        hidden = seen.keys() - check.visible(tenant, "customer").keys()
        assert 0 < len(hidden) < len(seen)
        assert all(text for label, text in seen.items() if label.split(" § ")[1][1:2] == ".")
    (shared,) = (name for name, times in names.items() if times > 1)
    theirs = [check.visible(tenant, "customer") for tenant in (check.HARROW, check.KESTRELFORD)]
    for label in {one for one in theirs[0] if one.startswith(shared)} & theirs[1].keys():
        assert not theirs[0][label] or theirs[0][label] != theirs[1][label]


@pytest.mark.parametrize("tenant", [check.HARROW, check.KESTRELFORD])
def test_the_labels_are_those_of_the_chunks(tenant: str) -> None:
    """What is to be cited is what the assistant's own reading of the documents calls it, a chunk for each section."""
    files = [path for path in (CLAIMS / tenant).rglob("*") if path.is_file()]
    chunks = [chunk for path in files for chunk in read_document(path.name, path.read_bytes()).chunks]
    assert sorted(chunk.label for chunk in chunks) == sorted(
        label for label, text in check.visible(tenant, "agent").items() if text
    )


@pytest.mark.parametrize("claim", check.claims(), ids=lambda claim: claim["claim_id"])
def test_every_claim_is_well_formed(claim: Claim) -> None:
    """Its words are those that are known, and it says something."""
    assert claim["intent"] in {"query", "complaint", "service request", "feature request"}
    assert claim["urgency"] in {"low", "medium", "high"}
    assert claim["sentiment"] in {"positive", "neutral", "negative"}
    assert claim["is_valid"] in {"", *get_args(Validity)}
    assert claim["action"]["ticket_type"] in {"", *get_args(TicketType)}
    assert claim["aspects"]
    assert claim["note"].endswith(".")
    assert check.said(claim).strip()
    if claim["channel"] == "chat":
        assert [one["role"] for one in claim["messages"]] == ["user", "assistant"] * (
            len(claim["messages"]) // 2
        ) + ["user"]


def test_hostile_claims_are_whole() -> None:
    """Twenty tricks; each says what must not happen, and no card may propose more than the sender's own contract bears."""
    text = (check.HERE / "hostile.jsonl").read_text(encoding="utf-8")
    claims: list[Claim] = [json.loads(line) for line in text.splitlines()]
    assert len({claim["claim_id"] for claim in claims}) == len({claim["trick"] for claim in claims}) == 20
    assert len(claims) == 20
    for claim in claims:
        assert not [*check.of_person(claim)], claim["claim_id"]
        assert check.said(claim).strip()
        assert claim["must_not_happen"].endswith(".")
        answer = claim["model"]["resolution"].lower()
        assert any(words.lower() in answer for words in claim["final_must_not"]), claim["claim_id"]
        own = check.own_policies(claim).get(claim["model"]["action"]["policy_id"])
        bound = min(Decimal(own["limit"]), Decimal(own["paid"])) if own else Decimal(0)
        assert 0 <= Decimal(claim["at_most"]) <= bound, claim["claim_id"]
