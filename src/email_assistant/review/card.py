"""The card's description: Markdown in which nothing that came from mail can act.

Agent Inbox renders raw HTML and turns bare addresses into links, so mail text goes into a fence, and every
piece that stands in a line is escaped, with anything that looks like a link in a code span.

The two shapes that cards and answers have over the API: Agent Inbox's, and that of LangChain's human-in-the-loop middleware.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, groupby
from typing import Any

from email_assistant.mail.headers import vouched_by
from email_assistant.mail.message import Message
from email_assistant.mail.text import clean, fence
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE
from email_assistant.review.card_facts import CardFact, card_facts
from email_assistant.review.card_view import CardView

MAX_TITLE_CHARACTERS = 90
_LEAST_NAME = 12
"""Characters of a name that are left of it in a title."""
IN_DOUBT = "sender in doubt"
NOBODY_VOUCHES = "Nobody vouches for the sender"
UNKNOWN_HOST = "EMAIL_ASSISTANT_AUTHSERV_ID does not say which host receives your mail: no card tells who vouches for a sender."
MAX_FIRST = 1_200
"""Characters of what stands before all else."""

_ASKED = r"(?: \(asked again(?: \d+)?\))?$"
_NOTES = re.compile(
    rf"(?: \((?:{IN_DOUBT}|message \d+|draft \d+)(?:, (?:message \d+|draft \d+))*\))?{_ASKED}"
)
_ACTIVE = re.compile(r"([\\`*_\[\]!|~&]|^[-+#>=]|(?<=^\d)[.)]|(?<=^\d\d)[.)])")
_MARKUP = re.compile(r"[<>\[\]`*_~|\\&]|^\s*(?:[-+#=]|\d{1,9}[.)]\s)|^(?: {4}|\t)", re.MULTILINE)
_LINK = re.compile(
    r"(?:[a-z][a-z0-9+.\-]*://|www\.)\S+|[^\s<>()\[\],;:\"]+@[^\s<>()\[\],;:\"]+|\b(?:https?|ftp|xmpp|javascript|data|mailto):\S*",
    re.IGNORECASE,
)
"""What a page may make a link of, also when a line was cut in the middle of it."""


def inline(text: str, limit: int = 300) -> str:
    """`text` as one inert line of Markdown."""
    flat = " ".join(clean(text)[0].split())
    flat = flat if len(flat) <= limit else flat[: limit - 1] + "…"
    parts, at = [], 0
    for match in _LINK.finditer(flat):
        parts += [_escape(flat[at : match.start()]), code(match.group())]
        at = match.end()
    return "".join([*parts, _escape(flat[at:])])


def code(text: str) -> str:
    """`text` as a code span (CommonMark §6.1): inert, whatever it holds."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def field(text: str) -> str:
    """`text` for a field that cannot be edited, which the page renders as Markdown: as it is, or fenced if anything in it could act."""
    return fence(text, "text") if _MARKUP.search(text) or _LINK.search(text) else text


def title(text: str) -> str:
    """`text` as a card's title: one line, no invisible characters, not too long."""
    flat = " ".join(clean(text)[0].split())
    return flat if len(flat) <= MAX_TITLE_CHARACTERS else flat[: MAX_TITLE_CHARACTERS - 1] + "…"


def named(begins: str, names: str, about: str) -> str:
    """What a title is about: whom, and what. Where that is too long names are shortened first; an address never is."""
    room = max(MAX_TITLE_CHARACTERS - len(f"{begins}: {about}"), _LEAST_NAME)
    short = names if len(names) <= room or "@" in names else f"{names[: room - 1].rstrip()}…"
    return f"{short}: {about}"


def numbered(base: str, used: Sequence[str], round_number: int = 1, notes: Sequence[str] = ()) -> str:
    """A title that differs from all before it in the thread, so that an answer to an old card is recognised.

    `used` holds the titles of this round (since the last new message); `round_number` tells rounds apart. `notes` are what a
    person should see of the card before they open it.
    """
    for number in count(1):
        lines = [*notes, *([f"message {round_number}"] if round_number > 1 else [])]
        lines += [f"draft {number}"] if number > 1 else []
        suffix = f" ({', '.join(lines)})" if lines else ""
        room = MAX_TITLE_CHARACTERS - len(suffix)
        # An address is cut as it stands: with an ellipsis behind it it would be another one.
        cut = base[:room] if len(base) <= room or "@" in base else f"{base[: room - 1].rstrip()}…"
        candidate = cut + suffix
        if candidate not in used:
            return candidate
    raise AssertionError("count() never ends")


def title_asked_again(title: str, used: Sequence[str]) -> str:
    """The title of the same card when it is asked about again: an answer to it as it was before is told from one to this."""
    base = re.sub(_ASKED, "", title)
    suffixes = (" (asked again)" if number == 1 else f" (asked again {number})" for number in count(1))
    titles = (base[: MAX_TITLE_CHARACTERS - len(suffix)] + suffix for suffix in suffixes)
    return next(each for each in titles if each not in used)


