"""What a state has of what was expected, field by field."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from eval.orders.running import Case

State = Mapping[str, Any]


def score(case: Case, state: State) -> dict[str, bool]:
    """Field → whether it is right; fields that say nothing about this mail are left out."""
    expected = case.expected
    found = {name: check(expected, state) for name, check in FIELDS.items()}
    return {name: right for name, right in found.items() if right is not None}


def _same(name: str) -> Callable[[Any, State], bool | None]:
    return lambda expected, state: expected[name] == (state["classifier"] or {}).get(name)


def _segments(expected: Any, state: State) -> bool | None:
    """Whether it orders, and whether it asks."""
    kinds = {s["segment_type"] for s in expected["analysis"]["segments"]}
    told = {s["segment_type"] for s in (state["classifier"] or {}).get("segments", [])}
    return kinds - {"personal_statement"} == told - {"personal_statement"}


def _products(expected: Any, state: State) -> bool | None:
    """The products that are certain, each once: of a question and an order for it the rules may make one mention."""
    meant = _meant(expected)
    return meant == {_first(m) for m in _mentions(state) if m["status"] == "resolved"}


def _wrong_product(expected: Any, state: State) -> bool | None:
    """No product is taken for certain that the mail does not mean: the error that costs most."""
    meant = _meant(expected)
    return {_first(m) for m in _mentions(state) if m["status"] == "resolved"} <= meant


def _asked_back(expected: Any, state: State) -> bool | None:
    """What is not certain is not taken for certain, and is asked about."""
    open_ = [r for r in _of_buying(expected) if r["status"] != "resolved"]
    if not open_:
        return None
    told = [m for m in _mentions(state) if m["status"] != "resolved"]
    candidates = {c["product_id"] for m in told for c in m["candidates"]}
    return bool(told) and all(set(r["candidates"]) <= candidates for r in open_)


def _order(field: str) -> Callable[[Any, State], bool | None]:
    def right(expected: Any, state: State) -> bool | None:
        wanted, order = expected["order"], state["fulfiller"]
        if wanted is None:
            return order is None
        return order is not None and wanted[field] == order[field]

    return right


def _lines(*fields: str) -> Callable[[Any, State], bool | None]:
    def right(expected: Any, state: State) -> bool | None:
        if expected["order"] is None:
            return None
        wanted, told = expected["order"]["lines"], (state["fulfiller"] or {}).get("lines", [])
        return Counter(_row(line, fields) for line in wanted) == Counter(_row(line, fields) for line in told)

    return right


def _row(line: Mapping[str, Any], fields: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(sorted(line[f]) if isinstance(line[f], list) else line[f]) for f in fields)


def _answers(expected: Any, state: State) -> bool | None:
    """Each question that the catalogue answers has its facts in the reply."""
    facts = [fact for q in expected["questions"] if q["answerable"] for fact in q["answer_facts"]]
    return all(fact.lower() in state["draft_response"].lower() for fact in facts) if facts else None


def _open_questions(expected: Any, state: State) -> bool | None:
    """What the catalogue does not answer stays open in the reply, for a person."""
    if all(q["answerable"] for q in expected["questions"]):
        return None
    return bool((state["advisor"] or {}).get("unanswered"))


def _nothing_forbidden(expected: Any, state: State) -> bool | None:
    said = state["draft_response"].lower()
    return not any(phrase.lower() in said for phrase in expected["must_not"])


def _complete(expected: Any, state: State) -> bool | None:
    """The reply names every line and the total, and no step failed."""
    return not state["composer"]["missing"] and not state["errors"]


def _of_buying(expected: Any) -> list[Any]:
    """What becomes of the mentions that are ordered or asked about; the others are nobody's matter."""
    buying = [s for s in expected["analysis"]["segments"] if s["segment_type"] != "personal_statement"]
    words = {m["mention_text"] for s in buying for m in s["product_mentions"]}
    return [r for r in expected["resolutions"] if r["mention_text"] in words]


def _meant(expected: Any) -> set[str]:
    return {r["product_id"] for r in _of_buying(expected) if r["status"] == "resolved"}


def _mentions(state: State) -> Iterator[Mapping[str, Any]]:
    yield from (state["stockkeeper"] or {}).get("mentions", [])


def _first(mention: Mapping[str, Any]) -> str:
    return str(mention["candidates"][0]["product_id"])


FIELDS: Mapping[str, Callable[[Any, State], bool | None]] = {
    "language": _same("language"),
    "primary intent": _same("primary_intent"),
    "customer's name": _same("customer_name"),
    "orders, asks": _segments,
    "products": _products,
    "no wrong product": _wrong_product,
    "asked back": _asked_back,
    "order status": _order("status"),
    "lines: product, quantity": _lines("product_id", "quantity"),
    "lines: fulfilled, status": _lines("product_id", "fulfilled", "status"),
    "lines: money, gifts": _lines("product_id", "unit_price", "discount", "total", "gifts"),
    "total": _order("total"),
    "answers": _answers,
    "left open": _open_questions,
    "nothing forbidden": _nothing_forbidden,
    "reply complete": _complete,
}
