"""Every workflow that is served, declared once: its name here, all else in `workflow.py` of its folder.

What the parts of the system need to know of a workflow they ask of it here, and none of them names one. To take a workflow out, delete
its folder and its line in `NAMES`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

NAMES: tuple[str, ...] = (
    "email_assistant",
    "inbox_organizer",
    "reply_pipeline",
    "order_desk",
    "claims_desk",
)
"""The first one owns what no setting gives to another."""
SHARED_CARDS = (
    "kit.review_loop", "tools.inquiries", "meetings.cancelling", "meetings.answers", "tools.mail_tools",
    "tools.undelivered", "tools.own_style", "meetings.scheduling",
)  # fmt: skip
"""The modules that declare kinds of cards which several workflows have (`review/kinds.py`)."""

Undo = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""From a thread's values to the update of its state; it may be called again after a crash."""


class StatusPart(Protocol):
    """What a workflow adds to `status`."""

    async def facts(self, deps: Any) -> dict[str, Any]:
        """Names and values, for `--json`."""

    def rows(self, facts: Mapping[str, Any]) -> dict[str, str]:
        """The same for people, a line each; nothing where there is nothing to tell."""

    def failures(self, facts: Mapping[str, Any]) -> Sequence[str]:
        """What failed and what to do about it, a line each."""


Settle = Callable[[Any, str, Mapping[str, str]], Awaitable[None]]
"""Does what was decided about a card that no run waits for, from `AccountDeps`, the id of its review and its fields as they were approved.

It may be called again after a crash. Raises a domain error when it cannot be done.
"""


async def _nothing_waits(deps: Any, review_id: str, args: Mapping[str, str]) -> None:
    raise LookupError(f"no card of this workflow waits without a run: {review_id}")


def _email_input(inputs: Mapping[str, Any], user: Any) -> Any:
    return inputs.get("email_input")


def _always(inputs: Mapping[str, Any]) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command, or a family of commands, of `email-assistant`."""

    name: str
    target: str
    """Where it is, as `module:attribute`: a function, or with `is_group` a `typer.Typer`. Imported when it is called."""
    help: str
    """Its line in `email-assistant --help`."""
    is_group: bool = False
    heading: str = ""
    """What it stands under there."""


Check = Callable[[], Awaitable[str]]
"""Looks whether something works, and says what it found; raises a domain error when it does not."""


def _no_checks(deps: Any) -> Sequence[tuple[str, Check]]:
    return ()


@dataclass(frozen=True)
class Workflow:
    """One workflow. `deps` is the `AppDeps` that everything is taken from; nothing is opened before it is needed."""

    name: str
    build: Callable[..., Any]
    """From `deps` and options of `StateGraph.compile` to the compiled graph, observed by the journal."""
    last_node: str
    """A thread that is ended from outside is left as if it had come to that."""
    cards: tuple[str, ...] = ()
    """The modules of its folder that declare kinds of cards."""
    answers: bool = True
    """Whether it answers mail: its cards are of no use once the user has answered."""
    takes_answered: bool = False
    """Whether it also takes up conversations in which the user has written last."""
    brings_mail: Callable[[Mapping[str, Any]], bool] = _always
    """Whether an input brings a mail; a chat brings none."""
    email_input: Callable[[Mapping[str, Any], Any], Any] = _email_input
    """From an input and the user to the mail in Gmail form; raises `InputError` naming the field."""
    undo: Callable[[Any], Undo] | None = None
    """From `deps` to what is undone besides when a person wants its work gone."""
    settle: Settle = _nothing_waits
    status: Callable[[], StatusPart] | None = None
    checks: Callable[[Any], Sequence[tuple[str, Check]]] = _no_checks
    """From `deps` to what `doctor` looks at besides, by name."""
    commands: tuple[CommandEntry, ...] = ()
    heading: str = ""
    """What its commands stand under in `email-assistant --help`; "" for those that look into things."""


@cache
def workflow(name: str) -> Workflow:
    """The workflow of that name; raises `LookupError` when there is none."""
    if name not in NAMES:
        raise LookupError(f"there is no workflow {name!r}")
    found: Workflow = import_module(f"email_assistant.workflows.{name}.workflow").WORKFLOW
    return found


def descriptions() -> dict[str, str]:
    """By name, what each does, in a sentence."""
    packages = {name: import_module(f"email_assistant.workflows.{name}") for name in NAMES}
    return {
        name: f"{(each.__doc__ or '').partition('. ')[0].rstrip('.')}." for name, each in packages.items()
    }


def workflows() -> tuple[Workflow, ...]:
    """All of them."""
    return tuple(workflow(name) for name in NAMES)


def table_modules() -> tuple[str, ...]:
    """Every module that declares tables, beside the journal's and an adapter's."""
    named = (f"email_assistant.workflows.{name}.records" for name in NAMES)
    found = (f"{each}.tables" for each in named if find_spec(each) and find_spec(f"{each}.tables"))
    return "email_assistant.page.sessions", *found


def card_modules() -> tuple[str, ...]:
    """Every module that declares kinds of cards."""
    own = (f"workflows.{each.name}.{module}" for each in workflows() for module in each.cards)
    return tuple(f"email_assistant.{module}" for module in (*SHARED_CARDS, *own))


@cache
def answering() -> frozenset[str]:
    """The names of those that answer mail."""
    return frozenset(each.name for each in workflows() if each.answers)
