"""What no answer is drafted to, whoever judges it, and what no model's verdict leaves out."""

from email_assistant.mail.headers import bulk_of, is_put_to, judged, vouched_by
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words
from email_assistant.models.offline.meeting import offers_a_time
from email_assistant.models.offline.reading import Reader, calls, own_words, sells, tells_how_to_leave
from email_assistant.models.offline.triage import (
    TriageRule,
    asks,
    asks_by_name,
    is_automatic_reply,
    not_drafted,
    notify,
)

_JUDGED = {
    "spam": "Your mail system took it for spam",
    "promotions": "Your mail system put it among the promotions",
    "social": "Your mail system put it among the news of social networks",
    "forged": "Its sender failed the check of your mail system",
}


def not_to_draft(
    conversation: Conversation, reader: Reader, *, is_known: bool, in_doubt: bool, by_rules: bool
) -> TriageRule | None:
    """Why no answer is drafted, as a notice; None where one is.

    `is_known`: the user has written to the sender; `by_rules`: no model judges.
    """
    found = not_drafted(conversation.current, in_doubt=in_doubt) or not_put_to(conversation, reader)
    return found or (unsolicited(conversation, reader, is_known=is_known) if by_rules else None)


def not_put_to(conversation: Conversation, reader: Reader) -> TriageRule | None:
    """Mail that no answer is drafted to because it is not the user's to answer; None for all other.

    It names them nowhere and goes on with nothing of theirs, or the mail system has judged it.
    """
    message = conversation.current
    if why := _JUDGED.get(judged(message, host=reader.host)):
        return notify(f"{why}, so no answer was drafted.", asks=True)
    is_told = any(reader.own)  # A user who has not said who they are is named nowhere.
    if not is_told or conversation.has_part_of(reader.own) or is_put_to(message, reader.own | reader.desks):
        return None
    return notify("It names you neither in To nor in Cc, so no answer was drafted.", asks=True)


def unsolicited(conversation: Conversation, reader: Reader, *, is_known: bool) -> TriageRule | None:
    """A stranger's offer, or mail of one who knows no name of the user, is not vouched for and names no time to meet; None for all other.

    By rules alone such mail cannot be told from a customer's first: it is shown. `is_known`: the user has written to its sender.
    """
    message = conversation.current
    # A form is filled in on the user's site, and says so in words of its own ("from your website").
    if is_known or conversation.has_part_of(reader.own) or message.form is not None:
        return None
    if sells(message):
        return notify(
            "You have not written to them, and it makes an offer: no answer was drafted.", asks=True
        )
    theirs = [each for each in (*conversation.earlier, message) if each.sender.key == message.sender.key]
    knows = any(calls(each, reader.called) for each in theirs)
    bulk = bulk_of(message)
    wants_to_meet = not (bulk.is_list or bulk.one_way) and offers_a_time(message)
    if not (knows or wants_to_meet or vouched_by(message, host=reader.host)):
        why = "nobody vouches for them, and it does not call you by name: no answer was drafted."
        return notify(f"You have not written to them, {why}", asks=True)
    return None


def left_out(
    conversation: Conversation, reader: Reader, *, is_known: bool, in_doubt: bool
) -> TriageRule | None:
    """What a mail asks of the user beyond doubt, so that no model's verdict leaves it out; None for all other.

    Something put to them by somebody they wrote to, or in a conversation of theirs; new bank details; and what is put to them alone,
    or by name, and bears no mark of sales, of mailings or of doubt.
    """
    message = conversation.current
    if words.NEW_BANK_DETAILS.search(own_words(message)) and not bulk_of(message).to_many:
        return notify("It speaks of new bank details or gift cards.", asks=True)
    if not _wants(message, reader):
        return None
    theirs = is_known or conversation.has_part_of(reader.own)
    if theirs and is_put_to(message, reader.own | reader.desks) and not bulk_of(message).one_way:
        return notify("It asks something of you, and you know its sender.", asks=True)
    people = {each.key for each in (*message.to, *message.cc)}
    alone = bool(people) and people <= reader.own | reader.desks
    by_name = asks_by_name(message, reader.called)
    marked = bulk_of(message).to_many or bulk_of(message).one_way or sells(message) or in_doubt
    if marked or not (alone or by_name):
        return None
    return notify(f"It asks, and is put to you {'by name' if by_name else 'alone'}.", asks=True)


def contradicts(message: Message, reader: Reader, preferences: str) -> bool:
    """True of an ignored mail that asks something, names a deadline or complains, and that nothing else tells to leave out.

    Not of what went to many or to others, or nobody can answer, of what the mail system judged, of advertising that does not call
    the user by name, and of a sender of whom the user taught that it is not wanted. `preferences`: the triage profile.
    """
    bulk = bulk_of(message)
    is_mailing = bulk.to_many or bulk.one_way or tells_how_to_leave(message)
    is_judged = judged(message, host=reader.host) or message.sender.key in preferences.lower()
    is_theirs = is_put_to(message, reader.own | reader.desks) and not (is_mailing or is_judged)
    return is_theirs and _wants(message, reader) and (calls(message, reader.called) or not sells(message))


def _wants(message: Message, reader: Reader) -> bool:
    """Whether somebody else, and no program, asks for something in it or complains."""
    wants = asks(message) or words.COMPLAINT.search(own_words(message)) is not None
    return wants and not is_automatic_reply(message) and message.sender.key not in reader.own
