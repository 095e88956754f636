"""The pipeline's own services, over the core's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:  # Each is imported where it is built.
    from langgraph_sdk.client import LangGraphClient

    from email_assistant.app.container import Container
    from email_assistant.errors import ProviderError
    from email_assistant.mail.mailbox import Listed
    from email_assistant.mail.message import Message
    from email_assistant.workflows.reply_pipeline.past_mail.knowledge import Indexing, Knowledge
    from email_assistant.workflows.reply_pipeline.records.contacts import Contacts


@dataclass(frozen=True)
class PipelineServices:
    """What the pipeline works with, built when it is asked for."""

    core: Container

    @classmethod
    def of(cls, core: Container) -> Self:
        """Those of these settings, the same every time."""
        return core.own(cls)

    @cached_property
    def contacts(self) -> Contacts:
        """What is known about people."""
        from email_assistant.workflows.reply_pipeline.records.contacts import Contacts

        return Contacts(self.core.database, self.core.clock)

    @cached_property
    def knowledge(self) -> Knowledge:
        """What past mail can tell."""
        from email_assistant.workflows.reply_pipeline.past_mail.knowledge import Knowledge

        core = self.core
        return Knowledge(core.mailbox.name, core.settings.own_addresses, core.embedder, core.senders.doubts)

    def indexing(self, client: LangGraphClient) -> Indexing:
        """The past brought into the store of the deployment of `client`."""
        from email_assistant.workflows.reply_pipeline.past_mail.knowledge import Indexing

        settling = self.core.settling(client, "reply_pipeline", wait=False)

        async def threads(listed: Sequence[Listed]) -> dict[str, Sequence[Message] | ProviderError]:
            # Read as ingestion does: whom the user has written to is noted before senders are judged by it.
            found = await settling.read([[each] for each in listed])
            return {one.listed[0].mail_thread_id: one.messages for one in found}

        return Indexing(self.core.mailbox, threads, self.knowledge)

    def graph(self, **compile_options: Any) -> Any:
        """The compiled graph, observed by the journal."""
        from functools import partial

        from email_assistant.mail.authenticity import Authorship
        from email_assistant.meetings.check_calendar import CheckCalendar
        from email_assistant.workflows.reply_pipeline.dependencies import PipelineDependencies
        from email_assistant.workflows.reply_pipeline.graph import pipeline_graph
        from email_assistant.workflows.reply_pipeline.sources import (
            FactCheck,
            PastMail,
            SenderContact,
            SentAnswers,
            SharedEvents,
        )
        from email_assistant.workflows.reply_pipeline.state import mail_of
        from email_assistant.workflows.reply_pipeline.tools import (
            CheckDays,
            CreateDraft,
            GetContact,
            LookUpSender,
        )

        core = self.core
        clock, authorship = core.agenda_clock, Authorship(core.mailbox, core.user.own)
        parts = PipelineDependencies.of(
            core,
            "reply_pipeline",
            retrievers=(
                SenderContact(self.contacts),
                SharedEvents(core.calendar, clock, core.settings.timezone),
                PastMail(self.knowledge, authorship),
            ),
            tools={
                "check_calendar": CheckDays(CheckCalendar(core.calendar, clock), clock),
                "get_contact": LookUpSender(GetContact(self.contacts)),
                "create_draft": CreateDraft(),
            },
            checker=FactCheck(core.user, clock, authorship),
            examples=SentAnswers(self.knowledge, core.mailbox),
        )
        reading = partial(mail_of, user=core.user)
        return core.compiled(
            pipeline_graph(parts), "reply_pipeline", snapshots=True, mail_of=reading, **compile_options
        )
