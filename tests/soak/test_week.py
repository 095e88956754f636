"""A week of mail with a simulated owner: nothing wanted is hidden by what was learned, and nobody is answered twice.

The owner puts away what is not wanted, sees to notices, agrees when asked whether to hide a sender, and answers every third mail that
wants a reply on the phone: before the assistant has read it, while its card waits, or in the moment of the accept.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from email_assistant.models.offline.learned import learned_about
from email_assistant.models.runner import Models
from email_assistant.models.settings import OFFLINE, ModelSettings
from email_assistant.workflows.email_assistant.calls import TRIAGE, TriageVerdict
from eval.learning.stream import Mail, mails, strangers
from eval.learning.user import User, wanted
from eval.mails import received
from tests.contract.workflow_elsewhere_contract import TOLD, write_elsewhere
from tests.support.workflows import IGNORE, WORKFLOWS, Bench

MAILS = 190
MOST_CARDS = 10
MOMENTS = ("", "before", "", "waiting", "", "accept")
"""When the owner writes on the phone, in turn: not at all, or then."""


class Obedient(Models):
    """A model that knows what a sensible person wants, and ignores whomever the profile it is shown says was put away."""

    def __init__(self, stream: list[Mail]) -> None:
        super().__init__(ModelSettings(OFFLINE, OFFLINE))
        object.__setattr__(self, "wants", {mail.canary: mail.wants for mail in stream})

    wants: dict[str, str]

    async def run(self, call: Any, inputs: Any, *, escalate_below: float | None = None) -> Any:
        """The verdict, by the word that stands in one mail alone."""
        if call is not TRIAGE:
            return await super().run(call, inputs, escalate_below=escalate_below)
        told = inputs.variables()["preferences"].splitlines()
        sender = inputs.conversation.current.sender.key
        if any(sender in line.lower() and learned_about(line) != sender for line in told):
            return TriageVerdict(reasoning="The profile names its sender.", classification="ignore")
        found = re.findall(r"\w+-\d{3}", inputs.conversation.current.subject)
        return TriageVerdict(reasoning="So it seems.", classification=self.wants[found[-1]])  # type: ignore[arg-type]


@dataclass
class Owner:
    """Answers the cards of one assistant, and writes on the phone."""

    bench: Bench
    user: User = field(default_factory=User)
    replies: int = 0
    shown: set[str] = field(default_factory=set)
    on_phone: Counter[str] = field(default_factory=Counter)

    async def take(self, mail: Mail) -> None:
        """One mail, from its arrival to its end."""
        moment = ""
        if wanted(mail) == "respond":
            moment, self.replies = MOMENTS[self.replies % len(MOMENTS)], self.replies + 1
        message = (await received(self.bench.house, mail.case)).current
        if moment == "before":
            await write_elsewhere(self.bench, message)
        card = await self.bench.start(message)
        if card is not None:
            self.shown.add(mail.canary)
        for _ in range(MOST_CARDS):
            if card is None:
                break
            if TOLD in card["description"].splitlines()[0]:
                card = await self.bench.answer(message, IGNORE)
                continue
            answer, _ = self.user.reply_to(mail, card)
            if moment == "waiting" or (moment == "accept" and answer["type"] in {"accept", "edit"}):
                await write_elsewhere(self.bench, message)
                self.on_phone[moment], moment = self.on_phone[moment] + 1, ""
            card = await self.bench.answer(message, [answer])
        assert card is None, f"{mail.canary} has no end"


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("writer", ["rules", "model"])
async def test_a_week_of_mail(tmp_path: Path, writer: str) -> None:
    """Of what the owner wants to see, lessons hide nothing; no mail has two replies."""
    known = [mail for mail in mails() if mail.graph == "email_assistant"][:MAILS]
    stream = [*known, *strangers(MAILS - len(known))]
    models = [Obedient(stream) if writer == "model" else None for _ in range(2)]
    workflow = WORKFLOWS["email_assistant"]
    taught = Owner(
        await workflow.open(tmp_path / "taught", models[0] or Models(ModelSettings(OFFLINE, OFFLINE)))
    )
    for mail in stream:
        await taught.take(mail)
    fresh = await workflow.open(tmp_path / "fresh", models[1] or Models(ModelSettings(OFFLINE, OFFLINE)))
    without = {mail.canary for mail in stream if (await fresh.bring(mail.case))[1] is not None}
    desired = {
        mail.canary for mail in stream if mail.role != "doubt" and wanted(mail) in {"notify", "respond"}
    }
    hidden = sorted((desired & without) - taught.shown)
    answered = Counter(str(sent["In-Reply-To"]) for sent in await taught.bench.sent() if sent["In-Reply-To"])
    twice = sorted(key for key, number in answered.items() if number > 1)
    print(
        f"\n{writer}: {len(stream)} mails, {len(taught.shown)} shown ({len(without)} without lessons), {len(desired)} wanted, "
        f"hidden by lessons {len(hidden)}, answered {len(answered)}, on the phone {dict(taught.on_phone)}, second replies {len(twice)}"
    )
    assert taught.on_phone.total() > 0
    assert (hidden, twice) == ([], [])
    await taught.bench.close()
    await fresh.close()
