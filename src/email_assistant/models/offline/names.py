"""Names as a greeting may use them."""

import re

from email_assistant.mail.address import Address
from email_assistant.mail.text import one_line

_TITLES = frozenset(
    {"dr", "prof", "mr", "mrs", "ms", "miss", "mx", "sir", "herr", "frau", "hr", "fr", "m", "mme", "mlle", "sr", "sra",
     "don", "doña", "ing", "mag", "dipl"}
)  # fmt: skip
_RELATIVES = frozenset(
    {"aunt", "auntie", "uncle", "grandma", "grandpa", "tante", "onkel", "oma", "opa", "tía", "tío"}
)
_NOT_A_PERSON = re.compile(
    r"\b(?:team|support|office|accounts?|billing|service|claims?|sales|info|news\w*|shop|store|house|bank|insurance|"
    r"monitor|scanner|system|admin|fund|gmbh|ltd|inc|llc|ag|sarl|company|studio|group|assistant|user)\b|株式会社|\d|@|://",
    re.IGNORECASE,
)
_NAME_PART = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LONGEST = 30


def first_name(sender: Address) -> str:
    """The name to greet the sender by; "" when it is not clearly a person's."""
    name = one_line(sender.name)[:120]
    if not name or _NOT_A_PERSON.search(name):
        return ""
    if _JAPANESE.search(name):
        return name if len(name) <= _LONGEST else ""
    if name.count(",") == 1:  # "Nair, Priya"
        last, _, first = name.partition(",")
        name = f"{first.strip()} {last.strip()}"
    parts = name.split()
    while parts and parts[0].rstrip(".").lower() in _TITLES:
        parts = parts[1:]
    if not parts or len(parts) > 5 or not all(_NAME_PART.fullmatch(part) for part in parts):
        return ""
    named = " ".join(parts[:2]) if parts[0].lower() in _RELATIVES else parts[0]
    return named if len(named) <= _LONGEST else ""
