"""Refunds are paid once and within policy, whatever crashes: with our own ledger and with an endpoint, on both databases."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from email_assistant.effects.store import UnresolvedEffectError
from email_assistant.errors import ConflictError, InputError, NotFoundError, ProviderError, TransientError
from email_assistant.workflows.claims_desk.claims.claim import Receipt
from email_assistant.workflows.claims_desk.records.refunds import RefundState
from email_assistant.workflows.claims_desk.refunding import Refunding
from tests.support.claims_desk import KEY, NOW, REFUND, refunding, with_customers
from tests.support.jira_stand_in import CUT, served
from tests.support.refund_stand_in import Payer, Till
from tests.support.sampling import sampled

ROOT = Path(__file__).parents[3]
WORKER = "tests.support.claims_worker"
KILLED = -9


@pytest.fixture
def till() -> Till:
    """Nothing was paid."""
    return Till()


@pytest.fixture
def endpoint(till: Till) -> Iterator[str]:
    """Its address."""
    with served(Payer, till) as url:
        yield url


@pytest.fixture
async def url(database_url: str) -> str:
    """A database with two customers."""
    await with_customers(database_url)
    return database_url


def run(*args: str) -> tuple[int, str]:
    """A process that is told to pay: its exit code and what it printed."""
    command = [sys.executable, "-m", WORKER, *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)
    return done.returncode, done.stdout.strip()


async def state(refunds: Refunding, key: str = KEY) -> RefundState | None:
    """Of the refund on record."""
    found = await refunds.ledger.get("acme", key)
    return found and found.state


async def pay(refunds: Refunding, key: str = KEY, **change: Any) -> Receipt:
    """Perform the refund with these changes, approved."""
    return await refunds.perform_refund(replace(REFUND, **change), key, approved=True)


async def test_a_refund(url: str, endpoint: str, till: Till) -> None:
    """Is paid once and on record; asking again asks nobody."""
    refunds = refunding(url, endpoint, NOW)
    receipt = await pay(refunds)
    assert receipt.id == "R-1"
    asked = len(till.requests)
    assert (await pay(refunds)).id == "R-1"
    assert (till.payments, len(till.requests)) == (1, asked)
    (record,) = await refunds.ledger.of_user("acme", "U1")
    assert (record.refund, record.state, record.receipt) == (REFUND, RefundState.paid, "R-1")
    assert await refunds.ledger.refunded("acme", "U1", "HC-1") == Decimal("12.50")
    assert await refunds.ledger.of_user("acme", "U2") == await refunds.ledger.of_user("other", "U1") == ()
    assert await refunds.ledger.refunded("acme", "U2", "HC-1") == 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"amount": Decimal("80.01")}, "more than 80.00, the ceiling EMAIL_ASSISTANT_REFUND_CEILING"),
        ({"amount": Decimal(0)}, "amount"),
        ({"amount": Decimal("0.001")}, "more than two decimals"),
        ({"policy_id": "HC-2"}, "the customer has no policy HC-2"),
        ({"user_id": "U2"}, "the customer has no policy HC-1"),
        ({"tenant_id": "other"}, "the customer has no policy HC-1"),
    ],
)
async def test_what_may_not_be_paid(
    url: str, endpoint: str, till: Till, change: dict[str, Any], told: str
) -> None:
    """Is refused though a person approved it; nobody is asked, nothing is set aside."""
    refunds = refunding(url, endpoint, NOW)
    with pytest.raises(InputError, match=told):
        await pay(refunds, **change)
    assert (till.requests, await state(refunds)) == ([], None)


async def test_the_policys_own_bounds(url: str, endpoint: str, till: Till) -> None:
    """A claim's limit; and all refunds together are at most what was paid."""
    refunds = refunding(url, endpoint, NOW, ceiling="500")
    with pytest.raises(InputError, match=r"90.01 is more than 90.00, the policy's limit"):
        await pay(refunds, amount=Decimal("90.01"))
    await pay(refunds, "k1", amount=Decimal("90.00"))
    with pytest.raises(InputError, match=r"10.01 is more than 10.00, what was paid"):
        await pay(refunds, "k2", amount=Decimal("10.01"))
    await pay(refunds, "k3", amount=Decimal("10.00"))
    with pytest.raises(InputError, match=r"0.01 is more than 0.00, what was paid"):
        await pay(refunds, "k4", amount=Decimal("0.01"))
    assert till.payments == 2


