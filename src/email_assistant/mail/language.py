"""Which of five languages a text is written in, by its commonest words."""

import re
from typing import Literal, get_args

Language = Literal["en", "de", "fr", "es", "ja"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_KANA = re.compile(r"[\u3040-\u30ff]")
_WORD = re.compile(r"[^\W\d_]+")
_READ = 5_000


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMON: dict[Language, frozenset[str]] = {
    "en": _words("the and you to of is for we with are have this that your on our it would please thank"),
    "de": _words(
        "der die das und ich sie wir nicht ist mit für ein eine zu auf den dem bitte ihre auch am um"
    ),
    "fr": _words("le la les et vous nous des est pour une un que dans pas votre avec je au du bonjour sont"),
    "es": _words("el la los y que de en un una por para con no es se su nos ya las hola gracias del muy"),
}
# Common in other languages, and in none of the four above.
_ELSEWHERE = (
    _words("il di che è non gli della nel sono grazie ciao vostra vostro sarà anche"),
    _words("het een van niet wij u dank voor met zijn naar ik wordt uw"),
    _words("não você é obrigado obrigada olá seu sua com são uma os ao pelo nós"),
    _words("och att det är på inte tack vi som till av"),
    _words("og det er på ikke tak takk jeg til av"),
    _words("nie się jest dziękuję na do że za dla są pan"),
    _words("je že se na děkujeme jsme vás pro"),
    _words("și este pentru nu vă mulțumim în cu"),
    _words("ve bir bu için değil siz teşekkür"),
    _words("ja ei että kiitos te ovat"),
    _words("és az nem hogy köszönjük egy van"),
    _words("amb és els gràcies dels"),
)
_FOUR: tuple[Language, ...] = ("en", "de", "fr", "es")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")


def language_of(text: str) -> Language:
    """The language whose common words occur most; English when none stands out."""
    text = text[:_READ]
    if len(_KANA.findall(text)) >= 3:
        return "ja"
    words = [word.lower() for word in _WORD.findall(text)]
    scores = {language: sum(word in common for word in words) for language, common in _COMMON.items()}
    return max(scores, key=lambda language: scores[language])


def is_known_language(text: str) -> bool:
    """Whether a text may be English, German, French or Spanish; one too short to tell may be."""
    words = [word.lower() for word in _WORD.findall(text)]
    letters = sum(map(len, words))
    if letters and len(_LATIN.findall(text)) < 0.9 * letters:
        return False
    ours = max(sum(word in _COMMON[language] for word in words) for language in _FOUR)
    others = max(sum(word in common for word in words) for common in _ELSEWHERE)
    return (others == 0 or ours > others) and (len(words) < 12 or ours >= 0.08 * len(words))
