"""The words by which deadlines are found, in English, German, French, Spanish and Japanese."""

import re

from email_assistant.language.words import WORDS

with WORDS.section("deadlines") as section:
    AT_ONCE = section.pattern("{at_once}")
    """Asks for something now, where it asks for something."""

    ASKING = section.pattern("{asking}")
    """Asks or obliges the reader to do something."""

    TO_DO = section.pattern("{to_do}")
    """What deadlines are set for."""

    PROMISE = section.pattern("{promise}")
    """Tells what the writer is going to do."""

    DUE = section.pattern("{due}")
    """Names a deadline; the day stands behind it, or else before it."""

    BY = section.pattern("{by}")
    """Words before a day that make it a deadline where something is to be done."""

    WITHIN = section.pattern(r"\b(?:{within})\s(?:the\snext\s)?$")
    """Words right before a length of time within which something is to be done."""

    TONIGHT = section.pattern("{tonight}")
    """Other ways to say today."""

    END_OF_DAY = section.pattern("{end_of_day}")
    END_OF_WEEK = section.pattern("{end_of_week}")
    END_OF_MONTH = section.pattern("{end_of_month}")

TERMS = re.compile(
    r"\bnet\s(?P<a>\d{1,3})\b|\b(?P<b>\d{1,3})\s(?:days?|tagen?|jours|días) net(?:to)?\b|\bzahlungsziel\W{1,2}(?P<c>\d{1,3}) tage",
    re.IGNORECASE,
)
"""Terms of payment, in days."""
