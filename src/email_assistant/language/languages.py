"""Which language a text is written in, by its commonest words and the letters that it alone has."""

import re
from collections.abc import Collection, Mapping

_WORD = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"\S*(?:://|@|www\.)\S*")
_READ = 5_000
_KANA = re.compile(r"[\u3040-\u30ff]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMON: Mapping[str, frozenset[str]] = {
    "en": _words(
        "the and you to of is for we with are have this that your on our it would please thank thanks i my do can in if hi hello not "
        "one will be was at by has no but from a an as there me or"
    ),
    "de": _words(
        "der die das und ich sie wir nicht ist mit für ein eine einen zu auf den dem bitte ihre ihr auch am um noch es hallo mir "
        "im von uns du habe wird danke können sind hat bei oder dass aber kein keine guten nur"
    ),
    "fr": _words(
        "le la les et vous nous des est pour une un que dans pas votre avec je au du bonjour sont de j ai ce qui merci en mon sur "
        "il ne se cela avez quel ou vos notre à l d été sera"
    ),
    "es": _words(
        "el la los las y que de en un una por para con no es se su nos ya hola gracias del muy tienen quiero me mi lo como al esta "
        "le les usted está este si alguna o pero ha sin más hasta sus"
    ),
    "it": _words(
        "il la lo gli le e di che un una per con non è si vi ci sono vorrei grazie buongiorno del della ho mi anche come al nel ciao "
        "i da questo quella va bene ancora avete ha della o ma le"
    ),
    "nl": _words(
        "de het een en van ik is dat niet met voor op zijn u jullie wij hebben graag of er aan ook heb dank hallo mij bij die nog "
        "kunt te wordt naar uw bedankt dit wil maar zal"
    ),
    "pt": _words(
        "o a os as e que de em um uma por para com não é se eu vocês olá obrigado obrigada do da no na meu minha gostaria mais são "
        "está me ao bem você seu sua ou mas quero já foi"
    ),
    "sv": _words(
        "och jag är det att en ett som på för inte med har ni vi av till hej tack kan min om den vill ha mig men kommer från så st"
    ),
    "da": _words(
        "og jeg er det at en et som på for ikke med har i vi af til hej tak kan min om den vil gerne have mig men kommer fra så jer"
    ),
    "pl": _words(
        "i w nie to jest się na z do że jak czy dla są ja mam proszę dzień dobry chciałbym chciałabym po o dziękuję mi mogą ale za od"
    ),
    "ja": frozenset(),
}
# Letters and signs that one language, or a few, have and the others do not.
_LETTERS = {
    "es": "¿¡ñ",
    "de": "ßäöü",
    "pt": "ãõ",
    "sv": "åäö",
    "da": "åæø",
    "pl": "łąęśźżćń",
    "fr": "œçèêû",
    "it": "ìò",
    "nl": "ĳ",
}
_LETTER_WEIGHT = 0.5
# Words of yet other languages, to tell a text of theirs from one of ours.
_ELSEWHERE = (
    _words("nie się jest dziękuję na do że za dla są pan"),
    _words("og det er på ikke tak takk jeg til av"),
    _words("je že se na děkujeme jsme vás pro"),
    _words("și este pentru nu vă mulțumim în cu"),
    _words("ve bir bu için değil siz teşekkür"),
    _words("ja ei että kiitos te ovat"),
    _words("és az nem hogy köszönjük egy van"),
    _words("amb és els gràcies dels"),
)
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
LANGUAGES = tuple(_COMMON)
"""ISO 639-1, the likelier first: of languages that have as many of a text's words, the first is taken."""
DAY_FIRST = frozenset(LANGUAGES) - {"en", "ja"}
"""Languages in which 4/12 is 4 December; English has it both ways."""


def language_of(text: str, *, among: Collection[str] = LANGUAGES) -> str:
    """ISO 639-1 code of the language, of those asked for; "" when no word or letter tells.

    At most 5,000 characters are looked at, and no addresses.
    """
    text = _ADDRESS.sub(" ", text[:_READ]).lower()
    kana = len(_KANA.findall(text))
    if kana >= 3 and "ja" in among:
        return "ja"
    words = _WORD.findall(text)
    scores = {
        language: sum(word in common for word in words)
        + _LETTER_WEIGHT * sum(map(text.count, _LETTERS.get(language, "")))
        for language, common in _COMMON.items()
        if language in among
    }
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] else ""


def is_written_in(text: str, languages: Collection[str]) -> bool:
    """Whether a text may be in one of these languages of Latin letters, and in no other; one too short to tell may be."""
    words = [word.lower() for word in _WORD.findall(text)]
    letters = sum(map(len, words))
    if letters and len(_LATIN.findall(text)) < 0.9 * letters:
        return False
    known = frozenset().union(*(_COMMON[language] for language in languages))
    strange = [common for language, common in _COMMON.items() if language not in languages]
    ours = max(sum(word in _COMMON[language] for word in words) for language in languages)
    others = max(sum(word in common - known for word in words) for common in (*strange, *_ELSEWHERE))
    return (others == 0 or ours > others) and (len(words) < 12 or ours >= 0.08 * len(words))
