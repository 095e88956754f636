"""`Question` and `Done`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from email_assistant.review.action import IGNORE, RESPONSE, Action, Problem
from email_assistant.review.kinds import CardKind, QueueSection, declare
from email_assistant.review.risk import Risk
from email_assistant.tools.tool import Arguments, AskAgain, Done, Reading, Turn

QUESTION = declare(
    CardKind(
        "Question",
        (IGNORE, RESPONSE),
        "Question: ",
        "Before it answers {who}, the assistant asks: {question}",
        noun="Question",
        section=QueueSection.REPLIES,
        confirm="once",
        held=True,
        draws="question",
        gist="{question}",
        goes_when=("answered",),
    )
)


class QuestionArguments(Arguments):
    """What to ask."""

    question: str = Field(min_length=1)


class DoneArguments(Arguments):
    """Nothing."""


@dataclass(frozen=True)
class Question:
    """Asks the user something the mail and the preferences do not answer."""

    name: ClassVar[str] = QUESTION.name
    card: ClassVar[CardKind] = QUESTION
    description: ClassVar[str] = "Ask the user what you need to know and cannot find out."
    arguments: ClassVar[type[Arguments]] = QuestionArguments
    risk: ClassVar[Risk] = Risk.HUMAN

    async def prepare(self, args: QuestionArguments, turn: Turn) -> Action | Done:
        """A card that takes an answer or is ignored."""
        return turn.action(self.card, args.question, {"question": args.question})

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """A question is not edited."""
        return Problem("A question can be answered or ignored, not edited.")

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """A question has nothing to perform."""
        return Done("")

    async def discard(self, action: Action) -> None:
        """Nothing was left behind."""

    def feedback(self, text: str) -> str:
        """The user's answer."""
        return f"The user answered: {text}"


@dataclass(frozen=True)
class Finish:
    """Ends the work on the message."""

    name: ClassVar[str] = "Done"
    description: ClassVar[str] = (
        "The message is dealt with. May come in the same turn as the last other call."
    )
    arguments: ClassVar[type[Arguments]] = DoneArguments
    risk: ClassVar[Risk] = Risk.READ

    async def read(self, args: DoneArguments, turn: Turn) -> Reading:
        """Only says so."""
        return Reading("Done.")
