"""What the user's corrections of a draft ask for: shorter, more formal, another language, or a sentence to say."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from email_assistant.mail.language import Language
from email_assistant.mail.text import one_line
from email_assistant.models.offline.learned import HEADING, is_learned_form

MAX_WISH = 2_000
_SHORTER = re.compile(
    r"(?:(?:please |bitte |a (?:bit|little) |much |even |make (?:it|this) |keep (?:it|this) |too long|be |more |still |"
    r"plus |más |noch |viel |etwas |zu |et |,|and )\s?)*(?:shorter|short|brief(?:er)?|concise|too long|lang|"
    r"kürzer|kurz|courte?|concise?|cort[oa]|breve|短く)(?:,? (?:please|bitte))?[.!]*",
    re.IGNORECASE,
)
_FORMAL = re.compile(
    r"(?:(?:please|be|make it|a bit|more|much|plus|más|bitte|etwas) )*(?:formal|formally|polite(?:r|ly)?|formell(?:er)?|"
    r"förmlich(?:er)?|höflicher|丁寧に)(?:,? please)?[.!]*",
    re.IGNORECASE,
)
_INFORMAL = re.compile(
    r"(?:(?:please|be|make it|a bit|more|much|less|bitte|etwas) )*(?:informal|casual|friendl(?:y|ier)|warmer|relaxed|"
    r"lockerer|freundlicher|less formal)(?:,? please)?[.!]*",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(
    r"(?:(?:please|bitte|reply|answer|write|make|it|antworte|schreib|en|in|auf|this) )*(?:in|auf|en) "
    r"(?P<name>english|englisch|anglais|inglés|german|deutsch|allemand|alemán|french|französisch|français|francés|"
    r"spanish|spanisch|espagnol|español|japanese|japanisch|japonais|japonés)(?:,? (?:please|bitte))?[.!]*",
    re.IGNORECASE,
)
_LANGUAGES: dict[str, Language] = {
    "eng": "en", "ang": "en", "ing": "en", "ger": "de", "deu": "de", "all": "de", "ale": "de", "fre": "fr",
    "fra": "fr", "spa": "es", "esp": "es", "jap": "ja",
}  # fmt: skip
_SAY = re.compile(
    r"(?:please |bitte |also |and |just )*(?:say|tell (?:him|her|them|\w{1,20}|the \w{1,20})|add|mention|write|reply|"
    r"answer|sag(?:e)?(?: (?:ihm|ihr|ihnen))?|schreib(?:e)?|dis|dites|di|ajoute[rz]?)"
    r"(?:\s?[:,]\s?(?:that )?|\s(?:that|dass|que) |\s(?=[\"“„«']))(?P<said>.+)",
    re.IGNORECASE | re.DOTALL,
)
_ORDER = re.compile(
    r"(?:please |bitte |also )*(?:do not|don't|never|ask|remove|delete|drop|leave out|use|change|replace|rewrite|make|"
    r"write|be|less|more|mention|include|add|offer|decline|accept|answer|reply|tell|say|explain|keep|start|end|sound|"
    r"frag|lass|streich|nenne|biete|schreib)\b",
    re.IGNORECASE,
)
_QUOTES = "\"“”„«»'‘’「」 "
_ENDS = (".", "!", "?", "。", "！", "？", "…")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is wanted of a draft; `brevity` counts how often "shorter" was asked for."""

    brevity: int = 0
    formal: bool = False
    language: Language | None = None
    sentences: tuple[str, ...] = ()
    """Sentences the user wants said, in order."""
    unclear: tuple[str, ...] = ()
    """Wishes that rules cannot carry out; they are put before the user again."""

    def and_also(self, feedback: str) -> "Wishes":
        """These wishes with one more correction; empty text adds nothing."""
        text = one_line(feedback[: 4 * MAX_WISH])[:MAX_WISH]
        if not text:
            return self
        styled = self._styled(text)
        if styled is not None:
            return styled
        said = _SAY.fullmatch(text)
        if not said and _ORDER.match(text):
            return replace(self, unclear=(*self.unclear, text))
        return replace(self, sentences=(*self.sentences, _sentence(said["said"] if said else text)))

    def _styled(self, text: str) -> "Wishes | None":
        """The wishes when the correction is about style, else None."""
        if _SHORTER.fullmatch(text):
            return replace(self, brevity=self.brevity + 1)
        if _FORMAL.fullmatch(text) or _INFORMAL.fullmatch(text):
            return replace(self, formal=_FORMAL.fullmatch(text) is not None)
        if found := _LANGUAGE.fullmatch(text):
            return replace(self, language=_LANGUAGES[found["name"][:3].lower()])
        return None


def standing_wishes(preferences: str) -> Wishes:
    """Wishes about style that the profile's learned lines hold; what was said to one person is not repeated."""
    _, _, learned = preferences.partition(HEADING)
    lines = [line[2:] for line in learned.splitlines() if line.startswith("- ") and not is_learned_form(line)]
    wishes = _all(Wishes(), lines)
    return Wishes(brevity=min(wishes.brevity, 1), formal=wishes.formal)


def wishes_after(feedback: tuple[str, ...], preferences: str) -> Wishes:
    """All corrections, oldest first, upon the profile's standing wishes."""
    return _all(standing_wishes(preferences), feedback)


def _all(wishes: Wishes, lines: Iterable[str]) -> Wishes:
    for line in lines:
        wishes = wishes.and_also(line)
    return wishes


def _sentence(text: str) -> str:
    """The text as a sentence: without quotes around it, with a capital letter and a full stop."""
    text = text.strip()
    inner = text.strip(_QUOTES)
    text = inner if inner and text[0] in _QUOTES and text.rstrip(".")[-1] in _QUOTES else text
    text = text[:1].upper() + text[1:]
    return text if text.endswith(_ENDS) else f"{text}."
