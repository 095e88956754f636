"""The draft's facts, looked up in the mail, in what was found and in what the tools said."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from email_assistant.clock import Clock
from email_assistant.facts.commitments import may_commit
from email_assistant.facts.fact import Source
from email_assistant.mail.authorship import Authorship
from email_assistant.mail.message import Conversation
from email_assistant.tools.draft_check import MAX_EARLIER, MAX_SOURCE, mail_sources, own_of, with_gaps
from email_assistant.tools.tool import User
from email_assistant.workflows.reply_pipeline.dependencies import Checked
from email_assistant.workflows.reply_pipeline.state import WorkState
from email_assistant.workflows.reply_pipeline.tool_rules import GET_CONTACT


@dataclass(frozen=True)
class FactCheck:
    """See docs/fact_check.md."""

    user: User
    clock: Clock
    authorship: Authorship

    async def check(self, draft: str, state: WorkState, conversation: Conversation) -> Checked:
        """The draft with a gap for each fact and promise that nothing supports, what else may commit us, and what is not for everybody."""
        genuine = await self._genuine(conversation)
        open_ = [*mail_sources(conversation, genuine), *_of_tools(state, private=False)]
        sources = [*open_, *_of_past_mail(state), *_of_tools(state, private=True)]
        now = self.clock.now()
        context: dict[str, Any] = {"now": now, "timezone": self.user.timezone, "own": own_of(self.user)}
        found = await with_gaps(draft, sources, self.user, now)
        commitments = await asyncio.to_thread(may_commit, draft, sources, **context)
        alone = await asyncio.to_thread(may_commit, draft, open_, **context)
        borrowed = tuple(sentence for sentence in alone if sentence not in commitments)
        facts = tuple(f"{fact.quoted} ({fact.source})" for fact in found.facts if fact.source)
        return Checked(found.text, tuple(gap.quoted for gap in found.gaps), facts, commitments, borrowed)

    async def _genuine(self, conversation: Conversation) -> Mapping[str, str]:
        """What the user has written earlier, by the message's id: as the mailbox has it, not as the run was told."""
        claimed = [m for m in conversation.earlier[-MAX_EARLIER:] if m.sender.key in self.user.own]
        sent = await asyncio.gather(*(self.authorship.sent(message.id) for message in claimed))
        return {message.id: message.text for message in sent if message}


def _of_past_mail(state: WorkState) -> Iterator[Source]:
    for item in state.get("retrieved") or []:
        if item["ours"]:
            yield Source(item["source"], item["ours"][:MAX_SOURCE], "ours")
        if item["ours"] != item["text"]:
            yield Source(item["source"], item["text"][:MAX_SOURCE], "theirs")


def _of_tools(state: WorkState, *, private: bool) -> Iterator[Source]:
    """What the contacts hold is the user's own notes about people; the rest is meant to be told."""
    for name, result in (state.get("tool_results") or {}).items():
        if result["success"] and (name == GET_CONTACT) is private:
            ours = (state.get("tool_ours") or {}).get(name, "")
            if ours:
                yield Source(name, ours[:MAX_SOURCE], "ours")
            if ours != result["result"]:
                yield Source(name, result["result"][:MAX_SOURCE], "theirs")
