"""Answers as five mail programs write them in twelve languages: whether the head of the quotation is taken for the sender's own words.

Measured on `Message.text` of the raw mail, which every rule and prompt reads. Nothing is random: the grid is every program, form, name,
with and without an address, and the answer above, below or around the quotation where `>` tells which is which.
"""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any

from email_assistant.mail.mime import parse_message
from eval.figures import Figure
from eval.intervals import share
from eval.mails import raw_messages
from eval.scorecard import table

HEADS: Mapping[str, Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("heads.json").read_text(encoding="utf-8")
)
ADDRESSES = ("eva@ott.example", "c.montgomery-featherstone@architekturbuero-hohenstein.example")
MARKED = ("gmail", "apple", "proton")
"""Programs that put `>` before what they quote."""
WRAPPED = ("gmail", "apple")
"""Programs whose plain text has at most 78 characters a line."""
BLOCKS = ("outlook", "outlook, bold", "outlook, original message")
PROGRAMS = (*MARKED, "yahoo", *BLOCKS)


@dataclass(frozen=True)
class Answer:
    """One answer."""

    locale: str
    program: str
    head: str
    """What the program writes over the quotation."""
    text: str

    @cached_property
    def read(self) -> str:
        """What the product takes for the sender's own words."""
        case = {"id": "quoting", "from": "Eva Ott <eva@ott.example>", "text": self.text}
        return parse_message(raw_messages(case)[0], id="quoting").text

    @property
    def leaks(self) -> bool:
        """Whether a word of the head, and of nothing that its sender wrote, is among them."""
        return bool((_words(self.head) - _words(" ".join(HEADS[self.locale]["own"]))) & _words(self.read))

    @property
    def loses(self) -> bool:
        """Whether something that its sender wrote is not."""
        return any(each not in self.read for each in HEADS[self.locale]["own"])


def answers() -> Iterator[Answer]:
    """The grid."""
    for locale, program, number, addressed in product(HEADS, PROGRAMS, (0, 1), (True, False)):
        words = HEADS[locale]
        head = _head(words, program, words["names"][number], ADDRESSES[number] if addressed else "")
        marked = program in MARKED
        quotation = f"{head}\n\n{'> ' if marked else ''}{words['quoted']}"
        first, second = words["own"]
        for parts in (
            (first, second, quotation),
            *(((quotation, first, second), (first, quotation, second)) if marked else ()),
        ):
            yield Answer(locale, program, head, "\n\n".join(parts) + "\n")


def measured(found: Sequence[Answer]) -> tuple[list[Figure], str]:
    """The shares of leaking heads and of answers that lost something, and which they are."""
    leaking, losing = (Counter((a.locale, a.program) for a in found if wrong(a)) for wrong in WRONG.values())
    figures = [
        share(name, sum(map(wrong, found)), len(found), better="lower", target=REACHED[name])
        for name, wrong in WRONG.items()
    ]
    of = Counter((a.locale, a.program) for a in found)
    rows = [
        (*key, str(leaking[key]), str(losing[key]), str(of[key])) for key in of if (leaking + losing)[key]
    ]
    return figures, table(("quoted head", "program", "leaks", "own text lost", "of"), rows)


WRONG: Mapping[str, Callable[[Answer], bool]] = {
    "quoted-heads.leak": attrgetter("leaks"),
    "quoted-heads.own-text-lost": attrgetter("loses"),
}
REACHED = {"quoted-heads.leak": 0.0, "quoted-heads.own-text-lost": 0.0}
"""What the product comes to today."""


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{2,}", text))


def _head(words: Mapping[str, Any], program: str, name: str, address: str) -> str:
    who = f"{name} <{address}>" if address else name
    if program not in BLOCKS:
        bracketed = f"{name} (<{address}>)" if address else name
        head = words[program].format(who=who, bracketed=bracketed)
        if program in WRAPPED:
            return textwrap.fill(head, 78, break_long_words=False, break_on_hyphens=False)
        return head if program in MARKED else f"    {head}"
    bold, block = "*" if program == BLOCKS[1] else "", words["outlook"]
    fields = {"from": who, "sent": block["date"], "to": "Robin Vale", "subject": "Re: Oak shelf"}
    line = f"-----{block['original']}-----" if program == BLOCKS[2] else "_" * 32
    return "\n".join([line, *(f"{bold}{block[name]}{bold} {value}" for name, value in fields.items())])
