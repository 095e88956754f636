"""Tools that find something out and do nothing: `search_memory`, `Question`; and `Done`, which ends the work."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from email_assistant.mail.mailbox import Mailbox, MailQuery
from email_assistant.mail.text import fence
from email_assistant.memory.profiles import Profiles
from email_assistant.review.action import IGNORE, RESPONSE, Action, Problem, Risk
from email_assistant.review.kinds import CardKind, QueueSection, declare
from email_assistant.tools.tool import Arguments, AskAgain, Done, Reading, Turn

MAX_RESULTS = 8
ANSWERED = "The user answered: "

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
        goes_when_answered=True,
    )
)


class SearchMemoryArguments(Arguments):
    """What to look for."""

    query: str = Field(min_length=1, max_length=200)


@dataclass(frozen=True)
class SearchMemory:
    """Finds preference lines and past messages by words."""

    profiles: Profiles
    mailbox: Mailbox
    name: ClassVar[str] = "search_memory"
    description: ClassVar[str] = "Search the user's preferences and the headers of past messages for words."
    arguments: ClassVar[type[Arguments]] = SearchMemoryArguments
    risk: ClassVar[Risk] = Risk.READ

    async def read(self, args: SearchMemoryArguments, turn: Turn) -> Reading:
        """Matching preference lines and the newest matching messages, as data."""
        words = {w for w in args.query.lower().split() if len(w) > 2}
        lines = [line for line in await self.profiles.lines() if words & set(line.lower().split())]
        ids = (await self.mailbox.inbox(MailQuery(text=args.query)))[-MAX_RESULTS:]
        messages = [await self.mailbox.fetch(i) for i in ids if i != turn.conversation.current.id]
        found = [*lines[:MAX_RESULTS], *[f"{m.date}: {m.sender.email}: {m.subject}" for m in messages]]
        return Reading(fence("\n".join(found)) if found else "Nothing was found.")


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
        return f"{ANSWERED}{text}"


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
