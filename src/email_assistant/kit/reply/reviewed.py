"""The plain case of a workflow that answers: a person approves every reply, and nothing else hangs on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from langgraph.config import get_config
from langgraph.store.base import BaseStore

from email_assistant.kit.conversations import aconversation_of, run_thread_id
from email_assistant.kit.reply.reply_workflow import State, reply_turn
from email_assistant.kit.reply.state import FRESH
from email_assistant.kit.reply.unanswered import no_answer, wanted
from email_assistant.kit.senders import Senders
from email_assistant.memory.learner import Learner
from email_assistant.review.pending import new_round
from email_assistant.tools.drafts import Drafts
from email_assistant.tools.mail_tools import SendEmail
from email_assistant.tools.tool import Turn, User


@dataclass(frozen=True)
class ReviewedReplies:
    """A `ReplyWorkflow` (see there for what each method is) that a new workflow can take as it is, or inherit from."""

    graph: str
    """The workflow's name."""
    send_email: SendEmail
    drafts: Drafts
    senders: Senders
    user: User
    learner: Learner | None = None

    @classmethod
    def of(cls, built: Any, graph: str) -> Self:
        """With what the settings name; `built` is the container that `Workflow.build` is given."""
        return cls(graph, SendEmail(built.sending), built.sending.drafts, built.senders, built.user)

    async def take_up(self, state: State, node: str) -> dict[str, Any]:
        """What the first node (`node`) does: read the mail, begin a round, and see whether it gets an answer at all (`is_unanswered`).

        Raises `InputError` naming the field of the input that is wrong.
        """
        conversation = await aconversation_of(state.get("email_input"))
        doubts = await self.senders.doubts_after_sweep(
            conversation.current, self.drafts, run_thread_id(get_config())
        )
        begun = FRESH | {"sender_warnings": doubts}
        update = no_answer(state, conversation, doubts, self.user, node=node)
        return begun | (update or new_round(state) | wanted(state))

    def turn(self, state: State, thread_id: str, revision: int = 1) -> Turn:
        """One reply a round."""
        return reply_turn(state, thread_id, revision, self.user, self.graph)

    def review_reasons(self, state: State) -> Sequence[str]:
        """Always."""
        return ["A person approves every reply."]

    def card_lines(self, state: State) -> Sequence[str]:
        """Nothing besides."""
        return ()

    def headline(self, state: State) -> str:
        """As for any reply."""
        return ""

    async def blocking_reason(self, state: State) -> str:
        """None."""
        return ""

    async def sent(self, state: State, store: BaseStore | None) -> Mapping[str, Any]:
        """Nothing follows."""
        return {}

    async def rejected(self, state: State) -> Mapping[str, Any]:
        """Nothing is undone."""
        return {}
