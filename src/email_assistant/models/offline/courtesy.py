"""How a letter begins and ends, in the language of the mail that it answers, and by which name its writer is called."""

import re
from dataclasses import dataclass
from typing import Literal

from email_assistant.language.numbers import JOINERS
from email_assistant.language.text import is_written_in, language_of, unaccented
from email_assistant.language.words import WORDS
from email_assistant.mail.address import Address
from email_assistant.mail.domains import ROLES
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline.preferences import NONE, Preferences, Voice
from email_assistant.models.offline.reading import body_words

with WORDS.section("letter") as section:
    _TEXTS = {
        key: section.by_file(key)
        for key in (
            "hello", "hello_nobody", "dear", "dear_nobody", "regards", "regards_formal",
            "reminder", "sorry", "ordered",
        )
    }  # fmt: skip
    _FORMAL = {
        language: re.compile("|".join(text.splitlines()), re.IGNORECASE)
        for language, text in section.by_file("formal").items()
    }
    _TITLES, _RELATIVES = frozenset(section.words("titles")), frozenset(section.words("relatives"))
    _NOT_A_PERSON = section.pattern("{no_person}")
_NAME_PART = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")
_WORD = re.compile(r"[^\W\d_]{2,}")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LONGEST = 30
_FEW = 3
"""Words of a name under a mail, at most."""


@dataclass(frozen=True, slots=True)
class Courtesy:
    """The language of a letter (ISO 639-1), and whether its tone is formal."""

    language: str
    is_formal: bool = True
    voice: Voice | None = None
    """How the user begins and ends such letters, unless their tone is formal."""

    def greeting(self, first: str, full: str = "") -> str:
        """To somebody of this first and full name, or to nobody by name where the one that the tone asks for is ""."""
        if mine := self._own_greeting(first, full):
            return mine
        key, name = ("dear", full or first) if self.is_formal else ("hello", first)
        return self._text(key, name=name) if name else self._text(f"{key}_nobody")

    def closing(self, signed: str) -> str:
        """With the name under it, if any."""
        regards = self._text("regards_formal" if self.is_formal else "regards")
        if self.voice and not self.is_formal:
            regards = self.voice.closing or regards
        return f"{regards}\n{signed}" if signed else regards.rstrip(",")

    def _own_greeting(self, first: str, full: str) -> str:
        """The user's, where all names are known that it has; with a family name it has a title as well, which nobody knows."""
        is_used = self.voice and not (self.is_formal or self.voice.other)
        greeting = self.voice.greeting if self.voice and is_used else ""
        names = {"{first}": first, "{full}": full, "{last}": ""}
        for place in (each for each in names if each in greeting):
            greeting = greeting.replace(place, names[place]) if names[place] else ""
        return greeting

    def says(self, phrase: Literal["reminder", "sorry", "ordered"], day: str = "") -> str:
        """One of the sentences that open an answer; `day` is one that the mail names, in its words."""
        return self._text(phrase, day=day)

    def _text(self, key: str, **parts: str) -> str:
        text = str(_TEXTS[key].get(self.language) or _TEXTS[key]["en"])
        for name, part in parts.items():
            text = text.replace(f"{{{name}}}", part)
        return text


def courtesy_of(message: Message, wanted: Preferences = NONE) -> Courtesy | None:
    """As the message is written, in a language that is wanted; None where its own is none that letters can begin and end in."""
    text = body_words(message) or message.subject
    language = language_of(text) or "en"
    if language not in _FORMAL or not is_written_in(text, (language,)):
        return None
    first, *last = name_signed(message).split() or [""]
    signs_formally = bool(last) and len(first.rstrip(".")) == 1
    is_formal = signs_formally or _FORMAL[language].search(f"{text}\n{message.signature}") is not None
    language = wanted.language_for(language)
    return Courtesy(language, is_formal, wanted.voice_in(language))


def first_name(sender: Address) -> str:
    """The name to greet the sender by; "" when it is not clearly a person's."""
    parts = _name_parts(sender.name)
    if not parts or _JAPANESE.search(parts[0]):
        return parts[0] if parts else ""
    named = " ".join(parts[:2]) if parts[0].lower() in _RELATIVES else parts[0]
    return named if len(named) <= _LONGEST else ""


def person_named(name: str) -> str:
    """The full name to greet somebody by; "" when it is not clearly one person's."""
    return " ".join(_name_parts(name))


def names_of(message: Message) -> tuple[str, str]:
    """The first and the full name to greet the sender by, as they sign; "" for what is not clearly a person's.

    Who signs with the first name alone is called by that, and a program by none.
    """
    bulk = bulk_of(message)
    if bulk.is_automatic or bulk.is_no_reply:
        return "", ""
    signed = Address("", name_signed(message))
    # Who is answered elsewhere by name is another one than who sends: a form.
    elsewhere = [each for each in message.reply_to if each.name and each.key != message.sender.key]
    asks = elsewhere[0] if len(message.reply_to) == 1 and elsewhere else message.sender
    by = signed if len(first_name(signed).rstrip(".")) > 1 else asks
    return first_name(by), person_named(by.name)


def name_signed(message: Message) -> str:
    """The name under the message, if it is its sender's own, or a person's who signs for a company; else ""."""
    *_, last = ("", *filter(None, map(str.strip, message.text.splitlines())))
    under = [line.strip() for line in message.signature.splitlines()[:3]]
    shown, local = (_words(text) for text in (message.sender.name, message.sender.email.partition("@")[0]))
    is_person = bool(first_name(message.sender))
    # What stands above a signature block is how they sign here.
    first = [last] if under[:1] == ["--"] else []
    for number, line in enumerate([*first, *under, last], -len(first)):
        name = one_line(line.partition(",")[0])
        parts, said = _name_parts(name), _words(name)
        if not parts or len(parts) > _FEW or not all(part[:1].isupper() for part in parts):
            continue
        # Who signs for a company stands right under the closing words, with a first and a last name.
        signs = (number == 1 and len(parts) > 1) or said & local
        # Of a company that has the family's name they are one: "Gudrun Ritter" of "Ritter Lacke".
        is_of_family = len(parts) > 1 and bool(said & shown) and not said <= shown
        if said & (shown | local) if is_person else is_of_family or (signs and not said & shown):
            return name
    return ""


def _name_parts(text: str) -> list[str]:
    """The parts of a person's name without titles, the first name first; none when it is not clearly a person's."""
    name = one_line(text)[:120]
    if not name or _NOT_A_PERSON.search(name):
        return []
    if _JAPANESE.search(name):
        return [name] if len(name) <= _LONGEST else []
    if name.count(",") == 1:  # "Nair, Priya"
        last, _, first = name.partition(",")
        name = f"{first.strip()} {last.strip()}"
    parts = name.split()
    while parts and parts[0].rstrip(".").lower() in _TITLES:
        parts = parts[1:]
    if ROLES.intersection(_words(" ".join(parts))) or _names_several(parts):
        return []
    return parts if len(parts) <= 5 and all(_NAME_PART.fullmatch(part) for part in parts) else []


def _names_several(parts: list[str]) -> bool:
    """Whether they are "Jessica and Tom"; in "Costa e Silva" and "Ortega y Gasset" a family's name has the word."""
    return any(part in JOINERS and (at == 1 or len(part) > 1) for at, part in enumerate(parts))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(unaccented(text)))
