"""How much harm a tool can do, and what policy makes of it."""

from enum import StrEnum


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


POLICY: dict[Risk, Policy] = {
    Risk.READ: Policy.AUTO,
    Risk.REVERSIBLE: Policy.AUTO,
    Risk.IRREVERSIBLE: Policy.REVIEW,
    Risk.HUMAN: Policy.REVIEW,
}


def policy_for(risk: Risk | None) -> Policy:
    """The policy for a tool's risk; a tool nobody knows (None) is refused."""
    return Policy.REFUSE if risk is None else POLICY[risk]
