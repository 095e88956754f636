"""Whatever is taken, confirmed, released and asked again, in any order: no unit is made, lost or sold twice."""

import asyncio
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from email_assistant.clock import FixedClock
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.database import Database
from email_assistant.workflows.order_desk.records.catalogue import Catalogue
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.records.tables import OrderState, TakenLine
from email_assistant.workflows.order_desk.shop.order import Wanted
from email_assistant.workflows.order_desk.shop.product import Product, product_key

IDS = ("A-1", "B-2", "C-3")
ORDERS = st.sampled_from(["o1", "o2", "o3"])
WANTED = st.lists(
    st.builds(Wanted, st.sampled_from([*IDS, "a1", "NO-1"]), st.integers(1, 4), st.booleans()), max_size=4
)


@dataclass
class Known:
    """What the machine has been told of an order."""

    taken: tuple[TakenLine, ...]
    state: OrderState


class StockMachine(RuleBasedStateMachine):
    """Three orders for three products, and imports in between."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.known: dict[str, Known] = {}

    @initialize(stock=st.integers(0, 6))
    def open(self, stock: int) -> None:
        """A catalogue, and an order that holds units: what follows is about little else."""
        database = Database(f"sqlite:///{Path(self.folder.name) / 'a.db'}")
        clock = FixedClock(datetime(2026, 11, 20, tzinfo=UTC))
        self.catalogue, self.orders = Catalogue(database, clock), Orders(database, clock)
        self.counted: dict[str, int] = {}
        self.import_again(stock)
        self.take("o1", [Wanted("A-1", 2), Wanted("B-2", 1)], hold=True)

    def teardown(self) -> None:
        """Take the files away."""
        self.folder.cleanup()

    @rule(order_id=ORDERS, wanted=WANTED, hold=st.booleans())
    def take(self, order_id: str, wanted: list[Wanted], hold: bool) -> None:
        """What was never asked takes as much as there is; what was asked before is told the same."""
        before = self._left()
        got = asyncio.run(self.orders.take(order_id, wanted, hold=hold))
        if order_id in self.known:
            assert got == self.known[order_id].taken
            return
        self.known[order_id] = Known(got, OrderState.held if hold else OrderState.confirmed)
        assert {one.product_id for one in got} == {each.product_id.replace("a1", "A-1") for each in wanted}
        for one in got:
            there = before.get(one.product_id, 0)
            mine = [each for each in wanted if product_key(each.product_id) == product_key(one.product_id)]
            everything = any(each.everything for each in mine)
            assert one.asked == (max(there, 1) if everything else sum(each.quantity for each in mine))
            assert one.taken == min(one.asked, there)

    @rule(order_id=ORDERS)
    def confirm(self, order_id: str) -> None:
        """It is final from then on."""
        self._settle(order_id, OrderState.confirmed)

    @rule(order_id=ORDERS)
    def release(self, order_id: str) -> None:
        """It is given back, once."""
        self._settle(order_id, OrderState.released)

    @rule(order_id=ORDERS, way=st.sampled_from([OrderState.confirmed, OrderState.released]))
    def settle_at_once(self, order_id: str, way: OrderState) -> None:
        """By three at the same moment: one does it."""
        if order_id not in self.known or self.known[order_id].state is not OrderState.held:
            return

        async def race() -> list[bool]:
            work = self.orders.confirm if way is OrderState.confirmed else self.orders.release
            return await asyncio.gather(*(work(order_id) for _ in range(3)))

        assert sum(asyncio.run(race())) == 1
        self.known[order_id].state = way

    @rule(stock=st.integers(0, 6))
    def import_again(self, stock: int) -> None:
        """So many were counted, of which open orders hold some; what is final has left."""
        products = [Product(each, each, "", "", Decimal(1), stock=stock) for each in IDS]
        asyncio.run(self.catalogue.import_all(products))
        for each in IDS:
            self.counted[each] = stock + self._units(each, OrderState.confirmed)

    def _settle(self, order_id: str, way: OrderState) -> None:
        work = self.orders.confirm if way is OrderState.confirmed else self.orders.release
        known = self.known.get(order_id)
        if known is None:
            with pytest.raises(NotFoundError):
                asyncio.run(work(order_id))
        elif known.state not in {OrderState.held, way}:
            with pytest.raises(InputError):
                asyncio.run(work(order_id))
        else:
            assert asyncio.run(work(order_id)) == (known.state is OrderState.held)
            assert not asyncio.run(work(order_id))
            known.state = way

    def _units(self, product_id: str, *states: OrderState) -> int:
        orders = [each.taken for each in self.known.values() if each.state in states]
        return sum(one.taken for taken in orders for one in taken if one.product_id == product_id)

    def _left(self) -> dict[str, int]:
        return {product.id: product.stock for product in asyncio.run(self.catalogue.all())}

    @invariant()
    def nothing_is_made_or_lost(self) -> None:
        """Stock and units taken and not released make up what was counted; where more is held, nothing is for sale."""
        if not hasattr(self, "catalogue"):
            return
        for product_id, stock in self._left().items():
            free = self.counted[product_id] - self._units(product_id, OrderState.held, OrderState.confirmed)
            assert stock == max(free, 0)


TestStock = StockMachine.TestCase
TestStock.settings = settings(
    max_examples=settings.default.max_examples // 4, stateful_step_count=15, deadline=None
)
