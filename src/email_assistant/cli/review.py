"""`review`: the same cards as in Agent Inbox, in the terminal."""

from typing import Any

import typer
from langgraph_sdk.client import LangGraphClient
from rich.markdown import Markdown
from rich.panel import Panel
from rich.text import Text

from email_assistant.cli.cards import WaitingCard, waiting_cards
from email_assistant.cli.console import client_for, house, out, print_json, run_async
from email_assistant.cli.editor import edit_text
from email_assistant.cli.ingest import JsonOption, UrlOption

CHOICES = {"a": "accept", "e": "edit", "r": "respond", "i": "ignore", "s": "skip", "q": "quit"}
END_OF_FIELD = "--- "


def review(url: UrlOption = None, as_json: JsonOption = False) -> None:
    """Show each waiting card and take your answer: accept, edit in $EDITOR, respond, ignore."""
    client = client_for(house(), url)
    cards = run_async(waiting_cards(client))
    if as_json:
        print_json(
            [
                {
                    "thread_id": c.thread_id,
                    "title": c.title,
                    "args": c.args,
                    "config": c.config,
                    "description": c.description,
                }
                for c in cards
            ]
        )
        return
    if not cards:
        out.print("Nothing waits for review.")
        return
    run_async(_review_all(client_for(house(), url), cards))


async def _review_all(client: LangGraphClient, cards: list[WaitingCard]) -> None:
    for number, card in enumerate(cards, 1):
        shown: WaitingCard | None = card
        while shown:
            show(shown, f"{number} of {len(cards)}")
            choice = _choose(shown)
            if choice == "quit":
                return
            if choice == "skip":
                break
            answer = _answer(shown, choice)
            if answer is None:
                continue
            shown = await _send(client, shown, answer)
    out.print("That was the last card.")


def show(card: WaitingCard, position: str) -> None:
    """Print a card; its text cannot style the terminal."""
    fields = Text()
    for name, value in card.args.items():
        fields.append(f"{name}: ", style="bold")
        fields.append(f"{value}\n")
    out.print()
    out.print(Panel(fields, title=Text(card.title), subtitle=position, title_align="left"))
    out.print(Markdown(_for_terminal(card.description), hyperlinks=False))


def _for_terminal(description: str) -> str:
    """The page folds earlier messages with two HTML tags; a terminal shows a heading instead."""
    text = (
        description.replace("<details><summary>", "#### ").replace("</summary>", "").replace("</details>", "")
    )
    return "".join(c for c in text if c == "\n" or c.isprintable())


def _choose(card: WaitingCard) -> str:
    allowed = {"s", "q"} | {
        key
        for key, flag in zip("aeri", ("accept", "edit", "respond", "ignore"), strict=True)
        if card.config[f"allow_{flag}"]
    }
    menu = "  ".join(f"[{key}]{CHOICES[key][1:]}" for key in CHOICES if key in allowed)
    while True:
        typed = typer.prompt(f"{menu}\nYour answer").strip().lower()[:1]
        if typed in allowed:
            return CHOICES[typed]
        out.print(f"Type one of: {', '.join(key for key in CHOICES if key in allowed)}.")


def _answer(card: WaitingCard, choice: str) -> dict[str, Any] | None:
    if choice == "respond":
        text = typer.prompt("Tell the assistant").strip()
        return {"type": "response", "args": text} if text else None
    if choice == "edit":
        args = _edited(card.args)
        return {"type": "edit", "args": {"action": card.title, "args": args}} if args else None
    if choice == "accept":
        return {"type": "accept", "args": {"action": card.title, "args": card.args}}
    return {"type": "ignore", "args": None}


def _edited(args: dict[str, str]) -> dict[str, str] | None:
    """The fields after editing them in $EDITOR; None when the edit was given up or cannot be read."""
    form = "".join(f"{END_OF_FIELD}{name}\n{value}\n" for name, value in args.items())
    text = edit_text(form)
    if text is None:
        out.print("Nothing was changed.")
        return None
    fields = {}
    for part in ("\n" + text).split("\n" + END_OF_FIELD)[1:]:
        name, _, value = part.partition("\n")
        fields[name.strip()] = value.rstrip("\n")
    if set(fields) != set(args):
        out.print(
            f"The edit was not taken: keep each of the lines {', '.join(END_OF_FIELD + n for n in args)}."
        )
        return None
    return fields


async def _send(client: LangGraphClient, card: WaitingCard, answer: dict[str, Any]) -> WaitingCard | None:
    """Send the answer; returns the card that this thread shows next, if any."""
    state: Any = await client.runs.wait(
        card.thread_id, "email_assistant", command={"resume": [answer]}, raise_error=False
    )
    if isinstance(state, dict) and "__error__" in state:
        out.print(
            f"It did not work: {state['__error__'].get('message', 'unknown error')}",
            style="red",
            markup=False,
        )
        return None
    following = next((c for c in await waiting_cards(client) if c.thread_id == card.thread_id), None)
    if following is None:
        out.print("Done.", style="green")
    return following
