"""A mention taken apart: ids, and the words of its fields without them."""

from collections.abc import Sequence
from dataclasses import dataclass

from email_assistant.shop.mention import ProductMention
from email_assistant.shop.resolution.ids import Ids, Written, normal
from email_assistant.shop.resolution.words import fold, words_of


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


def read(mention: ProductMention, ids: Ids) -> Reading:
    """Take it apart. An id in the field for ids may be any that exists; elsewhere only one that can hardly be anything else."""
    exact: dict[str, None] = {}
    maybe: dict[str, None] = {}
    words = []
    field = "" if ids.exact(normal(mention.product_id)) else mention.product_id
    for text in (field, mention.product_name, mention.description, mention.mention_text):
        folded = fold(text)
        known, unknown = ids.written_in(folded)
        unknown = [one for one in unknown if ids.near(one.key)]
        exact |= dict.fromkeys(one.key for one in known)
        maybe |= dict.fromkeys(one.key for one in unknown)
        words.append(tuple(words_of(_without(folded, [*known, *unknown]))))
    key = normal(mention.product_id)
    if ids.exact(key):
        # The words of the mail may name others beside it; if they name only others, one of both is wrong.
        exact = {key: None} if key in exact or not exact else {key: None} | exact
    elif key:
        maybe[key] = None
    _, name, description, said = words
    name = _without_quantity(name, mention.quantity)
    return Reading(tuple(exact), tuple(maybe), name, description, said, tuple(words_of(mention.category)))


def _without(folded: str, spans: Sequence[Written]) -> str:
    """The text with blanks where ids stand."""
    for span in spans:
        folded = folded[: span.start] + " " * (span.end - span.start) + folded[span.end :]
    return folded


def _without_quantity(words: tuple[str, ...], quantity: int) -> tuple[str, ...]:
    """The words of a name without the number of units before it."""
    return words[1:] if len(words) > 1 and words[0] == str(quantity) else words
