"""The nodes that every graph with a reply ends in."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from langgraph.graph import END, StateGraph

from email_assistant.kit.invitations import InvitationNodes, add_invitations
from email_assistant.kit.reply.approval import (
    ApprovalNodes,
    DispatchNodes,
    LearningNodes,
    after_review,
)
from email_assistant.kit.reply.reply_workflow import Goals, ReplyWorkflow, review_of
from email_assistant.kit.reply.state import FRESH
from email_assistant.kit.reply.unanswered import NotifyNodes
from email_assistant.kit.senders import Senders
from email_assistant.mail.message import Conversation
from email_assistant.review.pending import State, new_round
from email_assistant.tools.drafts import Drafts
from email_assistant.tools.invitations import InvitationDesk


def add_beginning(
    graph: StateGraph[Any, Any, Any, Any], workflow: "TakesInvitations", state: type[Any], *, first: str
) -> None:
    """START → `first`, the node that reads mail; mail with a calendar part is asked about before that (docs/adr/0043)."""
    nodes = InvitationNodes(
        workflow.graph, workflow.invitations, review_of(workflow), workflow.senders, workflow.drafts, workflow.user,
        begin=_begun, first=first, notify="notify",
    )  # fmt: skip
    add_invitations(graph, nodes, state)


def _begun(state: State, conversation: Conversation, doubts: Sequence[str]) -> Mapping[str, Any]:
    return FRESH | new_round(state) | {"sender_warnings": list(doubts), "wanted": ""}


class TakesInvitations(ReplyWorkflow, Protocol):
    """A workflow whose mail may bring invitations."""

    @property
    def graph(self) -> str:
        """The workflow's name."""
        ...

    @property
    def invitations(self) -> InvitationDesk:
        """What such mail comes to."""
        ...

    @property
    def senders(self) -> Senders:
        """Who a message is from."""
        ...

    @property
    def drafts(self) -> Drafts:
        """The drafts that wait in the mailbox."""
        ...


def add_reply(
    graph: StateGraph[Any, Any, Any, Any],
    workflow: ReplyWorkflow,
    state: type[Any],
    *,
    first: str,
    rewrite: str,
) -> None:
    """review → human_queue or dispatch → learn, and notify; the graph leads to `review` and (`is_unanswered`) to `notify` by itself.

    `state` is the graph's whole state, `first` the node that reads mail, `rewrite` the node that writes the reply again when a person
    sends it back.
    """
    learner = workflow.learner
    goals = Goals(rewrite, learns=learner is not None)
    approve, send = ApprovalNodes(workflow, goals), DispatchNodes(workflow, goals)
    graph.add_node(
        "notify", NotifyNodes(workflow, first).notify, input_schema=state, destinations=("notify", first, END)
    )
    graph.add_node("review", approve.review, input_schema=state)
    graph.add_node("human_queue", approve.human_queue, input_schema=state, destinations=goals.of_queue)
    graph.add_node("rejected", approve.rejected, input_schema=state)
    graph.add_node(
        "dispatch", send.dispatch, input_schema=state, destinations=("human_queue", END, goals.of_sent)
    )
    graph.add_conditional_edges("review", after_review)
    graph.add_edge("rejected", END)
    if learner is not None:
        teach = LearningNodes(learner, goals)
        graph.add_node("learn", teach.learn, input_schema=state, destinations=(rewrite, END))
