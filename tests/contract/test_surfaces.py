"""A contract of three surfaces over every kind of card: what one of them tells of a card stands on the others, and in its digest."""

import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from importlib import import_module
from typing import Any

import pytest

import email_assistant
from email_assistant.review.action import Action
from email_assistant.review.agent_inbox import encode
from email_assistant.review.card import markdown
from email_assistant.review.card_facts import NOTHING_LEARNED
from email_assistant.review.card_view import CardView, gap_line
from email_assistant.review.kinds import CardKind
from email_assistant.review.waiting import WaitingCard
from tests.support.page_cards import ZONE, every
from tests.support.surfaces import SURFACES, unlike, words


def _kinds() -> list[CardKind]:
    """Every kind that a module of the project declares, those of the workflows' rooms, too; none that a test does."""
    found: dict[str, CardKind] = {}
    for module in pkgutil.walk_packages(email_assistant.__path__, "email_assistant."):
        if not module.name.endswith("__main__"):
            named = vars(import_module(module.name)).values()
            found |= {each.name: each for each in named if isinstance(each, CardKind)}
    return sorted(found.values(), key=lambda kind: kind.name)


KINDS = _kinds()
GAP = {"field": "body", "text": "[confirm: gapword]", "span": [9, 27], "question": "questionword?",
       "offers": [{"text": "fillword", "label": "", "why": "whyword", "times": []}]}  # fmt: skip
