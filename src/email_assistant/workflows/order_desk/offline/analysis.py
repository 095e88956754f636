"""What a customer's mail orders, asks and says besides, and the name it is signed with, by rule: the stand-in of the order desk's reading.

It goes sentence by sentence and by words; irony, conditions over several sentences and long lists in prose are beyond it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from email_assistant.language.languages import language_of
from email_assistant.mail.message import Message
from email_assistant.models.offline.injection import is_order_to_an_assistant
from email_assistant.models.offline.reading import body_words, sentences, subject_words
from email_assistant.workflows.order_desk.offline import words
from email_assistant.workflows.order_desk.offline.mentions import Fit, mentions_in
from email_assistant.workflows.order_desk.shop.mention import ProductMention
from email_assistant.workflows.order_desk.shop.quantity import read_quantity
from email_assistant.workflows.order_desk.wording import WORDS

with WORDS.section("names") as section:
    _CLOSING = section.pattern(r"^\W*(?:(?:best|kind|warm|many)\s)?(?:{closing})[\s,.!–-]*(?P<name>.*)$")
    _SAID = section.pattern(r"\b(?:{said})\s+(?P<name>[^\s,.]+(?:\s[A-ZÀ-Þ][^\s,.]+)?)")
_NAME = re.compile(r"[^\W\d_][^\W\d_.'’-]*\.?(?:[ '’-][^\W\d_][^\W\d_.'’-]*\.?){0,3}")
_ENDED = re.compile(r"[.!?,]\s+(?P<name>[A-ZÀ-Þ][^\W\d_]+(?:[ -][A-ZÀ-Þ][^\W\d_]+){0,2})\.?(?:\s+x+)?$")
_DASH = re.compile(r"^\s*[-–—~]{1,2}\s*(?P<name>\S.*)$")

Kind = Literal["order", "inquiry", "personal_statement"]
_LABELS = re.compile(
    r"^(?:(?:re|fwd?|aw|wg|order|question|bestellung|anfrage|commande|pedido|ordine)\s*[:：]\s*)+",
    re.IGNORECASE,
)
_ENDS = re.compile(r"([\"”’»)])\.\s")
_COUNTS = re.compile(
    r"\W*(?:\d{1,3}|one|two|three|four|five|six|a (?:pair|couple|dozen))\b[^.?!]{0,20}(?:please|thanks|then)\b",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"(?m)^[> ]+|^[^\s:]{2,10}: .*$|^-{4,}.*$")
MAX_SENTENCES = 200
MAX_QUOTED = 20_000


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
        "segments": [_told(s) for s in segments],
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


words_only = 0.5
"""A mention at or below this confidence stands on words that name no product."""


def _settled(segment: _Segment) -> _Segment:
    """An order of nothing is no order."""
    if segment.kind == "order" and not segment.mentions:
        return _Segment("personal_statement", segment.sentences)
    return segment


def _told(segment: _Segment) -> dict[str, Any]:
    return {
        "segment_type": segment.kind,
        "main_sentence": segment.sentences[0][:4_000],
        "related_sentences": [s[:4_000] for s in segment.sentences[1:]],
        "product_mentions": [_mention(m) for m in _distinct(segment.mentions)],
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


def _mention(mention: ProductMention) -> dict[str, Any]:
    return {name: getattr(mention, name) for name in mention.__dataclass_fields__}


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
