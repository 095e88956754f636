"""The list of what waits on the terminal; the answers to a card, or to what is answered together; and the user's editor."""

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from email_assistant.cli.console import out, say, visible
from email_assistant.errors import ConfigError, InputError
from email_assistant.mail.text import one_line
from email_assistant.review.action import SEEN
from email_assistant.review.kinds import RowGroup
from email_assistant.review.queue import Bundle, BundleItem, Row, minutes, sections
from email_assistant.review.waiting import WaitingCard

KEYS = {"a": "accept", "e": "edit", "r": "respond", "d": "done", "i": "ignore", "s": "skip", "q": "quit"}
_MEANINGS = {
    "accept": "do it as shown",
    "edit": "change it, then do it",
    "respond": "it writes a new draft",
    "done": "do nothing; teaches nothing",
    "ignore": "do nothing; teaches",
    "skip": "decide another time",
    "quit": "stop here",
}
_NAMES = {"respond": "tell the assistant", "done": "seen", "ignore": "not wanted", "skip": "later"}
"""What people read instead of an answer's word."""
_LEAVES = ("skip", "quit")
"""Answers that leave a card as it is."""
BundleWord = Literal["accept", "done", "ignore", "one by one", "skip", "quit", ""]
_BUNDLE_KEYS: dict[str, BundleWord] = {
    "d": "done",
    "i": "ignore",
    "o": "one by one",
    "s": "skip",
    "q": "quit",
}
_OUT, _TAKEN = "-", "\0"
"""What is typed to take a gap out, and what stands in its place until its line is looked at."""
FIELD_MARK = "--- "
"""Begins a field's line in the editor."""
_WHO, _WHEN = 26, 6
"""Columns' widths."""


def print_queue(found: Sequence[Row]) -> None:
    """Print the mails by section, a line each: who, what is wanted, what to look at, when it was received."""
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
        f"[d] seen – {number}, teaches nothing",
        f"[i] not wanted – {number}, teaches",
        "[o] one by one",
        "[x 2 5] tick or untick 2 and 5",
    ]
    return "   ".join(each) + "\n[s] later – decide another time   [q] quit – stop here"


def bundle_choice(typed: str, bundle: Bundle, ticked: list[bool]) -> BundleWord:
    """The answer that was typed as its key or its whole word; "" for what is none, and for numbers, which turn their ticks in `ticked`."""
    plain = " ".join(typed.split()).lower()
    words = _BUNDLE_KEYS | ({"a": "accept"} if bundle.group is RowGroup.LABELS else {})
    word: BundleWord = next(
        (each for key, each in words.items() if plain in {key, each, _NAMES.get(each)}), ""
    )
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
    """The label that is proposed; of a notice what to look at, and when it was received."""
    return item.card.chosen or " · ".join([*item.row.catch, item.row.when])


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


def allowed(card: WaitingCard) -> list[str]:
    """The answers the card takes, in the order they are offered; skip and quit are always there."""
    takes = {
        word
        for word in KEYS.values()
        if card.config.get(f"allow_{'ignore' if word == 'done' else word}")
        and (word != "edit" or _editable(card))
    }
    return [word for word in KEYS.values() if word in _LEAVES or word in takes]


def menu(words: list[str]) -> str:
    """Each answer's key and what it does; those that leave the card as it is are on a line of their own."""
    offers = {word: f"[{word[0]}] {_NAMES.get(word, word)} – {_MEANINGS[word]}" for word in words}
    answers = [line for word, line in offers.items() if word not in _LEAVES]
    leaving = [line for word, line in offers.items() if word in _LEAVES]
    return "   ".join(answers) + "\n" + "   ".join(leaving)


def choice(typed: str, words: list[str]) -> str | None:
    """The answer that was typed as its key or its whole word; None for anything else, because an answer may send mail."""
    plain = typed.strip().lower()
    named = {name: word for word, name in _NAMES.items()}
    word = KEYS.get(plain) or named.get(plain, plain)
    return word if word in words else None


class UnreadableEditError(InputError):
    """What the user left in the editor cannot be read; `text` is that, so that nobody has to type it again."""

    def __init__(self, message: str, text: str) -> None:
        super().__init__(message)
        self.text = text


def answer_to(
    card: WaitingCard, word: str, ask: Callable[[str], str], problem: str = "", left: str = ""
) -> dict[str, Any] | None:
    """What is sent for the answer `word`, always with the card that it is for; None when the user gave it up.

    An editor opens with the `problem` of the last try on top, and with what that `left` there when it could not be read.
    Raises `UnreadableEditError` when an edit cannot be read, `ConfigError` when the editor does not work.
    """
    if word == "respond":
        text = ask("Tell the assistant (empty to go back)").strip()
        return {"type": "response", "args": text} if text else None
    if word == "edit":
        args = edited(_editable(card), problem, left)
        return (
            {"type": "edit", "args": {"action": card.title, "args": card.args | args}}
            if args is not None
            else None
        )
    if word == "accept" and card.facts.gaps:
        args = gaps_filled(card, ask)
        return {"type": "edit", "args": {"action": card.title, "args": args}} if args is not None else None
    return plain_answer(card, word)


