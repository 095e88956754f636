"""Many who want the last units: at once, from several processes, and with some of them killed."""

import asyncio
import signal
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal

import pytest

from email_assistant.clock import SystemClock
from email_assistant.journal.database import Database
from email_assistant.workflows.order_desk.records.catalogue import Catalogue
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.shop.order import Wanted
from email_assistant.workflows.order_desk.shop.product import Product

KILLED = """
import asyncio, os, signal, sys
from sqlalchemy import event
from sqlalchemy.engine import Engine
from email_assistant.clock import SystemClock
from email_assistant.journal.database import Database
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.shop.order import Wanted

def die(*args):
    if args[2].startswith("INSERT INTO order_lines"):
        os.kill(os.getpid(), signal.SIGKILL)

event.listen(Engine, "before_cursor_execute", die)
asyncio.run(Orders(Database(sys.argv[1]), SystemClock()).take("o0", [Wanted("A-1", 1)], hold=False))
print("lived")
"""
STOCK = 50
AT_ONCE = 60
"""Connections that the tests' PostgreSQL has to spare."""


@pytest.fixture
async def catalogue(database: Database) -> Catalogue:
    """Two products, fifty units of each."""
    catalogue = Catalogue(database, SystemClock())
    await catalogue.import_all(
        [Product(each, each, "Bags", "", Decimal(5), stock=STOCK) for each in ("A-1", "B-2")]
    )
    return catalogue


async def stock(catalogue: Catalogue, product: str = "A-1") -> int:
    """What is left."""
    found = await catalogue.get(product)
    assert found is not None
    return found.stock


async def test_two_hundred_orders_for_fifty_units(catalogue: Catalogue) -> None:
    """Fifty get one, the others nothing, nothing is left; each that asks again is answered the same."""
    orders = Orders(catalogue.database, catalogue.clock)
    turn = asyncio.Semaphore(AT_ONCE)

    async def take(number: int) -> int:
        async with turn:
            (got,) = await orders.take(f"o{number}", [Wanted("A-1", 1)], hold=number % 2 == 0)
        return got.taken

    first = await asyncio.gather(*(take(number) for number in range(200)))
    assert (sum(first), max(first), await stock(catalogue)) == (STOCK, 1, 0)
    assert await asyncio.gather(*(take(number) for number in range(200))) == first
    assert (await stock(catalogue), await stock(catalogue, "B-2")) == (0, STOCK)


async def test_an_import_while_orders_run(catalogue: Catalogue) -> None:
    """Each order is wholly before or after it: what is held and what is left make up the imported stock."""
    orders = Orders(catalogue.database, catalogue.clock)
    products = [Product(each, each, "Bags", "", Decimal(5), stock=30) for each in ("B-2", "A-1")]

    async def import_twice() -> None:
        for _ in range(2):
            await catalogue.import_all(products)

    wanted = [Wanted("A-1", 1), Wanted("B-2", 1)]
    takers = [orders.take(f"o{number}", wanted, hold=True) for number in range(AT_ONCE - 5)]
    *taken, _ = await asyncio.gather(*takers, import_twice())
    held = [sum(answer[column].taken for answer in taken) for column in (0, 1)]
    assert min(held) >= 30
    assert (await stock(catalogue), await stock(catalogue, "B-2")) == (0, 0)
    await catalogue.import_all([replace(each, stock=100) for each in products])
    assert [await stock(catalogue), await stock(catalogue, "B-2")] == [100 - each for each in held]


async def test_killed_in_the_middle_of_an_order(catalogue: Catalogue, database_url: str) -> None:
    """Nothing of it is left, and the next one with its id takes what it would have."""
    command = [sys.executable, "-c", KILLED, database_url]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, ""), done.stderr
    orders = Orders(catalogue.database, catalogue.clock)
    assert (await orders.get("o0"), await stock(catalogue)) == (None, STOCK)
    assert await orders.take("o0", [Wanted("A-1", 1)], hold=False) == (("A-1", 1, 1),)
    assert await stock(catalogue) == STOCK - 1
