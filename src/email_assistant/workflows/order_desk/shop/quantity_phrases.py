"""Phrases that tell how many: everything, a few, pairs, ranges. All but `in_digits` are for folded text."""

import re

from email_assistant.language.number_words import languages_of
from email_assistant.workflows.order_desk.wording import WORDS

_F = re.IGNORECASE
_W = r"(?:[\w']{1,20} )"

with WORDS.section("quantities", w=_W) as section:
    EVERYTHING = section.pattern(r"\b(?:{everything})\b", re.NOFLAG)
    """All that remain. A bare "all" or "all of them" is none: it points at goods that were named before."""
    ALL_BUT = section.pattern(
        r"\b(?:all|everything|every|alles?|tous|toutes|tout|tod[oa]s?|tutt[oie]|tudo)\b(?:[ ,]{1,2}[\w']{1,20}){0,8}?"
        r"[ ,]{1,2}(?:{all_but})\b",
        re.NOFLAG,
    )
    VAGUE = section.pattern(r"\b(?:{vague})\b", re.NOFLAG)
    PAIRED_GOODS = section.pattern(r"(?:{paired_goods})\b", re.NOFLAG)
    """Goods that are sold by the pair: also at the end of a German or Dutch compound."""
    EXPLICIT_BEFORE = section.pattern(r"(?:{explicit_before})$", re.NOFLAG)
    EXPLICIT_AFTER = section.pattern("{explicit_after}", re.NOFLAG)
PAIR = re.compile(r"[ -](?P<word>pairs?|paare?n?|paires?|par|pares|paio|paia|paren)\b")
_RANGE = re.compile(r"\s?(?:-|–|—|~|to|or|till|until|bis|oder|a|ou|o|u|tot)\s?")
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra|tussen)\s$")
_AND = re.compile(r"\s(?:and|und|et|y|e|en)\s")
_COUPLE = re.compile(r"\b(?:a\s)?couple(?=\sof\b)|\ba\scouple\b", _F)
_GERMAN_PAIR = re.compile(r"\b[Ee]in(?:en|em)?\sPaar\b")


def in_digits(text: str) -> str:
    """The text with "a couple" in digits. "ein Paar" is a pair, while "ein paar" stays "a few"."""
    return _GERMAN_PAIR.sub("a pair", _COUPLE.sub("2", text))


def is_range(text: str, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether two numbers, by where they stand in a folded text, are the ends of a range: "two to four"."""
    between = text[first[1] : second[0]]
    if len(between) > 8:
        return False
    if _RANGE.fullmatch(between):
        return True
    if between == " of ":
        return "nl" in languages_of(text[first[0] : first[1]])
    return bool(_AND.fullmatch(between) and _BETWEEN.search(text[max(0, first[0] - 10) : first[0]]))
