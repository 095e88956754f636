"""Orders: the units taken for them, once each, and what they come to.

Whoever touches products locks the order's row first and the products in the order of their keys, so nobody waits in a circle.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, and_, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.sql import clean, insert_or_ignore
from email_assistant.workflows.order_desk.records.tables import (
    ORDER_LINES,
    ORDERS,
    PRODUCTS,
    OrderRecord,
    OrderState,
    TakenLine,
    line_values,
    order_record,
)
from email_assistant.workflows.order_desk.shop.order import Order, Wanted
from email_assistant.workflows.order_desk.shop.product import product_key

MAX_ID = 200
"""Characters of an order's id."""
MAX_LINES = 1_000
MAX_QUANTITY = 1_000_000_000
PAGE = 100

_O, _L, _P = ORDERS.c, ORDER_LINES.c, PRODUCTS.c


@dataclass(frozen=True)
class Orders:
    """The tables of the orders. What takes an order's id raises `InputError` when it is no text of 1 to 200 characters."""

    database: Database
    clock: Clock

    @one_write
    async def take(self, order_id: str, wanted: Sequence[Wanted], *, hold: bool) -> tuple[TakenLine, ...]:
        """Take units from the stock, as many as there are: all products in one step, and once for each order id.

        Several entries of one product are one line, where the first one stands: their quantities are added, and when one of
        them asks for everything, all do. A product that the catalogue does not have gives nothing.

        An order that is known gets what it got first, whatever is wanted or asked for now, even when it has been released.
        With `hold` the units wait for `confirm` or `release`; without, they are final.

        Raises `InputError` for a quantity below 1 or above 1,000,000,000, or more than 1000 lines.
        """
        _check(order_id, wanted)
        now = self.clock.now()
        state = OrderState.held if hold else OrderState.confirmed
        row = {"order_id": order_id, "state": state, "taken_at": now, "settled_at": None if hold else now}
        async with self.database.begin() as connection:
            # Of two who take for the same order at once, the second waits here until the first is done.
            if not await insert_or_ignore(connection, ORDERS, row):
                lines = await _lines(connection, order_id)
                return tuple(TakenLine(line.product_id, line.asked, line.taken) for line in lines)
            return await _take(connection, order_id, wanted)

    async def confirm(self, order_id: str) -> bool:
        """Make what is held final; True when this call did it, False when it was final before.

        Raises `InputError` when the order was released: its units may be somebody else's. `NotFoundError` for no order.
        """
        return await self._settle(order_id, OrderState.confirmed)

    async def release(self, order_id: str) -> bool:
        """Give back what is held; True when this call did it, False when it was given back before.

        Raises `InputError` when the order is final: what was sold stays sold. `NotFoundError` for no order.
        """
        return await self._settle(order_id, OrderState.released)

    async def release_held(self, order_ids: Iterable[str]) -> None:
        """Give back what is held of these; what a person has settled by hand stays as it is."""
        for order_id in order_ids:
            with suppress(InputError, NotFoundError):
                await self.release(order_id)

    @one_write
    async def record(self, order_id: str, order: Order) -> Order:
        """Keep what the order came to, once: the order on record, which is an earlier one where there was one.

        Raises `InputError` when the lines are not, one by one, what `take` answered, `NotFoundError` when it was
        never asked; an order without lines needs no `take`.
        """
        _check(order_id)
        now = self.clock.now()
        empty = {"order_id": order_id, "state": OrderState.confirmed, "taken_at": now, "settled_at": now}
        async with self.database.begin() as connection:
            if not order.lines:
                await insert_or_ignore(connection, ORDERS, empty)
            found = await _one(connection, order_id, lock=True)
            if found.order is not None:
                return found.order
            _check_lines(order, found.taken)
            change = {"status": order.status, "total": order.total}
            await connection.execute(update(ORDERS).where(_O.order_id == order_id).values(change))
            for position, line in enumerate(order.lines):
                here = and_(_L.order_id == order_id, _L.position == position)
                await connection.execute(update(ORDER_LINES).where(here).values(line_values(line)))
            return order

    @one_read
    async def get(self, order_id: str) -> OrderRecord | None:
        """The order, or None."""
        _check(order_id)
        async with self.database.read() as connection:
            try:
                return await _one(connection, order_id)
            except NotFoundError:
                return None

    @one_read
    async def held(self) -> tuple[OrderRecord, ...]:
        """All orders whose units wait, the oldest first."""
        waiting = select(ORDERS).where(_O.state == OrderState.held).order_by(_O.taken_at, _O.order_id)
        return await self._read(waiting)

    @one_read
    async def held_since(self) -> tuple[int, datetime | None]:
        """How many orders' units wait, and since when the oldest does."""
        counted = select(func.count(), func.min(_O.taken_at)).where(_O.state == OrderState.held)
        async with self.database.read() as connection:
            number, since = (await connection.execute(counted)).one()
        return number, since

    @one_read
    async def held_among(self, order_ids: Iterable[str]) -> tuple[str, ...]:
        """Those of these orders whose units wait, the oldest first; ids of no order are passed over."""
        among = and_(_O.state == OrderState.held, _O.order_id.in_([clean(each) for each in order_ids]))
        async with self.database.read() as connection:
            statement = select(_O.order_id).where(among).order_by(_O.taken_at, _O.order_id)
            return tuple((await connection.execute(statement)).scalars())

    @one_read
    async def list(self, limit: int = PAGE) -> tuple[OrderRecord, ...]:
        """Up to `limit` orders, the latest first."""
        return await self._read(select(ORDERS).order_by(_O.taken_at.desc(), _O.order_id.desc()).limit(limit))

    async def _read(self, statement: Select[Any]) -> tuple[OrderRecord, ...]:
        async with self.database.read() as connection:
            rows = (await connection.execute(statement)).all()
            lines = await _lines_of(connection, [row.order_id for row in rows])
        return tuple(order_record(row, lines.get(row.order_id, ())) for row in rows)

    @one_write
    async def _settle(self, order_id: str, state: OrderState) -> bool:
        _check(order_id)
        change = {"state": state, "settled_at": self.clock.now()}
        held = and_(_O.order_id == order_id, _O.state == OrderState.held)
        async with self.database.begin() as connection:
            settled = (await connection.execute(update(ORDERS).where(held).values(change))).rowcount == 1
            if settled and state is OrderState.released:
                await _give_back(connection, order_id)
            if settled:
                return True
            found = await _one(connection, order_id)
        if found.state is not state:
            raise InputError(f"order {order_id}: {_REFUSALS[found.state]}")
        return False


