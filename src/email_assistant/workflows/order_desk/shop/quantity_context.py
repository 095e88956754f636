"""Numbers around a product that are no quantities: ids, prices, dates, sizes, measures, telephone numbers."""

import re
from collections.abc import Sequence

from email_assistant.language.days import named_days
from email_assistant.language.measures import amounts
from email_assistant.language.numbers import numbers, percent_after
from email_assistant.language.text import fold, unaccented
from email_assistant.workflows.order_desk.wording import WORDS

_GAP = " ; "
_F = re.IGNORECASE
_LENGTH = r"mm|cm|m|inch(?:es)?|\"|''|zoll|ft|feet"
_CAPACITY = r"ml|cl|dl|l|lit(?:er|re)s?|g|gr|kg|oz|lbs?"
_DIMENSIONS = re.compile(
    r"(?<![\w.,-])(?P<n>[0-9]{1,5})(?:[.,][0-9]{1,2})?\s?[x×]\s?[0-9]{1,5}(?:[.,][0-9]{1,2})?(?P<third>\s?[x×]\s?[0-9]{1,5}"
    rf"(?:[.,][0-9]{{1,2}})?)?(?:\s?(?:(?P<capacity>{_CAPACITY})|{_LENGTH})(?!\w))?",
    _F,
)
_ID = re.compile(r"(?<![\w-])(?P<letters>[^\W\d_]{2,5}) (?P<digits>[0-9]{3,9})(?!\w)")
_COUNT_MARKS = frozenset({"qty", "pcs", "stk", "qtd", "x"})
with WORDS.section("measures", capacity=_CAPACITY, length=_LENGTH) as section:
    _UNITS = section.text(r"{units}")
    _DATES_AND_PHONES = tuple(re.compile(line, _F) for line in section.lines("dates_and_phones"))
    _MASKS = tuple(re.compile(line, _F) for line in section.lines("masks"))
# Of one thing: "a three piece suit", "a 4 person tent"; in the plural these are other things.
_PARTS = "piece|tone|season|way|person|man|seater|quarter|ply|layer|speed|pack|tier|waste|gravity|emission|sugar|drop"
MEASURED = re.compile(
    rf"\s?-?\s?(?:of\s)?(?:{unaccented(_UNITS)})(?![\w'’])|[\s-](?:{_PARTS})\b|-(?!\s|\d)|\s?[°\"½¼¾]|⁄", _F
)
"""What stands after a number that counts no goods; for folded text."""


def masked(text: str, goods: Sequence[str]) -> str:
    """The text with a gap where a number belongs to something else; `goods` are the names and ids that may hold numbers."""
    sentence = re.sub(r"\S+", lambda word: _GAP if _is_address(word.group()) else word.group(), text)
    for name in sorted((name for name in goods if re.search("[0-9]", name)), key=len, reverse=True):
        loose = r"[\s-]?".join(re.escape(part) for part in re.split(r"[\s-]+", name.strip()) if part)
        sentence = re.sub(rf"(?<!\w){loose}(?!\w)", _GAP, sentence, flags=_F)
    shouts = sentence.isupper()
    sentence = _ID.sub(
        lambda match: _GAP if _is_id(match["letters"], shouts=shouts) else match.group(), sentence
    )
    sentence = _without(sentence, _dates(sentence))
    for pattern in _DATES_AND_PHONES:
        sentence = pattern.sub(_GAP, sentence)
    sentence = _without(sentence, _money(sentence))
    for pattern in _MASKS:
        sentence = pattern.sub(_GAP, sentence)
    return _DIMENSIONS.sub(
        lambda match: f"{match['n']} x{_GAP}" if match["capacity"] and not match["third"] else _GAP, sentence
    )


def _dates(text: str) -> list[tuple[int, int]]:
    """Where days stand with their month; 4/12 may be half a dozen other things."""
    return [(day.start, day.end) for day in named_days(text) if day.kind == "date" and day.month]


def _money(text: str) -> list[tuple[int, int]]:
    """Where amounts and shares stand."""
    folded = fold(text)
    shares = ((number.start, percent_after(folded, number.end)) for number in numbers(folded))
    return [
        *((each.start, each.end) for each in amounts(text)),
        *(share for share in shares if share[1] >= 0),
    ]


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with a gap in place of each span."""
    parts, at = [], 0
    for start, end in sorted(spans):
        if start >= at:
            parts += [text[at:start], _GAP]
            at = end
    return "".join([*parts, text[at:]])


def _is_address(word: str) -> bool:
    return "://" in word or word.lower().startswith("www.") or "@" in word[1:]


def _is_id(letters: str, *, shouts: bool) -> bool:
    """Of "CSH 1098" and "csh 1098" they are, but not "need 100" or, in a mail that shouts, "NEED 100"."""
    if letters.lower() in _COUNT_MARKS:
        return False
    consonants = not re.search("[aeiouyäöüáéíóú]", letters, _F)
    return consonants or (letters.isupper() and not shouts)
