"""Promises about what was approved and could not be done: it never looks done."""

import pytest

from email_assistant.errors import AccessError, ProviderError, TransientError, UncertainError
from tests.support.workflows import Bench, echoed


class FailedContract:
    """An approval that came to nothing is told, and can be given again."""

    @pytest.mark.parametrize("error", [ProviderError, TransientError, AccessError])
    async def test_an_approved_reply_that_the_mailbox_refuses_is_asked_again(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch, error: type[ProviderError]
    ) -> None:
        """The card comes back with the reason in its first line; accepted once it works again, one reply leaves."""
        message, card = await bench.to_reply()

        async def refuses(*_: object, **__: object) -> None:
            raise error("the mailbox is full.")

        with monkeypatch.context() as broken:
            broken.setattr(type(bench.house.mailbox), "send_draft", refuses)
            again = await bench.answer(message, echoed(card))
        assert again is not None, "an approved reply that was not sent looks done"
        assert "the mailbox is full" in again["description"].splitlines()[0]
        assert await bench.sent() == []
        assert await bench.answer(message, echoed(again)) is None
        assert len(await bench.sent()) == 1

    async def test_a_reply_that_nobody_knows_the_end_of_is_not_sent_again_unasked(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The card comes back and says so as often as it is read; who accepts that has it sent, once more."""
        message, card = await bench.to_reply()
        mailbox, why = type(bench.house.mailbox), "the connection broke after the text was handed over"

        async def breaks(*_: object, **__: object) -> None:
            raise UncertainError(why)

        async def maybe(*_: object) -> str:
            return why

        with monkeypatch.context() as broken:
            broken.setattr(mailbox, "send_draft", breaks)
            broken.setattr(mailbox, "maybe_sent", maybe)
            again = await bench.answer(message, echoed(card))
        assert again is not None
        assert f"This may have been sent: {why}." in again["description"].splitlines()[0]
        assert await bench.sent() == []
        monkeypatch.setattr(mailbox, "maybe_sent", maybe)
        assert await bench.answer(message, echoed(again)) is None
        assert len(await bench.sent()) == 1
