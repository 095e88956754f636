"""prepare → ask → perform → learn, the same in every graph: the one place that draws a card, asks about it, does it, asks again.

A graph says what is special to it: what else its cards tell (`context`), and where each decision leads. The node that asks has no
effect, and the node that performs asks nothing: so these are two functions, and each graph has a node for each.

Mail that gets no answer by itself: why, and the card that only shows it.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from langgraph.store.base import BaseStore

from email_assistant.effects.store import ActionChangedError, UnresolvedEffectError, bounded
from email_assistant.errors import ProviderError
from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.observer import named_of
from email_assistant.kit.senders import sender
from email_assistant.mail.authenticity import header_warnings
from email_assistant.mail.message import Conversation
from email_assistant.memory.learner import Learner
from email_assistant.memory.lesson import Lesson, describe_edit
from email_assistant.models.offline.triage import TriageRule, is_note_to_self
from email_assistant.models.offline.wanted import wanted_by
from email_assistant.review.action import IGNORE, RESPONSE, Action, Decision, Problem, Sender
from email_assistant.review.card import named, title, verified
from email_assistant.review.card_view import CardContext, card_view
from email_assistant.review.gate import Answer, Revise, ask, deferred_card
from email_assistant.review.kinds import CardKind, QueueSection, RowGroup, declare, kind_or_unknown
from email_assistant.review.pending import State, put_again
from email_assistant.tools.approved import asked_anew
from email_assistant.tools.filling import with_gaps_filled
from email_assistant.tools.tool import AskAgain, Done, User


class Actor(Protocol):
    """The performer of an action after it was shown; see `ActionTool`."""

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """The action as the human edited it, or what is wrong with the edit."""

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Do exactly what was reviewed, once."""

    async def discard(self, action: Action) -> None:
        """The action is not wanted."""


@dataclass(frozen=True)
class ReviewLoop:
    """The reviews of one graph."""

    user: User
    mailbox: str
    """The name of the mailbox that messages are in."""
    card_shape: str = ""
    """See `in_shape`."""

    def context(self, state: State, conversation: Conversation | None = None) -> CardContext:
        """The context that every card draws on; `conversation` is for what came in no mail."""
        conversation = conversation or conversation_of(state.get("email_input"))
        revised = state.get("revises") or {}
        return CardContext(
            conversation=conversation,
            timezone=self.user.timezone,
            mailbox=self.mailbox,
            triage_reason=state.get("triage_reason") or state.get("reason") or "",
            sender_warnings=doubts_of(state, self.user),
            offline=state.get("offline") or "",
            problem=state.get("problem") or "",
            verified=verified(conversation.current, self.user.mail_host),
            said=revised.get("words", ""),
            before=revised.get("args"),
            own=self.user.own,
            importance=str((state.get("importance") or {}).get("level", "")),
        )

    async def deferred(self, state: State, action: Action) -> dict[str, Any]:
        """The card of an action that no run is to wait for, as it is kept."""
        view = await asyncio.to_thread(card_view, action, self.context(state))
        card = deferred_card(action, view)
        return card | {"named": named_of(card)}

    async def ask(
        self, state: State, context: CardContext | None = None, revise: Revise | None = None
    ) -> Answer:
        """Put the pending action before a person."""
        action = pending_of(state)
        # A long mail takes a while to read, and zones that it names are read from disk.
        view = await asyncio.to_thread(card_view, action, context or self.context(state))
        return await ask(action, view, state, revise, self.card_shape)


async def perform(actor: Actor, state: State) -> Done | AskAgain:
    """Do what was approved; what the provider refuses, or is on record otherwise, is asked about again."""
    action = pending_of(state)
    try:
        return await actor.perform(action, acknowledged=frozenset(state.get("acknowledged") or []))
    except (ActionChangedError, UnresolvedEffectError) as error:
        return asked_anew(action, error)
    except ProviderError as error:
        return AskAgain(action, f"It did not work: {error} Accept to try again.")


def ask_card_again(state: State, found: AskAgain) -> dict[str, Any]:
    """The update that asks about what could not be done as it was reviewed."""
    return put_again(state, found.action, found.problem, found.concerns)


