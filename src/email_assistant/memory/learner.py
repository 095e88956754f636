"""Learning from decisions, with guards: what was dismissed or brought back is recorded by a rule, all else is put into words."""

import asyncio
import random
import re
from dataclasses import dataclass

import structlog
from langchain_core.messages import HumanMessage
from langgraph.store.base import BaseStore
from pydantic import BaseModel, Field

from email_assistant.errors import EmailAssistantError, InputError
from email_assistant.journal.revisions import Revision
from email_assistant.memory.lesson import BY_RULE, Lesson
from email_assistant.memory.profiles import MAX_CHARACTERS, Profiles
from email_assistant.models.offline.learn import learn as learn_by_rule
from email_assistant.models.offline.preferences import (
    HEADING,
    dismissed_count,
    is_learned_form,
    joined,
    learned_about,
    parted,
)
from email_assistant.models.runner import Models
from email_assistant.prompts import aload

MAX_TRIES = 20
SHORTEST_WAIT, LONGEST_WAIT = 0.02, 1.0
"""Seconds that a lesson waits at most after its first lost try, and after its last ones."""
KEPT_SHARE = 0.6
RECORDED, LEARNED = "recorded by rule: ", "learned: "
"""How the origins of revisions begin that a rule wrote, and a model."""
_REFERENCE = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)\S+", re.IGNORECASE)

log = structlog.get_logger(__name__)


class PreferenceProfile(BaseModel):
    """The user's preferences, one short bullet a line."""

    content: str = Field(
        description="The whole profile: every line that still holds, and what was newly learned."
    )


@dataclass(frozen=True)
class Learner:
    """Turns lessons into new revisions of the profiles."""

    profiles: Profiles
    models: Models

    async def learn(self, lesson: Lesson, store: BaseStore | None) -> Revision | None:
        """Learn one lesson once; None when nothing changed. Two lessons at once are both learned, one upon the other.

        A dismissal asks no model, nor does mail that was brought back: a rule records it.
        Raises `EmailAssistantError` when the model fails or its profile is refused; the old profile stays.
        """
        async with self.profiles.turn(lesson.profile):
            return await self._learn(lesson, store)

    async def _learn(self, lesson: Lesson, store: BaseStore | None) -> Revision | None:
        origin = f"{RECORDED if self._by_rule(lesson) else LEARNED}{lesson.kind}"
        for tried in range(MAX_TRIES):
            base = await self.profiles.read(lesson.profile, store)
            content = await self._rewritten(base.content, lesson)
            if content.strip() == base.content.strip():
                return None
            guard(base.content, content, lesson)
            if written := await self._appended(lesson, base, content, origin, store):
                return written
            # Another process came first. Those that go on losing wait longer, until the others are through.
            most = min(LONGEST_WAIT, SHORTEST_WAIT * 2**tried)
            await asyncio.sleep(random.uniform(0, most))  # noqa: S311 - it is no secret
        raise InputError(
            f"{lesson.profile} was changed by others {MAX_TRIES} times in a row; nothing was learned"
        )

    async def _appended(
        self, lesson: Lesson, base: Revision, content: str, origin: str, store: BaseStore | None
    ) -> Revision | None:
        """The revision after `base`; None when another writer came first, one who wrote into the store while the model was asked, too."""
        if origin.startswith(LEARNED) and await self.profiles.read(lesson.profile, store) != base:
            return None
        return await self.profiles.append(
            base, content, origin=origin, store=store, decision_id=lesson.decision_id
        )

    async def try_learn(self, lesson: Lesson, store: BaseStore | None) -> str:
        """Like `learn`, but a failure is logged and returned as a sentence: learning never fails a run."""
        try:
            revision = await self.learn(lesson, store)
        except Exception as error:  # noqa: BLE001 - an approved effect has happened; nothing here may undo its run
            log.warning(
                "learning_failed", profile=lesson.profile, kind=lesson.kind, reason=type(error).__name__
            )
            reason = str(error) if isinstance(error, EmailAssistantError) else type(error).__name__
            return f"Nothing was learned: {reason}"
        return (
            f"{lesson.profile} is now revision {revision.revision}."
            if revision
            else "Nothing new was learned."
        )

    def _by_rule(self, lesson: Lesson) -> bool:
        # langmem has a model call tools, which some servers cannot.
        has_tools = not self.models.is_offline("fast") and self.models.form("fast") in {None, "tool"}
        return lesson.kind in BY_RULE or not has_tools

    async def _rewritten(self, content: str, lesson: Lesson) -> str:
        if self._by_rule(lesson):
            return learn_by_rule(content, kind=lesson.kind, text=lesson.text, sender=lesson.sender)
        spoken, counted = parted(content)
        rewritten = await self._by_model(spoken, lesson)
        guard_recorded(spoken, rewritten, but=lesson.sender)  # Of this one the person's newer word holds.
        wants_more = lesson.kind == "asked_reply"
        about = lesson.sender.lower()
        return joined(
            rewritten,
            [each for each in counted if not (wants_more and dismissed_count(each, about) is not None)],
        )

    async def _by_model(self, content: str, lesson: Lesson) -> str:
        from langmem import create_memory_manager  # Slow to import; not needed by the offline rules.

        system, user = (await aload("learn")).render(
            {"profile": lesson.profile, "decision": _decision(lesson), "sender": lesson.sender or "unknown"}
        )
        manager = create_memory_manager(
            self.models.chat_model("fast"),
            schemas=[PreferenceProfile],
            instructions=system,
            enable_inserts=False,
        )
        extracted = await self.models.guarded(
            "learn",
            "fast",
            lambda: manager.ainvoke(
                {
                    "messages": [HumanMessage(user)],
                    "existing": [("profile", "PreferenceProfile", {"content": content})],
                }
            ),
        )
        profiles = [m.content for m in extracted if m.id == "profile"]
        if len(profiles) != 1 or not isinstance(profiles[0], PreferenceProfile):
            raise InputError("the model did not return exactly one profile")
        return profiles[0].content


