"""Answers to times that the user has offered: which one is taken, none, or nobody can tell."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.offers import OfferAnswer, answer_to_offer
from email_assistant.models.offline.triage import triage

NOW = datetime(2026, 11, 20, 8, tzinfo=UTC)
ANA, ROBIN = Address("ana@example.com", "Ana Petrova"), Address("robin@vale.example", "Robin Vale")
SLOTS = (
    "Monday 23 November 2026, 10:00–10:45 (Europe/Berlin)",
    "Wednesday 25 November 2026, 09:00–09:45 (Europe/Berlin)",
    "Thursday 26 November 2026, 14:00–14:45 (Europe/Berlin)",
)
ASKS = "When are you free next week for a call?"


def letter(*slots: str) -> str:
    """What the user has sent."""
    times = "\n".join(f"- {each}" for each in slots)
    return f"Hello Ana,\n\nI could offer these times:\n{times}\nPlease tell me which of them suits you.\n\nRobin Vale"


def answered(text: str, *slots: str, sent: bool = True, quoted: str = "") -> Conversation:
    """A conversation in which the user has offered these times, and Ana writes this."""
    first = Message("1", "t", ANA, "Catch up", ASKS, message_id="<1@example.com>", date=NOW)
    ours = Message(
        "2", "t", ROBIN, "Re: Catch up", letter(*(slots or SLOTS)),
        message_id="<2@vale.example>", in_reply_to="<1@example.com>", date=NOW, sent=sent,
    )  # fmt: skip
    current = Message(
        "3", "t", ANA, "Re: Catch up", text, message_id="<3@example.com>", in_reply_to="<2@vale.example>", date=NOW, quoted=quoted,
    )  # fmt: skip
    return Conversation(current, (first, ours))


def said(text: str, *slots: str) -> str:
    """The number of the time that is taken, "any", "none", "unclear", "another", or "" for no answer."""
    answer = answer_to_offer(answered(text, *slots), "Europe/Berlin")
    return _in_short(answer)


def _in_short(answer: OfferAnswer | None) -> str:
    if answer is None:
        return ""
    if answer.names_another or answer.declined:
        return "another" if answer.names_another else "none"
    if len(answer.taken) > 1:
        return "any"
    return str(answer.offered.index(answer.taken[0]) + 1) if answer.taken else "unclear"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("The first one, please.", "1"),
        ("2pm on Thursday is fine.", "3"),
        ("25 November works.", "2"),
        ("Wednesday doesn't work, but Thursday is fine.", "3"),
        ("Montag geht leider nicht, aber Mittwoch passt.", "2"),
        ("Either is fine.", "any"),
        ("None of these works, sorry.", "none"),
        ("That works for me.", "unclear"),
        ("Is the first one still free?", ""),
        ("The second, if Bo can come.", "unclear"),
        ("Maybe the first.", "unclear"),
        ("Could we do Wednesday at 11 instead?", "another"),
        ("Monday at 10:00 would be better.", "1"),
        ("The first one doesn't work for me.", "unclear"),
        ("Not the first, the second please.", "2"),
        ("On Thursday I am at the dentist's with my son.", ""),
        ("On Thursday I am at the dentist's with my son, the second works.", "2"),
        ("Thursday, unless it rains, is fine.", "unclear"),
        ("Thursday, at 3 pm please.", "unclear"),
        ("Option 6 works.", "unclear"),
        ("The first week of May is busy, the second works.", "unclear"),
        ("Thanks for your mail!", ""),
    ],
)  # fmt: skip
def test_what_is_said_of_three_times(text: str, number: str) -> None:
    """One is taken, any, or none; what nobody can tell is left open; and what says nothing of them is no answer."""
    assert said(text) == number


@pytest.mark.parametrize("text", ["That works.", "Passt!", "Perfect, see you then.", "D'accord."])
def test_the_only_time_is_taken_by_any_yes(text: str) -> None:
    """One time to whoever asks for one needs no name."""
    assert said(text, SLOTS[1]) == "1"


def test_only_the_users_own_offer_counts() -> None:
    """Not what a stranger quotes, nor a letter that is not among the sent ones; nor does one whose meeting was made by now."""
    assert answer_to_offer(answered("The second works.", sent=False), "Europe/Berlin") is None
    quoting = answered("The second works.", SLOTS[0], SLOTS[2], quoted=letter(*SLOTS))
    answer = answer_to_offer(quoting, "Europe/Berlin")
    assert answer is not None
    assert answer.taken[0][0].isoformat() == "2026-11-26T14:00:00+01:00"
    theirs = Message(
        "5", "t", Address("bo@example.org"), "Re: Catch up", letter(SLOTS[2], SLOTS[0]),
        message_id="<5@example.org>", in_reply_to="<1@example.com>", date=NOW,
    )  # fmt: skip
    after = answered("The second works.")
    unnamed = replace(after.current, in_reply_to="")
    answer = answer_to_offer(Conversation(unnamed, (*after.earlier, theirs)), "Europe/Berlin")
    assert answer is not None
    assert answer.taken[0][0].isoformat() == "2026-11-25T09:00:00+01:00"
    invited = Message(
        "4", "t", ROBIN, "Invitation", "Invitation", sent=True, calendars=("BEGIN:VCALENDAR",), date=NOW
    )
    settled = answered("The second works.")
    assert (
        answer_to_offer(Conversation(settled.current, (*settled.earlier, invited)), "Europe/Berlin") is None
    )


def test_it_is_to_be_dealt_with() -> None:
    """Though it asks nothing in words."""
    verdict = triage(
        answered("The second works, no need to reply."), preferences="", own=frozenset({ROBIN.key})
    )
    assert (verdict.classification, verdict.reasoning) == ("respond", "It answers times that you offered.")
