"""What the simulated user wants: tastes that stay the same, each told to the assistant only by answering cards."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["triage", "reply", "meeting", "category"]
MAX_WORDS = 20
"""A reply may have so many words around the quoted subject and what is left to fill in."""
MINUTES = 45
EARLIEST = 10
"""The hour before which no meeting begins."""


@dataclass(frozen=True, slots=True)
class Taste:
    """One taste."""

    kind: Kind
    wants: str
    """In the user's words; for a category, its name."""
    says: str = ""
    """What the user says when a card can be answered with words."""
    sender: str = ""
    """Whom it is about, by id; "" for everybody."""


TASTES: Mapping[str, Taste] = {
    "ignore-market-letter": Taste("triage", "ignore", sender="market-letter"),
    "ignore-house-notices": Taste("triage", "ignore", sender="house"),
    "answer-mara": Taste("triage", "respond", "Thank her and say that I am glad.", "mara"),
    "answer-tomasz": Taste("triage", "respond", "Tell him thanks, and that I read every report.", "tomasz"),
    "tell-school": Taste("triage", "notify", sender="school"),
    "tell-parents-list": Taste(
        "triage", "notify", "Always show me mail of 3b@parents.linden-school.example.", "parents"
    ),
    "jens-notes-only": Taste("triage", "notes are ignored, questions answered", sender="jens"),
    "short-replies": Taste("reply", f"at most {MAX_WORDS} words around the answer", "Shorter, please."),
    "signed-robin": Taste("reply", 'signed "Best, Robin"', 'Sign with "Best, Robin".'),
    "no-exclamation": Taste("reply", "no exclamation mark", "No exclamation marks."),
    "formal-authority": Taste(
        "reply",
        'the authority is addressed with "Dear"',
        "With Building Control always begin with “Dear”.",
        "authority",
    ),
    "meetings-45": Taste(
        "meeting", f"{MINUTES} minutes unless they say otherwise", "My meetings are 45 minutes by default."
    ),
    "not-before-ten": Taste("meeting", f"never before {EARLIEST}:00", "Never before 10:00, please."),
    "atelier-is-work": Taste("category", "Professional/Work", "That is Work for me.", "atelier"),
    "ledgerly-is-work": Taste("category", "Professional/Work", "That is Work.", "ledgerly"),
    "school-is-important": Taste("category", "Important", "Important, please.", "linden-leaves"),
}
