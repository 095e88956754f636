"""The stream: hand-written texts and senders, put together by a fixed seed; in each mail a word that stands nowhere else."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from eval.datasets import load
from eval.workbench import Graph

SEED = 20_261_121
COUNT = 200
BIRDS = ("Plover", "Kestrel", "Wryneck", "Dunlin", "Hoopoe", "Siskin", "Avocet", "Fulmar", "Ortolan", "Twite")
SLOTS: Mapping[str, Sequence[str]] = {
    "place": ("Eastmere", "Bregenz", "Gothenburg", "Lyon", "Porto", "Kyoto"),
    "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    "project": ("the reading room", "Hudson loft", "the bakery", "Pier 4", "the practice", "the gallery"),
    "n": ("2", "3", "4", "5", "7", "8"),
}


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail of the stream, and what is wanted of it."""

    case: Mapping[str, Any]
    sender: str
    """The sender's id."""
    role: str
    """taste, meets, asks, background, innocent or doubt."""
    graph: Graph
    group: str
    """What kind of text it is."""
    wants: str
    """What a sensible person wants who has no tastes: ignore, notify or respond, or a category."""
    canary: str
    """A word that nobody may repeat."""


@cache
def senders() -> Sequence[Mapping[str, Any]]:
    """Everybody who writes."""
    return load("learning/senders.jsonl")


@cache
def _kernels() -> Sequence[Mapping[str, Any]]:
    return load("learning/kernels.jsonl")


def mails(count: int = COUNT) -> list[Mail]:
    """The first `count` mails of the stream, the same ones each time."""
    chance = random.Random(SEED)
    made = [_mail(sender, number, chance) for sender in senders() for number in range(sender["mails"])]
    chance.shuffle(made)
    return [_numbered(mail, number) for number, mail in enumerate(made[:count])]


def probes(sender_ids: Sequence[str], first: int = 700, each: int = 2) -> list[Mail]:
    """Mails of these senders that are in no stream."""
    chance = random.Random(SEED + first)
    chosen = [sender for sender in senders() if sender["id"] in sender_ids]
    made = [_mail(sender, sender["mails"] + n, chance) for sender in chosen for n in range(each)]
    return [_numbered(mail, first + number) for number, mail in enumerate(made)]


def strangers(count: int, first: int = 400) -> list[Mail]:
    """Mails of people who write once: every other one asks something, the rest tell something."""
    chance = random.Random(SEED + first)
    made = []
    for number in range(count):
        name = chance.choice(("Alma", "Bela", "Cleo", "Dario", "Edda", "Finn", "Gita", "Hugo"))
        family = f"{chance.choice(('Rask', 'Moreau', 'Tanner', 'Ilves', 'Quist'))}-{number}"
        who = {
            "id": f"stranger-{number}",
            "role": "stranger",
            "name": f"{name} {family}",
            "address": f"{name}.{family}@town-{number}.example".lower(),
            "texts": ["ask" if number % 2 else "misc"],
            "mails": 1,
        }
        made.append(_mail(who, number, chance))
    return [_numbered(mail, first + number) for number, mail in enumerate(made)]


def written_by(name: str, texts: str, number: int, headers: Mapping[str, str] | None = None) -> Mail:
    """A mail of somebody with this name; `texts` is a group, with "-en" at its end only what is English of it."""
    plain = name.lower().replace(" ", "-")
    who = {
        "id": plain,
        "role": "stranger",
        "name": name,
        "address": f"{name.lower().replace(' ', '.')}@{plain}.example",
    }
    graph = {"graph": "inbox_organizer"} if headers else {}
    more = {"texts": [texts.removesuffix("-en")], "mails": 1, "headers": headers or {}}
    first_of = number if not texts.endswith("-en") else -len(plain)
    made = _mail(who | more | graph, first_of, random.Random(SEED + number))
    return _numbered(made, number)


def _mail(sender: Mapping[str, Any], number: int, chance: random.Random) -> Mail:
    group = sender["texts"][number % len(sender["texts"])]
    kernels = [kernel for kernel in _kernels() if kernel["group"] == group]
    kernel = kernels[(number // len(sender["texts"]) + len(sender["id"])) % len(kernels)]
    slots = {name: chance.choice(values) for name, values in SLOTS.items()}
    slots["first"] = sender["name"].split()[0]
    case: dict[str, Any] = {
        "from": f"{sender['name']} <{sender['address']}>",
        "subject": kernel["subject"].format(**slots),
        "text": kernel["text"].format(**slots),
        "auth": sender.get("auth", "pass"),
        "headers": dict(sender.get("headers", {})),
    }
    graph = sender.get("graph", "email_assistant")
    return Mail(case, sender["id"], sender["role"], graph, group, kernel["wants"], "")


def _numbered(mail: Mail, number: int) -> Mail:
    canary = f"{BIRDS[number % len(BIRDS)]}-{number:03d}"
    case = dict(mail.case) | {
        "id": f"learning-{number:03d}",
        "subject": f"{mail.case['subject']} ({canary})",
        "text": f"{mail.case['text']}\nRef. {canary}\n",
        "date": f"2026-11-19T{9 + number // 60 % 10:02d}:{number % 60:02d}:00+00:00",
    }
    return Mail(case, mail.sender, mail.role, mail.graph, mail.group, mail.wants, canary)
