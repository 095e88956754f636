"""`catalog` and `orders`, as somebody new to them would use them, and as nobody should."""

import asyncio
import json
from decimal import Decimal
from pathlib import Path

import pytest

from email_assistant.app.journal import journal_deps
from email_assistant.settings import load_settings
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.shop.order import Order, OrderLine, Wanted
from tests.unit.cli.called import Command, done, told

HEADING = "id,name,category,description,stock,seasons,price,promotion\n"
TABLE = HEADING + 'CSH-1098,Bag,Bags,Leather.,5,"summer",12.5,"Buy 2, get 1 free"\nHAT 2,Hat,Hats,,2,,3,\n'


def test_from_nothing_to_a_catalogue(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty one says what to do; a table comes in, again with another revision; a product is shown in any writing."""
    assert done(command("catalog", "show")) == "There are no products: `catalog import FILE`.\n"
    assert done(command("catalog", "show", "--json")) == "[]\n"
    Path("p.csv").write_text(TABLE)
    assert done(command("catalog", "import", "p.csv")) == "p.csv: 2 products, 0 others removed. Revision 1.\n"
    assert done(command("catalog", "import", "p.csv")) == "p.csv: 2 products, 0 others removed. Revision 2.\n"
    monkeypatch.setenv("EMAIL_ASSISTANT_CURRENCY", "CHF")
    assert "12.50 CHF" in done(command("catalog", "show", "csh1098"))
    found = json.loads(done(command("catalog", "show", "csh 1098", "--json")))
    assert (found["id"], found["price"], found["stock"]) == ("CSH-1098", "12.50", 5)
    assert (found["seasons"], found["promotion"]["free_items"]) == (["summer"], 1)
    assert [each["id"] for each in json.loads(done(command("catalog", "show", "--json")))] == [
        "CSH-1098",
        "HAT 2",
    ]
    assert "the catalogue has no product NO-1; `email-assistant catalog show`" in told(
        command("catalog", "show", "NO-1")
    )


def test_wrong_tables(command: Command) -> None:
    """One line says why, and the catalogue stays as it was."""
    Path("p.csv").write_text(TABLE)
    done(command("catalog", "import", "p.csv"))
    Path("bad.csv").write_text(TABLE + "X-1,X,,,many,,1,\n")
    code, out, err = command("catalog", "import", "bad.csv")
    assert (code, out) == (1, "")
    assert 'bad.csv: nothing was imported: line 4, stock: "many": write whole units' in err
    for name, words in (("none.csv", "no such file"), (".", "not a file")):
        assert words in told(command("catalog", "import", name))
    assert len(json.loads(done(command("catalog", "show", "--json")))) == 2


def test_orders(command: Command) -> None:
    """None at first; then the latest first, with what was taken and what it came to."""
    assert done(command("orders", "list")) == "There are no orders.\n"
    assert done(command("orders", "list", "--json")) == "[]\n"
    Path("p.csv").write_text(TABLE)
    done(command("catalog", "import", "p.csv"))
    asyncio.run(_take())
    assert len(done(command("orders", "list")).splitlines()) == 2
    assert "besides: tin" in done(command("orders", "show", "o1"))
    found = json.loads(done(command("orders", "show", "o1", "--json")))
    assert (found["state"], found["taken"]) == (
        "confirmed",
        [{"product_id": "CSH-1098", "asked": 9, "taken": 5}],
    )
    assert (found["order"]["status"], found["order"]["lines"][0]["total"]) == ("partially_fulfilled", "50.00")
    assert [each["order_id"] for each in json.loads(done(command("orders", "list", "--json")))] == [
        "o 2",
        "o1",
    ]
    assert "there is no order nope; `email-assistant orders list`" in told(command("orders", "show", "nope"))
    assert "order_id: must be text of 1 to 200" in told(command("orders", "show", "x" * 201))
    Path("p.csv").write_text(TABLE.replace(",2,,3", ",0,,3"))
    assert done(command("catalog", "import", "p.csv")).splitlines()[1:] == [
        "Open orders hold 1 units; they are not for sale.",
        "Open orders hold more than there is of: HAT 2",
    ]


async def _take() -> None:
    deps = journal_deps(load_settings())
    orders = Orders(deps.database, deps.clock)
    await orders.take("o1", [Wanted("CSH-1098", 9)], hold=False)
    line = OrderLine(
        "CSH-1098", "Bag", 9, 5, Decimal("12.50"), "partially_fulfilled", Decimal("12.50"), Decimal("50.00"),
        "Buy 2, get 1 free", ("tin",), ("HAT 2",),
    )  # fmt: skip
    await orders.record("o1", Order("partially_fulfilled", (line,), Decimal("50.00")))
    await orders.take("o 2", [Wanted("HAT 2", 1)], hold=True)


def test_hostile_text_cannot_act(command: Command) -> None:
    """What a terminal would obey does not reach it, from a table, its name or an id."""
    name = "a\x1b[31m.csv"
    Path(name).write_text(HEADING + "A-1,B\u202eag,,,x\x1b[31m,,1,\n" * 5)
    texts = [*command("catalog", "import", name)[1:], *command("orders", "show", "\x1b[31m\u202e")[1:]]
    Path(name).write_text(HEADING + "A-1,B\u202eag,,,1,,1,\n")
    texts += [*command("catalog", "import", name)[1:], *command("catalog", "show")[1:]]
    assert not {"\x1b", "\u202e"} & set("".join(texts))
    assert "A-1  Bag, 1.00 EUR" in "".join(texts)