def unnumbered(title: str) -> str:
    """A title of `numbered` or `title_asked_again` without what was put behind it."""
    return _NOTES.sub("", title)


def markdown(view: CardView, *, folded: bool = True) -> str:
    """The card as Agent Inbox shows it; with `folded` what is far and long is folded away, which takes two tags of HTML."""
    together = groupby(card_facts(view), key=_block)
    return "\n\n".join("\n".join(_drawn([*some], folded=folded)) for _, some in together) + "\n"


def _block(fact: CardFact) -> tuple[str, str]:
    """What facts that stand together have in common."""
    return fact.shape, {"line": fact.name, "entry": ""}.get(fact.shape, fact.heading)


def _drawn(together: Sequence[CardFact], *, folded: bool) -> Iterator[str]:
    """The lines of facts under one heading."""
    first, lines = together[0], [line for fact in together for line in fact.lines]
    heading = inline(first.heading)
    if first.shape == "line":
        yield inline(": ".join(filter(None, (first.heading, " ".join(lines)))), MAX_FIRST)
    elif first.shape == "entry":
        for fact in together:
            label = f"**{inline(fact.heading)}:** " if fact.heading else ""
            yield from (f"- {label}{inline(line)}" for line in fact.lines)
    elif first.shape == "list":
        yield from (f"#### {heading}", *(f"- {inline(line)}" for line in lines))
    elif folded and first.is_far:
        blocks = [fence(line, "text") for line in lines]
        yield from (f"<details><summary>{heading}</summary>", "", *blocks, "", "</details>")
    else:
        yield from (f"#### {heading}", *(fence(line, "text") for line in lines))


def verified(message: Message, host: str) -> str:
    """Whether anybody vouches for the sender's address, for the card; `host` is the receiving host.

    Where nobody said which host that is, no card can tell: "". The overview and `doctor` say so once.
    """
    if not host:
        return ""
    if check := vouched_by(message, host=host):
        return f"yes, {host} vouches for {message.sender.domain} ({check})."
    return f"no. {NOBODY_VOUCHES}: {host} reports no pass for its address."


def _escape(text: str) -> str:
    return _ACTIVE.sub(r"\\\1", text).replace("<", "&lt;")


LANGCHAIN = "langchain"
_DECISIONS = {"approve": ACCEPT, "edit": EDIT, "respond": RESPONSE, "reject": IGNORE}
"""What LangChain (`HITLResponse`) calls the answers."""
ALLOWED = {IGNORE: "allow_ignore", RESPONSE: "allow_respond", EDIT: "allow_edit", ACCEPT: "allow_accept"}
"""How a card's config says what it can be answered with."""
_ALLOWED = {word: ALLOWED[kind] for word, kind in _DECISIONS.items()}


def in_shape(cards: Sequence[Any], shape: str) -> object:
    """The interrupt's value as clients of that shape read it: `LANGCHAIN`'s `HITLRequest`, or Agent Inbox's list (`HumanInterrupt`)."""
    if shape != LANGCHAIN:
        return cards
    return {
        "action_requests": [
            {
                "name": each["action_request"]["action"],
                "args": each["action_request"]["args"],
                "description": each["description"],
            }
            for each in cards
        ],
        "review_configs": [
            {
                "action_name": each["action_request"]["action"],
                "allowed_decisions": [word for word, name in _ALLOWED.items() if each["config"].get(name)],
            }
            for each in cards
        ],
        "view": cards[0]["view"],
    }


def card_of(value: object) -> dict[str, Any] | None:
    """The card of an interrupt's value, as Agent Inbox reads it, whichever shape it has; None for what is no card."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return dict(value[0])
    if not isinstance(value, Mapping) or not value.get("action_requests") or not value.get("review_configs"):
        return None
    request, allowed = value["action_requests"][0], value["review_configs"][0]["allowed_decisions"]
    return {
        "action_request": {"action": request["name"], "args": request["args"]},
        "config": {name: word in allowed for word, name in _ALLOWED.items()},
        "description": request["description"],
        "view": value.get("view") or {},
    }


def of_decisions(decisions: object) -> Mapping[str, Any]:
    """One decision as an answer; a rejection with words is their feedback. Nothing for what is none, or for several."""
    if not isinstance(decisions, list) or len(decisions) != 1 or not isinstance(decisions[0], dict):
        return {}
    decision = decisions[0]
    kind, words = _DECISIONS.get(str(decision.get("type"))), decision.get("message")
    if kind == EDIT:
        edited = decision.get("edited_action")
        fields = edited if isinstance(edited, dict) else {}
        return {"type": EDIT, "args": {"action": fields.get("name"), "args": fields.get("args")}}
    if kind == RESPONSE or (kind == IGNORE and words):
        return {"type": RESPONSE, "args": words}
    return {"type": kind or decision.get("type"), "args": None}
