"""What the drafts say: facts that must be there, words that must not, the language, and the fact check of every claim."""

import re
from collections.abc import Sequence
from datetime import datetime

from email_assistant.facts.check import check
from email_assistant.facts.fact import CheckedDraft, Own, Source
from email_assistant.language.text import fold
from email_assistant.mail.text import clean
from eval.mails import USER
from eval.response.case import BACKGROUND, Fact
from eval.response.running import ZONE, Trajectory, feedback_of

NOW = datetime.fromisoformat("2026-11-20T08:00:00+00:00")
"""The clock of `eval.workbench`."""
GAP = re.compile(r"\[confirm:[^\]\n]*\]")
_OWN = Own("Robin Vale", "robin@vale.example", ("Studio Vale",), day_first=True)
_WORDS = {
    "en": "the and you for is are with this will that have your we on thank thanks not to of please",
    "de": "der die das und ist nicht ich sie wir für mit auf den ein eine vielen dank grüße bitte ihre ihnen zu",
    "fr": "le la les et est vous pour avec une des merci bonjour nous votre pas sur cordialement je du que",
    "es": "el los las y es para con una gracias hola usted por que su saludos en de le no muchas",
    "it": "il gli e è per con una grazie buongiorno che di non sono saluti della si lei cordiali la",
}


def missing_facts(texts: Sequence[str], wanted: Sequence[Fact]) -> list[str]:
    """The facts that no text has. A value may be written in other ways, as the fact check reads it: 14:00, 2 pm."""
    said = "\n\n".join(texts)
    return [_named(fact) for fact in wanted if not any(has(said, each) for each in _alternatives(fact))]


def has(text: str, fact: str) -> bool:
    """Whether the text has these words; or, of a fact that is nothing but a value, the same value."""
    words = r"\s+".join(re.escape(word) for word in _plain(fact).split())
    if re.search(rf"(?<!\w)(?<!\d[.,:]){words}(?!\w)(?![.,:]\d)", _plain(GAP.sub(" ", text))):
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


def checked(found: Trajectory) -> list[CheckedDraft]:
    """The fact check of each text that was sent, on the conversation, what the assistant knew, looked up and was told."""
    sources = list(_sources(found))
    return [check(text, sources, now=NOW, timezone=ZONE.key, own=_OWN) for text in found.texts]


def _sources(found: Trajectory) -> list[Source]:
    case = found.case
    parts = [*case.mail.get("thread", []), case.mail]
    mails = [
        Source(
            "the mail" if part is case.mail else "an earlier mail",
            f"{part['from']}\n{part.get('cc', '')}\n{case.mail.get('subject', '')}\n{part.get('text') or part.get('html', '')}",
            "ours" if part["from"] == USER else "theirs",
            found.message.date,
        )
        for part in parts
    ]
    looked_up = [call.result or "" for call in found.calls if call.tool == "check_calendar"]
    created = [c.result or "" for c in found.calls if c.tool == "schedule_meeting" and c.done]
    known = [BACKGROUND, *case.preferences.values(), *looked_up, *created, *feedback_of(found.cards)]
    return [*mails, *(Source("what the assistant knew", text, "ours", NOW) for text in known)]


def _alternatives(fact: Fact) -> list[str]:
    return [fact] if isinstance(fact, str) else fact


def _plain(text: str) -> str:
    """Without invisible characters, with one kind of hyphen and space; "ß" is "ss"."""
    return fold(clean(text)[0]).replace("–", "-").casefold()


def _named(fact: Fact) -> str:
    return " or ".join(_alternatives(fact))


_SMALL = {name: frozenset(words.split()) for name, words in _WORDS.items()}
