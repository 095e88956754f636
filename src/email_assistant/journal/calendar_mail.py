"""What each mail about an event said of it, in whichever conversation it came: of two the newer counts (RFC 5546 §2.1.5)."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, func, select

from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.mail_log import PROCESSED
from email_assistant.journal.records import OPEN, MailStatus
from email_assistant.journal.sql import insert_or_ignore
from email_assistant.journal.tables import CALENDAR_MAIL, MAIL

_OFFERS = ("request", "publish")
_TELLS = (*_OFFERS, "cancel", "reply")
"""Where there is a newer one of these, an older one has nothing more to say."""


@dataclass(frozen=True, slots=True)
class CalendarMail:
    """One mail, by what it says; times are ISO 8601 in UTC, and "" is what it does not say."""

    message_id: str
    """The mailbox's own id of the message."""
    uid: str
    recurrence_id: str
    speaker: str
    """The `Address.key` of whose word it is: the organizer's, or of an answer the guest's; `name` is theirs."""
    name: str
    method: str
    sequence: int
    stamp: str
    """Its DTSTAMP; "~", which is later than any, of a cancellation without one."""
    title: str
    happens: str
    """When the event is, by the user's clock and in words."""
    vouched: int = 0
    """1 where the receiving host vouches for its sender."""
    status: str = ""
    """Where the mail is, by the mail table, and on which run thread of which graph; "" when it was not taken up."""
    run_thread_id: str = ""
    graph: str = ""
    outcome: str = ""
    """What the work on it came to; "dismissed" where a person has put it aside."""

    @property
    def cancels(self) -> bool:
        """Whether it takes the event away."""
        return self.method == "cancel"

    @property
    def waits(self) -> bool:
        """Whether it offers an event and was neither answered nor put aside."""
        return self.method in _OFFERS and self.status in (*OPEN, MailStatus.superseded)

    @property
    def age(self) -> tuple[int, str, bool]:
        """The newer, the higher; of two that are equal a cancellation counts."""
        return self.sequence, self.stamp, self.cancels

    def touches(self, other: "CalendarMail") -> bool:
        """Whether it says something newer of the same event, of its whole series, or of one occurrence of it.

        Nothing that nobody vouches for outranks what somebody does, nor does what a person has put aside, unless that called it off.
        """
        about = {self.recurrence_id, other.recurrence_id}
        is_void = self.outcome == "dismissed" and not (self.cancels and self.vouched)
        return (
            self.age > other.age
            and self.vouched >= other.vouched
            and not is_void
            and ("" in about or len(about) == 1)
        )

    def follows(self, other: "CalendarMail") -> bool:
        """The same, and nothing is left of what the other one says."""
        return self.touches(other) and self.recurrence_id in {"", other.recurrence_id}


_SAID = [column for column in CALENDAR_MAIL.c if column.name != "mailbox"]
_TAKEN_UP = [
    func.coalesce(MAIL.c[name], "").label(name) for name in ("status", "run_thread_id", "graph", "outcome")
]
_SAME = and_(MAIL.c.mailbox == CALENDAR_MAIL.c.mailbox, MAIL.c.message_id == CALENDAR_MAIL.c.message_id)


@dataclass(frozen=True)
class CalendarMailLog:
    """The table, as far as it is of one mailbox."""

    database: Database
    mailbox: str

    async def noted(self, mail: CalendarMail) -> list[CalendarMail]:
        """Remember what the mail says of an event; what else was said of it, as `about`. Other mail counts for nothing."""
        if mail.method not in _TELLS:
            return []
        await self._note(mail)
        return await self.about(mail)

    async def about(self, mail: CalendarMail) -> list[CalendarMail]:
        """What the same speaker has said of the event in other mail, the newest last."""
        said = CALENDAR_MAIL.c
        found = await self._find(said.uid == mail.uid, said.speaker == mail.speaker)
        return [each for each in found if each.message_id != mail.message_id]

    async def overtaken(self) -> list[CalendarMail]:
        """Those whose cards wait although a newer one was taken up since."""
        waiting = await self._find(MAIL.c.status == MailStatus.waiting_review)
        return [
            m for m in waiting if any(n.follows(m) and n.status in PROCESSED for n in await self.about(m))
        ]

    @one_write
    async def _note(self, mail: CalendarMail) -> None:
        values = {column.name: getattr(mail, column.name) for column in _SAID}
        async with self.database.begin() as connection:
            await insert_or_ignore(connection, CALENDAR_MAIL, {"mailbox": self.mailbox, **values})

    @one_read
    async def _find(self, *conditions: ColumnElement[bool]) -> list[CalendarMail]:
        rows = select(*_SAID, *_TAKEN_UP).outerjoin(MAIL, _SAME)
        async with self.database.read() as connection:
            found = await connection.execute(rows.where(CALENDAR_MAIL.c.mailbox == self.mailbox, *conditions))
            return sorted((CalendarMail(**row._mapping) for row in found), key=lambda each: each.age)
