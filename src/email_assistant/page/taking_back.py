"""Taking back what was done at once: a label comes off the mail again. Nothing that others have seen can be taken back."""

from collections.abc import Mapping
from typing import Any

from email_assistant.app.container import Container
from email_assistant.errors import NotFoundError
from email_assistant.journal.held_answers import AnswerState, HeldAnswer
from email_assistant.mail.mailbox import LABEL_PREFIX
from email_assistant.review.action import ACCEPT, EDIT

LABEL = "label"


async def taken_back(built: Container, answer: HeldAnswer) -> str:
    """What was undone, for a person; "" when this cannot be."""
    shown = answer.shown
    is_label = shown.get("kind") == LABEL and shown.get("type") in {ACCEPT, EDIT}
    if answer.state is not AnswerState.done or not is_label:
        return ""
    category = _category(answer.answer)
    for record in await built.mail_log.by_run_thread(answer.run_thread_id):
        if record.claimed_at is None or record.claimed_at <= answer.given_at:
            return await _without_label(built, record.message_id, category)
    return ""


def _category(answer: Mapping[str, Any]) -> str:
    named = " ".join(str(answer["args"]["args"].get("category", "")).split()).casefold()
    return named.removeprefix(LABEL_PREFIX.casefold())


async def _without_label(built: Container, message_id: str, category: str) -> str:
    try:
        there = await built.mailbox.labels(message_id)
        ours = frozenset(each for each in there if each.casefold() == (LABEL_PREFIX + category).casefold())
        if ours:
            await built.mailbox.change_labels(message_id, add=frozenset(), remove=ours)
    except NotFoundError:
        return ""
    return f"The label {min(ours)} was taken off." if ours else ""
