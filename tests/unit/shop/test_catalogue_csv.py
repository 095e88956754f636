"""A shop's catalogue from CSV: what it may look like, and every way in which a row is wrong."""

import contextlib
import csv
import io
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.errors import InputError
from email_assistant.mail.table import LONG_CELL, MAX_FILE, QUOTES, TableError
from email_assistant.workflows.order_desk.shop.catalogue_csv import ProductRow, read_catalogue
from email_assistant.workflows.order_desk.shop.product import SEASONS, Product, product_key
from email_assistant.workflows.order_desk.shop.promotion import read_promotion

COLUMNS = (*ProductRow.model_fields,)
HEADING = "id,name,category,description,stock,seasons,price,promotion\n"
GOOD = "A-1,Bag,Bags,Leather,5,all,12.50,\n"


def read(text: str | bytes) -> tuple[Product, ...]:
    """What is in a file of this text."""
    return read_catalogue(io.BytesIO(text.encode() if isinstance(text, str) else text), "c.csv")


def refused(text: str | bytes) -> str:
    """Why such a file is not read: one line that names it."""
    with pytest.raises(InputError) as error:
        read(text)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith("c.csv: ")
    return str(error.value)


def flaws(*rows: str) -> list[str]:
    """What is wrong with these rows, which stand behind the heading and a good one."""
    with pytest.raises(TableError) as error:
        read(HEADING + GOOD + "".join(f"{row}\n" for row in rows))
    return re.split("; (?=line )", str(error.value).split("nothing was imported: ")[1])


def row(**cells: str) -> str:
    """A row that is right but for these cells."""
    whole = {"id": "B-2", "name": "Hat", "stock": "1", "price": "3"} | cells
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([whole.get(column, "") for column in COLUMNS])
    return text.getvalue().removesuffix("\n")


def test_a_catalogue() -> None:
    """Products with all they can have, in the order of the rows; ids that promotions name as the catalogue writes them."""
    text = (
        HEADING
        + 'CSH-1098,Alpine jacket,Jackets,"Warm, ""light""\nand dry",14,"fall; Winter",249.9,20% off together with trs2064.\n'
        + "TRS 2064,Trousers,,,0,,0,\n"
        + "X.1,Hat,Hats,,100000000,ALL,999999999.99,\n"
    )
    promotion = read_promotion("20% off together with trs2064.")
    jacket, trousers, hat = read(text)
    assert jacket.promotion is not None
    assert jacket.promotion.product_combination == ("TRS 2064",)
    assert jacket.promotion.percent_off == promotion.percent_off
    assert jacket == Product(
        "CSH-1098", "Alpine jacket", "Jackets", 'Warm, "light" and dry', Decimal("249.90"), ("autumn", "winter"),
        jacket.promotion, 14,
    )  # fmt: skip
    assert trousers == Product("TRS 2064", "Trousers", "", "", Decimal("0.00"))
    assert (hat.seasons, hat.stock, hat.price) == (SEASONS, 100_000_000, Decimal("999999999.99"))
    assert str(jacket.price) == "249.90"


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_ways_to_write_it(delimiter: str, end: str, mark: str) -> None:
    """Either delimiter, any line end, with or without a mark; columns in any order and case; empty rows are none."""
    cells = [
        [*reversed(COLUMNS)],
        [""] * 8,
        ["Buy 2, get 1 free", "1.5", "spring, autumn", "7", "", "Ünits", "Hut", "ü-1"],
    ]
    cells[0][2] = " Seasons "
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(cells)
    (found,) = read(mark + text.getvalue())
    assert (found.id, found.name, found.category, found.stock) == ("ü-1", "Hut", "Ünits", 7)
    assert (found.price, found.seasons) == (Decimal("1.50"), ("spring", "autumn"))
    assert found.promotion is not None
    assert found.promotion.free_items == 1


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"id": ""}, 'id: "": every product needs an id'),
        ({"id": "a 1"}, "id: is in line 2 already; take one row out"),
        ({"id": "A\N{EN DASH}1"}, 'id: "A\N{EN DASH}1": every product'),
        ({"id": "=1+1"}, 'id: "=1+1": every product needs'),
        ({"name": ""}, 'name: "": every product needs a name'),
        ({"name": '=HYPERLINK("http://x.example")'}, "name: begins like a spreadsheet's formula"),
        ({"category": "a\x1b[31mb"}, "category: control character U+001B"),
        ({"stock": ""}, 'stock: "": write whole units from 0 to 100000000, like 12'),
        ({"stock": "-1"}, "stock: "),
        ({"stock": "100000001"}, "stock: "),
        ({"price": ""}, "price: "),
        (
            {"price": "12,50"},
            'price: "12,50": write an amount without a currency and with a decimal point, like 12.50',
        ),
        ({"price": "1.005"}, "price: "),
        ({"price": "NaN"}, "price: "),
        (
            {"seasons": "summer, monsoon"},
            'seasons: "monsoon" is no season; write spring, summer, autumn or winter, or "all"',
        ),
        (
            {"promotion": "Half price, maybe"},
            "promotion: the promotion cannot be read: it is none of the forms",
        ),
        ({"promotion": "20% off together with C-3"}, 'promotion: no product of this table has the id "C-3"'),
        (
            {"promotion": "20% off together with b2"},
            'promotion: names its own product, "b2"; name another one',
        ),
    ],
)
def test_what_is_wrong_with_a_cell(cells: dict[str, str], words: str) -> None:
    """Is told with line and column, and how to mend it."""
    (flaw,) = flaws(row(**cells))
    assert flaw.startswith("line 3, ")
    assert words in flaw


