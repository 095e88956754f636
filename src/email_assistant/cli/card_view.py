"""A card on the terminal: the mail it is about, then what would be done, close to the question."""

from rich.markdown import Markdown
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from email_assistant.cli.cards import WaitingCard
from email_assistant.cli.console import out, visible
from email_assistant.review.card import markdown


def show(card: WaitingCard, position: str) -> None:
    """Print a card; nothing in it can style or move the terminal."""
    out.print()
    out.print(Rule(Text(f"{position} · {visible(card.title)}", style="bold"), align="left"), soft_wrap=False)
    told = markdown(card.facts, folded=False) if card.facts else card.description
    out.print(Markdown(visible(told), hyperlinks=False), soft_wrap=False)
    if card.args:
        out.print()
        out.print(
            Panel(_fields(card.args), title=Text("What would be done"), title_align="left"), soft_wrap=False
        )


def _fields(args: dict[str, str]) -> Text:
    text = Text()
    for name, value in args.items():
        many_lines = "\n" in str(value)
        text.append(f"{name}:{chr(10) if many_lines else ' '}", style="bold")
        text.append(f"{visible(str(value))}\n")
    text.rstrip()
    return text
