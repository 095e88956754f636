"""`review`: the same cards as in Agent Inbox, in the terminal: the mail a card is about, then what would be done, close to the question."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

import typer
from langgraph_sdk.client import LangGraphClient
from rich.markdown import Markdown
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from email_assistant.app import Container
from email_assistant.cli.answering import UnreadableEditError, allowed, answer_to, choice, menu
from email_assistant.cli.cards import WaitingCard, waiting_card, waiting_cards
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    client_for,
    container,
    out,
    print_json,
    run_async,
    say,
    visible,
)
from email_assistant.cli.failing import complain_of_everything, tell_failing
from email_assistant.errors import ConfigError, InputError
from email_assistant.journal.failing import failing_now
from email_assistant.review.card import markdown

_PAST = {
    "accept": "accepted",
    "edit": "edited",
    "respond": "responded to",
    "ignore": "ignored",
    "failed": "failed",
}
DONE = {
    "accept": "Accepted.",
    "edit": "Done with your edit.",
    "respond": "Told the assistant.",
    "ignore": "Ignored.",
}


def review(url: UrlOption = None, as_json: JsonOption = False) -> None:
    """Show each waiting card and take your answer: accept, edit in $EDITOR, respond, ignore."""
    built = container()
    failing = run_async(failing_now(built.database))
    if not as_json:
        tell_failing(failing)
    cards = run_async(waiting_cards(client_for(built, url)))
    if as_json:
        print_json([asdict(card) for card in cards])
    elif cards:
        Session(built, url, len(cards)).go_through(cards)
    else:
        say("Nothing waits for review.")
    if not cards:
        complain_of_everything(failing)


class _Quit(Exception):
    """The user wants to stop."""


@dataclass(frozen=True)
class Session:
    """One sitting: the cards one after the other, then what became of them.

    Questions are asked outside the event loop, so that Ctrl-C ends the question and not the loop.
    """

    built: Container
    url: str | None
    total: int
    answered: Counter[str] = field(default_factory=Counter)

    def go_through(self, cards: list[WaitingCard]) -> None:
        """Show each card, and the cards that answers lead to, until the last one or until the user quits."""
        try:
            for number, card in enumerate(cards, 1):
                self._one(card, f"{number} of {self.total}")
        except _Quit:
            pass
        finally:
            self._sum_up()

    def _one(self, listed: WaitingCard, position: str) -> None:
        card = self._server(listed.thread_id)
        if card is None:
            say(f"\n{position}: {listed.title} – was answered elsewhere.")
            return
        shown, problem = card, ""
        while True:
            show(shown, position)
            word, answer = self._ask(shown, problem)
            if answer is None:
                return
            failure, following = self._send(shown, answer)
            asked_again = following is not None and following.title == shown.title
            problem = following.summary if following and asked_again else ""
            if failure:
                self.answered["failed"] += 1
                say(f"It did not work: {failure}", "red")
            elif not asked_again:
                self.answered[word] += 1
                say(DONE[word] + (" It leads to another card:" if following else ""), "green")
            if following is None:
                return
            shown = following

    def _ask(self, card: WaitingCard, problem: str) -> tuple[str, dict[str, Any] | None]:
        """The answer's word and what to send; None to go on to the next card."""
        words, left = allowed(card), ""
        while True:
            if problem:
                say(f"Not taken: {problem}", "bold red")
            say(menu(words))
            word = choice(_prompt("Your answer"), words)
            if word is None:
                problem = f"type one of {', '.join(w[0] for w in words)}, then Enter."
                continue
            if word == "quit":
                raise _Quit
            if word == "skip":
                return word, None
            try:
                answer = answer_to(card, word, _prompt, problem, left)
            except (InputError, ConfigError) as error:
                problem, left = str(error), error.text if isinstance(error, UnreadableEditError) else left
                continue
            if answer is not None:
                return word, answer
            problem = ""
            say("Nothing was changed.")

    def _server(self, thread_id: str) -> WaitingCard | None:
        return run_async(waiting_card(client_for(self.built, self.url), thread_id))

    def _send(self, card: WaitingCard, answer: dict[str, Any]) -> tuple[str, WaitingCard | None]:
        """Send the answer; returns why it failed, or "", and the card that this thread shows next, if any."""
        began = self.built.clock.now()
        failure = run_async(_resume(client_for(self.built, self.url), card, answer))
        failure = failure or run_async(self.built.trace.not_done(card.thread_id, began))
        return failure, self._server(card.thread_id)

    def _sum_up(self) -> None:
        told = (
            ", ".join(f"{number} {_PAST[word]}" for word, number in self.answered.items()) or "none answered"
        )
        left = len(run_async(waiting_cards(client_for(self.built, self.url))))
        wait = "nothing waits any more" if not left else f"{left} {'waits' if left == 1 else 'wait'} for you"
        say(f"\nCards: {told}; {wait}.")


async def _resume(client: LangGraphClient, card: WaitingCard, answer: dict[str, Any]) -> str:
    """Let the run go on with the answer; returns why it failed, or ""."""
    state: Any = await client.runs.wait(
        card.thread_id,
        card.graph,
        command={"resume": [answer]},
        raise_error=False,
        on_disconnect="continue",
    )
    if isinstance(state, dict) and "__error__" in state:
        return str(state["__error__"].get("message", "unknown error"))
    return ""


def _prompt(question: str) -> str:
    """A line from the user; Ctrl-C, Ctrl-D and the end of the input mean quit."""
    try:
        return str(typer.prompt(question, default="", show_default=False))
    except typer.Abort:
        say("")
        raise _Quit from None


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
