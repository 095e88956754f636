"""Lessons of answers to cards, by one rule for every graph (docs/adr/0018)."""

from collections.abc import Mapping
from typing import Any

from langgraph.store.base import BaseStore

from email_assistant.memory.learner import Learner
from email_assistant.memory.lesson import Lesson, describe_edit
from email_assistant.review.action import Action, Decision
from email_assistant.review.kinds import kind_or_unknown
from email_assistant.review.risk import Sender


def of_words(action: Action, decision: Decision) -> dict[str, Any] | None:
    """The lesson of words about a card, for the state."""
    profile = kind_or_unknown(action.kind).lesson
    return Lesson(profile, "feedback", action.id, decision.text).as_json() if profile else None


def of_performed(state: Mapping[str, Any], action: Action) -> dict[str, Any] | None:
    """The lesson of an edit, once what it made was done; one that was refused, sent back or dismissed teaches nothing."""
    profile = kind_or_unknown(action.kind).lesson
    edit = describe_edit(state.get("proposed") or action.args, action.args) if profile else ""
    return Lesson(profile, "edited", action.id, edit).as_json() if profile and edit else None


async def learn(learner: Learner, state: Mapping[str, Any], sender: Sender, store: BaseStore | None) -> None:
    """Learn the lesson in the state, if there is one; nothing from a message whose sender is in doubt. Never raises."""
    lesson = state.get("lesson")
    if lesson and sender is Sender.PLAIN:
        await learner.try_learn(Lesson.from_json(lesson), store)
