"""An action: one piece of work, fully resolved, exactly as the human sees it and as it will be performed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Self

ACCEPT, EDIT, RESPONSE, IGNORE = "accept", "edit", "response", "ignore"
SEEN = "seen"
"""Ends a card as `ignore` does and teaches nothing; of the page and the terminal, for every card that may be ignored."""


ARRIVED = "arrived"
"""The fact that is when the mail came in, ISO 8601."""
DONE = "done"
"""The fact that is what the run has done before, a sentence each."""
GAPS = "gaps"
"""The fact that is the gaps of its texts as they were proposed, see `facts.gaps.gaps_left`."""
_LISTS = ("reasons", "warnings", "effects")


@dataclass(frozen=True, slots=True)
class Action:
    """What is proposed, in plain JSON types so that it can live in a checkpoint.

    `args` is what the human sees and may edit, all text. `facts` is what the performer needs besides and
    nobody edits (ids of the draft, threading headers). Both are final: performing resolves nothing.
    """

    id: str
    """Key of the effect: `<run thread id>:<tool call id>:<revision>`."""
    tool_call_id: str
    kind: str
    """The tool's name, or `notify`."""
    title: str
    args: Mapping[str, str]
    facts: Mapping[str, Any] = field(default_factory=dict)
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

    @property
    def arrived(self) -> datetime | None:
        """When the mail that it answers came in, see `Message.arrived`."""
        text = self.facts.get(ARRIVED)
        return datetime.fromisoformat(text) if text else None

    def as_json(self) -> dict[str, Any]:
        """The action as a JSON object."""
        return asdict(self) | {name: list(getattr(self, name)) for name in _LISTS}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of `as_json`."""
        lists = {name: tuple(value.get(name, ())) for name in _LISTS}
        return cls(**(dict(value) | lists))

    def with_args(self, args: Mapping[str, str]) -> Self:
        """The same action with other arguments."""
        return replace(self, args=dict(args))

    def renewed(self) -> Self:
        """The same under the id of its next revision: another effect, where there is something else on record under this one."""
        revision = self.revision + 1
        return replace(self, id=f"{self.id.rpartition(':')[0]}:{revision}", revision=revision)


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
