"""What rules can follow of the user's words about a draft: shorter, more formal, another language.

Nothing else is understood, and no word of the user's becomes part of a text: an instruction ("drop the line about …") and
a thing to say cannot be told apart with certainty.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from email_assistant.mail.text import one_line
from email_assistant.models.offline.learned import HEADING, is_learned_form

MAX_WISH = 200
"""Whoever says more, says more than this."""
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
_LANGUAGES: dict[str, str] = {
    "eng": "en", "ang": "en", "ing": "en", "ger": "de", "deu": "de", "all": "de", "ale": "de", "fre": "fr",
    "fra": "fr", "spa": "es", "esp": "es", "jap": "ja",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is wanted of a draft; `brevity` counts how often "shorter" was asked for."""

    brevity: int = 0
    formal: bool = False
    language: str | None = None

    def and_also(self, words: str) -> "Wishes | None":
        """These wishes with one more; None for words that are anything but, or more than, a wish about style."""
        if len(words) > MAX_WISH:
            return None
        text = one_line(words)
        if _SHORTER.fullmatch(text):
            return replace(self, brevity=self.brevity + 1)
        if _FORMAL.fullmatch(text) or _INFORMAL.fullmatch(text):
            return replace(self, formal=_FORMAL.fullmatch(text) is not None)
        if found := _LANGUAGE.fullmatch(text):
            return replace(self, language=_LANGUAGES[found["name"][:3].lower()])
        return None


def standing_wishes(preferences: str) -> Wishes:
    """Wishes about style that the profile's learned lines hold."""
    _, _, learned = preferences.partition(HEADING)
    lines = [line[2:] for line in learned.splitlines() if line.startswith("- ") and not is_learned_form(line)]
    wishes = _all(Wishes(), lines)
    return Wishes(brevity=min(wishes.brevity, 1), formal=wishes.formal)


def wishes_after(feedback: Sequence[str], preferences: str) -> Wishes:
    """All wishes about style, oldest first, upon the profile's standing ones."""
    return _all(standing_wishes(preferences), feedback)


def not_followed(feedback: Sequence[str]) -> tuple[str, ...]:
    """Those of the person's words that are no wish about style: rules cannot follow them."""
    return tuple(words for words in feedback if Wishes().and_also(words) is None)


def _all(wishes: Wishes, lines: Iterable[str]) -> Wishes:
    for line in lines:
        wishes = wishes.and_also(line) or wishes
    return wishes
