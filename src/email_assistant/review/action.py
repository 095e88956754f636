"""An action: one piece of work, fully resolved, exactly as the human sees it and as it will be performed.

How much harm a tool can do, and what policy makes of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, Self

from pydantic import TypeAdapter

from email_assistant.journal.records import NOBODY, Doer, OutboxRow

ACCEPT, EDIT, RESPONSE, IGNORE = "accept", "edit", "response", "ignore"
SEEN = "seen"
"""Ends a card as `ignore` does and teaches nothing; of the page and the terminal, for every card that may be ignored."""


_adapter: Any = cache(TypeAdapter)
"""From a type to what validates it, made once."""


class JsonForm:
    """Base of frozen dataclasses that checkpoints and the outbox keep as plain JSON; times, addresses and events in them, too."""

    __slots__ = ()

    def as_json(self) -> dict[str, Any]:
        """The value as a JSON object, without the fields that have their default."""
        values: dict[str, Any] = _adapter(type(self)).dump_python(self, mode="json", exclude_defaults=True)
        return values

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of `as_json`; raises `ValidationError` for what is no such object."""
        found: Self = _adapter(cls).validate_python(value)
        return found


@dataclass(frozen=True, slots=True)
class GapOffer:
    """What a gap of a text may be filled with by one key."""

    gap: str
    """The gap as it stands in the text."""
    text: str
    why: str
    """Where that is from, in a few words."""
    label: str = ""
    """What to call it where the text has several lines; "" where it has one."""
    times: tuple[tuple[str, str], ...] = ()
    """Starts and ends that it names, ISO 8601: it is no more offered when one of them is taken."""


@dataclass(frozen=True, slots=True)
class Action(JsonForm):
    """What is proposed: what every card has, whatever its kind.

    `args` is what the human sees and may edit, all text. `details` are what the performer of this kind needs besides and nobody
    edits (ids of the draft, threading headers). Both are final: performing resolves nothing.
    """

    id: str
    """Key of the effect: `<run thread id>:<tool call id>:<revision>`."""
    tool_call_id: str
    kind: str
    """The tool's name, or `notify`."""
    title: str
    args: Mapping[str, str]
    details: Mapping[str, Any] = field(default_factory=dict)
    """The JSON of its kind's own `Details`."""
    revision: int = 1
    reasons: tuple[str, ...] = ()
    """Why this is proposed and what to look at, one plain sentence each."""
    warnings: tuple[str, ...] = ()
    """What looks wrong or unusual (a new recipient, a conflict), one plain sentence each."""
    summary: str = ""
    """What `args` come to, as one sentence that is quickly read (when a meeting is); follows the card's headline."""
    effects: tuple[str, ...] = ()
    """What else accepting does besides what `args` say (who is written to), one plain sentence each."""
    headline: str = ""
    """The card's first sentence where that of its kind does not fit; what may stand in it: `CardKind.headline`."""
    subject_key: str = ""
    """What its effect is about, in the outbox."""
    doer: Doer = NOBODY
    """Whose effect it is."""
    timezone: str = "UTC"
    """The user's, by its IANA name."""
    arrived: datetime | None = None
    """When the mail that it answers came in, see `Message.arrived`."""
    done: tuple[str, ...] = ()
    """What the run has done before, a sentence each."""
    gaps: tuple[str, ...] = ()
    """The gaps of its texts as they were proposed, see `facts.fact.gaps_left`."""
    offers: tuple[GapOffer, ...] = ()
    """What may fill them."""
    options: tuple[str, ...] = ()
    """What the field that is chosen may be, see `CardKind.choice`."""
    confidence: float | None = None
    """See `CardView.confidence`."""
    meeting: Mapping[str, Any] | None = None
    """The times of a meeting as its tool found them, see `CardView.meeting`."""
    offers_silence: bool = False
    """See `CardView.offers_silence`."""

    def with_args(self, args: Mapping[str, str]) -> Self:
        """The same action with other arguments."""
        return replace(self, args=dict(args))

    def renewed(self) -> Self:
        """The same under the id of its next revision: another effect, where there is something else on record under this one."""
        revision = self.revision + 1
        return replace(self, id=f"{self.id.rpartition(':')[0]}:{revision}", revision=revision)


class Details(JsonForm):
    """Base of what cards of one kind carry besides: a frozen dataclass, declared beside the tool or the node that makes them."""

    __slots__ = ()

    @classmethod
    def of(cls, action: Action) -> Self:
        """The details of an action of this kind."""
        return cls.from_json(action.details)

    @classmethod
    def of_row(cls, row: OutboxRow) -> Self:
        """What the outbox keeps of them."""
        return cls.from_json(row.payload["details"])


@dataclass(frozen=True, slots=True)
class Decision:
    """What the human decided about an action: `type` is accept, edit, response or ignore."""

    type: str
    args: Mapping[str, str] = field(default_factory=dict)
    """For edit: every argument as the human left it."""
    text: str = ""
    """For response: what the human wrote."""
    seen: bool = False
    """For ignore: the human has seen to it, and that teaches nothing about what comes later."""

    def as_json(self) -> dict[str, Any]:
        """The decision as a JSON object."""
        return {"type": self.type, "args": dict(self.args), "text": self.text, "seen": self.seen}


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an answer could not be taken: one plain sentence, shown on the card when it is asked again."""

    text: str


class Risk(StrEnum):
    """What undoing the tool's work would take. Every tool declares one; there is no default."""

    READ = "read"
    """Looks something up; nothing changes."""
    REVERSIBLE = "reversible"
    """Changes something only the user sees, and can be undone (a label, a draft)."""
    IRREVERSIBLE = "irreversible"
    """Reaches other people or cannot be undone (a sent mail, an invitation)."""
    HUMAN = "human"
    """Does nothing itself: it puts a question to the human."""


class Policy(StrEnum):
    """What happens with an action before it is performed."""

    AUTO = "auto"
    REVIEW = "review"
    REFUSE = "refuse"


class Sender(StrEnum):
    """Whether there are signs that a message is not from whom it seems to be."""

    PLAIN = "plain"
    IN_DOUBT = "in_doubt"


POLICY: dict[tuple[Risk, Sender], Policy] = {
    (Risk.READ, Sender.PLAIN): Policy.AUTO,
    (Risk.READ, Sender.IN_DOUBT): Policy.AUTO,
    (Risk.REVERSIBLE, Sender.PLAIN): Policy.AUTO,
    (Risk.REVERSIBLE, Sender.IN_DOUBT): Policy.REVIEW,
    (Risk.IRREVERSIBLE, Sender.PLAIN): Policy.REVIEW,
    (Risk.IRREVERSIBLE, Sender.IN_DOUBT): Policy.REVIEW,
    (Risk.HUMAN, Sender.PLAIN): Policy.REVIEW,
    (Risk.HUMAN, Sender.IN_DOUBT): Policy.REVIEW,
}


def policy_for(risk: Risk | None, sender: Sender) -> Policy:
    """The policy for a tool's risk on a sender's message; a tool nobody knows (None) is refused."""
    return Policy.REFUSE if risk is None else POLICY[risk, sender]
