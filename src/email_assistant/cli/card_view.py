"""A card on the terminal: the mail it is about, then what would be done, close to the question."""

import re

from rich.markdown import Markdown
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from email_assistant.cli.cards import WaitingCard
from email_assistant.cli.console import out, visible

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def show(card: WaitingCard, position: str) -> None:
    """Print a card; nothing in it can style or move the terminal."""
    out.print()
    out.print(Rule(Text(f"{position} · {visible(card.title)}", style="bold"), align="left"), soft_wrap=False)
    out.print(Markdown(for_terminal(card.description), hyperlinks=False), soft_wrap=False)
    if card.args:
        out.print()
        out.print(
            Panel(_fields(card.args), title=Text("What would be done"), title_align="left"), soft_wrap=False
        )


def for_terminal(description: str) -> str:
    """The page folds earlier messages with two HTML tags; a terminal shows a heading instead."""
    lines = []
    for line in visible(description).split("\n"):
        opened = line.startswith("<details><summary>")
        text = line.replace("<details><summary>", "#### ").replace("</summary>", "") if opened else line
        lines.append("" if line == "</details>" else text)
    return "\n".join(lines)


def plain_summary(card: WaitingCard) -> str:
    """The first line of the description without its Markdown escapes."""
    return _ESCAPED.sub(r"\1", card.summary).replace("&lt;", "<").replace("`", "")


def _fields(args: dict[str, str]) -> Text:
    text = Text()
    for name, value in args.items():
        many_lines = "\n" in str(value)
        text.append(f"{name}:{chr(10) if many_lines else ' '}", style="bold")
        text.append(f"{visible(str(value))}\n")
    text.rstrip()
    return text
