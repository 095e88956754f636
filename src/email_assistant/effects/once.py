"""An effect is done once: the parts that each kind of effect has, and the one place that performs them.

Why: docs/decisions.md, "An effect happens once".
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from inspect import get_annotations
from typing import Any, ClassVar, Generic, TypeVar

from email_assistant.effects.outbox import Outbox, Reconciled
from email_assistant.effects.store import Intent
from email_assistant.journal.sql import JsonValue

What = TypeVar("What")
Came = TypeVar("Came")


class Effect(ABC, Generic[What, Came]):
    """One kind of change in the outside world; `What` is all that one of them needs to be done, resolved before.

    A class that leaves a part out does not import; what several kinds share names `ABC` among its bases.
    """

    kind: ClassVar[str]
    """What the outbox calls it; rows outlive updates, so it never changes."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Raises `TypeError` naming the parts that are left out."""
        super().__init_subclass__(**options)
        if ABC not in cls.__bases__ and (missing := sorted(_left_out(cls))):
            raise TypeError(f"{cls.__name__} is an effect without {', '.join(missing)}")

    @abstractmethod
    def intent(self, what: What) -> Intent:
        """Its id, subject, payload and doer, by which the outbox knows it: the same whenever it is repeated."""

    @abstractmethod
    async def do(self, what: What) -> dict[str, Any]:
        """Do it; what is to be remembered of it, as JSON."""

    @abstractmethod
    async def found(self, what: What) -> Reconciled:
        """Whether it happened: asked when it was begun and nobody saw its end."""

    @abstractmethod
    async def after(self, what: What, result: Mapping[str, Any]) -> Came:
        """What follows, which may be repeated, and what it came to; `result` is what `do` or `found` told."""


def _left_out(effect: type[Effect[Any, Any]]) -> set[str]:
    """Abstract methods without a body, and class variables without a value."""
    methods = {name for base in effect.__mro__ for name, each in vars(base).items() if _is_abstract(each)}
    values = {
        name
        for base in effect.__mro__
        for name, annotation in get_annotations(base).items()
        if "ClassVar" in str(annotation)
    }
    return {name for name in methods if _is_abstract(getattr(effect, name))} | {
        name for name in values if not hasattr(effect, name)
    }


def _is_abstract(method: object) -> bool:
    return bool(getattr(method, "__isabstractmethod__", False))


async def recorded_once(
    outbox: Outbox, effect: Effect[What, Came], what: What, accepted: Collection[str] | None = None
) -> Mapping[str, Any]:
    """Do it unless it was done; its result, whoever did it. Raises what `Outbox.perform` does."""
    intent = replace(effect.intent(what), accepted=accepted)
    outcome = await outbox.perform(intent, partial(effect.do, what), partial(effect.found, what))
    return result_of(outcome.result)


async def perform_once(outbox: Outbox, effect: Effect[What, Came], what: What) -> Came:
    """Do it unless it was done, then what follows; raises what `Outbox.perform` does."""
    return await effect.after(what, await recorded_once(outbox, effect, what))


def result_of(stored: JsonValue) -> Mapping[str, Any]:
    """What the outbox keeps of an effect that was done."""
    return stored if isinstance(stored, dict) else {}