def _editable(card: WaitingCard) -> dict[str, str]:
    """The fields that can be changed."""
    return {name: text for name, text in card.args.items() if card.kind.may_change(name)}


def gaps_filled(card: WaitingCard, ask: Callable[[str], str]) -> dict[str, str] | None:
    """The fields with what the user puts into each gap, asked one by one; None when one was left empty."""
    put: list[tuple[Mapping[str, Any], str]] = []
    for number, gap in enumerate(card.facts.gaps, 1):
        asked, offers = visible(one_line(gap["question"] or gap["text"])), gap.get("offers") or ()
        for key, offer in enumerate(offers, 1):
            say(f"  {key}  {visible(offer['label'] or offer['text'])} · {visible(offer['why'])}")
        by_number = f"a number from 1 to {len(offers)} takes that, " if offers else ""
        text = ask(
            f"Gap {number} of {len(card.facts.gaps)}, {asked} ({by_number}{_OUT} takes it out, empty to go back)"
        ).strip()
        if not text:
            return None
        text = {str(key): offer["text"] for key, offer in enumerate(offers, 1)}.get(text, text)
        put.append((gap, _TAKEN if text == _OUT else text))
    args = dict(card.args)
    for gap, text in reversed(put):  # From the end, so that places before stay where they are.
        name, (start, end) = gap["field"], gap["span"]
        args[name] = args[name][:start] + text + args[name][end:]
    return {name: _without_taken(text) for name, text in args.items()}


def _without_taken(text: str) -> str:
    """The text without what was taken out, nor the line that had nothing else."""
    if _TAKEN not in text:
        return text
    left = re.sub(rf"(?m)^[ \t]*{_TAKEN}[ \t]*\n?", "", text).replace(_TAKEN, "")
    return re.sub(r"\n{3,}", "\n\n", left)


def plain_answer(card: WaitingCard, word: str) -> dict[str, Any]:
    """What is sent for an answer without words of its own, `accept`, `ignore` or `done`: it names the card that was shown."""
    return {"type": SEEN if word == "done" else word, "args": {"action": card.title, "args": card.args}}


def edited(args: Mapping[str, str], problem: str = "", left: str = "") -> dict[str, str] | None:
    """The fields after editing them in $EDITOR; None when nothing was changed. Raises `UnreadableEditError` for a broken form."""
    note = f"# Not taken: {' '.join(problem.split())}\n" if problem else ""
    text = edit_text(note + (left or form(args)))
    if text is None:
        return None
    try:
        return fields(text, args)
    except InputError as error:
        raise UnreadableEditError(str(error), text.removeprefix(note)) from None


def form(args: Mapping[str, str]) -> str:
    """The fields as one text, each under a line `--- name`."""
    return "".join(f"{FIELD_MARK}{name}\n{value}\n" for name, value in args.items())


def fields(text: str, args: Mapping[str, str]) -> dict[str, str]:
    """The fields read back from the form.

    A line `--- name` begins a field only for the names in `args`, in their order, so that a text may have lines
    that begin with dashes. Raises `InputError` when one of the lines is missing.
    """
    found: dict[str, list[str]] = {}
    waiting = list(args)
    current: list[str] = []
    for line in text.split("\n"):
        if waiting and line.rstrip() == FIELD_MARK + waiting[0]:
            current = found.setdefault(waiting.pop(0), [])
        else:
            current.append(line)
    if waiting:
        lines = ", ".join(f"`{FIELD_MARK}{name}`" for name in args)
        raise InputError(f"the edit was not taken: keep each of the lines {lines}, in this order")
    return {name: "\n".join(lines).rstrip("\n") for name, lines in found.items()}


def edit_text(text: str) -> str | None:
    """The text as the user left it in $VISUAL or $EDITOR (vi when neither is set); None when it was not changed.

    Raises `ConfigError` when the editor cannot be started or fails, or leaves something that is no UTF-8 text.
    """
    name = "VISUAL" if os.environ.get("VISUAL") else "EDITOR"
    editor = os.environ.get(name) or "vi"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "email-assistant.txt"
        file.write_bytes(text.encode("utf-8", "backslashreplace"))
        before = file.read_bytes()
        try:
            subprocess.run([*shlex.split(editor), str(file)], check=True)  # noqa: S603 - the user's own editor
            after = file.read_bytes()
            edited = after.decode("utf-8").replace("\r\n", "\n")
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            raise ConfigError(
                f"the editor {editor!r} did not work ({error}): set {name} to one that does"
            ) from None
    return None if after == before else edited