async def test_many_claims_at_once(url: str, endpoint: str, till: Till) -> None:
    """Together they get no more than was paid for the policy."""
    several = [refunding(url, endpoint, NOW) for _ in range(10)]
    done = await asyncio.gather(
        *(pay(each, f"k{n}", amount=Decimal("30.00")) for n, each in enumerate(several)),
        return_exceptions=True,
    )
    assert sum(isinstance(each, Receipt) for each in done) == till.payments == 3
    assert all(isinstance(each, InputError | Receipt) for each in done)


async def test_approval(url: str, endpoint: str, till: Till) -> None:
    """Without a person's only as much as the setting allows."""
    for automatic, amount, paid in (("0", "0.01", 0), ("12.49", "12.50", 0), ("12.50", "12.50", 1)):
        refunds = refunding(url, endpoint, NOW, automatic=automatic)
        wanted = replace(REFUND, amount=Decimal(amount))
        if paid:
            await refunds.perform_refund(wanted, KEY, approved=False)
        else:
            with pytest.raises(InputError, match="needs a person's approval"):
                await refunds.perform_refund(wanted, KEY, approved=False)
        assert till.payments == paid


async def test_another_refund_under_the_key(url: str, endpoint: str, till: Till) -> None:
    """Goes to a person, here or there."""
    refunds = refunding(url, endpoint, NOW)
    await pay(refunds)
    with pytest.raises(ConflictError, match="stands for another refund"):
        await pay(refunds, amount=Decimal("12.51"))
    (key,) = till.paid
    till.paid[key]["amount"] = "99.00"
    await with_customers(empty := url)
    fresh = refunding(empty, endpoint, NOW)
    async with fresh.ledger.database.begin() as connection:  # As if this were a restored database.
        for table in ("refunds", "outbox"):
            await connection.exec_driver_sql(f"DELETE FROM {table}")
    with pytest.raises(ConflictError, match=r"99.00, not 12.50; a person must look"):
        await pay(fresh)
    assert (await state(fresh), till.payments) == (RefundState.reserved, 1)


@pytest.mark.parametrize(
    ("service", "die"), sampled(product(["local", "endpoint"], ["before", "after", "late"]), every=4)
)
async def test_killed(url: str, endpoint: str, till: Till, service: str, die: str) -> None:
    """Wherever it was, the next call tells the one payment."""
    place = "local" if service == "local" else endpoint
    assert await asyncio.to_thread(run, url, "refund", place, die) == (KILLED, "")
    refunds = refunding(url, place, NOW)
    receipt = await pay(refunds)
    assert await state(refunds) is (RefundState.due if service == "local" else RefundState.paid)
    assert till.payments == int(service == "endpoint")
    assert await asyncio.to_thread(run, url, "refund", place, "never") == (0, receipt.id)
    assert len(await refunds.ledger.of_user("acme", "U1")) == 1
    assert await refunds.outbox.pending() == []


async def test_an_endpoint_that_is_down_and_comes_back(url: str, endpoint: str, till: Till) -> None:
    """The money stays set aside until it is known; then there is one payment."""
    for what in (CUT, 503, 500):
        till.fault("POST", what)
    refunds = refunding(url, endpoint, NOW)
    with pytest.raises(TransientError):
        await pay(refunds)
    assert await state(refunds) is RefundState.reserved
    with pytest.raises(InputError, match=r"80.00 is more than 77.50"):
        await pay(refunds, "k2", amount=Decimal("80.00")) if await pay(
            refunds, "k1", amount=Decimal("10")
        ) else None
    assert (await pay(refunding(url, endpoint, NOW + timedelta(hours=11)))).id == "R-1"
    assert (await state(refunds), till.payments) == (RefundState.paid, 2)


