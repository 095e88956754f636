"""The sample mails through the real order desk: once read by the offline rules, once by a model that is scripted."""

import csv
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from email_assistant.app.graphs import graph_of
from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from email_assistant.settings import load_settings
from email_assistant.workflows.order_desk.calls import (
    ADVISE,
    ANALYZE,
    AdviseInput,
    CatalogueAnswer,
    EmailAnalysis,
    InquiryAnswers,
)
from eval.workbench import house_of, stocked

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "samples" / "shop"
EXPECTED = Path(__file__).parent / "expected.jsonl"


@dataclass(frozen=True, slots=True)
class Case:
    """One mail and what it should come to; see `eval.orders`."""

    mail: Mapping[str, str]
    expected: Mapping[str, Any]


def cases() -> list[Case]:
    """All of them, in the order in which stock is taken."""
    with (SHOP / "mails.csv").open(encoding="utf-8", newline="") as file:
        mails = {row["email_id"]: row for row in csv.DictReader(file)}
    written = [json.loads(line) for line in EXPECTED.read_text(encoding="utf-8").splitlines()]
    return [Case(mails[each["email_id"]], each) for each in written]


class ScriptedReading(Models):
    """Models whose reading of a mail is written down, and who quote the catalogue to its questions; the rules write the rest."""

    def __init__(self, analyses: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__(ModelSettings(fast="offline", strong="offline"))
        object.__setattr__(self, "analyses", analyses)

    analyses: Mapping[str, Mapping[str, Any]]

    async def run(self, call: Any, inputs: Any, *, escalate_below: float | None = None) -> Any:
        """The analysis of the mail, or what is quoted; the prompt is rendered all the same."""
        if call not in (ANALYZE, ADVISE):
            return await super().run(call, inputs, escalate_below=escalate_below)
        await self._rendered(call.prompt, inputs)
        if call is ADVISE:
            return _quoted(inputs)
        return EmailAnalysis.model_validate(self.analyses[inputs.conversation.current.id])


def _quoted(inputs: AdviseInput) -> InquiryAnswers:
    """The entries of the products that are meant for certain, to each question, and the question left to a person besides."""
    meant = [entry for entry in inputs.products if entry.certain]
    if not meant:
        return InquiryAnswers(unanswered=list(inputs.questions))
    told = "\n".join(entry.text for entry in meant)[:4_000]
    ids = [entry.product.id for entry in meant][:20]
    answers = [
        CatalogueAnswer(question=q, answer=told, product_ids=ids, is_whole=False) for q in inputs.questions
    ]
    return InquiryAnswers(answers=answers, unanswered=list(inputs.questions))


async def run_all(mode: str, all_: list[Case], models: Models | None = None) -> dict[str, dict[str, Any]]:
    """Email id → the state that the graph ends with, the mails one after the other on one stock.

    `models` answer when they are given; else the script, or with the mode "offline" the rules.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(
            {
                "EMAIL_ASSISTANT_DATA_DIR": folder,
                "EMAIL_ASSISTANT_NAME": "Quillmoor Outdoor",
                "EMAIL_ASSISTANT_EMAIL": "shop@quillmoor.example",
                "EMAIL_ASSISTANT_MODEL_FAST": "offline",
                "EMAIL_ASSISTANT_MODEL_STRONG": "offline",
                "EMAIL_ASSISTANT_NOW": "2026-11-20T08:00:00Z",
            },
            Path(folder),
        )
        if mode == "scripted":
            models = ScriptedReading({case.mail["email_id"]: case.expected["analysis"] for case in all_})
        house = house_of(settings, models)
        await stocked(house)
        graph = graph_of(house, "order_desk", asks=False)
        try:
            return {
                case.mail["email_id"]: await graph.ainvoke(
                    {"email": dict(case.mail)}, {"configurable": {"thread_id": case.mail["email_id"]}}
                )
                for case in all_
            }
        finally:
            await house.database.close()
