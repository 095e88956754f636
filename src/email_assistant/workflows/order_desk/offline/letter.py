"""The reply of a shop, by rule and in English, and the facts that a model writes it from in the customer's language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from email_assistant.models.offline.courtesy import Courtesy, person_named
from email_assistant.models.offline.wanted import SAYING
from email_assistant.workflows.order_desk.shop.order import Order, OrderLine
from email_assistant.workflows.order_desk.shop.product import Product


@dataclass(frozen=True, slots=True)
class Doubt:
    """Words of the mail that name no product for certain."""

    text: str
    candidates: tuple[Product, ...] = ()
    """What may be meant, the best first."""


@dataclass(frozen=True, slots=True)
class Letter:
    """Everything that the reply has to say."""

    language: str
    customer_name: str
    shop_name: str
    currency: str
    orders: tuple[Order, ...] = ()
    """This mail's, after those of the conversation that are still open."""
    products: Mapping[str, Product] = field(default_factory=dict)
    """Of alternatives, by id."""
    lowered: tuple[tuple[str, int], ...] = ()
    """Words with a range of quantities, and the quantity that was taken."""
    answers: tuple[tuple[str, str], ...] = ()
    """Question and answer."""
    unanswered: tuple[str, ...] = ()
    how_many: tuple[tuple[str, Product], ...] = ()
    """Words that tell no number that can be taken, and the product."""
    doubts: tuple[Doubt, ...] = ()
    failed: bool = False
    """Whether a step of the desk failed."""

    def of_the_shop(self) -> "Letter":
        """The letter as far as code has worked it out, without a word of the customer's or a model's."""
        return replace(
            self,
            customer_name="",
            answers=(),
            unanswered=(),
            lowered=tuple(("", low) for _, low in self.lowered),
            how_many=tuple(("", product) for _, product in self.how_many),
            doubts=tuple(Doubt("", doubt.candidates) for doubt in self.doubts),
        )

    @property
    def facts(self) -> str:
        """The same for a model, in lines."""
        lines = [line for order in self.orders for line in _order(self, order)]
        lines += [f"Asked: {question}\nAnswer: {answer}" for question, answer in self.answers]
        lines += [f"Unanswered: {question}" for question in self.unanswered]
        lines += [f"To ask: {line}" for line in _open_points(self)]
        lines += ["Something failed; a person has to look at this mail."] if self.failed else []
        return "\n".join(lines) or "Nothing was ordered, and nothing was asked."


def write(letter: Letter) -> str:
    """The whole text; square brackets mark what a person has to fill in."""
    courtesy = Courtesy("en")
    blocks = ["\n".join(_order(letter, order)) for order in letter.orders if order.lines]
    blocks += [answer for _, answer in letter.answers]
    blocks += [f"[confirm: answer to “{_quoted(question)}”]" for question in letter.unanswered]
    blocks += _open_points(letter)
    blocks += ["[confirm: what could not be worked out here]"] if letter.failed else []
    greeting = courtesy.greeting(person_named(letter.customer_name))
    return "\n\n".join([greeting, *(blocks or [SAYING]), courtesy.closing(letter.shop_name)])


def _order(letter: Letter, order: Order) -> list[str]:
    lines = ["This is what we can do for your order:"]
    for line in order.lines:
        lines += _line(letter, line)
    lines.append(
        f"Total: {_money(order.total, letter)}"
        if any(line.fulfilled for line in order.lines)
        else "None of what you want can be had at present."
    )
    return lines if order.lines else []


def _line(letter: Letter, line: OrderLine) -> list[str]:
    product = f"{line.product_name} ({line.product_id})"
    price = f"at {_money(line.unit_price, letter)} each: {_money(line.total, letter)}"
    lines = [
        {
            "created": f"- {line.fulfilled} × {product} {price}",
            "partially_fulfilled": f"- {product}: of the {line.quantity} you want we have {line.fulfilled}, {price}",
        }.get(line.status, f"- {product}: out of stock ({line.quantity} wanted)")
    ]
    if line.discount:
        lines.append(f"  Offer: {line.promotion.rstrip('.')}. It takes {_money(line.discount, letter)} off.")
    lines += [f"  Included: {gift}" for gift in dict.fromkeys(line.gifts)]
    if others := [letter.products[i] for i in line.alternatives if i in letter.products]:
        lines.append(f"  Instead we have: {_named(others, letter)}")
    return lines


def _open_points(letter: Letter) -> list[str]:
    lines = [
        f"You wrote “{_quoted(text)}”; we have taken {low}. Please tell us if it should be more."
        for text, low in letter.lowered
    ]
    lines += [
        f"How many {p.name} ({p.id}) do you want? You wrote “{_quoted(text)}”." for text, p in letter.how_many
    ]
    for doubt in letter.doubts:
        if doubt.candidates:
            perhaps = f"Perhaps {_named(doubt.candidates, letter)}?"
            lines.append(f"Which product do you mean by “{_quoted(doubt.text)}”? {perhaps}")
        else:
            lines.append(
                f"We could not find “{_quoted(doubt.text)}” in our range. Could you tell us its number or name?"
            )
    return lines


def _named(products: Sequence[Product], letter: Letter) -> str:
    return ", ".join(f"{p.name} ({p.id}) at {_money(p.price, letter)}" for p in products)


def _money(amount: Decimal, letter: Letter) -> str:
    return f"{amount:.2f} {letter.currency}"


def _quoted(text: str) -> str:
    """In one line, and short; brackets would end the gap that it may stand in."""
    return " ".join(text.split())[:200].replace("[", "(").replace("]", ")")
