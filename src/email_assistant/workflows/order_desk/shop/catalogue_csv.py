"""A shop's catalogue from a table in CSV: read whole, or told line by line why not and how to mend a cell."""

import re
from dataclasses import replace
from functools import partial
from typing import Annotated, BinaryIO

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from email_assistant.errors import InputError
from email_assistant.mail.table import Amount, Flaw, TableError, checked_cell, quoted, read_table, repeated
from email_assistant.workflows.order_desk.shop.product import SEASONS, Product, Season, product_key
from email_assistant.workflows.order_desk.shop.promotion import Promotion, read_promotion

MAX_STOCK = 100_000_000

_SEASON_SIGNS = re.compile("[,;]")
_SEASONS: dict[str, tuple[Season, ...]] = {
    **{season: (season,) for season in SEASONS},
    "fall": ("autumn",),
    "all": SEASONS,
    "": (),
}


def read_seasons(cell: str) -> tuple[Season, ...]:
    """Each once, in the order of the year; an empty cell means all."""
    words = [word.strip().casefold() for word in _SEASON_SIGNS.split(cell)]
    wrong = next((word for word in words if word not in _SEASONS), None)
    if wrong is not None:
        raise InputError(f'{quoted(wrong)} is no season; write spring, summer, autumn or winter, or "all"')
    found = {season for word in words for season in _SEASONS[word]}
    return tuple(season for season in SEASONS if season in found) or SEASONS


class ProductRow(BaseModel):
    """A row of the table: it has all of these columns and no other, in any order and case."""

    # As promotions can name it (`promotion_text`), spaces besides.
    id: str = Field(
        pattern=r"^[^\W_](?:[\w ./-]{0,38}[^\W_])?$",
        description="every product needs an id; write up to 40 letters, digits, dashes, dots or spaces",
    )
    name: Annotated[
        str,
        Field(min_length=1, description="every product needs a name"),
        AfterValidator(partial(checked_cell, limit=200)),
    ]
    category: Annotated[str, AfterValidator(partial(checked_cell, limit=100))]
    description: Annotated[str, AfterValidator(partial(checked_cell, limit=2000))]
    stock: int = Field(ge=0, le=MAX_STOCK, description=f"write whole units from 0 to {MAX_STOCK}, like 12")
    seasons: Annotated[tuple[Season, ...], BeforeValidator(read_seasons)]
    price: Amount
    promotion: Annotated[
        Promotion | None, BeforeValidator(lambda cell: read_promotion(cell) if cell else None)
    ]


def read_catalogue(file: BinaryIO, name: str) -> tuple[Product, ...]:
    """The products of a table in the order of its rows; its form, and the arguments, are those of `read_table`.

    Ids of products that promotions name are given as the catalogue writes them.

    Raises:
        TableError: rows are wrong.
        InputError: the file is no such table, or has no product.
    """
    rows = [(line, Product(**dict(row))) for line, row in read_table(file, name, ProductRow)]
    if not rows:
        raise InputError(f"{name}: nothing was imported: there is no product behind the headings")
    # Case, spaces and dashes of an id make no difference.
    flaws = repeated("id", ((line, product_key(product.id)) for line, product in rows))
    ids = {product_key(product.id): product.id for _, product in rows}
    products = tuple(_linked(line, product, ids, flaws) for line, product in rows)
    if flaws:
        raise TableError(name, flaws)
    return products


def _linked(line: int, product: Product, ids: dict[str, str], flaws: list[Flaw]) -> Product:
    """The product, its promotion naming other products as the catalogue does."""
    promotion = product.promotion
    if promotion is None or not promotion.product_combination:
        return product
    for given in promotion.product_combination:
        if product_key(given) not in ids:
            flaws.append((line, "promotion", f"no product of this table has the id {quoted(given)}"))
        elif product_key(given) == product_key(product.id):
            flaws.append((line, "promotion", f"names its own product, {quoted(given)}; name another one"))
    named = tuple(ids.get(product_key(given), given) for given in promotion.product_combination)
    return replace(product, promotion=replace(promotion, product_combination=named))
