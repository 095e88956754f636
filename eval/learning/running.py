"""The stream through the real graphs: what the assistant did with each mail at first, and what the user corrected."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from email_assistant.mail.message import Message
from email_assistant.memory.profiles import PROFILES
from email_assistant.models.failures import ModelOutputError
from email_assistant.models.runner import Models
from email_assistant.workflows.inbox_organizer.records.hints import Hint
from email_assistant.workflows.inbox_organizer.services import OrganizerServices
from eval.learning.stream import Mail
from eval.learning.tastes import TASTES
from eval.learning.user import User, judge_meeting, judge_reply, triage_taste, wanted
from eval.workbench import Graph, Workbench, workbench

GRAPHS: tuple[Graph, ...] = ("email_assistant", "inbox_organizer")
MAX_CARDS = 8
"""So many cards of one mail the user answers before giving up."""
LEFT_ALONE = frozenset(["innocent"])
"""Whose cards wait unanswered, so that nothing is taught by their own mail."""
Benches = Mapping[Graph, Workbench]


@dataclass(frozen=True, slots=True)
class Seen:
    """What became of one mail."""

    mail: Mail
    decision: str
    """ignore, notify or respond; or the category."""
    by: str
    """In the organizer, who decided: hint, headers, model or human."""
    checks: Mapping[str, bool]
    """Whether the first thing that was shown, or done, is as each taste that applies wants it."""
    corrected: Sequence[str] = ()
    learned: int = 0
    """So many revisions and corrections of categories came of it; counted where the sender is in doubt."""

    @property
    def decided(self) -> tuple[str, bool]:
        """What must be the same for somebody innocent: the decision, and whether a hint made it."""
        return self.decision, self.by == "hint"


@asynccontextmanager
async def benches(models: Callable[[], Models], graphs: Iterable[Graph] = GRAPHS) -> AsyncIterator[Benches]:
    """The assistants of one user: one for answering, one for sorting. Each closes its own models."""
    async with AsyncExitStack() as stack:
        yield {name: await stack.enter_async_context(workbench(name, models())) for name in graphs}


async def run(found: Benches, user: User | None, mails: Sequence[Mail]) -> list[Seen]:
    """One mail after the other; without a user no card is answered."""
    return [await take(found[mail.graph], user, mail) for mail in mails]


async def take(bench: Workbench, user: User | None, mail: Mail) -> Seen:
    """One mail, and the user's answers to its cards; one that the model has no usable answer to is wrong in all."""
    counted = user is not None and mail.role == "doubt"
    before = await lessons(bench) if counted else 0
    try:
        message, card = await bench.bring(mail.case)
    except ModelOutputError:
        return Seen(mail, "unanswered", "", dict.fromkeys(_tastes_about(mail), False))
    decision, by, checks = _judged(mail, await bench.values(message), card)
    corrected: list[str] = []
    if user and mail.role not in LEFT_ALONE:
        corrected += await _by_hand(bench, user, mail, decision, card)
        with suppress(ModelOutputError):
            corrected += await _answered(bench, user, mail, message, card)
    learned = await lessons(bench) - before if counted else 0
    return Seen(mail, decision, by, checks, corrected, learned)


def _tastes_about(mail: Mail) -> list[str]:
    if mail.graph == "inbox_organizer":
        return [name for name, taste in TASTES.items() if taste.sender == mail.sender]
    return [triage_taste(mail)]


def _judged(
    mail: Mail, values: Mapping[str, Any], card: Mapping[str, Any] | None
) -> tuple[str, str, dict[str, bool]]:
    """What was decided, by whom, and which tastes that and the first card meet."""
    if mail.graph == "inbox_organizer":
        category = str(values.get("category"))
        checks = {name: category == TASTES[name].wants for name in _tastes_about(mail)}
        return category, str(values.get("decided_by")), checks
    decision = str(values["classification_decision"])
    return decision, "", {triage_taste(mail): decision == wanted(mail)} | _shown(mail, card)


async def _answered(
    bench: Workbench, user: User, mail: Mail, message: Message, card: Mapping[str, Any] | None
) -> list[str]:
    """The tastes that the user's answers correct, one card after the other."""
    corrected: list[str] = []
    for _ in range(MAX_CARDS):
        if card is None:
            break
        answer, tastes = user.reply_to(mail, card)
        corrected += tastes
        card = await bench.answer(message, [answer])
    return corrected


async def _by_hand(
    bench: Workbench, user: User, mail: Mail, decision: str, card: Mapping[str, Any] | None
) -> list[str]:
    """What has no card can only be told to the profile itself, as `email-assistant memory edit` does; once is enough."""
    taste = triage_taste(mail)
    if card or decision != "ignore" or taste not in TASTES or not TASTES[taste].says or user.said[taste]:
        return []
    user.said[taste] += 1
    profile = await bench.house.profiles.read("triage_preferences", bench.store)
    text = f"{profile.content}\n- {TASTES[taste].says}"
    await bench.house.profiles.write("triage_preferences", text, origin="by hand", store=bench.store)
    return [taste]


async def lessons(bench: Workbench) -> int:
    """How many revisions the profiles have, and how many corrections of categories count."""
    count = sum([len(await bench.house.profiles.history(name)) for name in PROFILES])
    return count + sum(hint.agreeing for hint in await hints(bench))


async def hints(bench: Workbench) -> list[Hint]:
    """What was taught about categories."""
    return await OrganizerServices.of(bench.house).category_hints.all(bench.house.mailbox.name)


async def written(bench: Workbench) -> str:
    """Everything that is kept of lessons: all revisions, what the store shows, and the hints."""
    texts: list[Any] = [
        revision.content for name in PROFILES for revision in await bench.house.profiles.history(name)
    ]
    texts += [str(await bench.profile(name)) for name in PROFILES]
    texts += [f"{hint.key} {hint.category}" for hint in await hints(bench)]
    return "\n".join(texts)


def _shown(mail: Mail, card: Mapping[str, Any] | None) -> dict[str, bool]:
    """What the tastes about drafts and meetings say of the first card."""
    if card is None:
        return {}
    title, args = card["action_request"]["action"], card["action_request"]["args"]
    if title.startswith("Send reply"):
        return judge_reply(mail, args["body"])
    return judge_meeting(mail, args) if title.startswith("Schedule") else {}
