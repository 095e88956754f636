"""What a model reads in a mail must stand in it: an id, a name or words that it adds resolve no product."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from email_assistant.mail.message import Message

MAX_NESTED = 10
_WORDS = re.compile(r"\w+")
_QUOTED = re.compile(r"(?m)^[ \t]*>.*$")
_BRACES = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True)
class MailWords:
    """The words of a mail, without case, accents and punctuation."""

    words: str
    """With a space between them and at both ends."""
    letters: str
    """The same without spaces: ids are written with and without them."""

    @classmethod
    def of(cls, message: Message) -> "MailWords":
        """Subject, text, signature, and what is forwarded: a customer may order what stands there.

        Not what is quoted with `>`, which anybody can write in our name, and nothing in braces: that is data, no words.
        """
        forwarded = _QUOTED.sub("", message.quoted)
        text = f"{message.subject}\n{message.text}\n{message.signature}\n{forwarded}"
        for _ in range(MAX_NESTED):
            text, found = _BRACES.subn(" ", text)
            if not found:
                break
        words = _words(text)
        return cls(f" {words} ", words.replace(" ", ""))

    def grounded(self, mention: Mapping[str, Any]) -> dict[str, Any]:
        """The mention without what the mail does not say. Description and category are the model's to tell: they make nothing certain."""
        product_id, name = _words(mention["product_id"]).replace(" ", ""), _words(mention["product_name"])
        said = {
            "product_id": product_id in self.letters,
            # "Enamel mug" stands in "two Enamel mugs".
            "product_name": all(word in self.letters for word in name.split()),
            "mention_text": f" {_words(mention['mention_text'])} " in self.words,
        }
        return {**mention, **{field: "" for field, is_said in said.items() if not is_said}}

    def distinct(
        self, mentions: Iterable[tuple[int, Mapping[str, Any]]]
    ) -> list[tuple[int, Mapping[str, Any]]]:
        """The mentions with their segments, without those of words that the mail does not have once more."""
        told: Counter[tuple[str, str]] = Counter()
        kept = []
        for segment, mention in mentions:
            words = f" {_words(mention['mention_text'])} "
            key = (str(mention["segment_type"]), words)
            told[key] += 1
            if told[key] <= max(1, self.words.count(words)):
                kept.append((segment, mention))
        return kept


def _words(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    # A combining accent is no part of a word, and must not divide it.
    bare = "".join(each for each in plain if not unicodedata.combining(each))
    return " ".join(_WORDS.findall(bare.replace("_", " ")))
