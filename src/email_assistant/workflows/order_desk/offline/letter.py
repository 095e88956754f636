"""The reply of a shop, by rule, and the facts that a model writes it from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from email_assistant.workflows.order_desk.offline.letter_words import LetterWords, money, words_of
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
        told = [line for order in self.orders for line in _order(self, order, words_of("en"), "en")]
        told += [f"Asked: {question}\nAnswer: {answer}" for question, answer in self.answers]
        told += [f"Unanswered: {question}" for question in self.unanswered]
        told += [f"To ask: {line}" for line in _open_points(self, words_of("en"), "en")]
        told += ["Something failed; a person has to look at this mail."] if self.failed else []
        return "\n".join(told) or "Nothing was ordered, and nothing was asked."


def write(letter: Letter) -> str:
    """The whole text."""
    words, code = words_of(letter.language), letter.language
    greeting = (
        words.greeting.format(name=letter.customer_name) if letter.customer_name else words.greeting_nobody
    )
    blocks = [greeting, words.thanks]
    blocks += ["\n".join(_order(letter, order, words, code)) for order in letter.orders if order.lines]
    blocks += [answer for _, answer in letter.answers]
    blocks += [words.unanswered.format(question=_quoted(question)) for question in letter.unanswered]
    blocks += _open_points(letter, words, code)
    blocks += [words.failed] if letter.failed else []
    blocks.append(f"{words.closing}\n{letter.shop_name}".strip())
    return "\n\n".join(blocks)


def _order(letter: Letter, order: Order, words: LetterWords, code: str) -> list[str]:
    lines = [words.ordered]
    for line in order.lines:
        lines += _line(letter, line, words, code)
    lines.append(
        words.total.format(total=money(order.total, letter.currency, code))
        if any(line.fulfilled for line in order.lines)
        else words.nothing
    )
    return lines if order.lines else []


def _line(letter: Letter, line: OrderLine, words: LetterWords, code: str) -> list[str]:
    shape = {"created": words.created, "partially_fulfilled": words.partial}.get(line.status, words.out)
    told = [
        shape.format(
            name=line.product_name, id=line.product_id, quantity=line.quantity, fulfilled=line.fulfilled,
            price=money(line.unit_price, letter.currency, code), total=money(line.total, letter.currency, code),
        )
    ]  # fmt: skip
    if line.discount:
        discount = money(line.discount, letter.currency, code)
        told.append(words.promotion.format(words=line.promotion.rstrip("."), discount=discount))
    told += [words.gift.format(gift=gift) for gift in dict.fromkeys(line.gifts)]
    if others := [letter.products[i] for i in line.alternatives if i in letter.products]:
        told.append(words.alternatives.format(products=_named(others, letter, words, code)))
    return told


def _open_points(letter: Letter, words: LetterWords, code: str) -> list[str]:
    told = [words.lower.format(text=_quoted(text), low=low) for text, low in letter.lowered]
    told += [words.how_many.format(text=_quoted(text), name=p.name, id=p.id) for text, p in letter.how_many]
    for doubt in letter.doubts:
        if doubt.candidates:
            perhaps = words.perhaps.format(products=_named(doubt.candidates, letter, words, code))
            told.append(f"{words.which.format(text=_quoted(doubt.text))} {perhaps}")
        else:
            told.append(words.unknown.format(text=_quoted(doubt.text)))
    return told


def _named(products: Sequence[Product], letter: Letter, words: LetterWords, code: str) -> str:
    return ", ".join(
        words.at_price.format(name=p.name, id=p.id, price=money(p.price, letter.currency, code))
        for p in products
    )


def _quoted(text: str) -> str:
    """In one line, and short; brackets would end the gap that it may stand in."""
    return " ".join(text.split())[:200].replace("[", "(").replace("]", ")")
