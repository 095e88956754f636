"""The card under review, as every graph keeps it in its state: put there, drawn anew, gone when new mail comes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from email_assistant.review.action import RESPONSE, Action
from email_assistant.review.card import IN_DOUBT, numbered, title_asked_again, unnumbered

Replaced = Literal["", "new_mail", "redrawn"]
State = Mapping[str, Any]
"""A graph's own state, which has the fields of `ReviewState`."""


class ReviewState(TypedDict):
    """What asking keeps in a graph's state: JSON only."""

    pending: NotRequired[dict[str, Any] | None]
    """The action under review, or to be performed."""
    proposed: NotRequired[dict[str, str]]
    """Its arguments as they were shown first: what an edit is told apart from."""
    decision: NotRequired[dict[str, Any] | None]
    problem: NotRequired[str]
    """Why the last answer could not be taken; shown first on the card."""
    asked_about: NotRequired[str]
    """What accepting the card as it is now asked goes past; stays in its first line, whatever else is said there."""
    typed: NotRequired[dict[str, Any] | None]
    """{"title", "args"} of an edit that was not taken, so that nobody has to type it again; see `gate`."""
    replaced: NotRequired[Replaced]
    """Whether the card took the place of one that a person may still have before them; see `gate`."""
    last_answer: NotRequired[dict[str, Any] | None]
    """{"id", "title", "decision", "answer"} of the answer taken last, for the journal; the id is its run's."""
    revises: NotRequired[dict[str, Any] | None]
    """{"words", "args"}: what a person said of the card before this one, and the fields that it had; {} of one without fields."""
    acknowledged: NotRequired[list[str]]
    """Concerns the human has been shown about the action under review."""
    titles: NotRequired[list[str]]
    """Titles of the cards shown in this round."""
    actions: NotRequired[list[str]]
    """Ids of the effects this thread remembers."""
    round: NotRequired[int]
    """How many new messages this thread has taken up."""
    lesson: NotRequired[dict[str, Any] | None]
    """What is to be learned from a decision."""
    wanted: NotRequired[str]
    """What a person said before this round, and wants of it: of mail that gets no answer by itself, or to drafts that were lost; "" when it
    is taken up."""


def new_round(state: State, *, may_wait: bool = False) -> dict[str, Any]:
    """What a run with new input starts with: no card, and on record whether one waited, which somebody may have before them.

    `may_wait` is for a graph that cannot see it, because the card waits in a graph within.
    """
    lost = (
        state.get("replaced") == "new_mail"
    )  # A card that the server has lost, or that newer mail replaced.
    waited, said = may_wait or lost or bool(state.get("pending")), state.get("wanted")
    return {
        "pending": None,
        "proposed": {},
        # The first card says that it follows them.
        "decision": {"type": RESPONSE, "text": said} if said else None,
        "problem": "",
        "asked_about": "",
        "typed": None,
        "replaced": "new_mail" if waited else "",
        "revises": None,
        "acknowledged": [],
        "titles": [],
        "lesson": None,
        "round": (state.get("round") or 0) + 1,
    }


def put(state: State, action: Action) -> dict[str, Any]:
    """The update that puts a card up for review, under a title that no card of the thread has had."""
    fresh: dict[str, Any] = {"decision": None, "problem": "", "acknowledged": []}
    return _drawn(state, action) | fresh | {"revises": _revised(state, action)}


def put_again(state: State, action: Action, problem: str, concerns: Sequence[str] = ()) -> dict[str, Any]:
    """The update that asks again about what could not be done as reviewed.

    A changed action is another card; when it would do something else than what was accepted, it was drawn anew. One that was
    accepted and is the same has another title now: only an answer to that was given by somebody who may have read the problem.
    """
    acknowledged = [*(state.get("acknowledged") or []), *concerns]
    values = {"decision": None, "problem": problem, "asked_about": problem}
    update = values | {"typed": None, "acknowledged": acknowledged}
    pending, titles = state.get("pending") or {}, state.get("titles") or []
    if pending and action == Action.from_json(pending):
        if not state.get("decision"):  # Nobody was asked about it before.
            return update
        title = title_asked_again(action.title, titles)
        return update | {"pending": replace(action, title=title).as_json(), "titles": [*titles, title]}
    drawn = _drawn(state, action) | update
    if dict(action.args) != pending.get("args"):
        return drawn | {"replaced": "redrawn"}
    # Only what the card tells has changed; its arguments may be an edit that is yet to be done, and learned from.
    return drawn | {"proposed": state.get("proposed") or dict(action.args)}


def _revised(state: State, action: Action) -> dict[str, Any] | None:
    """What the person said that led to this card, and the card's fields before where they are the same ones."""
    decision, before = state.get("decision") or {}, state.get("proposed") or {}
    if decision.get("type") != RESPONSE:
        return None
    return {"words": decision["text"], "args": dict(before) if before.keys() == action.args.keys() else {}}


def _drawn(state: State, action: Action) -> dict[str, Any]:
    titles = state.get("titles") or []
    notes = [IN_DOUBT] if state.get("sender_warnings") else []
    base = unnumbered(action.title) if action.title in titles else action.title
    shown = replace(action, title=numbered(base, titles, state.get("round") or 1, notes))
    return {
        "pending": shown.as_json(),
        "proposed": dict(shown.args),
        "typed": None,
        "titles": [*titles, shown.title],
        "actions": list(dict.fromkeys([*(state.get("actions") or []), shown.id])),
    }
