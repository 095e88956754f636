"""The case that importance is weighed from: a message's new words, when it was written, who sent it and how."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from functools import cached_property
from itertools import islice
from typing import NamedTuple
from zoneinfo import ZoneInfo

from email_assistant.language.deadlines import Deadline, WrittenWhen, deadlines_in
from email_assistant.language.measures import SIGN
from email_assistant.language.text import DAY_FIRST, language_of
from email_assistant.mail.address import Address
from email_assistant.mail.authenticity import written_to
from email_assistant.mail.conversation import base_subject
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline.reading import body_words, sentences, subject_words
from email_assistant.models.offline.words import MARKETING
from email_assistant.workflows.inbox_organizer.offline.category import WORDS

with WORDS.section("importance", sign=SIGN) as section:
    NO_HURRY = section.pattern("{no_hurry}")
    """Says that it can wait."""
    IF_URGENT = section.pattern("{if_urgent}")
    """Speaks of urgent cases without being one."""
    PRESSING = section.pattern("{pressing}")
    """Says that it is urgent."""
    CHASING = section.pattern("{chasing}")
    """Asks again for what was asked before."""
    OVERDUE = section.pattern("{overdue}")
    """Says that a deadline is over."""
    MONEY_DUE = section.pattern("{money_due}")
    """Money that is to be paid."""
    MONEY = section.pattern("{money}")
    """Matters of money."""
    PRICES = section.pattern("{prices}")
    """Prices and costs, with nothing to be paid yet."""
    ADVERTISING = section.pattern("{advertising}")
    """One such phrase from a stranger makes advertising."""
    ROBOT = section.pattern(r"(?:{robot})(?:[+._-].*)?")
    """The part before the "@" of addresses that programs write from."""

MAX_EARLIER = 200
"""Earlier messages that are looked at, the latest."""
MAX_LINES = 150
"""Sentences that are looked at, the first and the last."""
MAX_LINE = 400
"""Longer sentences are looked at in pieces of so many characters."""
_BELIEVED, _TOMORROW = timedelta(days=3650), timedelta(days=1)
_LAST_LINES = 40
_MAX_NAMES = 5
_BULK = frozenset(["bulk", "list", "junk"])


@dataclass(frozen=True, slots=True)
class Relation:
    """The sender's relation to the user, apart from the message."""

    is_vip: bool = False
    is_correspondent: bool = False
    """The user has written to the sender."""
    is_colleague: bool = False
    """Of the user's organisation, by a domain that is not a mail provider's."""
    in_doubt: bool = False
    """The sender may be forged: then the other three say nothing."""
    is_asked: bool = False
    """The message asks something of the user by name."""


class Origin(Enum):
    """The maker of a message and its readers; the value is the weight of its words of pressure and money."""

    PERSON = 1.0
    """Somebody wrote it to few."""
    PROGRAM = 0.7
    """A program wrote it to the user (RFC 3834)."""
    MAILING = 0.25
    """It went to many, or it advertises."""


class FactorValue(NamedTuple):
    """The degree to which a factor applies, 0 to 1, and the reason in one plain sentence."""

    value: float
    reason: str


