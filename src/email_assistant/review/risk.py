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
