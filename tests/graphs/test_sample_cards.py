"""What the sample mailbox comes to without a model, card by card, as its owner reads it: titles, rows, headlines, letters.

The sentences stand in `sample_cards/cards.txt`, a section for each mail; `WRITE_CARDS=1 pytest tests/graphs/test_sample_cards.py` writes
them anew, to be read before they are committed.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

from email_assistant.clock import FixedClock
from email_assistant.models.offline.asks import MAX_WORDS
from email_assistant.page.pane import CardPage
from email_assistant.review.queue import rows
from email_assistant.review.waiting import WaitingCard
from tests.support.page_cards import ZONE
from tests.support.sample_cards import NOW, Found, of_claims, of_mailbox, of_shop, on_agent_inbox, on_the_page
from tests.support.surfaces import words

CARDS = Path(__file__).parent / "sample_cards" / "cards.txt"
SOME = 3
"""Mails of each further workflow, whose cards are much alike."""
ALIKE = 2
"""Mails of one workflow whose first cards are of one kind, which are drawn."""
_FRAME = ("What ", "Why ", "To", "Subject", "take it out", "Asked by ", "When", "Who", "Where", "Title")
"""The page's headings and labels."""
_LONELY_GAP = re.compile(r"^[^\n]*\n\n\[confirm: [^\]]*\]\n\n[^\n]*\n?[^\n]*$")
_OTHER_DATES = re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2} [A-Z][a-z]{2,8} 2026\b")


def drawn(card: WaitingCard) -> Iterator[str]:
    """What its owner reads of it."""
    row = rows([card], FixedClock(NOW), ZONE)[0]
    page = CardPage(row, card, NOW.astimezone(ZoneInfo(ZONE)), ZONE)
    yield f"title:    {card.title}"
    yield f"row:      {' | '.join(filter(None, (row.who, row.ask, ' · '.join(row.catch))))}"
    yield f"headline: {page.title}{page.tail}"
    yield f"page:     {' / '.join(_on_the_page_alone(card))}"
    yield from (
        f"  {line}" for line in card.description.partition("#### The message")[0].splitlines() if line
    )
    yield from (f"  > {line}".rstrip() for line in card.args.get("body", "").splitlines())


def _on_the_page_alone(card: WaitingCard) -> Iterator[str]:
    """What the page shows and Agent Inbox does not; the terminal shows what Agent Inbox does, and its menu."""
    inbox = words("\n".join((*on_agent_inbox(card), card.facts.message)))
    for line in on_the_page(card):
        if words(line) not in inbox and not line.startswith(_FRAME):
            yield line


async def test_the_cards_of_the_sample_mailbox(tmp_path: Path) -> None:
    """Word for word."""
    own = await of_mailbox(tmp_path / "mailbox", "email_assistant")
    (tmp_path / "shop").mkdir()
    others: dict[str, Found] = {
        "inbox_organizer": await of_mailbox(tmp_path / "inbox_organizer", "inbox_organizer"),
        "reply_pipeline": await of_mailbox(tmp_path / "reply_pipeline", "reply_pipeline"),
        "order_desk": await of_shop(tmp_path / "shop", SOME),
        "claims_desk": await of_claims(SOME),
    }
    cards = dict(of_each_kind({name: some for name, (_, some) in own.items() if some}))
    for workflow, found in others.items():
        asked = {name: some for name, (_, some) in islice(found.items(), SOME) if some}
        cards |= {f"{name} in {workflow}": some for name, some in of_each_kind(asked)}
    sections = [
        "\n".join((f"## {name}", *(line for card in found for line in (*drawn(card), ""))))
        for name, found in cards.items()
    ]
    told = "\n".join(sections).rstrip() + "\n"
    if os.environ.get("WRITE_CARDS"):
        CARDS.write_text(told, encoding="utf-8")
    assert told == CARDS.read_text(encoding="utf-8")
    for card in (card for _, found in own.values() for card in found):
        assert_well_written(card)


def of_each_kind(cards: dict[str, list[WaitingCard]]) -> Iterator[tuple[str, list[WaitingCard]]]:
    """A few of those that are alike."""
    counts = Counter[str]()
    for name, found in cards.items():
        counts[found[0].facts.kind] += 1
        if counts[found[0].facts.kind] <= ALIKE:
            yield name, found


def assert_well_written(card: WaitingCard) -> None:
    """No letter with a gap alone; asks of few words; no sentence twice; days as people say them."""
    row = rows([card], FixedClock(NOW), ZONE)[0]
    before_the_mail = card.description.partition("#### The message")[0]
    assert len(card.facts.gist.split()) <= MAX_WORDS, card.title
    assert not _LONELY_GAP.match(card.args.get("body", "")), card.title
    assert not _OTHER_DATES.search(f"{card.title}\n{row.ask}\n{card.facts.ask}"), card.title
    lines = Counter(line for line in (card.title, *before_the_mail.splitlines()) if len(line.split()) > 3)
    assert not [line for line, number in lines.items() if number > 1]
    if "body" in card.args or card.facts.kind == "notify":
        # The headline may go on from what the title says, but says it not alone.
        rest = (line for line in before_the_mail.splitlines() if not line.startswith("- **Subject:**"))
        assert card.facts.doubts or not any(line.endswith(card.facts.gist) for line in rest), card.title
