"""Every card that the samples come to without a model, by workflow and mail, and what each surface shows of it, line by line."""

import csv
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.clock import FixedClock
from email_assistant.mail.message import Message
from email_assistant.page.pane import CardPage
from email_assistant.page.texts import environment
from email_assistant.review.queue import rows
from email_assistant.review.waiting import WaitingCard
from eval.claims.running import claims
from eval.claims.running import desk as claims_desk
from tests.support.desk import Desk, desk, order_desk, organizer, pipeline
from tests.support.page_cards import ZONE
from tests.support.surfaces import as_waiting

SAMPLES = Path(__file__).parents[2] / "samples"
NOW = datetime(2026, 11, 20, 16, 45, tzinfo=UTC)
MOST_CARDS = 3
"""Cards of one mail, one after the other was accepted."""
_MAILBOX = {"email_assistant": desk, "inbox_organizer": organizer, "reply_pipeline": pipeline}
_TEMPLATES = environment()
_BLOCKS = frozenset(
    ("p", "h1", "h2", "li", "dt", "dd", "tr", "div", "form", "label", "summary", "button", "svg", "textarea")
)
Found = dict[str, tuple[str, list[WaitingCard]]]
"""By the name of the mail: its text, and its cards."""


async def of_mailbox(folder: Path, workflow: str) -> Found:
    """Of the sample mailbox: the last mail of each conversation, with those before it there."""
    (folder / "data").mkdir(parents=True)
    shutil.copy(SAMPLES / "calendar.ics", folder / "data" / "calendar.ics")
    bench = _MAILBOX[workflow](folder, EMAIL_ASSISTANT_NOW=NOW.isoformat())
    latest: dict[str, tuple[str, Message]] = {}
    for path in sorted((SAMPLES / "mailbox").glob("*.eml")):
        message = await bench.receive(path.read_bytes())
        latest[message.mail_thread_id] = (path.stem, message)
    return {
        name: (_mail(message), await _cards(bench, message, workflow))
        for name, message in sorted(latest.values())
    }


async def of_shop(folder: Path, most: int | None = None) -> Found:
    """Of the sample shop's mails, each before anything was sold."""
    bench = await order_desk(folder, EMAIL_ASSISTANT_NOW=NOW.isoformat())
    found: Found = {}
    with (SAMPLES / "shop" / "mails.csv").open(encoding="utf-8", newline="") as file:
        for mail in islice(csv.DictReader(file), most):
            key = mail["email_id"]
            sender = {
                "from": f"Kim Alder <{key.lower()}@post.example>",
                "to": "robin@vale.example",
                "id": key,
            }
            asked = sender | {"subject": mail["subject"], "body": mail["message"], "date": NOW.isoformat()}
            config = {"configurable": {"thread_id": key}}
            await bench.graph.ainvoke({"email_input": asked}, config)
            state = await bench.graph.aget_state(config)
            cards = [as_waiting(each.value[0], "order_desk") for each in state.interrupts]
            found[key] = f"From: {sender['from']}\nSubject: {mail['subject']}\n\n{mail['message']}", cards
    return found


async def of_claims(most: int | None = None) -> Found:
    """Of the sample claims by mail, read by a script that stands for a model: rules alone refund nothing."""
    found: Found = {}
    async with claims_desk("scripted") as bench:
        for claim in islice((each for each in claims() if each["channel"] == "mail"), most):
            mail = claim["email"]
            text = f"From: {mail['from']}\nSubject: {mail['subject']}\n\n{mail['body']}"
            cards = (await bench.bring(claim)).cards
            found[claim["claim_id"]] = text, [as_waiting(each, "claims_desk") for each in cards]
    return found


async def _cards(bench: Desk, message: Message, workflow: str) -> list[WaitingCard]:
    """The cards of a message, each but the last one accepted where it makes a meeting."""
    found: list[WaitingCard] = []
    card: dict[str, Any] | None = await bench.start(message)
    while card and len(found) < MOST_CARDS:
        found.append(as_waiting(card, workflow))
        if found[-1].kind.draws != "event":
            break
        card = await bench.answer(message, [{"type": "accept", "args": None}])
    return found


def _mail(message: Message) -> str:
    return f"From: {message.sender.name} <{message.sender.email}>\nSubject: {message.subject}\n\n{message.text.strip()}"


class _Lines(HTMLParser):
    """What can be seen, or unfolded, a line for each block."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.told = [""]
        self._open: list[bool] = [False]
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A block begins a line."""
        if tag in _BLOCKS or tag == "br":
            self.told.append("")
        if tag not in {"br", "input", "meta", "link", "img", "line", "rect", "path"}:
            self._open.append(self._open[-1] or "hidden" in dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        """Back to what is around it."""
        if tag not in {"br", "input", "meta", "link", "img", "line", "rect", "path"}:
            self._open.pop()
        if tag in _BLOCKS:
            self.told.append("")

    def handle_data(self, data: str) -> None:
        """Note what is seen."""
        if not self._open[-1]:
            self.told[-1] += data


def on_the_page(card: WaitingCard) -> list[str]:
    """The card's pane, with nothing of the calendar's day."""
    page = CardPage(rows([card], FixedClock(NOW), ZONE)[0], card, NOW.astimezone(ZoneInfo(ZONE)), ZONE, "")
    html = _TEMPLATES.get_template("card.html").render(card=page, strip=None)
    return [flat for line in _Lines(html).told if (flat := " ".join(line.split()))]


def on_agent_inbox(card: WaitingCard) -> Iterator[str]:
    """Its title, fields and description."""
    yield card.title
    for name, value in card.args.items():
        yield from f"{name}: {value}".splitlines()
    yield ""
    yield from card.description.splitlines()
