"""The name a customer signs with, by rule."""

import re

from email_assistant.mail.message import Message

_CLOSING = re.compile(
    r"^\W*(?:(?:best|kind|warm|many)\s)?(?:regards|wishes|thanks(?: again| so much)?|thank you|cheers|"
    r"sincerely|yours(?: (?:truly|sincerely|faithfully))?|love|best|"
    r"(?:viele|beste|liebe|herzliche|freundliche|schöne) grüße|mit freundlichen grüßen|lg|vg|danke|"
    r"cordialement|bien à vous|merci(?: d'avance)?|"
    r"(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|gracias|(?:cordiali|distinti) saluti|"
    r"grazie(?: mille)?|saluti|(?:met )?vriendelijke groet(?:en)?|groetjes?|"
    r"groeten|alvast bedankt|bedankt|(?:com os melhores )?cumprimentos|obrigad[oa]|abraço|hälsningar|"
    r"med vänliga hälsningar|tack|hilsen|venlig hilsen|pozdrawiam|dziękuję)"
    r"[\s,.!–-]*(?P<name>.*)$",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d_][^\W\d_.'’-]*\.?(?:[ '’-][^\W\d_][^\W\d_.'’-]*\.?){0,3}")
_ENDED = re.compile(r"[.!?,]\s+(?P<name>[A-ZÀ-Þ][^\W\d_]+(?:[ -][A-ZÀ-Þ][^\W\d_]+){0,2})\.?(?:\s+x+)?$")
_DASH = re.compile(r"^\s*[-–—~]{1,2}\s*(?P<name>\S.*)$")
_SAID = re.compile(
    r"\b(?:my name is|ich heiße|mein name ist|je m'appelle|me llamo|mi chiamo|mijn naam is|ik heet|"
    r"o meu nome é)\s+(?P<name>[^\s,.]+(?:\s[A-ZÀ-Þ][^\s,.]+)?)",
    re.IGNORECASE,
)


def customer_name(message: Message, body: str) -> str:
    """As the customer signs, "" when it does not."""
    lines = [line.strip() for line in f"{body}\n{message.signature}".splitlines() if line.strip()]
    for at in range(len(lines) - 1, max(-1, len(lines) - 8), -1):
        if named := _after_closing(lines, at):
            return named
    said = _SAID.search(body[:5_000])
    if said:
        return said["name"][:100]
    return (_alone(lines[-1]) or _at_end(lines[-1])) if lines else ""


def _after_closing(lines: list[str], at: int) -> str:
    dashed = _DASH.match(lines[at])
    if dashed and at == len(lines) - 1 and _NAME.fullmatch(dashed["name"].strip()):
        return dashed["name"].strip()[:100]
    closing = _CLOSING.match(lines[at][:200])
    if not closing:
        return ""
    name = closing["name"].strip(" ,.!") or (lines[at + 1].strip(" ,.") if at + 1 < len(lines) else "")
    return name[:100] if _NAME.fullmatch(name) and name[:1].isupper() else ""


def _alone(line: str) -> str:
    """The last line, when it can be nothing but a name."""
    words = line.strip(" ,.").split()
    fits = (
        1 <= len(words) <= 3
        and all(word[:1].isupper() for word in words)
        and _NAME.fullmatch(" ".join(words))
    )
    return " ".join(words)[:100] if fits else ""


def _at_end(line: str) -> str:
    """A name behind the last sentence: "I collect. Ulrich"."""
    ended = _ENDED.search(line[-200:])
    return ended["name"].strip()[:100] if ended else ""
