"""The catalogue: what a shop sells, and how many units of it nobody has taken."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from itertools import islice
from typing import Any

from sqlalchemy import Select, bindparam, delete, func, insert, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read
from email_assistant.journal.sql import Rows, chunks, upsert
from email_assistant.workflows.order_desk.records.tables import (
    CATALOGUE_IMPORTS,
    ORDER_LINES,
    ORDERS,
    PRODUCTS,
)
from email_assistant.workflows.order_desk.shop.product import Product, product_key
from email_assistant.workflows.order_desk.shop.promotion import Promotion

BATCH = 1_000
"""Products that go to the database at once."""
MAX_SHORT = 20

_P = PRODUCTS.c
_OF_KEYS = select(PRODUCTS).where(_P.key.in_(bindparam("of_keys", expanding=True)))


@dataclass(frozen=True, slots=True)
class ImportedCatalogue:
    """What an import has made of the catalogue."""

    revision: int
    products: int
    removed: int
    """Products that were there before and are no more."""
    held: int
    """Units that open orders hold, of the products imported; they are not for sale."""
    short: tuple[str, ...]
    """Ids of up to 20 products of which open orders hold more units than there are."""


def _promotion(values: Mapping[str, Any] | None) -> Promotion | None:
    if values is None:
        return None
    exact = {
        name: Decimal(values[name]) for name in ("percent_off", "amount_off") if values[name] is not None
    }
    return Promotion(**{**values, **exact, "product_combination": tuple(values["product_combination"])})


_PRODUCTS = Rows(PRODUCTS, Product, seasons=tuple, promotion=_promotion, stock=lambda units: max(units, 0))
"""Their columns have the fields' names."""


@dataclass(frozen=True)
class Catalogue:
    """The table of the products; one for all mailboxes. Ids may be given in any writing (see `product_key`).

    A product's `stock` is what can still be taken at the moment it is read.
    """

    database: Database
    clock: Clock

    async def import_all(self, products: Sequence[Product]) -> ImportedCatalogue:
        """Put these products in the place of all that are there, in one transaction that nobody sees half of.

        A product's stock is the units that the shop counts, those that open orders hold included, as they have not left:
        what they hold is taken off, comes back when an order is released, and is gone when it is confirmed. Units of orders
        that are final are taken for gone: the shop's count does not hold them.

        Raises `InputError`, and changes nothing, when two ids are the same.
        """
        keys = [product_key(product.id) for product in products]
        if len(set(keys)) < len(keys):
            raise InputError("id: two products have the same id")
        async with self.database.begin() as connection:
            if connection.dialect.name == "postgresql":
                # Who takes or gives back units waits, or is waited for; who only reads does not.
                await connection.execute(text("LOCK TABLE products IN EXCLUSIVE MODE"))
            revision = await _revision(connection) + 1
            held = await _held(connection)
            rest = _rows(products, keys, held, revision)
            while rows := list(islice(rest, BATCH)):
                await upsert(connection, PRODUCTS, rows, keys=("key",))
            removed = await connection.execute(delete(PRODUCTS).where(_P.revision != revision))
            row = {"revision": revision, "products": len(products), "imported_at": self.clock.now()}
            await connection.execute(insert(CATALOGUE_IMPORTS).values(row))
        counted = {key: product for key, product in zip(keys, products, strict=True) if key in held}
        short = [product.id for key, product in counted.items() if product.stock < held[key]]
        still = sum(held[key] for key in counted)
        return ImportedCatalogue(revision, len(products), removed.rowcount, still, tuple(short[:MAX_SHORT]))

    async def get(self, product_id: str) -> Product | None:
        """The product with this id, or None."""
        return next(iter((await self.of_ids([product_id])).values()), None)

    @one_read
    async def of_ids(self, product_ids: Iterable[str]) -> dict[str, Product]:
        """The products with these ids by their own, as the shop writes them, in the order asked for; unknown ids are left out."""
        keys = list(dict.fromkeys(map(product_key, product_ids)))
        found: dict[str, Product] = {}
        async with self.database.read() as connection:
            for some in chunks(keys):
                rows = await connection.execute(_OF_KEYS, {"of_keys": some})
                found |= {row.key: _PRODUCTS.record(row) for row in rows}
        return {found[key].id: found[key] for key in keys if key in found}

    async def all(self) -> tuple[Product, ...]:
        """Every product, in the order of the imported table. Who keeps them asks for the `revision` before."""
        return await self._read(_in_order())

    async def list(self, limit: int) -> tuple[Product, ...]:
        """The first products, in the order of the imported table."""
        return await self._read(_in_order().limit(limit))

    async def in_stock(self, category: str) -> tuple[Product, ...]:
        """The products of a category, whatever its case and spaces, that are in stock, in the order of the table."""
        of_category = _in_order().where(_P.category_key == _category_key(category))
        return await self._read(of_category.where(_P.stock > 0))

    @one_read
    async def revision(self) -> int:
        """The number of the latest import, 0 before the first. While it stays, nothing changes but stocks."""
        async with self.database.read() as connection:
            return await _revision(connection)

    @one_read
    async def _read(self, statement: Select[Any]) -> tuple[Product, ...]:
        return tuple(await _PRODUCTS.read(self.database, statement))


def _in_order() -> Select[Any]:
    return select(PRODUCTS).order_by(_P.position)


async def _revision(connection: AsyncConnection) -> int:
    latest = select(func.coalesce(func.max(CATALOGUE_IMPORTS.c.revision), 0))
    return int((await connection.execute(latest)).scalar_one())


async def _held(connection: AsyncConnection) -> dict[str, int]:
    """How many units open orders hold, by the products' keys."""
    lines = ORDER_LINES.c
    statement = (
        select(lines.product_key, func.sum(lines.taken))
        .join(ORDERS, ORDERS.c.order_id == lines.order_id)
        .where(ORDERS.c.state == "held", lines.taken > 0)
        .group_by(lines.product_key)
    )
    return {key: int(units) for key, units in await connection.execute(statement)}


def _rows(
    products: Iterable[Product], keys: Iterable[str], held: Mapping[str, int], revision: int
) -> Iterator[dict[str, Any]]:
    for position, (key, product) in enumerate(zip(keys, products, strict=True)):
        yield {
            "key": key,
            "revision": revision,
            "position": position,
            "id": product.id,
            "name": product.name,
            "category": product.category,
            "category_key": _category_key(product.category),
            "description": product.description,
            "price": product.price,
            "seasons": [*product.seasons],
            "promotion": _plain(product.promotion),
            "stock": product.stock - held.get(key, 0),
        }


def _category_key(category: str) -> str:
    return " ".join(category.casefold().split())


def _plain(promotion: Promotion | None) -> dict[str, Any] | None:
    if promotion is None:
        return None
    values = asdict(promotion)
    return {name: str(value) if isinstance(value, Decimal) else value for name, value in values.items()}
