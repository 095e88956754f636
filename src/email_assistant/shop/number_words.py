"""Whole numbers in words, in English, German, French, Spanish, Italian, Dutch and Portuguese."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")

# From zero to twenty; "/" joins two spellings.
_UNITS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty",
    "de": "null eins zwei/zwo drei vier fünf/fuenf sechs sieben acht neun zehn elf zwölf/zwoelf dreizehn vierzehn "
    "fünfzehn/fuenfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    "fr": "zéro un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
    "dix-huit dix-neuf vingt",
    "es": "cero uno/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte",
    "it": "zero uno/una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove venti",
    "nl": "nul één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien twintig",
    "pt": "zero um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze "
    "dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove vinte",
}  # fmt: skip
# From thirty on.
_TENS = {
    "en": "thirty forty fifty sixty seventy eighty ninety",
    "de": "dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "trente quarante cinquante soixante",
    "es": "treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "nl": "dertig veertig vijftig zestig zeventig tachtig negentig",
    "pt": "trinta quarenta cinquenta sessenta setenta oitenta noventa",
}
_TIMES = {
    100: "hundred hundert cent cents cien ciento cento honderd cem",
    1000: "thousand tausend mille mil mila duizend",
    12: "dozen dozens dutzend douzaine douzaines docena docenas dozzina dozzine dozijn dúzia dúzias",
}
_ARTICLES = "a an one ein eine einen einem einer eins een één un une una uno um uma"
_JOINERS = "and und et y e en"
# What else these words are: "all at once", "sac à dos", "due date", "un sac neuf", "per cent"; and in which languages they count.
_AMBIGUOUS = {
    "once": "es", "dos": "es", "due": "it", "sei": "it", "neuf": "fr", "elf": "de nl", "sept": "fr", "cent": "fr",
    "cents": "fr", "cento": "it pt", "mil": "es pt",
}  # fmt: skip


def fold(text: str) -> str:
    """Text in which words compare: in one case and without accents, but "très" is no "tres"."""
    told = unicodedata.normalize("NFC", text).lower().replace("’", "'")
    return _accentless(told.replace("très", "trop"))


def _accentless(text: str) -> str:
    return "".join(
        sign
        for sign in unicodedata.normalize("NFD", text.replace("ß", "ss"))
        if not unicodedata.combining(sign)
    )


@cache
def _numbers() -> dict[str, int]:
    found: dict[str, int] = {}
    for language in LANGUAGES:
        units = [spelt.split("/") for spelt in _UNITS[language].split()]
        tens = [units[20][0], *_TENS[language].split()]
        for number, spellings in [
            *enumerate(units),
            *zip(range(30, 100, 10), ([ten] for ten in tens[1:]), strict=False),
        ]:
            found |= dict.fromkeys(spellings, number)
        for number in range(1, 10):
            for ten, word in zip(range(20, 100, 10), tens, strict=False):
                found[_joined(language, word, units[number][0], number)] = ten + number
        for number in range(2, 10):
            found[units[number][0] + {"de": "hundert", "nl": "honderd", "it": "cento"}.get(language, "-")] = (
                100 * number
            )
    found |= {
        "veintidós": 22,
        "veintitrés": 23,
        "veintiséis": 26,
        "duecento": 200,
        "doscientos": 200,
        "doscientas": 200,
    }
    return {_accentless(word): number for word, number in found.items() if not word.endswith("-")}


def _joined(language: str, ten: str, unit: str, number: int) -> str:
    """What a language writes as one word between 21 and 99; the others write two."""
    if language == "de":
        return f"{'ein' if number == 1 else unit}und{ten}"
    if language == "nl":
        return f"{unit}en{ten}"
    if language == "it":
        return (ten[:-1] if number in (1, 8) else ten) + unit
    if language == "es" and ten == "veinte":
        return f"veinti{unit}"
    return "-"


@cache
def _times() -> dict[str, int]:
    return {_accentless(word): factor for factor, words in _TIMES.items() for word in words.split()}


ARTICLES = frozenset(_accentless(word) for word in _ARTICLES.split())
JOINERS = frozenset(_JOINERS.split())


def is_number_word(word: str, language: str, *, leads: bool) -> bool:
    """Whether a folded word, or all parts of it that hyphens join, are numbers or factors.

    A word that means something else in another language is a number in its own, and when no language is told only where it leads.
    """
    if word in _AMBIGUOUS:
        return language in _AMBIGUOUS[word].split() if language else leads
    if word in _numbers() or word in _times():
        return True
    parts = word.split("-")
    return len(parts) > 1 and all(part in _numbers() or part in _times() or part in JOINERS for part in parts)


def number_of(words: Sequence[str]) -> int | None:
    """The number that folded words say together, or None when they are several: "two hundred and ten", "quatre vingt dix"."""
    total = current = 0
    parts = [part for word in words for part in ([word] if word in _numbers() else re.split(r"[\s-]+", word))]
    for part in parts:
        if part in JOINERS and part not in _numbers():
            continue
        factor = _times().get(part)
        if factor is None:
            number = int(part) if part.isdecimal() else 1 if part in ARTICLES else _numbers()[part]
            added = _added(current, number, part)
            if added is None:
                return None
            current = added
        elif factor == 1000:
            total, current = total + (current or 1) * factor, 0
        else:
            current = (current or 1) * factor
    return total + current


def _added(current: int, number: int, word: str) -> int | None:
    rest = current % 100
    if word.startswith("vingt") and rest == 4:
        return current + 76
    if rest == 0 or (rest >= 20 and rest % 10 == 0 and number < 10):
        return current + number
    return current + number if rest in (60, 80) and 10 <= number < 20 else None
