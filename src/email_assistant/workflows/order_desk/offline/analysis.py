"""What a customer's mail orders, asks and says besides, and the name it is signed with, by rule: the stand-in of the order desk's reading.

It goes sentence by sentence and by words; irony, conditions over several sentences and long lists in prose are beyond it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

from email_assistant.language.text import language_of
from email_assistant.mail.message import Message
from email_assistant.models.offline.reading import (
    body_words,
    is_order_to_an_assistant,
    sentences,
    subject_words,
)
from email_assistant.workflows.order_desk import wording as words
from email_assistant.workflows.order_desk.shop.mention import ProductMention
from email_assistant.workflows.order_desk.shop.quantity import read_quantity

Fit = Callable[[str], float]
"""How well words name something that is sold: 0 when nothing fits, 1 when it is certain."""
_ID = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2,5}[ -]?\d{3,6}|[A-Za-z]{2,5}-\d{3,6}|[a-z]{3} ?\d{4})(?![A-Za-z0-9])"
)
_WORD = re.compile(r"[^\W_]+(?:[’'-][^\W_]+)*(?:\.\d+)?")
_TIMES = re.compile(r"\d+x|x\d+", re.IGNORECASE)
SURE_NAME, SURE, SURE_WORD = 0.85, 0.9, 0.95
"""From here on several words with a capital among them, without, or a single one, name a product."""
LIKELY = 0.5
LONGEST, MAX_WORDS = 6, 40
MAX_MENTIONS = 50
with words.WORDS.section("analysis") as section:
    _BETWEEN = section.pattern(r"\s*[,;:+&|•–—]\s+|\s+-\s+|\s(?:{between})\s(?=\S)|[!?](?:\s|$)")
    _LABEL = section.pattern(r"[\s(\[#]*(?:(?:{label})\b\.?:?)?\s*")
    _COUNTED = section.pattern(r"(?:{before_count})?(?:\d{1,3}\s?x?|{count})\s")
    _LABELS = section.pattern(r"^(?:(?:{labels})\s*[:：]\s*)+")
    _COUNTS = section.pattern(r"\W*(?:\d{1,3}|{count_alone})\b[^.?!]{0,20}(?:{asked})\b")
with words.WORDS.section("names") as section:
    _CLOSING = section.pattern(r"^\W*(?:(?:best|kind|warm|many)\s)?(?:{closing})[\s,.!–-]*(?P<name>.*)$")
    _SAID = section.pattern(r"\b(?:{said})\s+(?P<name>[^\s,.]+(?-i:\s[A-ZÀ-Þ][^\s,.]+)?)")
_NAME = re.compile(r"[^\W\d_][^\W\d_.'’-]*\.?(?:[ '’-][^\W\d_][^\W\d_.'’-]*\.?){0,3}")
_ENDED = re.compile(r"[.!?,]\s+(?P<name>[A-ZÀ-Þ][^\W\d_]+(?:[ -][A-ZÀ-Þ][^\W\d_]+){0,2})\.?(?:\s+x+)?$")
_DASH = re.compile(r"^\s*[-–—~]{1,2}\s*(?P<name>\S.*)$")
Kind = Literal["order", "inquiry", "personal_statement"]
_ENDS = re.compile(r"([\"”’»)])\.\s")
_QUOTE = re.compile(r"(?m)^[> ]+|^[^\s:]{2,10}: .*$|^-{4,}.*$")
MAX_SENTENCES = 200
MAX_QUOTED = 20_000
words_only = 0.5
"""A mention at or below this confidence stands on words that name no product."""


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


@dataclass
class _Segment:
    kind: Kind
    sentences: list[str]
    mentions: list[ProductMention] = field(default_factory=list)


def analysis_of(message: Message, fit: Fit) -> dict[str, Any]:
    """The fields of the desk's `EmailAnalysis`. `fit` says how well words name something that is sold."""
    body = body_words(message)
    segments = _segments(sentences(_ENDS.sub(r".\1\n\n", body))[:MAX_SENTENCES], fit)
    if not any(s.mentions for s in segments):
        segments = [*_segments((_LABELS.sub("", subject_words(message)),), fit), *segments]
    if message.quoted and not any(s.mentions for s in segments) and words.ORDER.search(body):
        # "Please order what he asks for": what is meant stands in what is forwarded.
        segments += _segments(sentences(_QUOTE.sub("", message.quoted[:MAX_QUOTED]))[:MAX_SENTENCES], fit)
    segments = [_settled(s) for s in segments]
    ordered = any(s.kind == "order" for s in segments)
    return {
        "language": language_of(f"{message.subject}\n{body}") or "en",
        "primary_intent": "order request" if ordered else "product inquiry",
        "customer_name": customer_name(message, body),
        "segments": [_described(s) for s in segments],
    }


