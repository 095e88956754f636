"""Where tickets go: the port, and what is asked of it."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol

from email_assistant.errors import InputError
from email_assistant.mail.text import clean, one_line
from email_assistant.workflows.claims_desk.claims.record import Ticket, TicketType

MAX_TITLE = 200
MAX_BODY = 8_000
CUT = " […]"


@dataclass(frozen=True, slots=True)
class TicketDraft:
    """A ticket that is wanted; mail may stand in title and body, as plain text."""

    tenant_id: str
    user_id: str
    """"" for somebody who is no known customer."""
    type: TicketType
    title: str
    body: str

    def bounded(self) -> "TicketDraft":
        """The draft without characters that nobody sees: a title in one line of up to 200 characters, a body of up to 8000.

        Doing it twice is the same as once. Raises `InputError` when no title is left.
        """
        title = _cut(one_line(self.title), MAX_TITLE)
        if not title:
            raise InputError("title: is empty")
        return replace(self, title=title, body=_cut(clean(self.body)[0].strip(), MAX_BODY))


class Tickets(Protocol):
    """A system of tickets. Raises `AccessError`, `TransientError` or `ProviderError` (errors.py)."""

    @property
    def settles(self) -> timedelta:
        """For how long after a creation `find` may not see the ticket yet."""
        ...

    async def create(self, draft: TicketDraft, idempotency_key: str) -> Ticket:
        """Make the ticket, or return the one that was made for this tenant and key before.

        After a `TransientError` nobody knows whether there is a ticket now; `find` tells once `settles` is over.
        """
        ...

    async def find(self, draft: TicketDraft, idempotency_key: str) -> Ticket | None:
        """The ticket that was made for the draft's tenant and this key, or None."""
        ...


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - len(CUT)].rstrip() + CUT
