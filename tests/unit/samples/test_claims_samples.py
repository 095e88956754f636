"""The two sample companies, the claims to them and the hostile claims are well-formed."""

import json
from decimal import Decimal
from typing import Any

import pytest

from email_assistant.workflows.claims_desk.documents.reading import read_document
from eval.claims import check
from eval.claims.owed import CLAIMS

Claim = dict[str, Any]


def test_what_is_expected_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    """Every amount, citation, person and date, worked out once more."""
    assert check.main() == 0
    assert capsys.readouterr().out == "30 claims agree with the documents and contracts\n"


@pytest.mark.parametrize("tenant", [check.HARROW, check.KESTRELFORD])
def test_the_labels_are_those_of_the_chunks(tenant: str) -> None:
    """What is to be cited is what the assistant's own reading of the documents calls it, a chunk for each section."""
    files = [path for path in (CLAIMS / tenant).rglob("*") if path.is_file()]
    chunks = [chunk for path in files for chunk in read_document(path.name, path.read_bytes()).chunks]
    assert sorted(chunk.label for chunk in chunks) == sorted(
        label for label, text in check.visible(tenant, "agent").items() if text
    )


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
