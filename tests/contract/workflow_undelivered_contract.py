"""Promises about a letter that was sent and did not arrive."""

from email.utils import parseaddr
from typing import Any

from email_assistant.adapters.importer import deliver
from email_assistant.app.accounts import local_mailbox
from email_assistant.mail.message import Message
from tests.support.bounces import bounces
from tests.support.workflows import IGNORE, Bench, echoed, edited, respond

PROGRAMS = tuple(bounces("", "", ""))


async def to_sent(bench: Bench) -> Any:
    """A letter that went out."""
    message, card = await bench.to_reply()
    await bench.answer(message, echoed(card))
    (sent,) = await bench.sent()
    return sent


async def returned(bench: Bench, sent: Any, program: str) -> Message:
    """This program's report on the letter, in the mailbox."""
    to = parseaddr(str(sent["To"]))[1]
    raw = bounces(str(sent["Message-ID"]), to, str(sent["Subject"]))[program]
    message_id, _ = await deliver(local_mailbox(bench.house), raw)
    return await bench.house.mailbox.fetch(message_id)


class UndeliveredContract:
    """Of a graph that answers mail."""

    async def test_a_letter_that_came_back_is_named(self, bench: Bench) -> None:
        """Which one, to whom and why, first in the list, and neither an attack nor noise; whichever program reports it."""
        sent = await to_sent(bench)
        name, address = parseaddr(str(sent["To"]))
        for program in PROGRAMS:
            card = await bench.start(await returned(bench, sent, program))
            assert card is not None, program
            view = card["view"]
            assert (view["kind"], view["doubts"], view["alarms"]) == ("undelivered", [], []), program
            for each in (name, address, f"“{sent['Subject']}”", "550"):
                assert each in view["ask"], (program, view["ask"])
            text = sent.get_payload(decode=True).decode()
            assert card["action_request"]["args"]["body"].strip() == text.strip()

    async def test_it_goes_elsewhere_once_and_only_when_a_person_says_so(self, bench: Bench) -> None:
        """In words that name an address, or by an edit; put aside, nothing of it is left."""
        report = await returned(bench, await to_sent(bench), "Postfix")
        card = await bench.start(report)
        drafts = len(await bench.drafts())
        card = await bench.answer(report, respond("send it to ana@new.example please"))
        assert card is not None
        assert card["action_request"]["args"]["to"] == "ana@new.example"
        card = await bench.answer(report, respond("try again"))
        assert card is not None
        assert "No address" in card["description"]
        assert len(await bench.sent()) == 1
        assert await bench.answer(report, edited(card, to="Ana <ana@newer.example>")) is None
        sent = {str(each["To"]): each["Subject"] for each in await bench.sent()}
        assert len(sent) == 2
        assert "Ana <ana@newer.example>" in sent
        assert len(set(sent.values())) == 1
        assert len(await bench.drafts()) == drafts - 1

    async def test_put_aside_it_leaves_no_draft(self, bench: Bench) -> None:
        """And nothing is sent."""
        report = await returned(bench, await to_sent(bench), "Gmail")
        await bench.start(report)
        assert len(await bench.drafts()) == 1
        assert await bench.answer(report, IGNORE) is None
        assert (len(await bench.sent()), len(await bench.drafts())) == (1, 0)