@dataclass(frozen=True)
class Case:
    """A message to weigh. Its words are read once, and only a bounded part of them."""

    conversation: Conversation
    own: frozenset[str]
    relation: Relation
    now: datetime
    zone: ZoneInfo

    @property
    def message(self) -> Message:
        """The message to weigh."""
        return self.conversation.current

    @property
    def earlier(self) -> tuple[Message, ...]:
        """The messages before it, oldest first."""
        return self.conversation.earlier[-MAX_EARLIER:]

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The subject and the sentences of the text. A reply's subject is an earlier message's, so it is not there."""
        subject = subject_words(self.message).strip()
        said = (subject,) if base_subject(subject) == one_line(subject) else ()
        every = (*said, *sentences(body_words(self.message)))
        pieces = [line[at : at + MAX_LINE] for line in every for at in range(0, len(line), MAX_LINE)]
        if len(pieces) > MAX_LINES:
            pieces = [*pieces[: MAX_LINES - _LAST_LINES], *pieces[-_LAST_LINES:]]
        return tuple(piece.replace("’", "'") for piece in pieces)

    @cached_property
    def text(self) -> str:
        """The `lines` in one."""
        return "\n".join(self.lines)

    @cached_property
    def deadlines(self) -> tuple[Deadline, ...]:
        """The deadlines that the `lines` set."""
        day_first = language_of(self.text) in DAY_FIRST
        return tuple(deadlines_in(self.lines, WrittenWhen(self._written(), self.zone, day_first)))

    @property
    def today(self) -> date:
        """The user's day."""
        return self.now.astimezone(self.zone).date()

    def is_own(self, address: Address) -> bool:
        """Whether the address is the user's, with or without a "+detail" (RFC 5233)."""
        if address.key in self.own:
            return True
        local, _, domain = address.key.rpartition("@")
        return "+" in local and f"{local.partition('+')[0]}@{domain}" in self.own

    @cached_property
    def is_correspondent(self) -> bool:
        """Whether the user has written to the sender, by the record or in this conversation."""
        if self.relation.is_correspondent:
            return True
        return any(one.key == self.message.sender.key for one in written_to(self.earlier, self.own))

    @cached_property
    def user_takes_part(self) -> bool:
        """Whether the user wrote one of the earlier messages."""
        return any(self.is_own(message.sender) for message in self.earlier)

    @cached_property
    def advertises(self) -> bool:
        """Whether it reads like advertising; of people the user knows that takes more."""
        relation = self.relation
        if self.is_correspondent or relation.is_colleague or relation.is_vip or self.user_takes_part:
            return False
        signs = sum(pattern.search(self.text) is not None for pattern in MARKETING)
        return signs >= 2 or ADVERTISING.search(self.text) is not None

    @cached_property
    def origin(self) -> Origin:
        """Its maker and readers. A VIP's counts for one step nearer."""
        if self.is_bulk or self.advertises:
            is_known = self.relation.is_vip or (self.relation.is_colleague and not self.is_program)
            return Origin.PROGRAM if is_known else Origin.MAILING
        return Origin.PROGRAM if self.is_program and not self.relation.is_vip else Origin.PERSON

    @cached_property
    def is_program(self) -> bool:
        """Whether a program wrote it (RFC 3834), by its headers or its address."""
        local = self.message.sender.key.rpartition("@")[0][:64]
        is_answer = self.header("precedence") == "auto_reply"
        return self.header("auto-submitted") not in {"", "no"} or is_answer or bool(ROBOT.fullmatch(local))

    @cached_property
    def is_bulk(self) -> bool:
        """Whether its headers say that it went to a list (RFC 2919, RFC 2369), where the user wrote nothing and is asked nothing."""
        if self.relation.is_asked and bulk_of(self.message).is_discussion:
            return False
        is_list = any(self.header(name) for name in ("list-id", "list-unsubscribe"))
        return (is_list or self.header("precedence") in _BULK) and not self.user_takes_part

    @cached_property
    def is_copied(self) -> bool:
        """Whether the user stands in Cc."""
        return any(map(self.is_own, self.message.cc))

    @cached_property
    def is_called(self) -> bool:
        """Whether the text calls the user by the first name or the address that its recipient fields use for them."""
        own = islice(filter(self.is_own, (*self.message.to, *self.message.cc)), _MAX_NAMES)
        names = {n.lower() for a in own for n in (*a.name.split()[:1], a.email.partition("@")[0])}
        text = self.text.lower()
        calls = (rf"(?<!\w){re.escape(name)}(?!\w)" for name in names if 1 < len(name) <= 64)
        return any(re.search(call, text) for call in calls)

    @cached_property
    def share(self) -> float:
        """The weight of its words of pressure for the user: less in mailings, and half in what is put to others."""
        to_others = self.is_copied and not self.is_called and not any(map(self.is_own, self.message.to))
        return self.origin.value * (0.5 if to_others else 1.0)

    def _written(self) -> datetime:
        """When it was written in the user's zone, as far as that can be believed; else now."""
        then = self.message.date
        is_believed = then is not None and -_TOMORROW < self.now - then < _BELIEVED
        return (then if then and is_believed else self.now).astimezone(self.zone)

    def header(self, name: str) -> str:
        """A header's value in lower case, "" without one."""
        return self.message.headers.get(name, "").strip().lower()