def guard(before: str, after: str, lesson: Lesson) -> None:
    """Raises `InputError` for a profile that was wiped, has grown too long, or names somebody the human did not."""
    if len(after) > MAX_CHARACTERS:
        raise InputError(f"the new profile is longer than {MAX_CHARACTERS} characters")
    lines = [line.strip() for line in before.splitlines() if line.strip()]
    # What was counted may count up, or be put into other words: it is no measure of what is kept.
    old = [line for line in lines if line != HEADING and not is_learned_form(line)]
    kept = sum(line in after for line in old)
    if old and kept < KEPT_SHARE * len(old):
        raise InputError("the new profile drops most of the old one")
    allowed = f"{before}\n{lesson.text}\n{lesson.sender}".lower()
    foreign = [found for found in _REFERENCE.findall(after) if found.lower() not in allowed]
    if foreign:
        raise InputError("the new profile names an address or link that is not from the user")


def guard_recorded(before: str, after: str, but: str = "") -> None:
    """Raises `InputError` for a model's profile that forgets whom a rule has recorded, all `but` the sender of the newer word."""
    about = {who for line in before.splitlines() if (who := learned_about(line))} - {but.lower()}
    if not all(_names(after, who) for who in about):
        raise InputError("the new profile forgets a sender whose mail was to be answered")


def _names(text: str, address: str) -> bool:
    """Whether the text has this address, and not as a part of a longer one."""
    return re.search(rf"(?<![\w.+-]){re.escape(address)}(?!\.?[\w-])", text.lower()) is not None


def _decision(lesson: Lesson) -> str:
    match lesson.kind:
        case "asked_reply":
            return (
                f"The message was only to be shown, but the user asked for a reply and wrote: {lesson.text}"
            )
        case "feedback":
            return f"The user did not approve the draft and wrote: {lesson.text}"
        case "edited":
            return f"The user edited the draft before approving it: {lesson.text}"
        case "dismissed" | "hidden" | "brought_back":
            raise ValueError("it is recorded by a rule")
