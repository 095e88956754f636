"""Each suite that no model answers fails when what it watches is broken, by its targets or by the committed figures."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from eval import datasets, fact_check
from eval.claims.measure import FIELDS as CLAIM_FIELDS
from eval.documents import suite as documents
from eval.documents.suite import MEASURE as DOCUMENTS
from eval.facts import suite as facts
from eval.figures import SuiteReport
from eval.knowledge import suite as knowledge
from eval.knowledge.suite import MEASURE as PAST_MAIL
from eval.orders.measure import FIELDS as ORDER_FIELDS
from eval.resolution import suite as resolution
from eval.scorecard import baseline, regressions
from eval.scored import Scored, report_of
from eval.setup import Setup
from eval.times import suite as times
from eval.times.cards import Shown


async def test_a_fact_check_that_finds_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every draft is in order, it says."""
    right, examples = fact_check.check, fact_check.examples

    def blind(*args: Any, **kwargs: Any) -> Any:
        return replace(right(*args, **kwargs), facts=(), gaps=())

    monkeypatch.setattr(fact_check, "check", blind)
    monkeypatch.setattr(fact_check, "examples", lambda *args: list(examples(*args))[:10])
    failures = (await facts.report(Setup())).failures
    assert any(told.startswith("test.wrong-facts-caught is 0.0 %") for told in failures)


async def test_past_mail_that_is_used_whatever_its_score_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a threshold nothing is too far off."""
    monkeypatch.setattr(
        knowledge, "MEASURE", replace(PAST_MAIL, figures=partial(PAST_MAIL.figures, threshold=0.0))
    )
    failures = (await knowledge.report(Setup())).failures
    assert any(told.startswith("lexical.test.false-items is ") for told in failures)


async def test_documents_that_are_hardly_ever_used_are_a_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a threshold that little reaches."""
    monkeypatch.setattr(
        documents, "MEASURE", replace(DOCUMENTS, figures=partial(DOCUMENTS.figures, threshold=0.99))
    )
    found = regressions(await documents.report(Setup()), baseline()["documents"])
    assert any(told.startswith("lexical.test.used is ") for told in found)


@pytest.mark.parametrize(("split", "group"), [("all", "test"), ("all", "new"), ("locked", "locked")])
async def test_a_wrong_time_without_a_word_fails(
    monkeypatch: pytest.MonkeyPatch, split: str, group: str
) -> None:
    """Every card proposes the same hour, whatever its mail says; of what is locked nothing else is told."""

    async def shown(cases: Any, *_: Any, **__: Any) -> Any:
        return {case["id"]: Shown("meeting", (times.local("2026-11-18T03:00"),)) for case in cases}

    monkeypatch.setattr(times, "shown_for", shown)
    report = await times.report(Setup(split=split))
    assert any(told.startswith(f"scripted.{group}.wrong-without-a-word is ") for told in report.failures)
    assert not [case["id"] for case in datasets.load(times.LOCKED) if case["text"] in report.text]


async def test_products_that_are_too_easily_certain_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question is taken for an order."""
    monkeypatch.setattr(resolution, "answered", partial(resolution.answered, sizes=(200,), each=10))
    assert (await resolution.report(Setup())).failures == []
    monkeypatch.setattr("email_assistant.workflows.order_desk.shop.mention.RESOLVED", 0.3)
    monkeypatch.setattr("email_assistant.workflows.order_desk.shop.mention.MARGIN", 0.0)
    failures = (await resolution.report(Setup())).failures
    assert any(told.startswith("test.wrong-product is ") for told in failures)


@pytest.mark.parametrize(("name", "fields"), [("orders", ORDER_FIELDS), ("claims", CLAIM_FIELDS)])
async def test_wrong_answers_are_regressions(name: str, fields: Any) -> None:
    """In every field, of orders and of claims."""

    async def scores(mode: str, models: object) -> list[Scored]:
        return [Scored(f"{split}-1", split, dict.fromkeys(fields, False)) for split in ("dev", "test")]

    report: SuiteReport = await report_of(Setup(), scores, fields)
    found = regressions(report, baseline()[name])
    assert any(told.startswith("scripted.test.all-right is 0.0 %") for told in found)
    better = [figure for figure in baseline()[name] if baseline()[name][figure] > 0]
    assert len(found) == len(better)
