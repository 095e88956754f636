"""`review`: the same cards as in Agent Inbox, in the terminal: the mail a card is about, then what would be done, close to the question."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Annotated, Any

import typer
from langgraph_sdk.client import LangGraphClient
from rich.markdown import Markdown
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from email_assistant.app.accounts import AccountDeps
from email_assistant.cli.answering import (
    UnreadableEditError,
    allowed,
    answer_to,
    bundle_choice,
    choice,
    menu,
    plain_answer,
    print_queue,
    show_bundle,
)
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    account_deps,
    client_for,
    guessed,
    out,
    print_json,
    run_async,
    say,
    visible,
)
from email_assistant.cli.dead_letters import complain_of_everything, print_failing
from email_assistant.cli.ignored import print_ignored
from email_assistant.errors import ConfigError, InputError
from email_assistant.ingest.starter import Starter, bring_back
from email_assistant.journal.attention import failing_now
from email_assistant.meetings.looked_up import looked_up
from email_assistant.page.answering import ELSEWHERE, AnswerOutcome, AnswerState, Resuming
from email_assistant.page.answers import CHANGED
from email_assistant.review.card import markdown
from email_assistant.review.moved_mail import told_where
from email_assistant.review.queue import Bundle, BundleItem, Row, bundles, matching, rows
from email_assistant.review.waiting import WaitingCard, waiting_card, waiting_cards
from email_assistant.workflow_registry import NAMES

AT_ONCE = 4
"""Cards that are answered at the same time where one answer is for many."""
_ASKED_AGAIN = (AnswerState.not_taken, AnswerState.changed)
_PAST = {
    "accept": "accepted",
    "edit": "edited",
    "respond": "told the assistant",
    "done": "seen",
    "ignore": "not wanted",
    "failed": "failed",
}
DONE = {
    "accept": "Accepted.",
    "edit": "Done with your edit.",
    "respond": "Told the assistant.",
    "done": "Seen.",
    "ignore": "Not wanted.",
}


GraphOption = Annotated[str, typer.Option("--graph", help="Only what this graph asks.")]
FilterOption = Annotated[
    str,
    typer.Option(
        "--filter", help="Only mails with all these words: a name, what is wanted, a kind of card, a date."
    ),
]

BackOption = Annotated[
    int | None,
    typer.Option("--bring-back", min=1, metavar="NUMBER", help="Show the ignored mail of this number."),
]


def review(
    url: UrlOption = None,
    graph: GraphOption = "",
    words: FilterOption = "",
    back: BackOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what waits, then show each mail and take your answer: accept, edit in $EDITOR, tell the assistant, seen, not wanted, later.

    Notices, and labels that are guessed, can be answered all at once.
    """
    deps = account_deps()
    if back is not None:
        run_async(bring_back(Starter(client_for(deps, url), deps.mail_log), back))
        say("It is brought back: its card comes in a moment.")
        return
    failing = run_async(failing_now(deps.database))
    if not as_json:
        print_failing(failing)
    session = Session(deps, url)
    cards = session.waiting()
    found = matching(session.rows_of(cards, graph), words)
    if as_json:
        print_json([card for row in found for card in _as_json(row)])
    elif found:
        session.go_through(found)
    else:
        say("Nothing that waits is like that." if cards else "Nothing waits for review.")
    if not as_json:
        run_async(print_ignored(deps))
    if not cards:
        complain_of_everything(failing)


def _as_json(row: Row) -> Iterator[dict[str, Any]]:
    """The row's cards, each with where it stands in the queue."""
    place = {"section": row.section, "group": row.group, "who": row.who, "ask": row.ask, "catch": row.catch}
    yield from (asdict(card) | {"row": place} for card in row.cards)


class _Quit(Exception):
    """The user wants to stop."""


