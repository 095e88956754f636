"""Promises about learning: from what a person has decided, and only when it was done."""

from tests.support.workflows import IGNORE, Bench, edited, respond

READS_NO_PREFERENCES = ("claims_desk",)


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


def _numbered(bench: Bench, name: str) -> dict[str, object]:
    case = dict(bench.workflow.case)
    return case | {"id": name, "subject": f"{case['subject']} {name}"}


async def _revision(bench: Bench) -> int:
    return (await bench.house.profiles.read("response_preferences", None)).revision