TIMES = {"start": "2026-11-26T11:31:00+01:00", "end": "2026-11-26T13:02:00+01:00"}
ASKED = {"start": "2026-11-25T10:03:00+01:00", "end": "2026-11-25T10:44:00+01:00", "taken_by": "takerword"}
FREE = {"start": "2026-11-24T15:07:00+01:00", "end": "2026-11-24T16:09:00+01:00"}
MEETING = {
    "title": "eventword", "attendees": "guestword@x.example", "location": "placeword", "timezone": ZONE, **TIMES,
    "asked": ASKED, "options": [FREE], "collisions": [{"title": "clashword", **TIMES}],
}  # fmt: skip
REFUND = {
    "amount": "71.93", "currency": "CHF", "customer": "customerword", "policy": "policyword", "earlier": ["earlierword"],
    "working": [{"label": "labelword", "value": "valueword", "source": "sourceword"}], "checks": ["checkword"],
}  # fmt: skip
FILLED: Mapping[str, tuple[Any, tuple[str, ...]]] = {
    "title": ("titleword", ("titleword",)),
    "ask": ("Askword writes; offerword.", ("Askword writes; offerword.",)),
    "summary": ("summaryword", ("summaryword",)),
    "problem": ("problemword", ("problemword",)),
    "done": (["doneword"], ("Done so far", "doneword")),
    "doubts": (["doubtword"], ("doubtword", NOTHING_LEARNED)),
    "warnings": (["warningword", gap_line(GAP)], ("warningword",)),
    "gaps": ([GAP], ("questionword?", "1 gap", "fillword", "whyword")),
    "args": ({}, ()),
    "options": (["optionword", "otherword"], ("optionword", "otherword")),
    "sender": ("Senderword", ("Senderword",)),
    "address": ("addressword@x.example", ("addressword@x.example",)),
    "verified": ("verifiedword", ("verifiedword",)),
    "subject": ("subjectword", ("subjectword",)),
    "received": ("2026-11-16T08:12:44+01:00", ("Mon 16 Nov 2026, 08:12 CET",)),
    "facts": (["factword"], ("factword",)),
    "attachments": ([{"name": "fileword", "type": "application/typeword", "size": 9_300}],
                    ("fileword", "application/typeword", "9 KB")),
    "message": ("messageword", ("messageword",)),
    "quoted": ("quotedword", ("quotedword",)),
    "earlier": ([{"sender": "Beforeword", "address": "before@x.example", "received": "2026-11-12T07:21:00+01:00",
                  "text": "saidbeforeword"}], ("Beforeword", "before@x.example", "Thu 12 Nov 2026, 07:21 CET", "saidbeforeword")),
    "earlier_count": (37, ("(37)",)),
    "reasons": (["Triage: triageword", "reasonword"], ("Triage: triageword", "reasonword")),
    "offline": ("Written by rules.", ("Written by rules",)),
    "importance": ("importanceword", ("importanceword",)),
    "sections": ([{"heading": "Sectionword", "text": "sectiontext"}], ("Sectionword", "sectiontext")),
    "effects": (["effectword"], ("effectword",)),
    "said": ("saidword", ("saidword",)),
    "before": ({"body": "oldword"}, ()),
    "alarms": (["orders", "money"], ("gives orders", "money")),
    "deadline": ("2026-11-27", ("Fri 27 Nov",)),
    "confidence": (0.37, ("37 % certain",)),
    "meeting": (MEETING, ("eventword", "guestword@x.example", "placeword", "Thu 26 Nov", "11:31–13:02", ZONE, "Wed 25 Nov 10:03–10:44",
                          "takerword", "Tue 24 Nov", "15:07–16:09")),
    "refund": (REFUND, ("71.93", "CHF", "customerword", "policyword", "earlierword", "labelword", "valueword", "sourceword", "checkword")),
}  # fmt: skip
"""A value of each field, and the words in which every surface tells it."""
NOT_DRAWN = {
    "kind": "the card is told by its title; how it is answered goes by it",
    "answers": "they are buttons, keys, or a menu",
    "timezone": "times are told in it, and an event with it",
    "gist": "the list's row tells it",
    "offers_silence": "the ask tells it; the page words a button by it",
    "message_key": "an id",
    "arrived": "the sample day is told from other days by it",
    "is_own": "whom the user's own letter went to is told in place of who wrote it",
}
FIELDS: Mapping[str, Mapping[str, str]] = {
    "send_email": {"to": "Toword <to@x.example>", "cc": "cc@x.example", "subject": "Re: word", "body": "Bodyword [confirm: gapword] end"},
    "compose_email": {"to": "Toword <to@x.example>", "subject": "newsubject", "body": "Bodyword [confirm: gapword] end"},
    "schedule_meeting": {"title": "eventword", "attendees": "guestword@x.example", **TIMES, "timezone": ZONE, "location": "placeword",
                         "message": "sayword"},
    "label": {"category": "categoryword"},
    "Question": {"question": "Questionfield?"},
    "invitation": {"answer": "accepted", "comment": "commentword"},
    "refund": {"policy_id": "policyid", "amount": "71.93", "currency": "CHF"},
}  # fmt: skip
"""Of kinds that have fields, some that they have."""


def filled(kind: CardKind, args: Mapping[str, str], **changes: Any) -> WaitingCard:
    """A card of this kind that tells something in every field of its view."""
    told = {name: value for name, (value, _) in FILLED.items()} | {"args": dict(args)}
    if "body" not in args:  # A gap is a place of a field.
        told |= {"gaps": [], "warnings": ["warningword"]}
    rest = {
        "kind": kind.name,
        "answers": list(kind.answers),
        "timezone": ZONE,
        "gist": "gistword",
        "message_key": "k",
    }
    return waiting(CardView(**(told | rest | changes)))  # type: ignore[arg-type]


def waiting(view: CardView) -> WaitingCard:
    """The card as the server holds it."""
    (wire,) = encode(Action("1", "1", view.kind, view.title, view.args), markdown(view), view.as_json())
    asked = wire["action_request"]
    return WaitingCard("t", "order_desk", asked["action"], asked["args"], dict(wire["config"]), wire["description"],
                       wire["view"], "i")  # type: ignore[arg-type]  # fmt: skip


