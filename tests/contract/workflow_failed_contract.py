"""Promises about what was approved and could not be done: it never looks done."""

import pytest

from email_assistant.errors import AccessError, ProviderError, TransientError
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