def pending_of(state: State) -> Action:
    """The action under review, or to be performed."""
    return Action.from_json(state["pending"] or {})


def decided(state: State) -> Decision:
    """The decision about it; an action that needs no person is accepted."""
    return Decision(**(state.get("decision") or {"type": "accept"}))


def doubts_of(state: State, user: User) -> tuple[str, ...]:
    """The doubts about the sender that were found; of a state that knows of none yet, those its headers raise."""
    found = state.get("sender_warnings")
    if found is None:
        current = conversation_of(state.get("email_input")).current
        return header_warnings(current, own=user.own, host=user.mail_host)
    return tuple(found)


def sender_of(state: State, user: User) -> Sender:
    """The sender's standing, for policy and learning."""
    return sender(doubts_of(state, user))


def lesson_of_words(action: Action, decision: Decision) -> dict[str, Any] | None:
    """The lesson of words about a card, for the state."""
    profile = kind_or_unknown(action.kind).lesson
    return Lesson(profile, "feedback", action.id, decision.text).as_json() if profile else None


def lesson_of_edit(state: Mapping[str, Any], action: Action) -> dict[str, Any] | None:
    """The lesson of an edit, once what it made was done; one that was refused, sent back or dismissed teaches nothing."""
    profile = kind_or_unknown(action.kind).lesson
    proposed = state.get("proposed") or action.args
    # What fills a gap is a fact (`tools/filling.py`), and no wish for the next letter.
    before = {name: with_gaps_filled(text, action.args.get(name, "")) for name, text in proposed.items()}
    edit = describe_edit(before, action.args) if profile else ""
    return Lesson(profile, "edited", action.id, edit).as_json() if profile and edit else None


async def learn_lesson(
    learner: Learner, state: Mapping[str, Any], sender: Sender, store: BaseStore | None
) -> None:
    """Learn the lesson in the state, if there is one; nothing from a message whose sender is in doubt. Never raises."""
    lesson = state.get("lesson")
    if lesson and sender is Sender.PLAIN:
        await learner.try_learn(Lesson.from_json(lesson), store)


NOTIFY = declare(
    CardKind(
        "notify", (IGNORE, RESPONSE), "Notify: ", "{who} {wants}", noun="Notice",
        section=QueueSection.TOGETHER, confirm="once", held=True, draws="notice", together=RowGroup.NOTICES,
        goes_when_answered=True,
    )
)  # fmt: skip
HIDE = (
    "Mail from {who} was not wanted three times. Hide what asks you nothing from now on? “Not wanted” (in Agent Inbox: Ignore) agrees; "
    "any other answer goes on showing it."
)
GAVE_WAY = "A card of this conversation that waited for you gave way to this newer message."


def own_mail(conversation: Conversation, own: frozenset[str], *, in_doubt: bool) -> TriageRule | None:
    """What becomes of mail under the user's own address, which no graph answers; None for all other.

    Anybody may write that address into From. Where nothing proves that the user did, `Senders.doubts` says so, and a person looks.
    """
    if conversation.current.sender.key not in own:
        return None
    if in_doubt:
        return TriageRule("notify", "It bears your own address, which anybody may write into a mail.")
    if is_note_to_self(conversation.current, own):
        return TriageRule("notify", "It is a note to yourself.")
    return TriageRule("ignore", "You wrote this message yourself.")


def notification(
    conversation: Conversation,
    run_thread_id: str,
    round_number: int,
    user: User,
    headline: str = "",
    *,
    offers_silence: bool = False,
) -> Action:
    """The card that shows a message; nothing is done with it. With `offers_silence` it asks whether such mail is to be hidden.

    May read time zone data from disk.
    """
    current = conversation.current
    sender = current.sender.name or current.sender.email
    return Action(
        id=f"{bounded(run_thread_id)}:notify:{bounded(current.id or current.mail_thread_id)}:{round_number}",
        tool_call_id="",
        kind=NOTIFY.name,
        title=title(
            f"{NOTIFY.begins}{named(NOTIFY.begins, sender, wanted_by(current, user.timezone, user.own).gist)}"
        ),
        args={},
        headline=HIDE if offers_silence else headline,
        offers_silence=offers_silence,
    )
