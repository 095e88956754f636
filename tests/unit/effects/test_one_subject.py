"""One kind of effect on one subject: of all who are at it at one moment one does it, and the others are told."""

import asyncio

import pytest

from email_assistant.clock import FixedClock
from email_assistant.effects.outbox import NotHappened, Outbox, Outcome, Reconciled
from email_assistant.effects.store import DoneElsewhereError, Intent
from email_assistant.errors import ProviderError
from email_assistant.journal.database import Database
from email_assistant.journal.records import Doer

RACERS = 36
NOBODY_KNOWN: tuple[str, ...] = ()


@pytest.fixture
def outbox(database: Database, clock: FixedClock) -> Outbox:
    """An empty one."""
    return Outbox(database, clock)


async def answer(
    outbox: Outbox, by: Doer, accepted: tuple[str, ...] = NOBODY_KNOWN, error: Exception | None = None
) -> Outcome:
    """Answer one message."""

    async def do() -> str:
        await asyncio.sleep(0)
        if error:
            raise error
        return by.run_thread_id

    async def reconcile() -> Reconciled:
        return NotHappened()

    return await outbox.perform(
        Intent(
            f"{by.run_thread_id}:reply:{by.round}",
            "send",
            "reply:m1",
            {"by": by.run_thread_id},
            by=by,
            accepted=accepted,
        ),
        do,
        reconcile,
    )


async def test_of_many_run_threads_at_one_moment_one_performs(outbox: Outbox) -> None:
    """Each other one gets to know who did; whoever accepts that does it as well."""
    doers = [Doer(f"t{number}", "order_desk", 1) for number in range(RACERS)]
    ends = await asyncio.gather(*(answer(outbox, by) for by in doers), return_exceptions=True)
    (done,) = [end for end in ends if isinstance(end, Outcome)]
    refused = [end for end in ends if isinstance(end, DoneElsewhereError)]
    assert len(refused) == RACERS - 1
    assert {row.action_id for error in refused for row in error.rows} == {done.action_id}
    assert [row.action_id for row in await outbox.find("reply:m1", "send")] == [done.action_id]
    loser = next(by for by, end in zip(doers, ends, strict=True) if isinstance(end, DoneElsewhereError))
    assert (await answer(outbox, loser, (done.action_id,))).performed


@pytest.mark.parametrize(
    ("second", "is_refused"),
    [
        (Doer("t1", "order_desk", 1), False),
        (Doer("t1", "order_desk", 2), True),
        (Doer("t1", "claims_desk", 1), True),
        (Doer("t2", "order_desk", 1), True),
    ],
)
async def test_only_the_same_work_knows_what_it_has_done(
    outbox: Outbox, second: Doer, is_refused: bool
) -> None:
    """A second reply that one piece of work proposes is its own affair; another message, graph or thread is told."""
    await answer(outbox, Doer("t1", "order_desk", 1))

    async def again() -> None:
        await outbox.perform(
            Intent(f"{second.run_thread_id}:again", "send", "reply:m1", {}, by=second, accepted=NOBODY_KNOWN),
            _nothing,
            _not_done,
        )

    if is_refused:
        with pytest.raises(DoneElsewhereError):
            await again()
    else:
        await again()


async def test_what_failed_stands_in_nobodys_way_until_it_is_tried_again(outbox: Outbox) -> None:
    """Another run may do it then, and the first one's next try is told of that."""
    first, second = Doer("t1", "order_desk", 1), Doer("t2", "order_desk", 1)
    with pytest.raises(ProviderError):
        await answer(outbox, first, error=ProviderError("refused"))
    assert (await answer(outbox, second)).performed
    with pytest.raises(DoneElsewhereError):
        await answer(outbox, first)


async def _nothing() -> None:
    return None


async def _not_done() -> Reconciled:
    return NotHappened()
