"""`adopt_style`: what was counted in the user's own letters is put into the profiles, once the user has seen it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from email_assistant.errors import InputError
from email_assistant.memory.profiles import ProfileName, Profiles, check_content
from email_assistant.models.offline.writing_style import is_of_style
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, Action, Problem, Risk
from email_assistant.review.kinds import CardKind, QueueSection, declare
from email_assistant.tools.tool import Arguments, AskAgain, Done, Turn

STYLE = declare(
    CardKind(
        "adopt_style",
        (IGNORE, EDIT, ACCEPT),
        "Write as I do: ",
        "Do you write like this?",
        noun="Your style",
        section=QueueSection.REPLIES,
        confirm="once",
        held=True,
        button="Write like this",
        gist="Write as you do: greeting, closing, length, people",
        outcome="adopted",
        done="learned",
        underway="is learned",
    )
)
ACCEPTED = "Accepting puts these lines into your profiles, in place of those counted before."
_PROFILES: Mapping[str, ProfileName] = {"letters": "response_preferences", "people": "triage_preferences"}
"""Field → the profile that its lines go into."""
_TRIES = 20


class AdoptStyleArguments(Arguments):
    """What was counted."""

    letters: str = Field(min_length=1)
    """Lines for the profile of letters."""
    people: str = ""
    """Those for the profile of triage."""
    counted: str
    """In how many letters."""
    told: list[str] = Field(default_factory=list)
    """What else was found, a sentence each."""


@dataclass(frozen=True)
class AdoptStyle:
    """Proposes the lines, and puts them into the profiles."""

    profiles: Profiles
    name: ClassVar[str] = STYLE.name
    card: ClassVar[CardKind] = STYLE
    description: ClassVar[str] = "Put what was counted in the user's letters into the profiles."
    arguments: ClassVar[type[Arguments]] = AdoptStyleArguments
    risk: ClassVar[Risk] = Risk.IRREVERSIBLE

    async def prepare(self, args: AdoptStyleArguments, turn: Turn) -> Action | Done:
        """The card of it."""
        shown = {"letters": args.letters, "people": args.people}
        return turn.action(self.card, args.counted, shown, summary=ACCEPTED, warnings=tuple(args.told))

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """Any text that a profile can hold."""
        try:
            check_content(edited["letters"] + edited["people"])
        except InputError as error:
            return Problem(f"The edit was not taken: {error}")
        return action.with_args(edited)

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Write both; what this very action wrote before is not written again."""
        try:
            for field, profile in _PROFILES.items():
                await self._write(profile, action.args[field], action.id)
        except InputError as error:
            return AskAgain(action, f"It was not learned: {error}.")
        return Done("Learned. See it with `email-assistant memory show`.", True)

    async def discard(self, action: Action) -> None:
        """Nothing was left behind."""

    def feedback(self, text: str) -> str:
        """Never asked for: the card takes no words."""
        return f"Not learned: {text}"

    async def _write(self, profile: ProfileName, lines: str, decision_id: str) -> None:
        for _ in range(_TRIES):
            base = await self.profiles.read(profile, None)
            kept = [line for line in base.content.splitlines() if not is_of_style(line)]
            content = "\n".join([*kept, *filter(None, map(str.strip, lines.splitlines()))])
            if content == base.content or await self.profiles.append(
                base, content, origin="counted in sent mail", store=None, decision_id=decision_id
            ):
                return
        raise InputError(f"{profile} is being changed by others all the time; try again")
