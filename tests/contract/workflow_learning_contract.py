"""Promises about learning: from what a person has decided, and only when it was done."""

from email.utils import parseaddr

from email_assistant.memory.profiles import PROFILES, ProfileName
from email_assistant.models.offline.preferences import dismissed_line
from email_assistant.models.settings import ModelSettings
from email_assistant.models.usage import ModelUsage
from tests.support.workflows import IGNORE, SEEN, Bench, edited, respond

READS_NO_PREFERENCES = ("claims_desk",)
LEARNS_FROM_DISMISSALS = ("email_assistant",)
CANARY = "Quillwort"
"""A word that stands in one mail, and in the letter about it."""
MOST_CARDS = 5
"""Of one mail, each seen."""
NOTICE = {
    "id": "notice", "from": "Parcels <parcels@post.example>", "subject": "Your parcel", "auth": "pass",
    "text": "Your parcel was delayed until Monday. No action is needed.",
}  # fmt: skip


class LearningContract:
    """One rule for every graph that reads the preferences."""

    async def test_an_edit_is_learned_only_when_it_was_sent(self, bench: Bench) -> None:
        """One that was asked about once more and then dismissed teaches nothing; the one that left does."""
        before = await _revision(bench)
        message, card = await bench.to_reply(_numbered(bench, "first"))
        again = await bench.answer(message, edited(card, body="It costs [confirm: the price], dearest."))
        assert again is not None
        while await bench.answer(message, IGNORE) is not None:
            pass
        assert await bench.sent() == []
        assert await _revision(bench) == before
        message, card = await bench.to_reply(_numbered(bench, "second"))
        assert await bench.answer(message, edited(card, body="It comes soon, dearest.")) is None
        learns = bench.workflow.graph not in READS_NO_PREFERENCES
        assert await _revision(bench) == before + learns

    async def test_words_about_a_draft_are_learned(self, bench: Bench) -> None:
        """By every graph that writes by the preferences."""
        before = await _revision(bench)
        message, _ = await bench.to_reply()
        await bench.answer(message, respond("Always sign with Cheers."))
        learns = bench.workflow.graph not in READS_NO_PREFERENCES
        assert await _revision(bench) == before + learns

    async def test_a_dismissal_asks_no_model(self, bench: Bench) -> None:
        """Of a reply, and of a notice where there are any; where it teaches something, a rule records it at once."""
        before = await _revision(bench, "triage_preferences")
        cards = [await bench.to_reply(), await bench.bring(NOTICE)]
        asked = _with_a_model(bench)
        for message, card in cards:
            while card is not None and await bench.answer(message, IGNORE) is not None:
                pass
        assert asked == []
        assert await bench.sent() == []
        dismissed = sum(card is not None for _, card in cards)
        learns = bench.workflow.graph in LEARNS_FROM_DISMISSALS
        assert await _revision(bench, "triage_preferences") == before + learns * dismissed
        newest = await bench.house.profiles.read("triage_preferences", bench.store)
        assert newest.origin == ("recorded by rule: dismissed" if learns else "default")

    async def test_what_was_only_seen_ends_and_teaches_nothing(self, bench: Bench) -> None:
        """Of a reply, and of a notice where there are any: the card is gone, nothing was sent, the profile is as it was."""
        before = await _revision(bench, "triage_preferences")
        for message, card in [await bench.to_reply(), await bench.bring(NOTICE)]:
            cards = [card] if card else []
            while cards and len(cards) < MOST_CARDS and (following := await bench.answer(message, SEEN)):
                cards.append(following)
            assert len(cards) < MOST_CARDS
        assert await bench.sent() == []
        assert await _revision(bench, "triage_preferences") == before

    async def test_what_was_learned_before_is_kept(self, bench: Bench) -> None:
        """Of two wishes about two mails the profile has both, in the user's words."""
        wishes = ["Always sign with Cheers.", "No exclamation marks."]
        for wish in wishes:
            message, _ = await bench.to_reply(_numbered(bench, wish.split()[0]))
            await bench.answer(message, respond(wish))
        lines = (await bench.house.profiles.read("response_preferences", None)).content.splitlines()
        learns = bench.workflow.graph not in READS_NO_PREFERENCES
        assert [f"- {wish}" in lines for wish in wishes] == [learns, learns]

    async def test_no_word_of_a_mail_is_learned(self, bench: Bench) -> None:
        """Neither of the mail nor of the letter that answers it, which a person has edited."""
        message, card = await bench.to_reply(_numbered(bench, CANARY))
        assert await bench.answer(message, edited(card, body=f"About your {CANARY}: it comes soon.")) is None
        assert any(CANARY in mail.as_string() for mail in await bench.sent())
        kept = [each.content for name in PROFILES for each in await bench.house.profiles.history(name)]
        assert not any(CANARY in text for text in kept)

    async def test_what_was_learned_of_one_sender_is_for_no_other(self, bench: Bench) -> None:
        """Somebody else of the same company, whose mail is hidden: this one's is shown as before."""
        before = await bench.bring(NOTICE)
        _, card = await bench.to_reply(_numbered(bench, "before"))
        await _hide(bench, "others@post.example", f"other.{_sender(bench)}")
        after = await bench.bring(NOTICE | {"id": "another", "subject": "Your next parcel"})
        assert (after[1] is None) == (before[1] is None)
        assert (await bench.to_reply(_numbered(bench, "after")))[1]["config"] == card["config"]


async def _hide(bench: Bench, *senders: str) -> None:
    """As if the person had agreed that these are not shown."""
    profile = await bench.house.profiles.read("triage_preferences", bench.store)
    lines = "\n".join(dismissed_line(sender, 9, hidden=True) for sender in senders)
    await bench.house.profiles.write(
        "triage_preferences", f"{profile.content}\n{lines}", origin="by hand", store=bench.store
    )


def _sender(bench: Bench) -> str:
    return parseaddr(str(bench.workflow.case["from"]))[1]


def _with_a_model(bench: Bench) -> list[ModelUsage]:
    """From now on a model is asked in place of the rules, one that nobody can reach; each time it was is in the list."""
    used: list[ModelUsage] = []
    settings = ModelSettings(
        "openai:none", "openai:none", openai_api_key="none", openai_base_url="http://127.0.0.1:9"
    )
    object.__setattr__(bench.writer, "settings", settings)
    object.__setattr__(bench.writer, "record", used.append)
    return used


def _numbered(bench: Bench, name: str) -> dict[str, object]:
    case = dict(bench.workflow.case)
    return case | {"id": name, "subject": f"{case['subject']} {name}"}


async def _revision(bench: Bench, name: ProfileName = "response_preferences") -> int:
    return (await bench.house.profiles.read(name, None)).revision