def test_every_wrong_row_is_told() -> None:
    """By line, with several cells of one row; rows of several lines and empty ones count as the editor counts them."""
    told = flaws(
        row(stock="x", price="y"), "", row(id="B-3", description="two\nlines"), row(id="B-4", seasons="x"), "one,cell",
    )  # fmt: skip
    assert [flaw.split(": ")[0] for flaw in told] == [
        "line 3, stock", "line 3, price", "line 7, seasons", "line 8, row",
    ]  # fmt: skip
    assert "2 cells under 8 headings" in told[3]
    text = refused(HEADING + row(stock="x") + "\n" + "a\n" * 100_000)
    assert text.startswith('c.csv: nothing was imported: line 2, stock: "x": write whole units')
    assert text.count("; line ") == 9
    assert text.endswith("; and more")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: missing: id, name, category"),
        (HEADING.replace(",price", ""), "line 1: missing: price; the columns are id,name,"),
        (
            HEADING.replace("price", "cost"),
            'line 1: the column "cost" is not known; the columns are id,name,',
        ),
        (HEADING.replace("name", '"name'), "line 1: the quotes do not match"),
        (HEADING, "nothing was imported: there is no product behind the headings"),
        (HEADING.encode("utf-16"), "is written in UTF-16; save it as CSV in UTF-8"),
        (b"PK\x03\x04 a spreadsheet", "not a text file; save the table as CSV in UTF-8"),
        ((HEADING + GOOD + row(name="Hüte")).encode("cp1252"), "line 3 is not written in UTF-8"),
        (b"x" * (MAX_FILE + 1), "larger than 64 MB; split it"),
    ],
)
def test_what_is_no_catalogue(text: str | bytes, words: str) -> None:
    """Is told in one line."""
    assert words in refused(text)


def test_quotes_that_are_never_closed() -> None:
    """The row where it began is named, however long the rest is, and nothing hangs."""
    assert flaws('B-2,"Hat,,,1,,3,') == [f"line 3, row: {QUOTES}"]
    assert flaws('B-2,"Hat,,,1,,3,', *["C,Cap,,,1,,3," for _ in range(3)]) == [f"line 3, row: {QUOTES}"]
    (first, *_) = flaws('B-2,"Hat,,,1,,3,', *[f"C{n},Cap,,,1,,3," for n in range(20_000)])
    assert first == f"line 3, row: {LONG_CELL}"
    assert flaws('B-2,"Ha"t,,,1,,3,') == [f"line 3, row: {QUOTES}"]


@given(
    st.binary(max_size=300)
    | st.text(max_size=300).map(lambda text: (HEADING + text).encode(errors="replace"))
)
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    """Nothing but `InputError` leaves."""
    with contextlib.suppress(InputError):
        products = read(raw)
        assert len({product_key(product.id) for product in products}) == len(products) > 0
