"""Who writes, to whom, and how lively the conversation is."""

from datetime import timedelta

from email_assistant.mail.message import Message
from email_assistant.workflows.inbox_organizer.importance_case import Case, Finding, Origin

_LATELY = timedelta(days=7)
_FEW, _SEVERAL = 4, 10


def authority(case: Case) -> Finding:
    """How much the sender's word counts; the first that applies. What the message says about its sender counts for nothing."""
    relation = case.relation
    colleague, correspondent = relation.is_colleague, case.is_correspondent
    applies = (
        (relation.in_doubt, 0.0, "The sender may not be who it seems."),
        (relation.is_vip, 1.0, "The sender is one of your VIPs."),
        (case.is_own(case.message.sender), 0.5, "You wrote it yourself."),
        (case.origin is Origin.MAILING, 0.1, "It went to many people, or it advertises something."),
        (case.is_program, 0.3, "A program sent it."),
        (colleague and correspondent, 0.9, "The sender is a colleague you have written to."),
        (correspondent, 0.8, "You have written to the sender before."),
        (colleague, 0.7, "The sender is a colleague."),
    )
    found = (Finding(value, reason) for holds, value, reason in applies if holds)
    return next(found, Finding(0.4, "You have not written to the sender before."))


def activity(case: Case) -> Finding:
    """How lively the conversation has been in the week up to now."""
    if case.origin is Origin.MAILING:
        return Finding(0.0, "It is not part of a conversation.")
    recent = [message for message in (*case.earlier, case.message) if _is_recent(message, case)]
    if not recent:
        return Finding(0.2, "It is more than a week old.")
    if len(recent) == 1:
        return Finding(0.5, "It is the only message of its conversation in a week.")
    people = {message.sender.key for message in recent}
    takes_part = any(case.is_own(message.sender) for message in recent)
    value = 0.5 + 0.1 * min(len(recent) - 1, 2) + 0.1 * (len(people) > 2) + 0.3 * takes_part
    by = "one person" if len(people) == 1 else f"{len(people)} people"
    with_you = ", you among them" if takes_part else ""
    return Finding(
        min(value, 1.0), f"Its conversation had {len(recent)} messages of {by} in a week{with_you}."
    )


def _is_recent(message: Message, case: Case) -> bool:
    # Without a date, only the message that has just come in is taken for new.
    return message is case.message if message.date is None else case.now - message.date <= _LATELY


def position(case: Case) -> Finding:
    """How far the message is meant for the user, by the fields the user stands in (RFC 5322 §3.6.3)."""
    own = sum(map(case.is_own, case.message.to))
    others = len(case.message.to) - own
    if case.is_bulk:
        return Finding(0.0, "It went to a mailing list.")
    if not own and not case.is_copied:
        return Finding(0.0, "You are not named among its recipients.")
    if own and not others:
        return Finding(1.0, "It is addressed to you alone.")
    if others < _SEVERAL and case.is_called:
        return Finding(0.9, "It has several recipients, and it calls you by name.")
    if not own:
        return Finding(0.4 if others <= _FEW else 0.2, "You are only in copy.")
    value = 0.8 if others < _FEW else 0.5 if others < _SEVERAL else 0.3
    return Finding(value, f"You are one of {len(case.message.to)} recipients.")
