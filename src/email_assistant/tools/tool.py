"""A tool: a name, a description and arguments for the model, a risk for policy, and work to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self, TypeVar, runtime_checkable

from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from email_assistant.effects.store import bounded
from email_assistant.errors import ConfigError, InputError
from email_assistant.facts.fact import Source
from email_assistant.journal.records import Doer
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation
from email_assistant.mail.text import clean, one_line
from email_assistant.models.offline.reading import Reader
from email_assistant.review.action import Action, Details, Problem, Risk
from email_assistant.review.card import title
from email_assistant.review.kinds import CardKind
from email_assistant.settings import NO_ADDRESS, Settings
from email_assistant.working_hours import USUAL, WorkingHours

_WORDS_SHOWN, _WORDS_LENGTH = 5, 160
"""Of a person's words on a card: how many, and how much of each."""


class Arguments(BaseModel):
    """Base of every tool's arguments as the model gives them; unknown ones are an error.

    Characters that nobody sees are taken out of them: what they hide would be done, and no card would show it.
    """

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _all_is_seen(cls, given: object) -> object:
        return {name: _seen(value) for name, value in given.items()} if isinstance(given, dict) else given


def _seen(value: object) -> object:
    if isinstance(value, list):
        return [_seen(each) for each in value]
    return clean(value)[0] if isinstance(value, str) else value


A_contra = TypeVar("A_contra", bound=Arguments, contravariant=True)


@dataclass(frozen=True)
class User:
    """Who the assistant works for."""

    address: Address
    timezone: str
    background: str = ""
    aliases: frozenset[str] = frozenset()
    """The user's further addresses, lower case."""
    mail_host: str = ""
    """The authserv-id of the host that receives the user's mail (RFC 8601 §2.5); "" when unknown."""
    working_hours: WorkingHours = USUAL
    desks: frozenset[str] = frozenset()
    """Further addresses whose mail comes to the user's workflows, lower case."""

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The one that settings name."""
        s = settings
        address = Address(s.email, s.name)
        desks = frozenset(where for where, _ in s.graph_rules)
        return cls(
            address, s.timezone, s.background, s.own_addresses, s.receiving_host, s.meeting_hours, desks
        )

    @property
    def sender(self) -> Address:
        """In whose name mail is written; raises `ConfigError` when the user has not said who that is."""
        if not self.address.email:
            raise ConfigError(NO_ADDRESS)
        return self.address

    @property
    def own(self) -> frozenset[str]:
        """The user's addresses, lower case."""
        return self.aliases | {self.address.key}

    @property
    def called(self) -> frozenset[str]:
        """How others call the user: the first name in lower case, the last as it is; without them what stands before the "@"."""
        parts = self.address.name.split()
        first = parts[:1] or [each.partition("@")[0] for each in self.own]
        return frozenset(
            each for each in (*(name.lower() for name in first), *parts[1:][-1:]) if len(each) > 1
        )

    @property
    def reader(self) -> Reader:
        """As rules know the user."""
        return Reader(self.own, self.desks, self.called, self.mail_host)


@dataclass(frozen=True)
class Turn:
    """One call of a tool, with all that it may know: from state and settings, never from the model."""

    run_thread_id: str
    conversation: Conversation
    user: User
    tool_call_id: str
    revision: int = 1
    previous: Mapping[str, Any] | None = None
    """The action this one revises (its JSON), so that a new draft replaces the old one."""
    known_actions: tuple[str, ...] = ()
    """Ids of the effects this run remembers; an effect on record that is not among them was forgotten in a crash."""
    ignored_words: tuple[str, ...] = ()
    """What the person said of this and whoever wrote it, fixed rules, cannot follow; the oldest first."""
    graph: str = ""
    round: int = 1
    """Which message of its run thread this is, from 1."""
    sources: tuple[Source, ...] = ()
    """What a text may rest on besides the conversation: what was looked up, what the person said, what is known of them."""
    is_doubted: bool = False
    """Whether there are signs that the message is not from whom it seems to be."""
    is_checked: bool = False
    """Whether the graph has put a gap in place of what nothing supports, by sources of its own."""

    @property
    def sender(self) -> Address:
        """In whose name the message is answered: of the user's addresses the one that it was written to, else the main one.

        Raises `ConfigError` when the user has not said who that is.
        """
        main, current = self.user.sender, self.conversation.current
        to = next((each.key for each in (*current.to, *current.cc) if each.key in self.user.own), main.key)
        return main if to == main.key else Address(to, main.name)

    @property
    def doer(self) -> Doer:
        """Whose effects those of this turn are."""
        return Doer(bounded(self.run_thread_id), self.graph, self.round)

    @property
    def action_id(self) -> str:
        """The effect's key: the same however often this turn is replayed."""
        return f"{bounded(self.run_thread_id)}:{bounded(self.tool_call_id)}:{self.revision}"

    def action(
        self,
        kind: CardKind,
        about: str,
        args: Mapping[str, str],
        *,
        begins: str = "",
        subject_key: str = "",
        details: Details | None = None,
        gaps: tuple[str, ...] = (),
        meeting: Mapping[str, Any] | None = None,
        headline: str = "",
        summary: str = "",
        reasons: tuple[str, ...] = (),
        effects: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
    ) -> Action:
        """The action that this turn proposes on a card of this kind; its title tells what it is `about`."""
        named, kept = title(f"{begins or kind.begins}{about}"), details.as_json() if details else {}
        return Action(
            self.action_id, self.tool_call_id, kind.name, named, args, kept, self.revision,
            reasons, warnings, summary, effects, headline, subject_key, self.doer, self.user.timezone,
            self.conversation.arrived, gaps=gaps, meeting=meeting,
        )  # fmt: skip

    def participants(self) -> frozenset[str]:
        """Keys of the addresses that have taken part in the conversation, the user's included."""
        messages = (*self.conversation.earlier, self.conversation.current)
        return self.user.own | {a.key for m in messages for a in (m.sender, *m.to, *m.cc)}

    @property
    def is_from_outside(self) -> bool:
        """Whether the sender had no part in the conversation before: whoever knows one of its ids can write into it."""
        earlier = self.conversation.earlier
        known = {a.key for m in earlier for a in (m.sender, *m.to, *m.cc)}
        return bool(earlier) and self.conversation.current.sender.key not in known


