"""A user who changes their mind: the latest word holds, and the history keeps both."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from email_assistant.memory.profiles import ProfileName
from email_assistant.models.runner import Models
from email_assistant.workflows.inbox_organizer.services import OrganizerServices
from eval.learning.running import Benches, benches, hints
from eval.learning.stream import Mail, written_by
from eval.workbench import Workbench

TRIAGE: ProfileName = "triage_preferences"
REPLIES: ProfileName = "response_preferences"
IGNORE = {"type": "ignore"}


@dataclass(frozen=True, slots=True)
class Change:
    """One change of mind."""

    name: str
    latest: bool
    """Whether the latest word holds."""
    kept: bool
    """Whether the history still tells the earlier one."""


async def measure(models: Callable[[], Models]) -> list[Change]:
    """Every change of mind, each on senders of its own."""
    async with benches(models) as found:
        desk = found["email_assistant"]
        return [
            await _asked_then_dismissed(desk),
            await _dismissed_then_asked(desk),
            await _style(desk, "formal-then-casual", ["More formal, please.", "Less formal, please."], formal=False),
            await _style(desk, "casual-then-formal-again", ["More formal, please."], formal=True),
            await _in_one_session(desk),
            await _line_taken_out(desk),
            await _category(found),
        ]  # fmt: skip


async def answered(bench: Workbench, mail: Mail, answers: Sequence[Any]) -> dict[str, Any]:
    """The state after these answers to the mail's cards; the first card of it, and the one that waits, beside it."""
    message, first = await bench.bring(mail.case)
    card = first
    for answer in answers:
        assert card is not None, "there is a card to answer"
        card = await bench.answer(message, [answer])
    return await bench.values(message) | {"first": first, "waits": card}


def says(text: str) -> dict[str, str]:
    """An answer in words."""
    return {"type": "response", "args": text}


async def _asked_then_dismissed(bench: Workbench) -> Change:
    who = "Odile Marchand"
    await answered(bench, written_by(who, "misc", 800), [says("Tell her thanks."), IGNORE])
    for number in (801, 802, 803):
        await answered(bench, written_by(who, "misc", number), [IGNORE])
    last = await answered(bench, written_by(who, "misc", 804), [])
    return Change(
        "asked-then-dismissed", last["classification_decision"] == "ignore",
        await _once_said(bench, TRIAGE, "odile.marchand@odile-marchand.example: you asked for a reply"),
    )  # fmt: skip


async def _dismissed_then_asked(bench: Workbench) -> Change:
    who = "Piet Bakker"
    for number in (810, 811):
        await answered(bench, written_by(who, "misc", number), [IGNORE])
    await answered(bench, written_by(who, "misc", 812), [says("Thank him."), IGNORE])
    last = await answered(bench, written_by(who, "misc", 813), [])
    return Change(
        "dismissed-then-asked", last["classification_decision"] == "respond",
        await _once_said(bench, TRIAGE, "piet.bakker@piet-bakker.example: dismissed 2 times"),
    )  # fmt: skip


async def _style(bench: Workbench, name: str, wishes: Sequence[str], *, formal: bool) -> Change:
    for number, wish in enumerate(wishes):
        await answered(bench, written_by(f"Asta {name.title()}", "ask-en", 820 + number), [says(wish)])
    latest = await _holds(bench, wishes[-1], await _is_formal(bench, name) == formal)
    return Change(name, latest, await _once_said(bench, REPLIES, wishes[0]))


async def _in_one_session(bench: Workbench) -> Change:
    both = [says("More formal, please."), says("Less formal, please.")]
    seen = await answered(bench, written_by("Bo Session", "ask-en", 830), both)
    casual = _draft(seen["waits"]).startswith("Hi ") and not await _is_formal(bench, "session")
    latest = await _holds(bench, "Less formal, please.", casual)
    return Change("both-in-one-session", latest, await _once_said(bench, REPLIES, "More formal, please."))


async def _holds(bench: Workbench, wish: str, drafted: bool) -> bool:
    """Whether the latest wish about style holds: in the draft; of rules, which write one style, as the profile's last line."""
    if not bench.house.models.is_offline("strong"):
        return drafted
    lines = (await bench.house.profiles.read(REPLIES, bench.store)).content.strip().splitlines()
    return lines[-1] == f"- {wish}"


async def _is_formal(bench: Workbench, name: str) -> bool:
    """Whether the draft for somebody who writes for the first time is formal."""
    seen = await answered(bench, written_by(f"Next {name.title()}", "ask-en", 840), [])
    return _draft(seen["first"]).startswith("Dear ")


def _draft(card: Mapping[str, Any] | None) -> str:
    return str(card["action_request"]["args"].get("body", "")) if card else ""


async def _line_taken_out(bench: Workbench) -> Change:
    """The user takes a learned line out of the profile by hand."""
    who, line = "Quirin Haas", "- Mail from quirin.haas@quirin-haas.example: dismissed 3 times"
    for number in (850, 851, 852):
        await answered(bench, written_by(who, "misc", number), [IGNORE])
    profiles = bench.house.profiles
    text = (await profiles.read(TRIAGE, bench.store)).content
    await profiles.write(TRIAGE, text.replace(line, ""), origin="by hand", store=bench.store)
    last = await answered(bench, written_by(who, "misc", 853), [])
    latest = line in text and last["classification_decision"] == "notify"
    return Change("line-taken-out", latest, await _once_said(bench, TRIAGE, line))


async def _category(found: Benches) -> Change:
    """Three corrections, forgotten, then three to another category."""
    bench, seen = found["inbox_organizer"], set()
    for number in range(6):
        category = "Professional/Work" if number < 3 else "Important"
        mail = written_by(
            "Rota Weekly", "atelier", 860 + number, headers={"List-Id": "<rota.weekly.example>"}
        )
        message, card = await bench.bring(mail.case)
        if card is None:  # What was forgotten decides all the same.
            break
        edit = {"action": card["action_request"]["action"], "args": {"category": category}}
        await bench.answer(message, [{"type": "edit", "args": edit}])
        seen |= {(hint.key, hint.category) for hint in await hints(bench) if hint.holds}
        if number == 2:
            await OrganizerServices.of(bench.house).category_hints.forget(
                bench.house.mailbox.name, "list:rota.weekly.example"
            )
    held = [hint.category for hint in await hints(bench) if hint.holds]
    return Change("category-forgotten-and-taught-anew", held == ["Important"], len(seen) == 2)


async def _once_said(bench: Workbench, profile: ProfileName, text: str) -> bool:
    history = await bench.house.profiles.history(profile)
    return any(text in revision.content for revision in history)
