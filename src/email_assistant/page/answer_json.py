"""An answer as the page's script reads it."""

from typing import Any

from email_assistant.journal.held_answers import HeldAnswer
from email_assistant.page.answered import answered_word, sentences
from email_assistant.page.list_view import card_place


def told(answer: HeldAnswer) -> dict[str, Any]:
    """An answer as the page is told of it."""
    optional = {
        "why": answer.why,
        "card": dict(answer.following),
        "done_at": answer.ended_at.isoformat() if answer.ended_at else "",
    }
    at = card_place(answer.run_thread_id, answer.interrupt_id)
    named = {"id": answer.id, "thread": answer.run_thread_id, "interrupt": answer.interrupt_id, "at": at}
    word = answered_word(answer)
    soon, past = sentences(answer)
    state = {"state": answer.state, "due": answer.due.isoformat(), "told": word, "soon": soon, "past": past}
    shown = {name: each for name, each in answer.shown.items() if name != "uptime"}
    return named | shown | state | {name: each for name, each in optional.items() if each}
