"""Bulk mail and machines' mail, by their headers."""

import re
from dataclasses import dataclass

from email_assistant.mail.message import Message

_NO_REPLY = re.compile(
    r"(?:no|do-?_?not|dont|ne-?pas|nicht)[._-]?(?:reply|respond|repondre|antworten)(?:[+._-].*)?"
    r"|no-?responder|noreply\w*|(?:notifications?|alerts?|mailer-daemon|postmaster|bounces?|automated|robot)(?:[+._-].*)?",
    re.IGNORECASE,
)
_BULK = frozenset(["bulk", "junk"])


@dataclass(frozen=True, slots=True)
class Bulk:
    """The marks of one message; senders set them as they like, so they say what mail is, never that it is honest."""

    is_list: bool
    """List-Id names the list it went to (RFC 2919)."""
    is_discussion: bool
    """Subscribers can write to the list: List-Post gives an address (RFC 2369 §3.4), or else Precedence is "list".

    Mailings that are left with one click (RFC 8058) go by List-Post alone: those who send them often say "list" too.
    """
    can_unsubscribe: bool
    """List-Unsubscribe says how to get no more of it (RFC 2369 §3.2)."""
    is_marked: bool
    """Precedence is "bulk" or "junk"."""
    is_automatic: bool
    """Auto-Submitted says that no person wrote it (RFC 3834 §5)."""
    is_no_reply: bool
    """The sender's address says that nobody reads answers."""

    @property
    def to_many(self) -> bool:
        """Whether it went to many people, whoever wrote it."""
        return self.is_list or self.can_unsubscribe or self.is_marked

    @property
    def one_way(self) -> bool:
        """Whether there is nobody to answer: a program's mail, or a mailing that is no discussion."""
        return not self.is_discussion and (self.to_many or self.is_automatic or self.is_no_reply)


def bulk_of(message: Message) -> Bulk:
    """The marks that the message's sender address and headers bear."""

    def header(name: str) -> str:
        return message.headers.get(name, "").strip().lower()

    says_list = header("precedence") == "list" and not header("list-unsubscribe-post")
    return Bulk(
        is_list=bool(header("list-id")),
        # "NO" marks a list that only announces; a web address is where a letter can be read.
        is_discussion="mailto:" in header("list-post") or says_list,
        can_unsubscribe=bool(header("list-unsubscribe")),
        is_marked=header("precedence") in _BULK,
        is_automatic=header("auto-submitted") not in {"", "no"},
        is_no_reply=_NO_REPLY.fullmatch(message.sender.email.rpartition("@")[0]) is not None,
    )
