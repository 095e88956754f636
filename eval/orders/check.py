"""`python -m eval.orders.check`: whether what is expected of the shop's mails agrees with the catalogue.

Stock, promotions and totals are worked out once more here, in the plainest way and without the assistant's own code, so that the
one can be measured by the other.
"""

import csv
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SHOP = HERE.parents[1] / "samples" / "shop"
EVERYTHING = "all remaining"


@dataclass(frozen=True)
class Case:
    """One mail of `mails.csv` and its line of `expected.jsonl`."""

    mail: dict[str, str]
    expected: dict[str, Any]


def catalogue() -> dict[str, dict[str, str]]:
    """The rows by id."""
    with (SHOP / "catalogue.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def mails() -> list[dict[str, str]]:
    """The rows in their order."""
    with (SHOP / "mails.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def expected() -> list[dict[str, Any]]:
    """The lines in their order."""
    return [json.loads(line) for line in (HERE / "expected.jsonl").read_text(encoding="utf-8").splitlines()]


def cases() -> list[Case]:
    """Each mail with what is expected of it.

    Raises:
        ValueError: the two files do not have the same mails in the same order.
    """
    theirs, ours = mails(), expected()
    if [mail["email_id"] for mail in theirs] != [line["email_id"] for line in ours]:
        raise ValueError("mails.csv and expected.jsonl do not have the same email_id in the same order")
    return [Case(mail, line) for mail, line in zip(theirs, ours, strict=True)]


def reduction(
    promotion: str, price: Decimal, units: int, taken: Mapping[str, int]
) -> tuple[Decimal, list[str]]:
    """What a promotion takes off so many units, not yet rounded, and the gifts it brings; `taken`: units of the whole order."""
    words, _, together = promotion.partition(" together with ")
    # As many times at most as there are units of the scarcest partner.
    partners = min((taken.get(partner, 0) for partner in together.split(" and ")), default=0)
    bound = partners if together else units
    if least := re.fullmatch(r"(.+) when you buy (\d+) or more", words):
        words = least[1]
        if units < int(least[2]):
            return Decimal(0), []
    if many := re.fullmatch(r"Buy (\d+), get (\d+) free", words):
        times = min(units // (int(many[1]) + int(many[2])), bound)
        return times * int(many[2]) * price, []
    if words == "Buy one, get one half price":
        return min(units // 2, bound) * price / 2, []
    if percent := re.fullmatch(r"(\d+)% off", words):
        return min(units, bound) * price * int(percent[1]) / 100, []
    if every := re.fullmatch(r"([\d.]+) off for every (\d+)", words):
        return min(units // int(every[2]), bound) * Decimal(every[1]), []
    if amount := re.fullmatch(r"([\d.]+) off", words):
        return min(units, bound) * Decimal(amount[1]), []
    if gift := re.fullmatch(r"Free (.+) with every (\d+)", words):
        return Decimal(0), [gift[1]] * min(units // int(gift[2]), bound)
    if gift := re.fullmatch(r"Free (.+)", words):
        return Decimal(0), [gift[1]] * min(1, units, bound)
    if promotion:
        raise ValueError(f"no such promotion: {promotion}")
    return Decimal(0), []


def settled(
    wanted: list[tuple[str, int]], rows: Mapping[str, Mapping[str, str]], stock: dict[str, int]
) -> dict[str, Any]:
    """The order that these products, each named once, and quantities come to; takes from the stock what it fulfils."""
    taken = {product: min(quantity, stock[product]) for product, quantity in wanted}
    lines: list[dict[str, Any]] = []
    for product, quantity in wanted:
        units, price = taken[product], Decimal(rows[product]["price"])
        stock[product] -= units
        off, gifts = reduction(rows[product]["promotion"], price, units, taken)
        total = (units * price - off).quantize(Decimal("0.01"), ROUND_HALF_UP)
        status = "created" if units == quantity else "partially_fulfilled" if units else "out of stock"
        lines.append({
            "product_id": product, "quantity": quantity, "fulfilled": units, "status": status, "unit_price": str(price),
            "discount": str(units * price - total), "total": str(total), "gifts": gifts,
        })  # fmt: skip
    kinds = {line["status"] for line in lines}
    status = "no_valid_products" if not kinds else kinds.pop() if len(kinds) == 1 else "partially_fulfilled"
    total = sum((Decimal(line["total"]) for line in lines), Decimal("0.00"))
    return {"status": status, "lines": lines, "total": str(total)}


def wanted(line: Mapping[str, Any], stock: Mapping[str, int]) -> list[tuple[str, int]] | None:
    """The products and quantities that the mail's order segments ask for and that are certain; None when it orders nothing."""
    resolutions = iter(line["resolutions"])
    found: list[tuple[str, int]] = []
    for segment in line["analysis"]["segments"]:
        for mention in segment["product_mentions"]:
            product = next(resolutions)["product_id"]
            if segment["segment_type"] == "order" and product:
                everything = EVERYTHING in mention["mention_text"].lower()
                found.append((product, stock[product] if everything else mention["quantity"]))
    orders = any(segment["segment_type"] == "order" for segment in line["analysis"]["segments"])
    return found if orders else None


def differences() -> Iterator[str]:
    """What does not agree, a sentence each."""
    rows = catalogue()
    stock = {product: int(row["stock"]) for product, row in rows.items()}
    for case in cases():
        line = case.expected
        problems = [*_of_mentions(case), *_of_resolutions(line, rows), *_of_questions(line, rows, stock)]
        if not problems:
            asked = wanted(line, stock)
            order = None if asked is None else settled(asked, rows, stock)
            if order != line["order"]:
                problems = [f"the order is {line['order']}, and it comes to {order}"]
            if line["primary_intent"] != ("product inquiry" if order is None else "order request"):
                problems.append(f"the primary intent is {line['primary_intent']}")
        yield from (f"{line['email_id']}: {problem}" for problem in problems)


def _of_mentions(case: Case) -> Iterator[str]:
    analysis, text = case.expected["analysis"], case.mail["message"]
    for field in ("language", "primary_intent", "customer_name"):
        if analysis[field] != case.expected[field]:
            yield f"{field} is not the same in the analysis"
    mentions = [mention for segment in analysis["segments"] for mention in segment["product_mentions"]]
    said = [mention["mention_text"] for mention in mentions]
    if said != [resolution["mention_text"] for resolution in case.expected["resolutions"]]:
        yield "the resolutions are not those of the mentions"
    for segment in analysis["segments"]:
        said += [segment["main_sentence"], *segment["related_sentences"]]
    yield from (f"the mail does not say {words!r}" for words in said if words not in text)


def _of_resolutions(line: Mapping[str, Any], rows: Mapping[str, Any]) -> Iterator[str]:
    for resolution in line["resolutions"]:
        product, candidates = resolution["product_id"], resolution["candidates"]
        as_it_must = {
            "resolved": bool(product),
            "ambiguous": bool(candidates),
            "unresolved": not candidates,
        }
        if not as_it_must[resolution["status"]] or bool(product) != (resolution["status"] == "resolved"):
            yield f"{resolution['mention_text']!r} cannot be {resolution['status']}"
        yield from (
            f"{name} is not in the catalogue" for name in [product, *candidates] if name and name not in rows
        )


def _of_questions(
    line: Mapping[str, Any], rows: Mapping[str, Mapping[str, str]], stock: Mapping[str, int]
) -> Iterator[str]:
    meant = [name for one in line["resolutions"] for name in [one["product_id"], *one["candidates"]] if name]
    known = [" ".join(rows[name].values()) for name in meant if name in rows]
    for question in line["questions"]:
        if question["answerable"] != bool(question["answer_facts"]):
            yield f"{question['question']!r} is answerable with facts, and not without"
        for fact in question["answer_facts"]:
            if not any(fact in row for row in known):
                yield f"the catalogue does not say {fact!r} of a product of the mail"
        for name, there in question.get("in_stock", {}).items():
            if there != (stock[name] > 0):
                yield f"the stock of {name} is {stock[name]}"


def main() -> int:
    """Print what does not agree; 1 when something does not."""
    found = list(differences())
    print("\n".join(found) if found else f"{len(expected())} mails agree with the catalogue")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
