"""Links, addresses, phone numbers, and the ids of orders, invoices, parcels and products."""

import re
from collections.abc import Iterator

from email_assistant.facts.fact import Claim

_TOP = "com|org|net|info|biz|edu|gov|int|io|ai|app|dev|shop|store|online|site|me|de|at|ch|fr|es|it|nl|be|pl|eu|uk|us|ca|co|jp|se|no|dk|fi|ie|pt|au|test|example"  # noqa: E501
_LINK = re.compile(
    rf"(?<![\w@.])(?:https?://[^\s<>\"\]]{{1,2000}}|www\.[^\s<>\"\]]{{1,500}}"
    rf"|(?:[a-z0-9][a-z0-9-]{{0,62}}\.){{1,5}}(?:{_TOP})\b(?!@)(?:/[^\s<>\"\]]{{0,500}})?)",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_PHONE = re.compile(
    r"(?<![\w#./-])(?:\+|00|\(?0)\d?[\d ()/.-]{5,22}\d(?!\w)|(?<![\w#./-])\(\d{3}\)\s?\d{3}[-. ]\d{4}(?!\w)"
    r"|(?<![\w#./-])\d{3}[-.]\d{3}[-.]\d{4}(?!\w)"
)
_PHONE_WORD = re.compile(
    r"(?:\b(?:call|phone|tel|telefon|telephone|mobile|reach|ring|fax|hotline|whatsapp|nummer|number|anrufen|unter|teléfono|téléphone)\b|☎)"
    r"[^\d\n]{0,40}$",
    re.IGNORECASE,
)
_PLAIN_PHONE = re.compile(r"(?<![\w#./-])\d[\d /-]{5,20}\d(?![\w])")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_TOKEN = re.compile(r"(?<![\w@])#?[^\W_]+(?:[-/_.][^\W_]+)*(?!\w)")
_ISO_OR_CLOCK = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}(?:t[\d:.]+z?)?|\d{1,2}[-.]?\d{0,2}(?:am|pm|h|h\d\d|uhr|st|nd|rd|th|er)|\d{1,2}/\d{1,2}(?:/\d{2,4})?"
    r"|\d+x|x\d+|\d+(?:[.,]\d+)?(?:k|m|mm|cm|km|g|kg|l|ml|gb|mb|tb|w|kw|kwh|min|mins|hrs?|bn|mio|ft|qm|m2)"
    r"|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|\d+(?:-\d+)?-(?:[^\W\d]+-?)+",
    re.IGNORECASE,
)
_LONG_ID = 7


def links(text: str) -> Iterator[Claim]:
    """E-mail addresses, then web addresses with or without a scheme."""
    taken: list[tuple[int, int]] = []
    for match in _EMAIL.finditer(text):
        address = match.group().rstrip(".-")
        taken.append((match.start(), match.start() + len(address)))
        yield Claim("email", *taken[-1], frozenset({("email", address.casefold())}))
    for match in _LINK.finditer(text):
        written = match.group().rstrip(".,;:!?)'*_")
        host, _, path = re.sub(r"^https?://", "", written, flags=re.IGNORECASE).partition("/")
        host = host.casefold().removeprefix("www.")
        path = path.rstrip("/")
        yield Claim("link", match.start(), match.start() + len(written), frozenset({("link", host, path)}))


def phones(text: str) -> Iterator[Claim]:
    """Phone numbers: by their look, or any longer run of digits that "call" or "phone" stands before."""
    for match in _PHONE.finditer(text):
        yield from _phone(match)
    for match in _PLAIN_PHONE.finditer(text):
        if _PHONE_WORD.search(text[max(0, match.start() - 60) : match.start()]):
            yield from _phone(match)


def _phone(match: re.Match[str]) -> Iterator[Claim]:
    digits = re.sub(r"\D", "", match.group())
    # "04/12/2026" and "0.125" look like numbers to call but are none.
    if 7 <= len(digits) <= 15 and not re.fullmatch(
        r"\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d+[.,]\d+", match.group()
    ):
        yield Claim("phone", match.start(), match.end(), frozenset({("phone", national(digits))}))


def national(digits: str) -> str:
    """The last nine digits, without prefixes that are dialled or not: +49 30 1234567 and 030 1234567 are one."""
    return digits.lstrip("0")[-9:] if len(digits.lstrip("0")) >= 9 else digits.lstrip("0")


def ids(text: str) -> Iterator[Claim]:
    """Tokens of letters and digits, `#` and digits, digits with hyphens, and long digits."""
    for match in _IBAN.finditer(text):
        yield Claim("id", match.start(), match.end(), frozenset({id_key(match.group())}))
    for match in _TOKEN.finditer(text):
        token = match.group()
        if len(token) > 80 or not any(char.isdecimal() for char in token) or not _is_id(token):
            continue
        yield Claim("id", match.start(), match.end(), frozenset({id_key(token)}))


def _is_id(token: str) -> bool:
    if token.startswith("#"):
        return True
    if _ISO_OR_CLOCK.fullmatch(token):
        return False
    if any(char.isalpha() for char in token):
        return True
    return (token.isdecimal() and len(token) >= _LONG_ID) or bool(
        re.fullmatch(r"\d+(?:[-/_]\d+)+", token) and len(token) > 7
    )


def id_key(token: str) -> tuple[str, str]:
    """An id without `#`, hyphens and spaces, in capitals; leading zeros count."""
    return "id", re.sub(r"[#\s/_.-]", "", token).upper()
