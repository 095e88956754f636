"""What waits, as a list on the terminal; and what is answered together, with which of it an answer is for."""

from collections.abc import Sequence
from typing import Literal

from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from email_assistant.cli.console import out, say, visible
from email_assistant.review.kinds import RowGroup
from email_assistant.review.queue import Bundle, BundleItem, Row, minutes, sections

Word = Literal["accept", "done", "ignore", "one by one", "skip", "quit", ""]
_WORDS: dict[str, Word] = {"d": "done", "i": "ignore", "o": "one by one", "s": "skip", "q": "quit"}
_WHO, _WHEN = 26, 6


def tell_list(found: Sequence[Row]) -> None:
    """Print the mails by section, a line each: who, what is wanted, what to look at, when it came."""
    time = minutes(found)
    say(f"{len(found)} mails wait: about {time} minute{'s' if time > 1 else ''}.", "bold")
    for section, some in sections(found).items():
        out.print(Text(f"{section} {len(some)}", style="bold"))
        table = _grid(found)
        for row in some:
            table.add_row(
                _cell(row.who), _cell(row.ask), _cell(" · ".join(row.catch), "yellow"), _cell(row.when, "dim")
            )
        out.print(table, soft_wrap=False)


def show_bundle(bundle: Bundle, ticked: Sequence[bool], position: str) -> None:
    """Print what is answered together, numbered, and what can be answered."""
    out.print()
    out.print(
        Rule(Text(f"{position} · {visible(bundle.title)}", style="bold"), align="left"), soft_wrap=False
    )
    table = Table.grid(padding=(0, 2), expand=False)
    for _ in range(2):
        table.add_column(no_wrap=True, justify="right")
    for width in (_WHO, None, None):
        table.add_column(no_wrap=True, overflow="ellipsis", max_width=width)
    for number, (item, on) in enumerate(zip(bundle.taken, ticked, strict=True), 1):
        table.add_row(
            _cell("x" if on else "-"),
            _cell(str(number), "dim"),
            _cell(item.row.who),
            _cell(_subject(item)),
            _cell(_proposed(item), "dim"),
        )
    out.print(table, soft_wrap=False)
    if left_out := len(bundle.items) - len(bundle.taken):
        say(
            f"{left_out} more, of which the sender is in doubt or the mail alarms, are asked about one by one."
        )
    say(bundle_menu(bundle, ticked))


def bundle_menu(bundle: Bundle, ticked: Sequence[bool]) -> str:
    """Each answer's key and what exactly it does."""
    number = sum(ticked)
    label = [f"[a] accept – label {number} as shown"] if bundle.group is RowGroup.LABELS else []
    each = [
        *label,
        f"[d] done – {number} seen",
        f"[i] ignore – {number} not wanted",
        "[o] one by one",
        "[x 2 5] leave out 2 and 5, or take them in",
    ]
    return "   ".join(each) + "\n[s] skip – decide later   [q] quit – stop here"


def bundle_choice(typed: str, bundle: Bundle, ticked: list[bool]) -> Word:
    """The answer that was typed as its key or its whole word; "" for what is none, and for numbers, which turn their ticks in `ticked`."""
    plain = " ".join(typed.split()).lower()
    words = _WORDS | ({"a": "accept"} if bundle.group is RowGroup.LABELS else {})
    word: Word = next((each for key, each in words.items() if plain in {key, each}), "")
    if not word and not _turned(plain, ticked):
        say(
            f"Not taken: type one of {', '.join(words)}, or x and numbers from 1 to {len(ticked)}, then Enter.",
            "bold red",
        )
    if word in {"accept", "done", "ignore"} and not any(ticked):
        say("Not taken: nothing is ticked.", "bold red")
        return ""
    return word


def _turned(plain: str, ticked: list[bool]) -> bool:
    key, _, rest = plain.partition(" ")
    numbers = rest.replace(",", " ").split()
    if key != "x" or not numbers or not all(each.isascii() and each.isdecimal() for each in numbers):
        return False
    at = {int(each) - 1 for each in numbers}
    if not at <= set(range(len(ticked))):
        return False
    for each in at:
        ticked[each] = not ticked[each]
    return True


def _subject(item: BundleItem) -> str:
    return item.card.facts.subject or item.row.ask


def _proposed(item: BundleItem) -> str:
    """The label that is proposed and how sure it is; of a notice what to look at, and when it came."""
    confidence = item.card.facts.confidence
    if chosen := item.card.chosen:
        return chosen if confidence is None else f"{chosen} ({100 * confidence:.0f}% sure)"
    return " · ".join([*item.row.catch, item.row.when])


def _grid(found: Sequence[Row]) -> Table:
    """Four columns, as wide in every section; what is wanted takes what the others leave."""
    longest = max(len(" · ".join(row.catch)) for row in found)
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True, overflow="ellipsis", width=min(_WHO, out.width // 5))
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    table.add_column(no_wrap=True, overflow="ellipsis", width=min(longest, out.width // 3))
    table.add_column(no_wrap=True, width=_WHEN)
    return table


def _cell(text: str, style: str = "") -> Text:
    return Text(visible(" ".join(text.split())), style=style)
