"""Which order is a mail's: the same for the same mail, so that it can be found again when the server has forgotten its run."""

import hashlib
from collections.abc import Sequence

from email_assistant.journal.columns import clean
from email_assistant.mail.message import Conversation, Message
from email_assistant.workflows.order_desk.records.orders import Orders

MAX_AGAIN = 20
"""Times that an order of one mail can be taken again after it was given back."""
MAX_EARLIER = 20
"""Earlier mails of a conversation whose orders are looked for; an older one that is held is settled by hand."""


def order_ids(message: Message) -> list[str]:
    """The order's id, and those it gets one after the other when it is taken again after it was given back."""
    told = f"{message.sender.key}\n{message.subject}\n{message.text}"
    digest = hashlib.sha256(told.encode(errors="replace")).hexdigest()[:12]
    first = f"{clean(message.id)[:120]}:{digest}"
    return [first, *(f"{first}:{again}" for again in range(1, MAX_AGAIN + 1))]


async def held_of(orders: Orders, conversation: Conversation, known: Sequence[str]) -> list[str]:
    """Those of the conversation that are held, the oldest first: by its mails, and of those that the thread remembers."""
    mails = (*conversation.earlier[-MAX_EARLIER:], conversation.current)
    return list(await orders.held_among([*known, *(each for mail in mails for each in order_ids(mail))]))
