"""The wire format of Agent Inbox: one request in a list goes out, one answer in a list comes back, or a decision in LangChain's shape."""

import json
import re
from collections.abc import Mapping
from typing import Any

from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE, SEEN, Action, Decision, Problem
from email_assistant.review.card import ALLOWED, MAX_TITLE_CHARACTERS, field, of_decisions
from email_assistant.review.kinds import kind_of

MAX_ANSWER_CHARACTERS = 200_000
_ID = re.compile(r"[0-9A-Za-z-]{8,64}")
ANOTHER_CARD = "That answer was for another card: this one is still waiting for yours."


def encode(action: Action, description: str, view: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The interrupt's value for an action; arguments are text only, because the page cannot show anything else.

    Those of a card that cannot be edited are rendered as Markdown with raw HTML, so nothing in them may act. Agent Inbox passes over
    the view, the facts that the description was drawn from (`CardView`).
    """
    allowed = kind_of(action.kind).answers
    args = action.args if EDIT in allowed else {name: field(value) for name, value in action.args.items()}
    return [
        {
            "action_request": {"action": action.title, "args": dict(args)},
            "config": {name: answer in allowed for answer, name in ALLOWED.items()},
            "description": description,
            "view": dict(view),
        }
    ]


def decode(value: object, action: Action) -> Decision | Problem:
    """Read what came back for `action`; never raises, whatever came."""
    answer = _answer(value)
    if not answer:
        return Problem("The answer was not understood: it must be one accept, edit, response or ignore.")
    seen = answer.get("type") == SEEN
    kind = IGNORE if seen else answer.get("type")
    if kind not in {ACCEPT, EDIT, RESPONSE, IGNORE}:
        return Problem(
            f"The answer's type must be accept, edit, response, ignore or seen, not {_short(kind)}."
        )
    allowed = kind_of(action.kind).answers
    if kind not in allowed:
        return Problem(f"This card cannot be answered with {kind}; it takes {_spoken(allowed)}.")
    args = answer.get("args")
    if kind == IGNORE:
        is_this = not names_card(value) or _is_of(args, action)
        return Decision(IGNORE, seen=seen) if is_this else Problem(ANOTHER_CARD)
    if kind == RESPONSE:
        return _response(args)
    return _accept(args, action) if kind == ACCEPT else _edit(args, action)


def is_bare(value: object) -> bool:
    """Whether an answer approves a card without saying which."""
    return _answer(value).get("type") == ACCEPT and not _args(value)


def names_card(value: object) -> bool:
    """Whether an answer carries the title of the card it was given for."""
    args = _args(value)
    return isinstance(args, dict) and "action" in args


def answer_id(value: object) -> str:
    """The id under which whoever answered knows the answer; "" for none, and for what is no id."""
    found = _answer(value).get("id")
    return found if isinstance(found, str) and _ID.fullmatch(found) else ""


def typed_in(value: object) -> dict[str, Any] | None:
    """{"title", "args"} of an edit, whichever card it was for; None for anything else, and for what is too long to be kept."""
    args = _args(value)
    fields = args.get("args") if isinstance(args, dict) else None
    if _answer(value).get("type") != EDIT or not isinstance(fields, dict) or not isinstance(args, dict):
        return None
    typed = {str(name): _text(text) for name, text in fields.items()}
    title = str(args.get("action") or "")[:MAX_TITLE_CHARACTERS]
    return (
        {"title": title, "args": typed}
        if sum(map(len, [*typed, *typed.values()])) <= MAX_ANSWER_CHARACTERS
        else None
    )


def _answer(value: object) -> Mapping[str, Any]:
    answer = value[0] if isinstance(value, list) and len(value) == 1 else value
    if not isinstance(answer, dict):
        return {}
    return of_decisions(answer["decisions"]) if "decisions" in answer else answer


def _args(value: object) -> object:
    return _answer(value).get("args")


def _is_of(args: object, action: Action) -> bool:
    return isinstance(args, dict) and args.get("action") == action.title


def _response(args: object) -> Decision | Problem:
    if not isinstance(args, str) or not args.strip():
        return Problem("The response was empty: write what the assistant should know or change.")
    if len(args) > MAX_ANSWER_CHARACTERS:
        return Problem(f"The response is longer than {MAX_ANSWER_CHARACTERS} characters: shorten it.")
    return Decision(RESPONSE, text=args.strip())


def _accept(args: object, action: Action) -> Decision | Problem:
    """A bare accept is read as one; what names a card must name this one, and what echoes it this very one: else it is of a stale page."""
    if args is None or args in ({}, {"action": action.title}):
        return Decision(ACCEPT)
    echoed = _echo(args, action)
    if isinstance(echoed, Problem):
        return echoed
    if any(_normal(echoed.get(name)) != _normal(text) for name, text in action.args.items()):
        return Problem("The accepted text differs from this card: reload the page and decide again.")
    return Decision(ACCEPT)


def _edit(args: object, action: Action) -> Decision | Problem:
    echoed = _echo(args, action)
    if isinstance(echoed, Problem):
        return echoed
    edited = {name: _text(echoed.get(name, shown)) for name, shown in action.args.items()}
    if sum(map(len, edited.values())) > MAX_ANSWER_CHARACTERS:
        return Problem(f"The edit is longer than {MAX_ANSWER_CHARACTERS} characters: shorten it.")
    return Decision(EDIT, args=edited)


def _echo(args: object, action: Action) -> Mapping[str, Any] | Problem:
    """The fields of an echoed request, checked to belong to this card."""
    if not isinstance(args, dict) or not isinstance(args.get("args"), dict):
        return Problem("The answer did not carry the card's fields: reload the page and decide again.")
    if args.get("action") != action.title:
        return Problem(ANOTHER_CARD)
    fields: dict[str, Any] = args["args"]
    unknown = sorted(set(map(str, fields)) - set(action.args))
    if unknown:
        return Problem(f"The card has no field {_short(unknown[0])}: reload the page and decide again.")
    return fields


def _text(value: object) -> str:
    """Edited fields come back as text, but scripts may send other JSON; lists read as comma-separated text."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _normal(value: object) -> str:
    return _text(value).strip()


def _spoken(kinds: tuple[str, ...]) -> str:
    return " or ".join([", ".join(kinds[:-1]), kinds[-1]]) if len(kinds) > 1 else kinds[0]


def _short(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 40 else text[:39] + "…"
