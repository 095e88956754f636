"""Promises about approval: nothing leaves unasked, and what leaves is what was shown, once."""

from tests.support.workflows import ACCEPT, IGNORE, Bench


class ApprovalContract:
    """An approval counts for exactly what was shown."""

    async def test_nothing_leaves_before_a_person_has_approved_it(self, bench: Bench) -> None:
        """The card waits, the draft is in the mailbox, and Sent is empty."""
        await bench.to_reply()
        assert (await bench.sent(), len(await bench.drafts())) == ([], 1)

    async def test_an_accepted_reply_is_sent_as_shown_once(self, bench: Bench) -> None:
        """The text in Sent is the card's, and the draft is gone."""
        message, card = await bench.to_reply()
        assert await bench.answer(message, ACCEPT) is None
        (sent,) = await bench.sent()
        assert (
            sent.get_payload(decode=True).decode().split() == card["action_request"]["args"]["body"].split()
        )
        assert await bench.drafts() == []

    async def test_a_dismissed_reply_is_not_sent(self, bench: Bench) -> None:
        """Neither in Sent nor in Drafts."""
        message, _ = await bench.to_reply()
        await bench.answer(message, IGNORE)
        assert (await bench.sent(), await bench.drafts()) == ([], [])
