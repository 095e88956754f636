"""The gate: the only place that stops a run to ask a human, and that says what an answer counts for.

An answer counts for the card that was shown (docs/decisions.md). One run brings one answer, and that answer is for the card
that waited when the run began: a server that was stopped while it worked on an answer repeats the whole run, command
included, from the checkpoint it had come to, and the next card would be settled by an answer that was given before anybody had
seen it. The state therefore names the run whose answer was taken last. An answer that names no card may come from a page
that was opened before, or from a second one, and counts only where nothing else can have been shown: an accept for the first card of
a run that new mail began where none waited, and never for money.
"""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from langgraph.config import get_config
from langgraph.types import interrupt

from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE, Action, Decision, Problem
from email_assistant.review.agent_inbox import ANOTHER_CARD, answer_id, decode, encode, names_card, typed_in
from email_assistant.review.card import in_shape, markdown
from email_assistant.review.card_view import CardView
from email_assistant.review.kinds import kind_of
from email_assistant.review.pending import State

Revise = Callable[[Action, Mapping[str, str]], Awaitable[Action | Problem]]
"""The action as an edit makes it, or what is wrong with the edit."""

NOT_UNDERSTOOD, NOT_TAKEN = "not understood", "not taken"
"""What is on record of an answer that leads back to its card."""
UNNAMED = 'That answer does not say which card it is for: read this one, and accept it by its title, {"action": TITLE}, or its id.'
NEWER = "This card took the place of one that waited, and your answer does not say which you saw: read this one, then answer again."


@dataclass(frozen=True, slots=True)
class Given:
    """Where an answer comes from: the run that brought it, and the id under which whoever gave it knows it; "" for none."""

    run_id: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a card."""

    action: Action
    """The card's action; after an edit as the human left it."""
    decision: Decision | None
    """None when the card has to be asked again."""
    update: dict[str, Any]
    """What the state takes of it, wherever the run goes on."""


async def ask(
    action: Action, view: CardView, state: State, revise: Revise | None = None, shape: str = ""
) -> Answer:
    """Show one card, in the shape that clients read, and return what the human decided; `revise` is for cards that take an edit.

    Everything before the interrupt runs again when the answer comes, so a node that calls this does nothing else. An edit
    that was not taken stands in the fields of the card that is asked again, and accepting it is another try of that edit.
    """
    shown, sections = _with_what_was_typed(action, state.get("typed"))
    view = replace(view.with_args(shown.args), sections=[*view.sections, *sections])
    value = interrupt(in_shape(encode(shown, markdown(view), view.as_json()), shape))
    run_id = _run_id()
    if run_id and (state.get("last_answer") or {}).get("id") == run_id:
        return _again(action, Given(run_id), state.get("asked_about") or "", ANOTHER_CARD)
    given = Given(run_id, answer_id(value))
    again = partial(_again, action, given, state.get("asked_about") or "")
    answer = decode(value, shown)
    if isinstance(answer, Problem):
        return again(answer.text, typed=typed_in(value))
    if problem := _unclear(action, answer, state, is_named=names_card(value)) or _fixed(action, answer):
        return again(problem, NOT_TAKEN, warned=answer.type == IGNORE)
    if answer.type == ACCEPT and shown.args != action.args:
        answer = Decision(EDIT, args=shown.args)
    elif kind_of(action.kind).editable is not None and not _changed(action, answer):
        answer = replace(answer, type=ACCEPT if answer.type == EDIT else answer.type)
    if answer.type != EDIT or revise is None:
        return _taken(action, answer, given)
    revised = await revise(action, answer.args)
    if isinstance(revised, Problem):
        is_kept = kind_of(action.kind).editable is None  # Else the card stays what it is.
        typed = {"title": action.title, "args": dict(answer.args)} if is_kept else None
        return again(revised.text, NOT_TAKEN, typed=typed)
    return _taken(revised, answer, given)


def deferred_card(action: Action, view: CardView) -> dict[str, Any]:
    """A card that no run waits for, as clients read it."""
    (card,) = encode(action, markdown(view), view.as_json())
    return card


def _unclear(action: Action, answer: Decision, state: State, *, is_named: bool) -> str:
    """Why an answer that names no card is asked again, or "". Words never are: they lead to another card, and nobody types them twice."""
    replaced = state.get("replaced") or ""
    if is_named or answer.type not in {ACCEPT, IGNORE}:
        return ""
    if answer.type == IGNORE:
        return NEWER if replaced == "new_mail" else ""
    is_first = not replaced and len(state.get("titles") or ()) <= 1
    return "" if is_first and kind_of(action.kind).draws != "money" else UNNAMED


def _fixed(action: Action, answer: Decision) -> str:
    """Why an edit changes what cannot be changed, or ""."""
    fixed = [name for name in _changed(action, answer) if not kind_of(action.kind).may_change(name)]
    return f"The edit was not taken: '{fixed[0]}' of this card cannot be changed." if fixed else ""


def _changed(action: Action, answer: Decision) -> list[str]:
    """The fields that an edit changes."""
    edited = answer.args if answer.type == EDIT else {}
    return [name for name, text in edited.items() if text.strip() != action.args.get(name, "").strip()]


def _taken(action: Action, answer: Decision, given: Given) -> Answer:
    # Whatever comes after words about a card that could be accepted takes that card's place.
    is_redrawn = answer.type == RESPONSE and ACCEPT in kind_of(action.kind).answers
    update = {
        "decision": answer.as_json(),
        "problem": "",
        "asked_about": "",
        "typed": None,
        "replaced": "redrawn" if is_redrawn else "",
        "last_answer": _on_record(action, answer.type, answer.as_json(), given),
    }
    return Answer(action, answer, update | ({"pending": action.as_json()} if answer.type == EDIT else {}))


def _again(
    action: Action,
    given: Given,
    asked_about: str,
    problem: str,
    decision: str = NOT_UNDERSTOOD,
    *,
    typed: Mapping[str, Any] | None = None,
    warned: bool = False,
) -> Answer:
    update = {
        "decision": None,
        "problem": f"{problem} {asked_about}".rstrip(),
        "last_answer": _on_record(action, decision, {"problem": problem}, given),
    }
    kept = {"typed": dict(typed)} if typed else {}
    # Whoever puts it aside, is told why that did not count, and does so again, means this card.
    return Answer(action, None, update | kept | ({"replaced": "redrawn"} if warned else {}))


def _on_record(action: Action, decision: str, answer: Mapping[str, Any], given: Given) -> dict[str, Any]:
    """For the journal, which finds it in the update of whatever node asked."""
    values = {"title": action.title, "decision": decision, "answer": answer, "given": given.id}
    return {"id": given.run_id or uuid.uuid4().hex, **values}


def _with_what_was_typed(
    action: Action, typed: Mapping[str, Any] | None
) -> tuple[Action, list[dict[str, str]]]:
    """The action with the fields of an edit that was not taken; below the card, when they are not the fields of this one."""
    if not typed:
        return action, []
    args: Mapping[str, str] = typed["args"]
    takes_edits = EDIT in kind_of(action.kind).answers
    if takes_edits and typed["title"] == action.title and set(args) <= set(action.args):
        return action.with_args({**action.args, **args}), []
    fields = "\n".join(f"{name}:\n{text}" for name, text in args.items())
    return action, [{"heading": f"What you typed for {typed['title']}", "text": fields}]


def _run_id() -> str:
    """The server's id of this run, the same however often it is repeated; "" outside a server."""
    return str(get_config().get("configurable", {}).get("run_id") or "")
