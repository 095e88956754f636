"""Promises about mail that crosses an answer: an invitation is cancelled or moved, or a letter comes, at every moment of its card."""

import email.policy
from collections.abc import Mapping
from email import message_from_bytes
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from email_assistant.mail.message import Message
from eval.mails import raw_messages
from tests.support.calendar_mail import invitation
from tests.support.crossing import Reader
from tests.support.workflows import Bench, Workflow

BEFORE, WAITING, HELD, ACCEPTED, TIED = MOMENTS = (
    "before the card", "while it waits", "during the hold", "at the accept", "with equal dates",
)  # fmt: skip
NINE, TEN = "Thu, 19 Nov 2026 09:00:00 +0000", "Thu, 19 Nov 2026 10:00:00 +0000"
DEFERRED = {"sequence": 2, "stamp": "20261119T100000Z", "number": 2}
CROSSING: Mapping[str, Mapping[str, Any]] = {
    "CANCEL": DEFERRED | {"method": "CANCEL"},
    "REQUEST": DEFERRED | {"start": ":20261126T130000Z"},
}
INVITED = "<calendar-1@example.com>"


class CrossingContract:
    """Nothing that crosses an answer is lost, and nobody accepts what was called off without having read it."""

    @pytest.fixture
    def reader(self, bench: Bench, workflow: Workflow) -> Reader:
        """Who reads the cards."""
        return Reader(bench, workflow.graph)

    @pytest.mark.parametrize("moment", MOMENTS)
    @pytest.mark.parametrize("conversation", ["its own", "the same"])
    @pytest.mark.parametrize("method", CROSSING)
    async def test_a_cancellation_or_a_new_time_that_crosses_an_answer_is_read_first(
        self, reader: Reader, method: str, conversation: str, moment: str
    ) -> None:
        """It has a card, or the first line of the card that is asked again; only the newest state is answered."""
        date = NINE if moment == TIED else TEN
        reply_to = INVITED if conversation == "the same" else ""
        crossing = invitation(**CROSSING[method], date=date, reply_to=reply_to)
        message = await crossed(reader, crossing, moment)
        assert reader.has_read("since: “Budget”" if method == "CANCEL" else "since.") or moment != ACCEPTED
        await reader.settle()
        if method == "CANCEL":
            # Of what was called off before anybody read its invitation there may be nothing to withdraw.
            never_read = moment in {BEFORE, TIED} and reader.lost([message]) == []
            assert reader.has_read("has cancelled") or never_read
            assert await answered(reader) == []
        else:
            assert reader.has_read("14:00 to 15:00")
            assert await answered(reader) == ["2"]

    @pytest.mark.parametrize("moment", MOMENTS)
    async def test_a_letter_that_crosses_an_answer_is_shown_and_so_is_the_invitation(
        self, reader: Reader, workflow: Workflow, moment: str
    ) -> None:
        """Neither takes the other's place, whichever came first."""
        message = await crossed(reader, letter(workflow, NINE if moment == TIED else TEN), moment)
        assert reader.lost([message]) == []
        await reader.settle()
        assert await answered(reader) == ["1"]

    @pytest.mark.parametrize("date", [NINE, TEN])
    @pytest.mark.parametrize("method", [*CROSSING, "letter"])
    async def test_what_crosses_a_letter_of_the_users_own_is_shown(
        self, reader: Reader, workflow: Workflow, method: str, date: str
    ) -> None:
        """A letter that does not answer it settles no other, and none settles calendar mail; a letter that was answered is settled."""
        invited = await reader.desk.receive(invitation(date=NINE))
        await reader.look()
        await reader.settle()
        crossing = await reader.desk.receive(
            invitation(**CROSSING[method], date=date, reply_to=INVITED)
            if method in CROSSING
            else letter(workflow, date)
        )
        await reader.write_elsewhere(crossing if method in CROSSING else invited)
        await reader.look()
        assert reader.lost([crossing]) == []
        await reader.settle()
        assert reader.has_read("has cancelled" if method == "CANCEL" else "14:00 to 15:00") == (
            method in CROSSING
        )
        answered_too = await reader.desk.receive(letter(workflow, TEN, number=2))
        await reader.write_elsewhere(answered_too)
        await reader.look()
        assert (reader.lost([answered_too]) == []) == (workflow.graph == "inbox_organizer")

    async def test_a_stranger_calls_off_nobodys_meeting(self, reader: Reader) -> None:
        """Neither under their own name nor under the organizer's: the invitation waits, and one accept answers it."""
        await reader.desk.receive(invitation())
        await reader.look()
        for number, organizer in ((2, "mallory@evil.example"), (3, "ana@example.com")):
            forged = {
                "sender": "Mallory <mallory@evil.example>",
                "organizer": f"ORGANIZER:mailto:{organizer}",
            }
            reply_to = INVITED if number == 3 else ""
            await reader.desk.receive(
                invitation(method="CANCEL", sequence=5, number=number, reply_to=reply_to, **forged)
            )
            await reader.look()
        await reader.settle()
        assert await answered(reader) == ["1"]


def letter(workflow: Workflow, date: str, number: int = 1) -> bytes:
    """What the workflow answers, in the invitation's conversation."""
    headers = {"In-Reply-To": INVITED, "References": INVITED}
    case = dict(workflow.case) | {"id": f"letter{number}", "headers": headers}
    (made,) = raw_messages(case | {"date": parsedate_to_datetime(date).isoformat()})
    return made


async def crossed(reader: Reader, crossing: bytes, moment: str) -> Message:
    """An invitation, what crosses its answer, and the answer; then a look."""
    if moment == TIED:
        found = await reader.desk.receive(crossing)
    await reader.desk.receive(invitation(date=NINE))
    if moment == BEFORE:
        found = await reader.desk.receive(crossing)
    await reader.look()
    if moment == WAITING:
        found = await reader.desk.receive(crossing)
        await reader.look()
    if moment in {HELD, ACCEPTED}:
        thread_id, card = await reader.up_to("Invitation")
        found = await reader.desk.receive(crossing)
        if moment == HELD:
            await reader.look()
        await reader.answer(thread_id, card, "accept")
        await reader.look()
    return found


async def answered(reader: Reader) -> list[str]:
    """The revision that each answer which went out is for."""
    whole = [
        message_from_bytes(bytes(sent), policy=email.policy.default) for sent in await reader.desk.sent()
    ]
    parts = [
        p.get_content() for mail in whole for p in mail.walk() if p.get_content_type() == "text/calendar"
    ]
    return [
        line.partition(":")[2].strip()
        for part in parts
        for line in part.splitlines()
        if line.startswith("SEQUENCE")
    ]