async def test_asking_again_too_late(url: str, endpoint: str, till: Till) -> None:
    """When the endpoint may have forgotten the key, a person must look; however often it is asked, nothing is paid."""
    for what in (CUT, 503, 500):
        till.fault("POST", what)
    with pytest.raises(TransientError):
        await pay(refunding(url, endpoint, NOW))
    asked = len(till.requests)
    for hours in (13, 14, 30):
        late = refunding(url, endpoint, NOW + timedelta(hours=hours))
        with pytest.raises(UnresolvedEffectError, match="it was asked for at 2026-11-20 09:30 UTC"):
            await pay(late)
        assert await state(late) is RefundState.reserved
    assert len(till.requests) == asked


async def test_what_a_person_found_out_settles_it(url: str, endpoint: str, till: Till) -> None:
    """Paid, with its receipt, at any time; unpaid only when the assistant does not ask by itself any more. Once."""
    for what in (CUT, 503, 500) * 2:
        till.fault("POST", what)
    early, late = refunding(url, endpoint, NOW), refunding(url, endpoint, NOW + timedelta(hours=13))
    for key in (KEY, "k2"):
        with pytest.raises(TransientError):
            await pay(early, key, amount=Decimal("10.00"))
    asked = len(till.requests)
    with pytest.raises(InputError, match="may still be paid: until 2026-11-20 21:30 UTC"):
        await early.found_out("acme", KEY, reason="not in the books")
    await late.found_out("acme", KEY, reason="not in the books")
    await early.found_out("acme", "k2", receipt="R-9")
    assert await late.ledger.refunded("acme", "U1", "HC-1") == Decimal("10.00")
    assert (await pay(late, "k2", amount=Decimal("10.00"))).id == "R-9"
    for key, told in ((KEY, "not in the books"), ("k2", "R-9")):
        with pytest.raises(InputError, match=f"{key} is settled: .*{told}"):
            await late.found_out("acme", key, receipt="R-10")
    for tenant, key in (("bank", KEY), ("acme", "k3")):
        with pytest.raises(NotFoundError, match="there is no refund"):
            await late.found_out(tenant, key, receipt="R-10")
    assert len(till.requests) == asked


async def test_a_refusal_frees_the_money(url: str, endpoint: str, till: Till) -> None:
    """It was surely not paid, so another refund may have it; what is wrong can be mended and asked again, much later too."""
    till.fault("POST", 422)
    refunds = refunding(url, endpoint, NOW)
    with pytest.raises(ProviderError, match="status 422"):
        await pay(refunds)
    record = await refunds.ledger.get("acme", KEY)
    assert record is not None
    assert (record.state, record.reason) == (
        RefundState.refused,
        "the refund endpoint refused (status 422): no reason given",
    )
    assert await refunds.ledger.refunded("acme", "U1", "HC-1") == 0
    later = refunding(url, endpoint, NOW + timedelta(days=2))
    assert (await pay(later)).id == "R-1"
    assert await state(later) is RefundState.paid


async def test_a_refusal_after_an_attempt_in_doubt(url: str, endpoint: str, till: Till) -> None:
    """Proves nothing: a person must look, and the money stays set aside."""
    for what in (CUT, 503, 500, 401):
        till.fault("POST", what)
    refunds = refunding(url, endpoint, NOW)
    with pytest.raises(TransientError):
        await pay(refunds)
    with pytest.raises(UnresolvedEffectError, match="refuses the credentials"):
        await pay(refunds)
    assert await state(refunds) is RefundState.reserved
    assert (await pay(refunds)).id == "R-1"
    assert till.payments == 1
