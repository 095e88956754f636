"""Cards that are answered together, as a table: notices, and guesses at labels."""

from dataclasses import dataclass

from email_assistant.review.action import ACCEPT
from email_assistant.review.kinds import RowGroup
from email_assistant.review.queue import Bundle, BundleItem

_SUB = {
    RowGroup.NOTICES: "Nobody is answered. What you take out of the selection waits on; Enter opens a mail.",
    RowGroup.LABELS: "Change what is wrong: go to a row and press a number. Nothing moves before you answer, and all of it can be undone.",
}


@dataclass(frozen=True, slots=True)
class GroupPage:
    """A bundle, and what its template asks besides."""

    bundle: Bundle
    place: str
    """Which of the mails that wait."""

    @property
    def at(self) -> str:
        """Where it is, below `/review/`."""
        return f"group/{self.bundle.group.value}"

    @property
    def title(self) -> str:
        """How many of what."""
        return f"{self.bundle.title}{', in one answer' if self.is_accepted else ''}"

    @property
    def sub(self) -> str:
        """What an answer does."""
        return _SUB[self.bundle.group]

    @property
    def is_accepted(self) -> bool:
        """Whether something is done when they are answered; else they are put aside."""
        return ACCEPT in self.bundle.items[0].card.kind.answers

    @property
    def options(self) -> list[str]:
        """What each of them may be set to."""
        cards = [item.card for item in self.bundle.items]
        named = (each for card in cards for each in (*card.facts.options, card.chosen))
        return [each for each in dict.fromkeys(named) if each]

    def why(self, item: BundleItem) -> str:
        """Why a card is left out; else why there is a card."""
        if item.left_out:
            return "sender in doubt" if any(c.facts.doubts for c in item.row.cards) else "look first"
        reasons = item.card.facts.reasons
        return reasons[0].removeprefix("Triage: ") if reasons else ""
