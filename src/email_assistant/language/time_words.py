"""The words around times that say whether one is offered: cannot, instead of, moved to, open from, every, after.

Which days and hours are meant is for `days` and `hours` to say; these tell what may not be taken for an offer, and
what of a sentence nobody has understood.
"""

import re

from email_assistant.language.day_words import FULL_WEEKDAYS, MONTHS
from email_assistant.language.words import WORDS

_DAY_NAMES = "|".join(
    re.escape(name)
    for name in (
        *FULL_WEEKDAYS,
        *(name for name in MONTHS if len(name) > 3 and name not in {"mars", "march"}),
    )
)

with WORDS.section("times", day_names=_DAY_NAMES) as section:
    CANNOT = section.pattern("{cannot}")
    """That the writer cannot come then."""
    NOT_CANNOT = section.pattern("{not_cannot}")
    """What only looks like it."""

    MOVES = section.pattern("{moves}")
    INSTEAD_OF = section.pattern("{instead_of}")
    SAME_TIME = section.pattern("{same_time}")

    PREFERS = section.pattern("{prefers}")
    """Prefers one of two times; which one the words do not say for certain."""

    OPENING = section.pattern("{opening}")
    """Speaks of when a place is open."""
    RECURRING = section.pattern("{recurring}")
    TRAVEL = section.pattern("{travel}")
    """Speaks of when somebody is under way."""

    NOT_BEFORE = section.pattern(r"(?<!\w)(?:{not_before})\s(?:um |at |the |las? |le |les |all'|alle )?$")
    NOT_AFTER = section.pattern(r"(?<!\w)(?:{not_after})\s(?:um |at |the |las? |le |les |às |as )?$")
    """Right before an hour that is an edge of a time."""
    OR_LATER = section.pattern(r"\s?(?:{or_later})")
    OR_EARLIER = section.pattern(r"\s?(?:{or_earlier})")

    ODD_BEFORE = section.pattern(r"\b(?:{odd_before})\s$")
    ODD_AFTER = section.pattern("{odd_after}")
    """Beside a day: it is counted from something else."""

    GREETING = section.pattern("{greeting}")
    SIGNS = section.pattern("{signs}")
    """Names a day or a time, wherever it stands."""
    WEAK_SIGNS = section.pattern("{weak_signs}")
    """Names a time in a sentence that asks for one, or beside a day or an hour."""

    SUITS = section.pattern("{suits}")
    """Offers a time without asking."""
CLAUSE_END = re.compile(
    r"[,;](?!\d)|:(?=\s)|\s[–—-]\s|[.!?](?=\s)|\s(?:but|aber|sondern|mais|pero|sino|ma|maar|mas)(?=\s)|\sand (?=(?:would|could|can"
    r"|how|I)\b)",
    re.IGNORECASE,
)
MOVED_TO = re.compile(
    r"(?<!\w)(?:to|for|until|auf|zu|à|au|al|a|alla|para|naar|op|ao?|pra)\s(?:the |le |la |el |il |den |een |a )?$",
    re.IGNORECASE,
)
"""Right before the new time of a move."""
FROM_HOUR = re.compile(r"(?:from|von|de(?: las)?|dalle|van|das)\s", re.IGNORECASE)
TO_DAY = re.compile(
    r"\s?(?:-|–|to|through|till|until|bis|à|au|a|al|tot(?: en met)?|t/m|até|から)\s?(?:den |le |el |il |de )?",
    re.IGNORECASE,
)
"""Between the first and the last of several days."""
