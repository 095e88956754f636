"""What a customer's mail orders and asks, and the name it is signed with, by rule: the stand-in of the order desk's reading.

An order is a line that names one product exactly, and a number before it. A sentence with a question mark is a question; so is, for a
person to read, what speaks of ordering or of a product in any other way.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from email_assistant.language.numbers import whole_numbers
from email_assistant.language.text import language_of
from email_assistant.mail.message import Message
from email_assistant.models.offline.reading import body_words, is_order_to_an_assistant, sentences
from email_assistant.workflows.order_desk.shop.mention import ProductMention
from email_assistant.workflows.order_desk.shop.quantity import read_quantity
from email_assistant.workflows.order_desk.wording import WORDS

Named = Callable[[str], str]
"""The id of the product that words name exactly, or ""."""
with WORDS.section("sentences") as section:
    _ORDERS = section.pattern(r"\b(?:{order})\b")
    _PLEASE = section.pattern(r"\b(?:{please})\b")
    _DOUBT = section.pattern(r"\b(?:{doubt})\b|n't\b")
    """Words of somebody who speaks of what was bought, sends back, or does not buy yet."""
    _AND = section.pattern(r"\s(?:{between}|&|\+)\s")
_NAME = re.compile(r"(?:^|[.!?,/]\s?)(?P<name>[A-ZÀ-Þ][^\W\d_]+(?:[ -][A-ZÀ-Þ][^\W\d_]*\.?){0,2})$")
_COMMA = re.compile(r"(?:[,;:]|\s[-–—])\s$")
_STOP = re.compile(r"[.!]\s+(?=[A-ZÀ-Þ][a-zß-ÿ'’]|I )")
_LIST_LINE = 10
"""So many words without a verb of ordering are an item of a list, not a tale."""
_AHEAD = 3
"""So many words into a part its number has to be said: "me two mugs", not "the shop in a barn"."""
MAX_SENTENCES, MAX_MENTIONS = 100, 50


def analysis_of(message: Message, named: Named) -> dict[str, Any]:
    """The fields of the desk's `EmailAnalysis`."""
    body = body_words(message)
    read = sentences(body)[:MAX_SENTENCES]
    goods = [{part: product for part in _parts(each) if (product := named(part))} for each in read]
    # "Two mugs. No, make it three": of a product that two sentences speak of nobody knows which one counts.
    times = Counter(product for each in goods for product in set(each.values()))
    # What is said to an assistant is neither ordered nor quoted, and nothing beside it is quoted but questions.
    commands = [is_order_to_an_assistant(each) for each in read]
    segments = []
    for sentence, found, is_command in zip(read, goods, commands, strict=True):
        kind = "personal_statement" if is_command else _kind(sentence, found, quotes=not any(commands))
        if kind == "order" and any(times[product] > 1 for product in found.values()):
            kind = "inquiry"
        mentions = [asdict(_mention(part)) for part in found][:MAX_MENTIONS]
        segments.append(
            {"segment_type": kind, "main_sentence": sentence[:4_000], "product_mentions": mentions}
        )
    ordered = any(segment["segment_type"] == "order" for segment in segments)
    return {
        "language": language_of(f"{message.subject}\n{body}") or "en",
        "primary_intent": "order request" if ordered else "product inquiry",
        "customer_name": customer_name(message, body),
        "segments": segments,
    }


def _kind(sentence: str, goods: Mapping[str, str], *, quotes: bool) -> str:
    """What a sentence with these parts that name goods does; `quotes`: whether what is not understood is shown to a person."""
    speaks_of_orders = bool(_ORDERS.search(sentence) or (_PLEASE.search(sentence) and goods))
    is_plain = (speaks_of_orders or len(sentence.split()) <= _LIST_LINE) and not _DOUBT.search(sentence)
    if "?" not in sentence and goods and is_plain and all(map(_is_counted, goods)):
        return "order"
    is_open = "?" in sentence or (quotes and (goods or speaks_of_orders))
    return "inquiry" if is_open else "personal_statement"


def _parts(sentence: str) -> Iterator[str]:
    """The sentence, divided behind full stops, "and" and words of ordering, and before numbers that go on with a list."""
    cuts = [match.end() for pattern in (_ORDERS, _STOP, _AND) for match in pattern.finditer(sentence)]
    cuts += [each.start for each in whole_numbers(sentence) if _COMMA.search(sentence[: each.start][-3:])]
    places = sorted({0, *cuts, len(sentence)})
    yield from (sentence[start:end].strip() for start, end in pairwise(places))


def _mention(part: str) -> ProductMention:
    said = read_quantity(part)
    return ProductMention(quantity=max(1, said.low) if said else 1, mention_text=part)


def _is_counted(part: str) -> bool:
    said = read_quantity(part)
    ahead = " ".join(part.split()[:_AHEAD])
    return said is not None and not said.pairs and (said.everything or any(whole_numbers(ahead)))


def customer_name(message: Message, body: str) -> str:
    """The name that stands alone at the mail's end, or ""."""
    lines = [line.strip(" ,.") for line in f"{body}\n{message.signature}".splitlines() if line.strip(" ,.")]
    found = _NAME.search(lines[-1][-100:]) if lines else None
    return found["name"] if found else ""