_REFUSALS: Mapping[OrderState, str] = {
    OrderState.released: "was released, so its units are for sale again; it cannot be confirmed",
    OrderState.confirmed: "is final; it cannot be released",
}


async def _take(
    connection: AsyncConnection, order_id: str, wanted: Sequence[Wanted]
) -> tuple[TakenLine, ...]:
    merged: dict[str, Wanted] = {}
    for each in wanted:
        key = product_key(each.product_id)
        merged[key] = _added(merged[key], each) if key in merged else each
    stock = await _locked(connection, merged)
    taken, rows = [], []
    for position, (key, each) in enumerate(merged.items()):
        product_id, left = stock.get(key, (clean(each.product_id), 0))
        # "All there are" asks for one where there is none, so that nothing is not all of it.
        asked = max(left, 1) if each.everything else each.quantity
        one = TakenLine(product_id, asked, min(asked, max(left, 0)))
        if one.taken:
            await _change_stock(connection, key, -one.taken)
        taken.append(one)
        rows.append({
            "order_id": order_id, "position": position, "product_key": key, "product_id": product_id,
            "asked": asked, "everything": each.everything, "taken": one.taken,
        })  # fmt: skip
    if rows:
        await connection.execute(insert(ORDER_LINES), rows)
    return tuple(taken)


def _added(first: Wanted, second: Wanted) -> Wanted:
    quantity = first.quantity + second.quantity
    return Wanted(first.product_id, quantity, first.everything or second.everything)


async def _locked(connection: AsyncConnection, keys: Iterable[str]) -> dict[str, tuple[str, int]]:
    """The ids of the products and what is left of them, by key; nobody else changes them until the transaction ends."""
    statement = select(_P.key, _P.id, _P.stock).where(_P.key.in_([*keys])).order_by(_P.key)
    return {row.key: (row.id, row.stock) for row in await connection.execute(statement.with_for_update())}


async def _give_back(connection: AsyncConnection, order_id: str) -> None:
    lines = [line for line in await _lines(connection, order_id) if line.taken]
    await _locked(connection, [line.product_key for line in lines])
    for line in lines:
        # A product that the catalogue does not have any more has no stock, either.
        await _change_stock(connection, line.product_key, line.taken)


async def _change_stock(connection: AsyncConnection, key: str, units: int) -> None:
    await connection.execute(update(PRODUCTS).where(_P.key == key).values(stock=_P.stock + units))


async def _one(connection: AsyncConnection, order_id: str, *, lock: bool = False) -> OrderRecord:
    """The order; raises `NotFoundError`."""
    statement = select(ORDERS).where(_O.order_id == order_id)
    row = (await connection.execute(statement.with_for_update() if lock else statement)).first()
    if row is None:
        raise NotFoundError(f"there is no order {order_id}")
    return order_record(row, await _lines(connection, order_id))


async def _lines(connection: AsyncConnection, order_id: str) -> Sequence[Row[Any]]:
    return (await _lines_of(connection, [order_id])).get(order_id, [])


async def _lines_of(connection: AsyncConnection, order_ids: Sequence[str]) -> dict[str, list[Row[Any]]]:
    found: dict[str, list[Row[Any]]] = {}
    statement = select(ORDER_LINES).where(_L.order_id.in_(order_ids)).order_by(_L.order_id, _L.position)
    for row in await connection.execute(statement):
        found.setdefault(row.order_id, []).append(row)
    return found


def _check(order_id: str, wanted: Sequence[Wanted] = ()) -> None:
    if not order_id or len(order_id) > MAX_ID or order_id != clean(order_id):
        raise InputError(f"order_id: must be text of 1 to {MAX_ID} characters")
    if len(wanted) > MAX_LINES:
        raise InputError(f"wanted: {len(wanted)} lines; an order has at most {MAX_LINES}")
    for each in wanted:
        if not each.everything and not 1 <= each.quantity <= MAX_QUANTITY:
            raise InputError(
                f"quantity: {each.quantity} of {each.product_id}; it must be 1 to {MAX_QUANTITY}"
            )


def _check_lines(order: Order, taken: Sequence[TakenLine]) -> None:
    got = [(product_key(line.product_id), line.quantity, line.fulfilled) for line in order.lines]
    due = [(product_key(one.product_id), one.asked, one.taken) for one in taken]
    if got != due:
        raise InputError(
            "order: its lines do not say what was taken, one by one: product, quantity and fulfilled"
        )
