"""The words by which the rules weigh a message: pressure and money, in English, German, French and Spanish."""

from email_assistant.language.money import SIGN
from email_assistant.workflows.inbox_organizer.wording import WORDS

with WORDS.section("importance", sign=SIGN) as section:
    NO_HURRY = section.pattern("{no_hurry}")
    """Says that it can wait."""

    IF_URGENT = section.pattern("{if_urgent}")
    """Speaks of urgent cases without being one."""

    PRESSING = section.pattern("{pressing}")
    """Says that it is urgent."""

    CHASING = section.pattern("{chasing}")
    """Asks again for what was asked before."""

    OVERDUE = section.pattern("{overdue}")
    """Says that a deadline is over."""

    MONEY_DUE = section.pattern("{money_due}")
    """Money that is to be paid."""

    MONEY = section.pattern("{money}")
    """Matters of money."""

    PRICES = section.pattern("{prices}")
    """Prices and costs, with nothing to be paid yet."""

    ADVERTISING = section.pattern("{advertising}")
    """One such phrase from a stranger makes advertising."""

    ROBOT = section.pattern(r"(?:{robot})(?:[+._-].*)?")
    """The part before the "@" of addresses that programs write from."""
