"""Products that a sentence names, by rule."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from email_assistant.workflows.order_desk.offline import words
from email_assistant.workflows.order_desk.shop.mention import ProductMention
from email_assistant.workflows.order_desk.shop.quantity import read_quantity

Fit = Callable[[str], float]
"""How well words name something that is sold: 0 when nothing fits, 1 when it is certain."""
_ID = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2,5}[ -]?\d{3,6}|[A-Za-z]{2,5}-\d{3,6}|[a-z]{3} ?\d{4})(?![A-Za-z0-9])"
)
_BETWEEN = re.compile(
    r"\s*[,;:+&|•–—]\s+|\s+-\s+|\s(?:and|plus|or|as well as|und|sowie|oder|et|ou|y|e|ed|en|och|og|"
    r"oraz)\s(?=\S)|[!?](?:\s|$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:[’'-][^\W_]+)*(?:\.\d+)?")
_TIMES = re.compile(r"\d+x|x\d+", re.IGNORECASE)
_LABEL = re.compile(
    r"[\s(\[#]*(?:(?:item|art|r[eé]f|number|nummer|nr|no|num|code|id|article|référence|artikel)\b\.?:?)?\s*",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?:and |also |und |et |y |e |en )?(?:\d{1,3}\s?x?|an?|one|two|three|four|five|six|eine?n?|zwei|drei|"
    r"une?|deux|trois|una?|uno|dos|due|een|twee|drie|um|uma)\s",
    re.IGNORECASE,
)
SURE_NAME, SURE, SURE_WORD = 0.85, 0.9, 0.95
"""From here on several words with a capital among them, without, or a single one, name a product."""
LIKELY = 0.5
LONGEST, MAX_WORDS = 6, 40
MAX_MENTIONS = 50


def mentions_in(sentence: str, fit: Fit) -> Iterator[ProductMention]:
    """What the sentence names: by an id, by words that fit, or vaguely (with a low confidence)."""
    found = 0
    for chunk in _with_ids(_BETWEEN.split(sentence)):
        mention = _mention(chunk.strip(), fit) or (_unknown(chunk.strip()) if found else None)
        if mention and (found := found + 1) <= MAX_MENTIONS:
            yield mention
    if not found and (vague := words.VAGUE.search(sentence)):
        yield ProductMention(confidence=0.3, mention_text=vague[0], quantity=_quantity(vague[0], ""))


def _with_ids(parts: Sequence[str]) -> list[str]:
    """The parts of a sentence, each id with the name before it: "six mugs, number KTC-4098"."""
    joined: list[str] = []
    for before, part in pairwise(["", *filter(None, parts)]):
        written = _ID.match(part, _LABEL.match(part).end())  # type: ignore[union-attr] # it matches nothing, too
        if written and before and not _ID.search(before) and joined:
            joined[-1] = f"{joined[-1]}, {part}"
        else:
            joined.append(part)
    return joined


def _mention(chunk: str, fit: Fit) -> ProductMention | None:
    if words.BACK.search(chunk):
        return None
    written = _ID.search(chunk)
    name, sure = _named(_ID.sub(" , ", chunk), fit)
    if written:
        return ProductMention(
            product_id=written[0],
            product_name=name if sure else "",
            quantity=_quantity(chunk, name),
            confidence=0.95,
            mention_text=chunk,
        )
    if name:
        return ProductMention(
            product_name=name,
            quantity=_quantity(chunk, name),
            confidence=0.8 if sure else 0.6,
            mention_text=chunk,
        )
    return None


def _unknown(chunk: str) -> ProductMention | None:
    """What stands in a list behind products and is counted, but is none that is sold: "two mugs and an electric cool box"."""
    counted = _COUNTED.match(chunk)
    rest = _rest(_WORD.findall(chunk)) if counted else ""
    if not rest or len(rest.split()) > LONGEST:
        return None
    return ProductMention(
        product_name=rest, quantity=_quantity(chunk, ""), confidence=0.4, mention_text=chunk
    )


def _named(chunk: str, fit: Fit) -> tuple[str, bool]:
    """The words of the chunk that name a product best, and whether they do for certain.

    What only may name one counts when it is what somebody counts or wishes: "two lamps", "I would like the jacket".
    """
    read = [w for w in _WORD.findall(chunk)[:MAX_WORDS] if not _TIMES.fullmatch(w)]
    best, name = 0.0, ""
    for start in range(len(read)):
        for end in range(min(len(read), start + LONGEST), start, -1):
            if read[start].lower() in words.STOP or read[end - 1].lower() in words.STOP:
                continue
            score = fit(" ".join(read[start:end])) + 0.001 * (end - start)
            if score > best and score >= _needed(read[start:end]):
                best, name = score, " ".join(read[start:end])
    if name:
        return name, True
    rest = _rest(read)
    return (
        (rest, False)
        if rest and (read_quantity(chunk) or words.ORDER.search(chunk)) and fit(rest) >= LIKELY
        else ("", False)
    )


def _needed(read: Sequence[str]) -> float:
    if len(read) == 1:
        return SURE_WORD
    return SURE_NAME if any(word[0].isupper() for word in read) else SURE


def _rest(read: Sequence[str]) -> str:
    """The words without those of wishing and counting at their edges."""
    left = list(read)
    while left and left[0].lower() in words.STOP:
        left.pop(0)
    while left and left[-1].lower() in words.STOP:
        left.pop()
    return " ".join(left) if any(len(word) > 2 for word in left) else ""


def _quantity(chunk: str, name: str) -> int:
    quantity = read_quantity(chunk, goods=(name,) if name else ())
    return max(1, quantity.low) if quantity else 1
