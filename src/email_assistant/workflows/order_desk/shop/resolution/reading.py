"""A mention taken apart: ids, and the words of its fields without them."""

from collections.abc import Sequence
from dataclasses import dataclass

from email_assistant.workflows.order_desk.shop.mention import ProductMention
from email_assistant.workflows.order_desk.shop.resolution.ids import Ids, Written, normal
from email_assistant.workflows.order_desk.shop.resolution.words import fold, phrases_of, words_of

MAX_PHRASES = 6
"""Phrases of the mail's words that are taken for a name each, the longest."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a mention says."""

    exact: tuple[str, ...]
    """Normal ids of the catalogue, each once."""
    maybe: tuple[str, ...]
    """What may be an id written wrongly."""
    name: tuple[str, ...]
    description: tuple[str, ...]
    text: tuple[str, ...]
    category: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    """What of the mail's words may be a name."""


def read(mention: ProductMention, ids: Ids) -> Reading:
    """Take it apart. An id in the field for ids may be any that exists; elsewhere only one that can hardly be anything else."""
    exact: dict[str, None] = {}
    maybe: dict[str, None] = {}
    rest = []
    field = "" if ids.exact(normal(mention.product_id)) else mention.product_id
    for text in (field, mention.product_name, mention.description, mention.mention_text):
        folded = fold(text)
        known, unknown = ids.written_in(folded)
        unknown = [one for one in unknown if ids.near(one.key)]
        exact |= dict.fromkeys(one.key for one in known)
        maybe |= dict.fromkeys(one.key for one in unknown)
        # "Mug 300" stays what it is, even where MUG-300 is an id: then the name may speak against it.
        rest.append(_without(folded, [one for one in (*known, *unknown) if one.is_one_word]))
    key = normal(mention.product_id)
    if ids.exact(key):
        # The words of the mail may name others beside it; if they name only others, one of both is wrong.
        exact = {key: None} if key in exact or not exact else {key: None} | exact
    elif key:
        maybe[key] = None
    name, description, said = (tuple(words_of(text)) for text in rest[1:])
    phrases = sorted(map(tuple, phrases_of(rest[-1])), key=lambda phrase: (-len(phrase), phrase))
    return Reading(
        tuple(exact), tuple(maybe), _without_quantity(name, mention.quantity), description, said,
        tuple(words_of(mention.category)), tuple(_without_numbers(phrases)[:MAX_PHRASES]),
    )  # fmt: skip


def _without(folded: str, spans: Sequence[Written]) -> str:
    """The text with blanks where ids stand."""
    for span in spans:
        folded = folded[: span.start] + " " * (span.end - span.start) + folded[span.end :]
    return folded


def _without_numbers(phrases: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The phrases, and those that begin with a number once more without it: it may be how many are wanted."""
    return [
        p for each in phrases for p in ((each, each[1:]) if each[0].isdigit() and len(each) > 1 else (each,))
    ]


def _without_quantity(words: tuple[str, ...], quantity: int) -> tuple[str, ...]:
    """The words of a name without the number of units before it."""
    return words[1:] if len(words) > 1 and words[0] == str(quantity) else words
