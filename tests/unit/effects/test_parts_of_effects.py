"""An effect that leaves a part out does not import."""

from abc import ABC
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest

from email_assistant.effects.intent import Intent
from email_assistant.effects.once import Effect
from email_assistant.effects.outbox import NotHappened, Reconciled
from email_assistant.tools.approved import ApprovedEffect
from email_assistant.tools.sending import Sending


class Whole(Effect[str, str]):
    """It has every part."""

    kind: ClassVar[str] = "whole"

    def intent(self, what: str) -> Intent:
        """Its id is what it is."""
        return Intent(what, self.kind, "subject", {})

    async def do(self, what: str) -> dict[str, Any]:
        """Nothing."""
        return {}

    async def found(self, what: str) -> Reconciled:
        """Never."""
        return NotHappened()

    async def after(self, what: str, result: Mapping[str, Any]) -> str:
        """Nothing."""
        return what


PARTS = {
    "kind": lambda: _without(Whole, Effect, "kind"),
    "intent": lambda: _without(Whole, Effect, "intent"),
    "do": lambda: _without(Whole, Effect, "do"),
    "found": lambda: _without(Whole, Effect, "found"),
    "after": lambda: _without(Whole, Effect, "after"),
    "payload": lambda: _without(Sending, ApprovedEffect, "payload"),
    "ask_first": lambda: _without(Sending, ApprovedEffect, "ask_first"),
    "told": lambda: _without(Sending, ApprovedEffect, "told"),
    "claims_subject": lambda: _without(Sending, ApprovedEffect, "claims_subject"),
}


def _without(whole: type[Any], base: type[Any], part: str) -> type[Any]:
    parts = {
        name: each for name, each in vars(whole).items() if name not in {part, "__dict__", "__weakref__"}
    }
    return type("Partly", (base,), parts)


@pytest.mark.parametrize(("part", "declare"), PARTS.items())
def test_a_part_that_is_left_out_is_named(part: str, declare: Callable[[], type[Any]]) -> None:
    """Before anything is done, by the class statement."""
    with pytest.raises(TypeError, match=f"Partly is an effect without {part}"):
        declare()


def test_what_several_effects_share_may_leave_parts_out() -> None:
    """It says so by `ABC`, and those that are made of it may not."""

    class Shared(Effect[str, str], ABC):
        kind: ClassVar[str] = "shared"

    with pytest.raises(TypeError, match="Made is an effect without after, do, found, intent"):
        type("Made", (Shared,), {})