@dataclass(frozen=True)
class Session:
    """One sitting: the mails one after the other, what can be answered together, then what became of it all.

    Questions are asked outside the event loop, so that Ctrl-C ends the question and not the loop.
    """

    deps: AccountDeps
    url: str | None
    answered: Counter[str] = field(default_factory=Counter)

    def waiting(self) -> list[WaitingCard]:
        """All that waits."""
        return run_async(self._waiting())

    async def _waiting(self) -> list[WaitingCard]:
        return await self._drawn(await waiting_cards(client_for(self.deps, self.url), self.deps.trace))

    async def _drawn(self, cards: Sequence[WaitingCard]) -> list[WaitingCard]:
        """The cards with what mailbox and calendar say by now."""
        cards = await told_where(cards, self.deps.mail_log)
        return await looked_up(cards, self.deps.calendar, self.deps.agenda_clock.now())

    def rows_of(self, cards: Sequence[WaitingCard], graph: str = "") -> list[Row]:
        """The mails of these cards, in the order in which they are decided; raises `InputError` for a graph that there is not."""
        if graph and graph not in NAMES:
            raise InputError(f"--graph: there is no graph {graph}; there are {', '.join(NAMES)}")
        some = [card for card in cards if graph in {"", card.graph}]
        return rows(some, self.deps.agenda_clock, self.deps.settings.timezone)

    def go_through(self, found: Sequence[Row]) -> None:
        """Show each card, and the cards that answers lead to, until the last one or until the user quits."""
        together = [each for each in bundles(found) if len(each.taken) > 1]
        bundled = {item.card.thread_id for each in together for item in each.taken}
        alone = [some for row in found if (some := [c for c in row.cards if c.thread_id not in bundled])]
        total = len(alone) + len(together)
        if len(found) > 1:
            print_queue(found)
        try:
            for number, cards in enumerate(alone, 1):
                for card in cards:
                    self._one(card, f"{number} of {total}")
            for number, bundle in enumerate(together, len(alone) + 1):
                self._bundle(bundle, f"{number} of {total}")
        except _Quit:
            pass
        finally:
            self._sum_up()

    def _bundle(self, bundle: Bundle, position: str) -> None:
        """Take one answer for all that is ticked; what is left out, and all of it if the user wants, is shown card by card."""
        ticked = [True] * len(bundle.taken)
        while True:
            show_bundle(bundle, ticked, position)
            word = bundle_choice(_prompt("Your answer"), bundle, ticked)
            if word == "quit":
                raise _Quit
            if word == "skip":
                return
            if word == "one by one":
                ticked = [False] * len(ticked)
            elif word in {"accept", "done", "ignore"}:
                self._all(word, [item for item, on in zip(bundle.taken, ticked, strict=True) if on])
            else:
                continue
            for item, on in zip(bundle.taken, ticked, strict=True):
                if not on:
                    self._one(item.card, position)
            return

    def _all(self, word: str, items: Sequence[BundleItem]) -> None:
        """Give each of them the answer, a few at a time, and tell what did not work; that stops none of the others."""
        failures = run_async(self._all_sent(word, [item.card for item in items]))
        for item, failure in zip(items, failures, strict=True):
            self.answered["failed" if failure else word] += 1
            if failure:
                say(f"{item.row.who}, {item.row.ask}: {failure}", "red")
        done = sum(not failure for failure in failures)
        say(f"{done} {_PAST[word]}." if done else "None was answered.", "green" if done else "red")

    async def _all_sent(self, word: str, cards: Sequence[WaitingCard]) -> list[str]:
        """Why each of them failed, or ""."""
        client, turns = client_for(self.deps, self.url), asyncio.Semaphore(AT_ONCE)

        async def one(card: WaitingCard) -> str:
            async with turns:
                outcome, _ = await self._answered(client, card, plain_answer(card, word))
                return "" if outcome.state is AnswerState.done else outcome.why

        return list(await asyncio.gather(*map(one, cards)))

    async def _answered(
        self, client: LangGraphClient, shown: WaitingCard, answer: dict[str, Any]
    ) -> tuple[AnswerOutcome, WaitingCard | None]:
        """What came of the answer to the card as it was shown, and the card that its thread shows next."""
        card = await waiting_card(client, self.deps.trace, shown.thread_id)
        if card is None:
            return AnswerOutcome(AnswerState.elsewhere, ELSEWHERE), None
        if (card.interrupt_id, card.digest) != (shown.interrupt_id, shown.digest):
            return AnswerOutcome(AnswerState.changed, CHANGED), card
        outcome = await Resuming(self.deps, client).resume(card, answer)
        return outcome, await waiting_card(client, self.deps.trace, card.thread_id)

    async def _now(self, listed: WaitingCard) -> WaitingCard | None:
        card = await waiting_card(client_for(self.deps, self.url), self.deps.trace, listed.thread_id)
        return next(iter(await self._drawn([card] if card else [])), None)

    def _one(self, listed: WaitingCard, position: str) -> None:
        card = run_async(self._now(listed))
        if card is None:
            say(f"\n{position}: {listed.title} – was answered elsewhere.")
            return
        shown, problem = card, ""
        while True:
            show(shown, position)
            word, answer = self._ask(shown, problem)
            if answer is None:
                return
            since = self.deps.clock.now()
            outcome, following = run_async(self._answered(client_for(self.deps, self.url), shown, answer))
            problem = outcome.why if outcome.state in _ASKED_AGAIN else ""
            if outcome.state is AnswerState.done:
                self.answered[word] += 1
                say(DONE[word] + (" Another card of this mail:" if following else ""), "green")
                self._print_kept(since)
            elif not problem:
                self.answered["failed"] += 1
                say(f"It did not work: {outcome.why}", "red")
            if following is None:
                return
            shown = following

    def _print_kept(self, since: datetime) -> None:
        """The facts that the answer made known."""
        for fact in run_async(self.deps.said_facts.all()):
            if datetime.fromisoformat(fact.said_at) >= since:
                say(fact.kept)

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

    def _sum_up(self) -> None:
        answered = (
            ", ".join(f"{number} {_PAST[word]}" for word, number in self.answered.items()) or "none answered"
        )
        cards = self.waiting()
        guesses = sum(each.is_deferred for each in cards)
        left = len(cards) - guesses
        wait = "nothing waits any more" if not left else f"{left} {'waits' if left == 1 else 'wait'} for you"
        say(f"\nCards: {answered}; {wait}.{guessed(guesses)}")


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
    text = markdown(card.facts, folded=False) if card.view else card.description
    out.print(Markdown(visible(text), hyperlinks=False), soft_wrap=False)
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
