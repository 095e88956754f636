"""The drafts that the fact check is measured on: templates of `eval/facts/`, filled, and changed in one place each."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Literal

from email_assistant.facts.fact import Own, Source
from eval.fact_slots import KINDS, MAKERS, maker, written

Half = Literal["dev", "test"]
HALVES: tuple[Half, ...] = ("dev", "test")
FOLDER = Path(__file__).parent / "facts"
FILLS = 8
SEED = 2026
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
MAILED = datetime(2026, 11, 19, 16, tzinfo=UTC)
ZONE = "Europe/Berlin"
OWN = Own("Alex Doe", "alex@studio.example")
_SLOT = re.compile(r"\{(?P<name>[a-z]+\d?)(?:\.(?P<form>[a-z0-9]+))?\}")


@dataclass(frozen=True)
class Example:
    """A draft with its sources; `wrong` says what was changed, and where that stands in the draft."""

    language: str
    draft: str
    sources: tuple[Source, ...]
    kind: str = ""
    wrong: tuple[int, int] = (0, 0)


def templates(half: Half) -> list[dict[str, Any]]:
    """The templates of a half."""
    return [json.loads(line) for line in (FOLDER / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()]


def examples(half: Half, seed: int = SEED) -> Iterator[tuple[Example, list[Example]]]:
    """Each draft as it should be, with its changed forms."""
    promises = json.loads((FOLDER / "promises.json").read_text(encoding="utf-8"))[half]
    for number, template in enumerate(templates(half)):
        for fill in range(FILLS):
            rng = Random(f"{seed}/{half}/{number}/{fill}")
            yield _filled(template, promises[template["language"]], rng)


def _filled(template: dict[str, Any], promises: Sequence[str], rng: Random) -> tuple[Example, list[Example]]:
    language = template["language"]
    texts = [template["theirs"], template["draft"], *template["ours"].values()]
    names = list(dict.fromkeys(m["name"] for text in texts for m in _SLOT.finditer(text)))
    values: dict[str, Any] = {}
    for name in names:
        values[name] = _other(name, list(values.values()), rng)

    def fill(text: str) -> str:
        return _SLOT.sub(lambda m: written(m["name"], values[m["name"]], m["form"] or "", language), text)

    sources = (
        Source("the mail", fill(template["theirs"]), "theirs", MAILED),
        *(Source(name, fill(text), "ours") for name, text in template["ours"].items()),
    )
    changed = []
    for slot in _SLOT.finditer(template["draft"]):
        if maker(slot["name"]) not in KINDS:
            continue
        value = written(
            slot["name"], _other(slot["name"], list(values.values()), rng), slot["form"] or "", language
        )
        before = fill(template["draft"][: slot.start()])
        draft = before + value + fill(template["draft"][slot.end() :])
        span = (len(before), len(before) + len(value))
        changed.append(Example(language, draft, sources, KINDS[maker(slot["name"])], span))
    draft = fill(template["draft"])
    promise, at = rng.choice(promises), draft.rindex("\n\n")
    changed.append(
        Example(
            language,
            f"{draft[:at]} {promise}{draft[at:]}",
            sources,
            "promise",
            (at + 1, at + 1 + len(promise)),
        )
    )
    return Example(language, draft, sources), changed


def _other(name: str, taken: list[Any], rng: Random) -> Any:
    """A value that no slot of the case has, nor its number."""
    numbers = {
        one
        for value in taken
        for one in (value if isinstance(value, tuple) else (value,))
        if isinstance(one, int)
    }
    for _ in range(200):
        value = MAKERS[maker(name)](rng, name)
        number = value[0] if isinstance(value, tuple) else value
        if maker(name) == "own" or (value not in taken and number not in numbers):
            return value
    raise ValueError(f"no further value for {name}")
