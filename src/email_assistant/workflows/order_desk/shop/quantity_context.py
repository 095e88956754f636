"""Numbers around a product that are no quantities: ids, prices, dates, sizes, measures, telephone numbers."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from email_assistant.language.days import named_days
from email_assistant.language.measures import amounts
from email_assistant.language.numbers import numbers, percent_after
from email_assistant.language.text import fold, unaccented
from email_assistant.language.words import COMMON
from email_assistant.workflows.order_desk.wording import WORDS

_GAP = " ; "
_F = re.IGNORECASE
with COMMON.section("quantities") as common:
    _NAMED = [names.split() for unit, names in common.entries("units").items() if unit != "pieces"]
with WORDS.section("measures", unit="|".join(chain(*_NAMED))) as section:
    _UNITS = section.text(r"{units}")
    _MASKS = tuple(re.compile(line, _F) for line in section.lines("masks"))
    _IDS = section.pattern("{ids}", re.NOFLAG)
# Of one thing: "a three piece suit", "a 4 person tent"; in the plural these are other things.
_PARTS = "piece|tone|season|way|person|man|seater|quarter|ply|layer|speed|pack|tier|waste|gravity|emission|sugar|drop"
MEASURED = re.compile(
    rf"\s?-?\s?(?:of\s)?(?:{unaccented(_UNITS)})(?![\w'’])|[\s-](?:{_PARTS})\b|-(?!\s|\d)|\s?[°\"½¼¾]|⁄", _F
)
"""What stands after a number that counts no goods; for folded text."""


def masked(text: str, goods: Sequence[str]) -> str:
    """The text with a gap where a number belongs to something else; `goods` are the names and ids that may hold numbers."""
    for name in sorted((name for name in goods if re.search("[0-9]", name)), key=len, reverse=True):
        loose = r"[\s-]?".join(re.escape(part) for part in re.split(r"[\s-]+", name.strip()) if part)
        text = re.sub(rf"(?<!\w){loose}(?!\w)", _GAP, text, flags=_F)
    text = _IDS.sub(_GAP, text)
    parts, at = [], 0
    for start, end in sorted(_spans(text)):
        if start >= at:
            parts += [text[at:start], _GAP]
            at = end
    text = "".join([*parts, text[at:]])
    for pattern in _MASKS:
        text = pattern.sub(_GAP, text)
    return text


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where days stand with their month (4/12 may be half a dozen other things), amounts and shares."""
    folded = fold(text)
    yield from ((day.start, day.end) for day in named_days(text) if day.kind == "date" and day.month)
    yield from ((amount.start, amount.end) for amount in amounts(text))
    shares = ((number.start, percent_after(folded, number.end)) for number in numbers(folded))
    yield from (share for share in shares if share[1] >= 0)
