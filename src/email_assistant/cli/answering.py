"""The answers to a card: which ones it takes, what is sent for each, and the user's editor."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from email_assistant.errors import ConfigError, InputError
from email_assistant.review.action import SEEN
from email_assistant.review.waiting import WaitingCard

KEYS = {"a": "accept", "e": "edit", "r": "respond", "d": "done", "i": "ignore", "s": "skip", "q": "quit"}
FIELD_MARK = "--- "
_LEAVES = ("skip", "quit")

_MEANING = {
    "accept": "do it as shown",
    "edit": "change it, then do it",
    "respond": "tell the assistant",
    "done": "do nothing; seen, teaches nothing",
    "ignore": "do nothing; not wanted",
    "skip": "decide later",
    "quit": "stop here",
}


def allowed(card: WaitingCard) -> list[str]:
    """The answers the card takes, in the order they are offered; skip and quit are always there."""
    takes = {
        word for word in KEYS.values() if card.config.get(f"allow_{'ignore' if word == 'done' else word}")
    }
    return [word for word in KEYS.values() if word in _LEAVES or word in takes]


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
        args = edited(card.args, problem, left)
        return {"type": "edit", "args": {"action": card.title, "args": args}} if args is not None else None
    return plain_answer(card, word)


def plain_answer(card: WaitingCard, word: str) -> dict[str, Any]:
    """What is sent for an answer without words of its own, `accept`, `ignore` or `done`: it names the card that was shown."""
    return {"type": SEEN if word == "done" else word, "args": {"action": card.title, "args": card.args}}


def edited(args: Mapping[str, str], problem: str = "", left: str = "") -> dict[str, str] | None:
    """The fields after editing them in $EDITOR; None when nothing was changed. Raises `UnreadableEditError` for a broken form."""
    told = f"# Not taken: {' '.join(problem.split())}\n" if problem else ""
    text = edit_text(told + (left or form(args)))
    if text is None:
        return None
    try:
        return fields(text, args)
    except InputError as error:
        raise UnreadableEditError(str(error), text.removeprefix(told)) from None


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
