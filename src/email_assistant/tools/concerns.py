"""Concerns that a person who has accepted is asked about once more: gaps, other runs' work on the message, the user's own mail since."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from email_assistant.effects.outbox import Outbox
from email_assistant.errors import NotFoundError
from email_assistant.facts.fact import gaps_left
from email_assistant.journal.records import OutboxRow, OutboxStatus
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line
from email_assistant.review.action import Action
from email_assistant.review.card_facts import local_time
from email_assistant.tools.tool import AskAgain, Turn

ACCEPTED = "done:"
"""The beginning of the key of a concern about an earlier effect; the effect's action id follows."""
LIVE = (OutboxStatus.started, OutboxStatus.done)
"""Of what may have happened."""
MAX_TOLD = 3
_SHOWN = 120
"""Characters of what was done or written."""


@dataclass(frozen=True, slots=True)
class Concern:
    """One finding."""

    key: str
    """The same for the same finding, so that whoever accepts all the same is not asked about it again."""
    text: str
    """For the card's first line."""


def asked_about(
    action: Action, concerns: Iterable[Concern], acknowledged: Collection[str]
) -> AskAgain | None:
    """The card again when there is a finding that is new, with every one: somebody else may be asked now; None when there is none."""
    found = list(concerns)
    new = [concern for concern in found if concern.key not in acknowledged]
    if not new:
        return None
    problem = " ".join(each.text for each in found if each.text)
    return AskAgain(action, problem, tuple(each.key for each in new))


def until_complete(action: Action, again: AskAgain | None) -> AskAgain | None:
    """The card again, however often, as long as a text has a gap in it; `again` is what else it is asked again for."""
    left = [text[start:end] for text in action.args.values() for start, end in gaps_left(text, action.gaps)]
    if not left:
        return again
    fill = (
        "1 gap is left: fill it, or take it out"
        if len(left) == 1
        else f"{len(left)} gaps are left: fill them, or take them out"
    )
    problem = f"{fill}, with edit ({one_line(', '.join(left), limit=_SHOWN)})."
    return replace(again, problem=f"{problem} {again.problem}") if again else AskAgain(action, problem)


@dataclass(frozen=True)
class Wording:
    """The sentences about one kind of effect."""

    done: str
    """Like "A reply to this message was sent"."""
    begun: str
    """Like "A reply to this message is being sent": its end was not seen."""
    again: str
    """The effect of accepting once more, like "send this one as well"."""
    details: Callable[[OutboxRow], str]
    """Its details in a few words."""


def sentence(row: OutboxRow, wording: Wording, timezone: str) -> str:
    """The sentence on what was done, when, and by whom."""
    by = f"by {row.graph}" if row.graph else "by another run"
    what = wording.done if row.status is OutboxStatus.done else wording.begun
    details = one_line(wording.details(row), limit=_SHOWN)
    return f"{what} on {local_time(row.updated_at, timezone)} {by}: {details}"


def own_sentence(row: OutboxRow, wording: Wording, timezone: str) -> str:
    """The sentence on what the run itself has done, in the words that went out."""
    what = wording.done if row.status is OutboxStatus.done else wording.begun
    return f"{what} on {local_time(row.updated_at, timezone)}: {one_line(wording.details(row), limit=_SHOWN)}"


def accepted_in(acknowledged: Iterable[str]) -> list[str]:
    """Ids of the earlier effects that a person knows of and goes on all the same."""
    return [key.removeprefix(ACCEPTED) for key in acknowledged if key.startswith(ACCEPTED)]


def earlier_concerns(rows: Iterable[OutboxRow], action: Action, wording: Wording) -> list[Concern]:
    """Concerns about effects on the same subject that are not of the action's own work."""
    found = [row for row in rows if row.status in LIVE and not row.doer.is_work_of(action.doer)]
    texts = [sentence(row, wording, action.timezone) for row in found[:-1][-MAX_TOLD:]]
    texts = [""] * (len(found) - 1 - len(texts)) + texts
    texts += [
        f"{sentence(row, wording, action.timezone)} Accept again to {wording.again}." for row in found[-1:]
    ]
    return [Concern(f"{ACCEPTED}{row.action_id}", text) for row, text in zip(found, texts, strict=True)]


def forgotten(row: OutboxRow, turn: Turn) -> bool:
    """Whether this run thread has done it and does not remember: the server has lost its last seconds."""
    return row.doer.is_run_of(turn.doer) and row.action_id not in turn.known_actions


async def conversation_with(mailbox: Mailbox, message: Message) -> tuple[Message, list[Message]]:
    """The message as the mailbox has it, if it has, and its conversation, by whatever id the run's caller knows that; [] when unknown."""
    conversation = await mailbox.thread(message.mail_thread_id)
    if not conversation and message.id:
        with suppress(NotFoundError):
            conversation = await mailbox.thread((await mailbox.fetch(message.id)).mail_thread_id)
    return next((each for each in conversation if each.id == message.id), message), conversation


async def written_elsewhere(
    messages: Sequence[Message], outbox: Outbox, ours: Collection[str] = ()
) -> list[Message]:
    """Those of the messages that lie in Sent and that no effect of ours has sent; `ours` are Message-IDs of what we have begun to send."""
    sent = [each for each in messages if each.sent and each.message_id not in ours]
    by_us = await outbox.sent_by_us([each.id for each in sent]) if sent else frozenset()
    return [each for each in sent if each.id not in by_us]


def elsewhere_concerns(
    written: Sequence[Message], replies: Sequence[Message], timezone: str
) -> list[Concern]:
    """Concerns that the user has written in the conversation since, and which of it answers the message: the latest is told."""
    what = "You answered this" if replies else "You wrote in this conversation"
    texts = {each.id: "" for each in written}
    for last in (replies or written)[-1:]:
        words = one_line(last.text or last.subject, limit=_SHOWN)
        texts[last.id] = (
            f"{what} on {local_time(last.date, timezone)}: “{words}”. Accept again to send this one as well."
        )
    return [Concern(f"own:{message_id}", text) for message_id, text in texts.items()]
