"""Many who want the last units: at once, from several processes, and with some of them killed."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from email_assistant.clock import SystemClock
from email_assistant.journal.database import Database
from email_assistant.workflows.order_desk.records.catalogue import Catalogue
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.shop.order import Wanted
from email_assistant.workflows.order_desk.shop.product import Product

WORKER = Path(__file__).with_name("order_worker.py")
KILLED = -9
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


def _start(url: str, prefix: str, number: int, *die_at: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), url, "A-1", prefix, str(number), *die_at]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _go(*processes: subprocess.Popen[str]) -> None:
    """Let them begin at the same moment."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()


def _answers(*processes: subprocess.Popen[str]) -> dict[str, int]:
    """What they were told until they ended."""
    told = [process.communicate(timeout=60)[0] for process in processes]
    return {name: int(units) for text in told for name, units in (line.split() for line in text.splitlines())}


async def test_a_process_that_is_killed(catalogue: Catalogue, database_url: str) -> None:
    """While it takes beside another; then all is asked again: fifty are sold, and each answer that was given holds."""
    processes = [_start(database_url, f"p{n}-", STOCK) for n in range(2)]

    def kill_one() -> dict[str, int]:
        _go(*processes)
        assert processes[0].stdout is not None
        seen = [processes[0].stdout.readline().split() for _ in range(3)]
        processes[0].kill()
        return _answers(*processes) | {name: int(units) for name, units in seen}

    answers = await asyncio.to_thread(kill_one)
    assert [process.returncode for process in processes] == [KILLED, 0]
    orders = Orders(catalogue.database, catalogue.clock)
    final = {}
    for name in (f"p{n}-{at}" for at in range(STOCK) for n in range(2)):
        ((_, _, final[name]),) = await orders.take(name, [Wanted("A-1", 1)], hold=False)
    assert answers.items() <= final.items()
    assert (len(final), sum(final.values()), await stock(catalogue)) == (100, STOCK, 0)


@pytest.mark.parametrize("statement", ["INSERT INTO order_lines"])
async def test_killed_in_the_middle_of_an_order(
    catalogue: Catalogue, database_url: str, statement: str
) -> None:
    """Nothing of it is left, and the next one with its id takes what it would have."""
    process = _start(database_url, "o", 1, statement)
    await asyncio.to_thread(_go, process)
    assert await asyncio.to_thread(_answers, process) == {}
    assert process.returncode == KILLED
    orders = Orders(catalogue.database, catalogue.clock)
    assert (await orders.get("o0"), await stock(catalogue)) == (None, STOCK)
    assert await orders.take("o0", [Wanted("A-1", 1)], hold=False) == (("A-1", 1, 1),)
    assert await stock(catalogue) == STOCK - 1