def _segments(read: Sequence[str], fit: Fit) -> list[_Segment]:
    segments: list[_Segment] = []
    spoken_of: tuple[ProductMention, ...] = ()
    for sentence in read:
        found = () if is_order_to_an_assistant(sentence) else tuple(mentions_in(sentence, fit))
        if not found and _COUNTS.match(sentence):
            # "I have looked at the down jacket for weeks. One please."
            found = tuple(replace(m, quantity=_counted(sentence), mention_text=sentence) for m in spoken_of)
        kind = _kind(sentence, found, segments[-1].kind if segments else None)
        spoken_of = (
            tuple(m for m in found if m.confidence > words_only)[:1] if kind == "personal_statement" else ()
        )
        wanted = found if kind != "personal_statement" else ()
        if segments and segments[-1].kind == kind and kind != "inquiry":
            segments[-1].sentences.append(sentence)
            segments[-1].mentions.extend(wanted)
        else:
            segments.append(_Segment(kind, [sentence], list(wanted)))
    return segments


def _counted(sentence: str) -> int:
    quantity = read_quantity(sentence)
    return max(1, quantity.low) if quantity else 1


def _kind(sentence: str, found: Sequence[ProductMention], before: Kind | None) -> Kind:
    certain = any(m.confidence > words_only for m in found)
    asks = bool(words.ASKS.search(sentence))
    not_yet = bool(words.NOT_YET.search(sentence))
    orders = bool(words.ORDER.search(sentence)) and not not_yet
    if asks and (not orders or words.KNOWLEDGE.search(sentence)):
        return "inquiry"
    if words.PAST.search(sentence) or not_yet:
        return "personal_statement"
    if orders and (found or before != "order"):
        return "order"
    wishes = certain and bool(words.WISH.search(sentence))
    goes_on = certain and before == "order"
    return "order" if wishes or goes_on else "personal_statement"


def _settled(segment: _Segment) -> _Segment:
    """An order of nothing is no order."""
    if segment.kind == "order" and not segment.mentions:
        return _Segment("personal_statement", segment.sentences)
    return segment


def _described(segment: _Segment) -> dict[str, Any]:
    return {
        "segment_type": segment.kind,
        "main_sentence": segment.sentences[0][:4_000],
        "related_sentences": [s[:4_000] for s in segment.sentences[1:]],
        "product_mentions": [asdict(m) for m in _distinct(segment.mentions)],
    }


def _distinct(found: Sequence[ProductMention]) -> Iterator[ProductMention]:
    """Each once: a product that is named twice in a segment is meant once."""
    seen: set[tuple[str, str]] = set()
    for mention in found:
        key = (
            mention.product_id.lower(),
            "" if mention.product_id else mention.product_name.lower() or mention.mention_text,
        )
        if key not in seen:
            seen.add(key)
            yield mention


def customer_name(message: Message, body: str) -> str:
    """As the customer signs, "" when it does not."""
    lines = [line.strip() for line in f"{body}\n{message.signature}".splitlines() if line.strip()]
    for at in range(len(lines) - 1, max(-1, len(lines) - 8), -1):
        if named := _after_closing(lines, at):
            return named
    said = _SAID.search(body[:5_000])
    if said:
        return said["name"][:100]
    return (_alone(lines[-1]) or _at_end(lines[-1])) if lines else ""


def _after_closing(lines: list[str], at: int) -> str:
    dashed = _DASH.match(lines[at])
    if dashed and at == len(lines) - 1 and _NAME.fullmatch(dashed["name"].strip()):
        return dashed["name"].strip()[:100]
    closing = _CLOSING.match(lines[at][:200])
    if not closing:
        return ""
    name = closing["name"].strip(" ,.!") or (lines[at + 1].strip(" ,.") if at + 1 < len(lines) else "")
    return name[:100] if _NAME.fullmatch(name) and name[:1].isupper() else ""


def _alone(line: str) -> str:
    """The last line, when it can be nothing but a name."""
    words = line.strip(" ,.").split()
    fits = (
        1 <= len(words) <= 3
        and all(word[:1].isupper() for word in words)
        and _NAME.fullmatch(" ".join(words))
    )
    return " ".join(words)[:100] if fits else ""


def _at_end(line: str) -> str:
    """A name behind the last sentence: "I collect. Ulrich"."""
    ended = _ENDED.search(line[-200:])
    return ended["name"].strip()[:100] if ended else ""