def ignored_words(turn: Turn) -> tuple[str, ...]:
    """A warning for each of the person's words that fixed rules could not follow, the newest first."""
    text = "Fixed rules wrote this and cannot follow “{}”: edit it yourself."
    return tuple(map(text.format, _newest_words(turn)))


def words_put_in(turn: Turn) -> tuple[str, ...]:
    """The same of a letter, in which such words are put as they stand: rules cannot tell what is to be written from how."""
    text = "Fixed rules put your words into the letter as they stand: “{}”. If they say how to write it, edit it yourself."
    return tuple(map(text.format, _newest_words(turn)))


def _newest_words(turn: Turn) -> list[str]:
    newest = list(dict.fromkeys(reversed(turn.ignored_words)))[:_WORDS_SHOWN]
    return [one_line(words, limit=_WORDS_LENGTH) for words in newest]


def called(action_id: str) -> str:
    """The tool call that an action was made for; see `Turn.action_id`."""
    return action_id.partition(":")[2].rpartition(":")[0]


@dataclass(frozen=True)
class Done:
    """A tool's work is done: `text` answers the model."""

    text: str
    performed: bool = False
    """True when something was changed in the world."""


@dataclass(frozen=True)
class AskAgain:
    """The action cannot be performed as reviewed; `action` is to be reviewed, with `problem` in the first line."""

    action: Action
    problem: str
    concerns: tuple[str, ...] = ()
    """Keys of what was found, so that a human who accepts all the same is not asked a third time."""


class Tool(Protocol):
    """Common to all tools; `name` and `description` are what the model reads."""

    name: ClassVar[str]
    description: ClassVar[str]
    arguments: ClassVar[type[Arguments]]
    risk: ClassVar[Risk]


@runtime_checkable
class ReadTool(Tool, Protocol[A_contra]):
    """A tool that only looks something up."""

    async def read(self, args: A_contra, turn: Turn) -> "Reading":
        """Look up; raises `InputError` for arguments the model can mend, `ProviderError` when the source fails."""


@dataclass(frozen=True)
class Reading:
    """The finding of a read tool: `text` for the model, `facts` for the human's card."""

    text: str
    facts: tuple[str, ...] = ()
    ours: str = ""
    """What of it nobody else has worded, so that a promise may rest on it: busy times, not the titles of invitations."""


@runtime_checkable
class ActionTool(Tool, Protocol[A_contra]):
    """A tool whose work needs the human's approval."""

    card: ClassVar[CardKind]
    """The kind of its cards; its name is the tool's."""

    async def prepare(self, args: A_contra, turn: Turn) -> Action | Done:
        """Resolve everything into an action to review; `Done` when it turns out to be done already.

        Raises `InputError` for arguments the model can mend. Safe to repeat.
        """

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """The action as the human edited it, or what is wrong with the edit."""

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Do exactly what was reviewed, once. `acknowledged` holds the concerns the human has seen already."""

    async def discard(self, action: Action) -> None:
        """Clean up what `prepare` left (a draft) when the action is not wanted; safe to repeat."""

    def feedback(self, text: str) -> str:
        """The message to the model when the human answered with `text` instead of approving."""


AnyTool = ReadTool[Any] | ActionTool[Any]


@dataclass(frozen=True)
class Toolbox:
    """The tools on offer, by name."""

    tools: tuple[AnyTool, ...]
    own: tuple[AnyTool, ...] = ()
    """Tools that fixed rules call and no model is told of."""

    @property
    def names(self) -> str:
        """Their names in one line."""
        return ", ".join(tool.name for tool in self.tools)

    def find(self, name: str) -> AnyTool | None:
        """The tool of that name, or None."""
        return next((tool for tool in (*self.tools, *self.own) if tool.name == name), None)

    def actor(self, name: str) -> ActionTool[Any]:
        """The tool that made an action of this kind; raises `LookupError` when there is none."""
        tool = self.find(name)
        if not isinstance(tool, ActionTool):
            raise LookupError(f"no tool performs {name}")
        return tool

    @cached_property
    def schemas(self) -> Sequence[dict[str, Any]]:
        """The tools as a chat model is told of them: made once, because walking through them takes longer than a request."""
        return [
            convert_to_openai_tool(
                StructuredTool(
                    name=t.name, description=t.description, args_schema=t.arguments, func=None, coroutine=None
                )
            )
            for t in self.tools
        ]


def parse_arguments(tool: AnyTool, raw: object) -> Arguments:
    """The model's arguments, typed; raises `InputError` naming each wrong argument."""
    try:
        return tool.arguments.model_validate(raw if raw is not None else {})
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors()
        )
        raise InputError(f"{tool.name} was called with wrong arguments: {problems}") from None
