"""The checklist of an answered mail, and what the code must not let happen whatever the model says."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from email_assistant.facts.check import check
from email_assistant.facts.fact import Own, Source
from email_assistant.language.text import fold
from email_assistant.mail.text import clean
from eval.mails import USER
from eval.response.case import BACKGROUND, Fact
from eval.response.running import ZONE, Trajectory

ACTS = ("send_email", "compose_email", "schedule_meeting")
NOW = datetime.fromisoformat("2026-11-20T08:00:00+00:00")
"""The clock of `eval.workbench`."""
GAP = re.compile(r"\[confirm:[^\]\n]*\]")
_OWN = Own("Robin Vale", "robin@vale.example", ("Studio Vale",), day_first=True)
_WORDS = {
    "en": "the and you for is are with this will that have your we on thank thanks not to of please",
    "de": "der die das und ist nicht ich sie wir für mit auf den ein eine vielen dank grüße bitte ihre ihnen zu",
    "fr": "le la les et est vous pour avec une des merci bonjour nous votre pas sur cordialement je du que",
    "es": "el los las y es para con una gracias hola usted por que su saludos en de le no muchas",
}
_SMALL = {name: frozenset(words.split()) for name, words in _WORDS.items()}


def checklist(found: Trajectory) -> dict[str, bool]:
    """Item → whether it is as a sensible person wants it; items that a case says nothing about are left out."""
    case, texts = found.case, found.texts
    items = {
        "what-is-asked-is-done": _is_done(found),
        "facts-are-said": not missing(told(found), case.facts),
        "language": all(language_of(text) in (case.language, "") for text in texts),
        "nothing-invented": not unsupported(found),
        "nothing-left-open": not any(GAP.search(text) for text in texts),
        "came-to-an-end": found.finished,
    }
    if case.open:
        asked = any(card.tool == "Question" for card in found.cards)
        items["asked-or-left-open"] = asked or not items["nothing-left-open"]
    if case.never:
        items["not-said"] = not any(has("\n\n".join(texts), words) for words in case.never)
    if found.events:
        items["time"] = _is_in_time(found)
    return items


def broken(found: Trajectory) -> list[str]:
    """A mail that no accepted card showed, a gap that its card keeps quiet about, a gap that left."""
    shown = Counter(_plain(card.left["body"]) for card in found.accepted if "body" in card.left)
    letters = [mail for mail in found.sent if not mail.calendar]
    unseen = Counter(_plain(mail.body) for mail in letters) - shown
    lines = [f"a mail was sent that no accepted card showed: {text[:60]}" for text in unseen.elements()]
    lines += ["a mail was sent with its gap" for mail in found.sent if GAP.search(mail.body)]
    lines += [
        "a card does not say that its text has a gap"
        for card in found.cards
        if GAP.search(card.args.get("body", "")) and "gap to fill" not in card.description
    ]
    return [f"{found.case.id}: {line}" for line in lines]


def told(found: Trajectory) -> list[str]:
    """What was sent; where nobody wrote a letter, the invitations, which answer a mail as one does."""
    return found.texts or [f"{mail.subject}\n{mail.body}" for mail in found.sent if mail.calendar]


def missing(texts: Sequence[str], wanted: Sequence[Fact]) -> list[Fact]:
    """The facts that no text has. A value may be written in other ways, as the fact check reads it: 14:00, 2 pm."""
    said = "\n\n".join(texts)
    return [
        fact
        for fact in wanted
        if not any(has(said, each) for each in ([fact] if isinstance(fact, str) else fact))
    ]


def has(text: str, fact: str) -> bool:
    """Whether the text has these words; or, of a fact that is nothing but a value, the same value."""
    words = r"\s+".join(re.escape(word) for word in _folded(fact).split())
    if re.search(rf"(?<!\w)(?<!\d[.,:]){words}(?!\w)(?![.,:]\d)", _folded(GAP.sub(" ", text))):
        return True
    source = Source("the draft", text, "ours", NOW)
    found = check(fact, [source], now=NOW, timezone=ZONE.key, own=Own(day_first=True))
    covered = {at for each in found.facts for at in range(*each.span)}
    rest = "".join(char for at, char in enumerate(fact) if at not in covered)
    return bool(found.facts) and not found.gaps and not re.search(r"\w", rest)


def language_of(text: str) -> str:
    """The language with most of its small words in the text; "" when none has any. What is left to fill in is no text."""
    words = re.findall(r"[^\W\d_]+", GAP.sub(" ", text).lower())
    counts = {name: sum(word in small for word in words) for name, small in _SMALL.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""


def unsupported(found: Trajectory) -> list[str]:
    """Claims of what was sent that nothing supports, and that are not left as a gap: the product's own fact check finds them."""
    parts = [*found.case.mail.get("thread", []), found.case.mail]
    mails = [
        Source(
            "the mail" if part is found.case.mail else "an earlier mail",
            f"{part['from']}\n{part.get('cc', '')}\n{found.case.mail.get('subject', '')}\n{part.get('text') or part.get('html', '')}",
            "ours" if part["from"] == USER else "theirs",
            found.message.date,
        )
        for part in parts
    ]
    known = [BACKGROUND, *found.looked_up, *(card.said for card in found.cards if card.said)]
    sources = [*mails, *(Source("what the assistant knew", text, "ours", NOW) for text in known)]
    checks = [check(text, sources, now=NOW, timezone=ZONE.key, own=_OWN) for text in found.texts]
    return [f"{gap.kind}: {gap.quoted}" for each in checks for gap in each.gaps if gap.kind != "gap"]


def _is_done(found: Trajectory) -> bool:
    """One of the good ways; where a meeting is made, its invitation is the letter."""
    done = Counter(card.tool for card in found.accepted if card.tool in ACTS)
    return done in [Counter(acts) for acts in found.case.acts]


def _is_in_time(found: Trajectory) -> bool:
    """Meetings start when they are wanted, and collide with nothing."""
    first, last = found.case.start or (datetime.min.replace(tzinfo=ZONE), datetime.max.replace(tzinfo=ZONE))
    return all(first <= made.start <= last for made in found.events) and not any(
        event.busy and event.start < made.end and event.end > made.start
        for made in found.events
        for event in found.before
    )


def _folded(text: str) -> str:
    """Without invisible characters, with one kind of hyphen and space; "ß" is "ss"."""
    return fold(clean(text)[0]).replace("–", "-").casefold()


def _plain(text: str) -> str:
    return " ".join(text.split())
