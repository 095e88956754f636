"""What sixteen mails cost with a model over HTTP: calls, tokens of their prompts, and how many of these no earlier call began with."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eval.datasets import load
from eval.mails import HOST
from tests.servers.model_server import ModelServer, running_model_server, tool_call, tool_calls
from tests.support.desk import Desk, desk
from tests.support.prompt_tokens import prompt_tokens

ACCEPT, IGNORE = [{"type": "accept", "args": None}], [{"type": "ignore", "args": None}]
DONE: tuple[str, dict[str, Any]] = ("Done", {})
REPLY: tuple[str, dict[str, Any]] = (
    "send_email",
    {"body": "Hello,\n\nthank you, I will look into it and tell you more soon.\n\nRobin"},
)
MEETING: tuple[str, dict[str, Any]] = (
    "schedule_meeting",
    {"title": "A talk", "attendees": [], "start": "2026-11-26T10:00", "end": "2026-11-26T10:30"},
)
MAILS = {
    "promo-clamps": "ignored", "tax-missing-receipts": "answered", "parcel-late": "dismissed", "thread-meeting-counter": "met",
    "backup-failed": "dismissed", "which-finish": "answered", "forum-digest": "ignored", "buried-question": "answered",
    "fair-hall-changed": "dismissed", "school-visit": "met", "insurance-inventory": "answered", "payment-failed-domain": "dismissed",
    "login-code": "ignored", "marek-two-dates": "met", "minutes-of-site": "dismissed", "thread-complaint-unsolved": "answered",
}  # fmt: skip
"""Held-out mails of the triage suite, as their labels say, and what becomes of them."""
TURNS = {
    "ignored": [], "dismissed": [], "answered": [tool_calls(REPLY, DONE)],
    "met": [tool_call("check_calendar", {"days": ["2026-11-26"]}), tool_calls(MEETING, DONE)],
}  # fmt: skip
VERDICTS = {"ignored": "ignore", "dismissed": "notify", "answered": "respond", "met": "respond"}
ANSWERS = {"ignored": [], "dismissed": [IGNORE], "answered": [ACCEPT], "met": [ACCEPT]}


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


async def test_sixteen_mails(model: ModelServer, tmp_path: Path) -> None:
    """Three ignored, five dismissed, five answered, three meetings. No bound is above what it takes.

    New is what no earlier call of its kind began with; not cached is what OpenAI's rule, which counts in large steps, pays in full.
    """
    assistant = _assistant(model, tmp_path)
    cases = {case["id"]: case for case in load("triage/mails.jsonl")}
    bodies: list[dict[str, Any]] = []
    for name, becomes in MAILS.items():
        verdict = {"reasoning": "It is so.", "classification": VERDICTS[becomes]}
        model.script(tool_call("TriageVerdict", verdict), *TURNS[becomes])
        message, card = await assistant.bring(cases[name])
        for answer in ANSWERS[becomes]:
            assert card is not None, name
            card = await assistant.answer(message, answer)
        assert card is None, (name, card["description"][:300])
        bodies += model.bodies
    assert sum("tell you more soon" in each.get_payload() for each in await assistant.sent()) == 5
    await assistant.house.models.close()
    found = prompt_tokens(bodies)
    fresh, uncached = found.prompt - found.shared, found.prompt - found.cached
    calls, prompt, fresh, uncached = (
        each / len(MAILS) for each in (found.calls, found.prompt, fresh, uncached)
    )
    print(
        f"a mail: {calls:.2f} calls, {prompt:.0f} tokens, {fresh:.0f} of them new, {uncached:.0f} not cached"
    )
    assert calls <= 1.69
    assert prompt <= 1_327
    assert fresh <= 298
    assert uncached <= 655


async def test_triage_is_told_nothing_that_was_counted(model: ModelServer, tmp_path: Path) -> None:
    """A rule goes by it, and the beginning of every prompt stays the same."""
    assistant = _assistant(model, tmp_path)
    cases = {case["id"]: case for case in load("triage/mails.jsonl")}
    verdict = tool_call("TriageVerdict", {"reasoning": "It is so.", "classification": "notify"}, repeat=True)
    model.script(verdict)
    for case in (cases["parcel-late"], cases["parcel-late"] | {"id": "again"}, cases["backup-failed"]):
        message, card = await assistant.bring(case)
        assert card is not None
        await assistant.answer(message, IGNORE)
    first, again, other = (body["messages"][0]["content"] for body in model.bodies)
    assert "dismissed" not in first
    assert again == other == first
    await assistant.house.models.close()


def _assistant(model: ModelServer, folder: Path) -> Desk:
    return desk(
        folder,
        EMAIL_ASSISTANT_AUTHSERV_ID=HOST,
        EMAIL_ASSISTANT_MODEL_FAST="openai:fast",
        EMAIL_ASSISTANT_MODEL_STRONG="openai:strong",
        OPENAI_API_KEY="none",
        OPENAI_BASE_URL=model.base_url,
    )
