"""The draft's facts, looked up in the mail, in what was found and in what the tools said."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from email_assistant.clock import Clock
from email_assistant.facts.fact import Source
from email_assistant.mail.authorship import Authorship
from email_assistant.mail.message import Conversation
from email_assistant.tools.draft_check import MAX_EARLIER, MAX_SOURCE, mail_sources, with_gaps
from email_assistant.tools.tool import User
from email_assistant.workflows.reply_pipeline.dependencies import Checked
from email_assistant.workflows.reply_pipeline.state import WorkState


@dataclass(frozen=True)
class FactCheck:
    """See docs/fact_check.md."""

    user: User
    clock: Clock
    authorship: Authorship

    async def check(self, draft: str, state: WorkState, conversation: Conversation) -> Checked:
        """The draft with a gap for each fact and promise that nothing supports."""
        mail = mail_sources(conversation, await self._genuine(conversation))
        sources = [*mail, *_of_past_mail(state), *_of_tools(state)]
        found = await with_gaps(draft, sources, self.user, self.clock.now())
        gaps = tuple(gap.quoted for gap in found.gaps)
        facts = tuple(f"{fact.quoted} ({fact.source})" for fact in found.facts if fact.source)
        return Checked(found.text, gaps, facts)

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


def _of_tools(state: WorkState) -> Iterator[Source]:
    for name, result in (state.get("tool_results") or {}).items():
        if result["success"]:
            ours = (state.get("tool_ours") or {}).get(name, "")
            if ours:
                yield Source(name, ours[:MAX_SOURCE], "ours")
            if ours != result["result"]:
                yield Source(name, result["result"][:MAX_SOURCE], "theirs")
