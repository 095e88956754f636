"""A picture of a card as the terminal shows it: the real graph on a mail of the sample mailbox, answered by the offline rules."""

import asyncio
import io
import re
import shutil
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME

from email_assistant.cli import review
from email_assistant.cli.answering import allowed, menu
from email_assistant.review.waiting import WaitingCard
from eval.workbench import workbench

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
MAIL = "02-call-new-york.eml"
DAY = "2026-11-20T18:00:00+01:00"
"""The day that the sample mails speak of; what is over by now would be left out of the picture."""
TITLE = "email-assistant review"
WIDTH = 100
# Rich asks a web address for its font; a picture in a README has none but the reader's own.
FORMAT = re.sub(
    r"@font-face \{\{.*?\}\}\s*", "", Console.export_svg.__kwdefaults__["code_format"], flags=re.DOTALL
).replace(
    "font-family: Fira Code, monospace",
    "font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
)


def card_picture() -> str:
    """The card as SVG."""
    card = asyncio.run(_card())
    terminal = Console(
        file=io.StringIO(), record=True, width=WIDTH, force_terminal=True, color_system="truecolor",
        highlight=False, markup=False, emoji=False,
    )  # fmt: skip
    shown_on, review.out = review.out, terminal
    try:
        review.show(card, "1 of 37")
    finally:
        review.out = shown_on
    terminal.print()
    terminal.print(menu(allowed(card)))
    terminal.print("Your answer: ▌", end="")
    return terminal.export_svg(title=TITLE, theme=SVG_EXPORT_THEME, code_format=FORMAT, unique_id="card")


async def _card() -> WaitingCard:
    """The card that the sample mail comes to, with the sample person and calendar."""
    async with workbench(EMAIL_ASSISTANT_AUTHSERV_ID="", EMAIL_ASSISTANT_NOW=DAY) as bench:
        calendar = bench.house.settings.calendar_path
        assert calendar is not None
        calendar.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SAMPLES / "calendar.ics", calendar)
        value = await bench.start(await bench.receive((SAMPLES / "mailbox" / MAIL).read_bytes()))
        assert value is not None
        request = value["action_request"]
        return WaitingCard(
            "",
            "email_assistant",
            request["action"],
            request["args"],
            value["config"],
            value["description"],
            value["view"],
        )
