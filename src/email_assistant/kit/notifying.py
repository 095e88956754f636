"""Mail that gets no answer by itself: why, and the card that only shows it."""

from email_assistant.effects.intent import bounded
from email_assistant.mail.message import Conversation
from email_assistant.models.offline.triage import TriageRule, is_note_to_self
from email_assistant.models.offline.wanted import wanted_by
from email_assistant.review.action import IGNORE, RESPONSE, Action
from email_assistant.review.card import named, title
from email_assistant.review.kinds import CardKind, QueueSection, RowGroup, declare
from email_assistant.tools.tool import User

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
