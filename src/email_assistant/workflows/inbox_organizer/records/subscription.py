"""One mailing as the journal knows it, what may become of it, and when leaving it is known to have worked."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

GRACE = timedelta(days=2)
"""After a request; mail that comes in it was on its way already. The large mailbox providers give senders two days, too."""

SILENCE = timedelta(days=10)
"""Without mail, after the grace: then leaving has worked. Most mailings come once a week."""

MIN_MESSAGES = 3

ONE_CLICK, MAILTO = "one_click", "mailto"
"""The methods that the program can leave a list by; "link" is for the person to do."""


class SubscriptionState(StrEnum):
    """What became of a list."""

    active = "active"
    """Its mail comes in; nothing was decided."""
    recommended = "recommended"
    """The user is being asked whether to leave it, by the card of `run_thread_id`, as long as that one waits."""
    requested = "requested"
    """The user said yes. The request is going out, or went out and nobody said that it was taken; by mail: a draft was
    saved, and whether the user has sent it is not known here."""
    unsubscribed = "unsubscribed"
    """The list's host took the request, or silence has shown that it did (`verified_at`)."""
    kept = "kept"
    """The user wants to stay."""


MOVES = {
    SubscriptionState.active: {"requested", "kept"},
    SubscriptionState.recommended: {"active", "requested", "kept"},
    SubscriptionState.requested: {"unsubscribed", "active"},
    SubscriptionState.unsubscribed: {"active", "kept"},
    SubscriptionState.kept: {"active", "requested"},
}


@dataclass(frozen=True, slots=True)
class Subscription:
    """One list in one mailbox. Times are aware and in UTC."""

    mailbox: str
    list_key: str
    """See `mail.unsubscribe.list_key`."""
    name: str
    sender: str
    """The address the latest message came from."""
    message_id: str
    """The latest message that offers a way out: take the addresses from it, they are not kept here. "" when none did."""
    offers: str
    """Its best way out: "one_click", "mailto" or "link"; "" when there is none."""
    messages: int
    first_at: datetime
    last_at: datetime
    answered: bool = False
    """Whether the user has ever written back."""
    state: SubscriptionState = SubscriptionState.active
    method: str = ""
    """How it was last asked to stop: "one_click", "mailto" or "link"; "" while it was not."""
    requested_at: datetime | None = None
    verified_at: datetime | None = None
    """When it was certain that leaving has worked."""
    still_coming: bool = False
    """Whether mail came although the list was asked to stop; until it is asked again."""
    run_thread_id: str = ""
    """The run thread whose card asks about it; "" while none does."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What looking after requests has shown."""

    verified: tuple[Subscription, ...] = ()
    reopened: tuple[Subscription, ...] = ()
    """Those that still send: they are active again."""


def verdict(one: Subscription, now: datetime) -> SubscriptionState | None:
    """What is certain by now about a list that was asked to stop; None while nothing (new) is.

    `active` when mail came after the grace of 2 days; `unsubscribed` when none did for 10 days after it.
    """
    if one.requested_at is None:
        return None
    if one.last_at > one.requested_at + GRACE:
        return SubscriptionState.active
    if one.verified_at is None and now >= one.requested_at + GRACE + SILENCE:
        return SubscriptionState.unsubscribed
    return None
