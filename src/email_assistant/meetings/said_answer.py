"""What a person says to an invitation's card where no rule understands it: a model reads it, and has nothing but the person's own words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from email_assistant.errors import ProviderError
from email_assistant.meetings.instructions import Instruction
from email_assistant.models.call import ModelCall
from email_assistant.models.runner import Models

MAX_WORDS = 2_000
_WORD = re.compile(r"\w+")


class ReadAnswer(BaseModel):
    """What a person wants done about an invitation."""

    is_understood: bool = Field(description="Whether the words say all of it, without a guess.")
    answer: Literal["accepted", "tentative", "declined", ""] = ""
    comment: str = Field("", description="What to tell the organizer, in the person's own words.")
    when: str = Field("", description="Another time to propose, as it stands in the words.")


@dataclass(frozen=True)
class SaidWords:
    """What the model reads: nothing of the invitation, which is a stranger's."""

    words: str

    def variables(self) -> Mapping[str, str]:
        """Values for said_answer.md."""
        return {"words": self.words[:MAX_WORDS]}


SAID_ANSWER: ModelCall[SaidWords, ReadAnswer] = ModelCall(
    name="said_answer",
    prompt="said_answer",
    output=ReadAnswer,
    tier="fast",
    offline=lambda inputs: ReadAnswer(is_understood=False),
)


@dataclass(frozen=True)
class AnswerReader:
    """Asks a model, where there is one."""

    models: Models

    async def read(self, words: str) -> Instruction | None:
        """What the words say to do; None where that is not understood, or the model says what they do not say."""
        if self.models.is_offline(SAID_ANSWER.tier) or len(words) > MAX_WORDS:
            return None
        try:
            return instruction_of(await self.models.run(SAID_ANSWER, SaidWords(words)), words)
        except ProviderError:  # The card says that nothing was understood, and its buttons need no model.
            return None


def instruction_of(said: ReadAnswer, words: str) -> Instruction | None:
    """What the model has understood, where each word to be sent or proposed is the person's."""
    comment, when = said.comment.strip(), said.when.strip()
    if not said.is_understood or not (said.answer or comment or when):
        return None
    if (comment and not _stands_in(comment, words)) or when.casefold() not in words.casefold():
        return None
    return Instruction("tentative" if when else said.answer, comment[:1].upper() + comment[1:], when)


def _stands_in(comment: str, words: str) -> bool:
    """Whether it is one run of the words; their order may be another, as verbs have it."""
    wanted, said = (_WORD.findall(text.casefold()) for text in (comment, words))
    runs = (said[at : at + len(wanted)] for at in range(len(said) - len(wanted) + 1))
    return bool(wanted) and any(sorted(run) == sorted(wanted) for run in runs)
