"""What the user has written in a conversation with another program: it lies in Sent, and no effect of ours has sent it."""

from collections.abc import Collection, Sequence
from contextlib import suppress

from email_assistant.effects.outbox import Outbox
from email_assistant.errors import NotFoundError
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line
from email_assistant.review.card_facts import local_time
from email_assistant.tools.concerns import Concern

_SHOWN = 120
"""Characters of what was written."""


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
    """Those of the messages; `ours` are Message-IDs of what we have begun to send."""
    sent = [each for each in messages if each.sent and each.message_id not in ours]
    by_us = await outbox.sent_by_us([each.id for each in sent]) if sent else frozenset()
    return [each for each in sent if each.id not in by_us]


def elsewhere_concerns(
    written: Sequence[Message], replies: Sequence[Message], timezone: str
) -> list[Concern]:
    """That the user has written in the conversation since, and which of it answers the message: the latest is told."""
    what = "You answered this" if replies else "You wrote in this conversation"
    texts = {each.id: "" for each in written}
    for last in (replies or written)[-1:]:
        words = one_line(last.text or last.subject, limit=_SHOWN)
        texts[last.id] = (
            f"{what} on {local_time(last.date, timezone)}: “{words}”. Accept again to send this one as well."
        )
    return [Concern(f"own:{message_id}", text) for message_id, text in texts.items()]
