"""Mail of a realistic inbox, made up: raw messages with the category each truly has.

The texts are templates of `organizer_texts/`, filled and put together at random; the headers are those that the
kind of sender really writes. Only a template's own words, sender and headers differ by category: nothing marks the answer.
The same seed gives the same mail.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import cache
from html import escape
from pathlib import Path
from random import Random
from typing import Literal

from eval.organizer_senders import SENDERS, Written, from_role
from eval.organizer_texts.slots import slots

ME = Address("Robin Vale", "robin", "vale.example")
OWN = frozenset({"robin@vale.example"})
SHARES = {
    "Marketing/Promotions": 35, "Newsletters/Subscriptions": 20, "Purchases/Orders": 15, "Professional/Work": 15,
    "Personal/Friends": 5, "Personal/Family": 4, "Professional/Recruiters": 3, "Important": 3,
}  # fmt: skip
"""Mails of each category in a hundred."""
LANGUAGES = {"en": 62, "de": 18, "es": 10, "fr": 10}

TextSet = Literal["first", "second"]
_FOLDER = Path(__file__).parent / "organizer_texts"
_START = datetime(2026, 9, 1, tzinfo=UTC)
_HEAD = re.compile(r"\[(?P<category>[^\]]+)\] (?P<role>\w+) (?P<language>\w\w)")
_HISTORY = (
    "Thanks, I will look at it tomorrow.", "Could you send me the details?", "Sounds good. Robin",
    "I am not sure yet; how about next week?", "That is fine with me, please go ahead with the order.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sample:
    """One generated mail and what is true of it."""

    raw: bytes
    category: str
    one_way: bool
    """Whether a program sent it and nobody reads answers."""
    is_correspondent: bool
    """Whether the user has written to the sender before."""


@dataclass(frozen=True, slots=True)
class Template:
    """The words of one kind of mail."""

    category: str
    role: str
    language: str
    subjects: tuple[str, ...]
    paragraphs: tuple[tuple[str, ...], ...]


def generate(count: int, seed: int, texts: TextSet = "first") -> Iterator[Sample]:
    """So many mails in a mix like that of an inbox.

    The `first` set of texts is worded plainly, the `second` gives little away. No word of the offline rules was
    chosen for the second: what they make of it shows how much of the first they only know by heart.
    """
    random = Random(seed)
    by_category = templates(texts)
    for number in range(count):
        category = random.choices(list(SHARES), list(SHARES.values()))[0]
        found = by_category[category]
        template = random.choices(found, [LANGUAGES[t.language] for t in found])[0]
        yield _sample(template, random, f"{seed}.{number}")


@cache
def templates(texts: TextSet) -> dict[str, list[Template]]:
    """The templates of a set by category."""
    found: dict[str, list[Template]] = {category: [] for category in SHARES}
    text = (_FOLDER / f"{texts}.txt").read_text(encoding="utf-8")
    for block in re.split(r"\n(?=\[)", text)[1:]:
        template = _template(block)
        found[template.category].append(template)
    return found


def _template(block: str) -> Template:
    head, *lines = [line for line in block.splitlines() if line.strip()]
    match = _HEAD.fullmatch(head)
    assert match is not None, head
    kinds = {"subject:": [], "-": []}  # type: dict[str, list[tuple[str, ...]]]
    for line in lines:
        kind, _, rest = line.partition(" ")
        kinds[kind].append(tuple(piece.strip() for piece in rest.split("|")))
    subjects = tuple(s for line in kinds["subject:"] for s in line)
    return Template(match["category"], match["role"], match["language"], subjects, tuple(kinds["-"]))


def _sample(template: Template, random: Random, unique: str) -> Sample:
    date = _START + timedelta(minutes=random.randrange(80 * 24 * 60))
    values = slots(random, template.language, date)
    sender = from_role(template.role, values, random)
    values["domain"] = sender.address.domain
    subject = random.choice(template.subjects).format_map(values)
    paragraphs = [random.choice(options).format_map(values) for options in template.paragraphs]
    mail = _headed(sender, subject, date, unique, random)
    footer = sender.footer(random, template.language)
    _fill(mail, [p for p in (*paragraphs, footer) if p], sender, date, random)
    role = SENDERS[template.role]
    known = random.random() < role.known
    return Sample(mail.as_bytes(), template.category, role.one_way, known)


def _headed(sender: Written, subject: str, date: datetime, unique: str, random: Random) -> EmailMessage:
    mail = EmailMessage(policy=SMTP)
    mail["From"] = sender.address
    mail["To"] = sender.list_address or (
        ME if random.random() < 0.8 else Address("", "robin", "vale.example")
    )
    mail["Subject"] = subject
    mail["Date"] = format_datetime(date)
    mail["Message-ID"] = f"<{unique}@{sender.address.domain}>"
    for name, value in sender.headers.items():
        mail[name] = value
    return mail


def _fill(mail: EmailMessage, paragraphs: list[str], sender: Written, date: datetime, random: Random) -> None:
    """The body as the kind of sender writes it: plain, HTML or both, a person's answer above quoted history."""
    quoted = ""
    if not sender.is_program and random.random() < 0.35:
        mail.replace_header("Subject", f"Re: {mail['Subject'].removeprefix('Re: ')}")
        mail["In-Reply-To"] = f"<{random.randrange(10**9)}@vale.example>"
        mail["References"] = mail["In-Reply-To"]
        day = f"{date - timedelta(days=1):%a, %d %b %Y at %H:%M}"
        quoted = f"\n\nOn {day}, Robin Vale <robin@vale.example> wrote:\n> {random.choice(_HISTORY)}\n"
    html_only, both = (0.15, 0.8) if sender.is_program else (0.05, 0.35)
    draw = random.random()
    page = _page(paragraphs, quoted)
    if draw < html_only:
        mail.set_content(page, subtype="html")
        return
    mail.set_content("\n\n".join(paragraphs) + "\n" + quoted)
    if draw < html_only + both:
        mail.add_alternative(page, subtype="html")
        mail.set_boundary(f"=_{random.getrandbits(64):016x}")


def _page(paragraphs: list[str], quoted: str) -> str:
    body = "".join(f"<p>{_linked(paragraph)}</p>\n" for paragraph in paragraphs)
    history = f"<blockquote>{escape(quoted.strip())}</blockquote>" if quoted else ""
    return f"<html><body><table><tr><td>\n{body}</td></tr></table>{history}</body></html>\n"


def _linked(text: str) -> str:
    return re.sub(r"https://\S+", lambda m: f'<a href="{m[0]}">{m[0]}</a>', escape(text))