def variants(kind: CardKind) -> Iterator[Mapping[str, str]]:
    """The fields that cards of the kind have, some that none has yet, and none."""
    yield FIELDS.get(kind.name, {})
    yield {**FIELDS.get(kind.name, {}), "later_field": "laterword"}
    yield {}


def expected(kind: CardKind, args: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The words of each fact of a filled card, and of its fields."""
    found = {name: told for name, (_, told) in FILLED.items()}
    found["title"] = ("titleword",)
    found["args"] = tuple(
        words(text) for text in args.values() if "T1" not in text and "[confirm" not in text
    )
    if "body" in args:
        found["before"] = ("-oldword", "+Bodyword")
    else:
        found["gaps"] = ()
    return found


def test_no_field_of_a_card_is_forgotten() -> None:
    """A new one has a value here, with the words that tell it, or a reason why it is not drawn."""
    assert {each.name for each in fields(CardView)} == FILLED.keys() | NOT_DRAWN.keys()
    assert set(FIELDS) <= {kind.name for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_surface_tells_every_fact(kind: CardKind) -> None:
    """Whatever fields the card has."""
    missing = [
        (surface, name, word)
        for args in variants(kind)
        for surface, read in SURFACES.items()
        for told in [read(filled(kind, args))]
        for name, all_words in expected(kind, args).items()
        for word in all_words
        if words(word) not in told
    ]
    assert missing == []


def leaves(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """Where a value has texts, numbers and truths."""
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, *path, key)
    else:
        yield path


def with_another(value: Any, path: tuple[Any, ...]) -> Any:
    """The same with another leaf there."""
    if path:
        made = dict(value) if isinstance(value, dict) else list(value)
        made[path[0]] = with_another(value[path[0]], path[1:])
        return made
    if isinstance(value, str):
        other = value.replace("word", "wort").replace("Europe/Berlin", "Europe/Oslo")
        return (
            re.sub(r"(T\d\d):0", r"\1:3", re.sub(r"(T\d\d):[1-5]", r"\1:0", other))
            if other == value
            else other
        )
    return (
        not value if isinstance(value, bool) else value + 1 / 2 if isinstance(value, float) else value + 9_000
    )


FOLLOWS = {("gaps", 0, "field"), ("gaps", 0, "span", 0), ("gaps", 0, "span", 1)}
"""What follows from the fields, and is never another one by itself."""
SPECIAL = {
    "options": ["otherword"], "deadline": "2026-11-28", "alarms": ["money"], "gist": "other", "message_key": "l",
    "said": "", "before": None,
    "args": {"later_field": "other"},
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_digest_covers_what_is_drawn_and_nothing_else(kind: CardKind) -> None:
    """Whatever is another one in a card: its digest is another one exactly when both pages say so; the terminal draws the same Markdown."""
    base = filled(kind, FIELDS.get(kind.name, {}))
    pages = {name: SURFACES[name] for name in ("Agent Inbox", "page")}
    read = {name: each(base) for name, each in pages.items()}
    view = dict(base.view)
    others = [(name, {**view, name: value}) for name, value in SPECIAL.items()]
    some = [
        path
        for path in leaves(view)
        if path[0] not in {*SPECIAL, "args", "kind", "answers", "timezone", "offers_silence"}
        and path not in FOLLOWS
    ]
    others += [(str(path), with_another(view, path)) for path in some]
    wrong = []
    for name, other in others:
        asking = waiting(CardView.from_json(other))
        drawn = {surface for surface, each in pages.items() if each(asking) != read[surface]}
        if bool(drawn) != (asking.digest != base.digest) or drawn not in (set(), set(pages)):
            wrong.append((name, sorted(drawn)))
    assert wrong == []


@pytest.mark.parametrize("asking", every(), ids=lambda asking: asking.title)
def test_cards_as_they_are_read_alike(asking: WaitingCard) -> None:
    """Each word of each fact."""
    assert asking.facts
    assert unlike(replace(asking, description=markdown(asking.facts))) == {}
