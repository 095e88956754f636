"""The answers to a card: which ones it takes, and what is sent for each."""

from collections.abc import Callable, Mapping
from typing import Any

from email_assistant.cli.cards import WaitingCard
from email_assistant.cli.editor import edit_text
from email_assistant.errors import InputError

KEYS = {"a": "accept", "e": "edit", "r": "respond", "i": "ignore", "s": "skip", "q": "quit"}
FIELD_MARK = "--- "
_LEAVES = ("skip", "quit")

_MEANING = {
    "accept": "do it as shown",
    "edit": "change it, then do it",
    "respond": "tell the assistant",
    "ignore": "do nothing",
    "skip": "decide later",
    "quit": "stop here",
}


def allowed(card: WaitingCard) -> list[str]:
    """The answers the card takes, in the order they are offered; skip and quit are always there."""
    return [word for word in KEYS.values() if word in _LEAVES or card.config.get(f"allow_{word}")]


def menu(words: list[str]) -> str:
    """Each answer's key and what it does; those that leave the card as it is are on a line of their own."""
    told = {word: f"[{word[0]}] {word} – {_MEANING[word]}" for word in words}
    answers = [line for word, line in told.items() if word not in _LEAVES]
    leaving = [line for word, line in told.items() if word in _LEAVES]
    return "   ".join(answers) + "\n" + "   ".join(leaving)


def choice(typed: str, words: list[str]) -> str | None:
    """The answer that was typed as its key or its whole word; None for anything else, because an answer may send mail."""
    plain = typed.strip().lower()
    word = KEYS.get(plain, plain)
    return word if word in words else None


def answer_to(card: WaitingCard, word: str, ask: Callable[[str], str]) -> dict[str, Any] | None:
    """What is sent for the answer `word`; None when the user gave it up.

    Raises `InputError` when an edit cannot be read, `ConfigError` when the editor does not work.
    """
    if word == "respond":
        text = ask("Tell the assistant (empty to go back)").strip()
        return {"type": "response", "args": text} if text else None
    if word == "edit":
        args = edited(card.args)
        return {"type": "edit", "args": {"action": card.title, "args": args}} if args is not None else None
    if word == "accept":
        return {"type": "accept", "args": {"action": card.title, "args": card.args}}
    return {"type": "ignore", "args": None}


def edited(args: Mapping[str, str]) -> dict[str, str] | None:
    """The fields after editing them in $EDITOR; None when nothing was changed. Raises `InputError` for a broken form."""
    text = edit_text(form(args))
    return None if text is None else fields(text, args)


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
