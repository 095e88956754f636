"""The words of the order desk's rules, in a data file of its own, and those by which a sentence orders, asks, or does neither."""

from pathlib import Path

from email_assistant.word_files import WordFiles

WORDS = WordFiles(
    (Path(__file__).with_name("words.toml"),),
    frozenset(
        {"sentences", "names", "quantities", "measures", "prices", "products", "analysis", "promotions"}
    ),
)

with WORDS.section("sentences") as section:
    ORDER = section.pattern("{order}")
    """Words of somebody who buys now."""
    WISH = section.pattern("{wish}")
    """Words that make an order of a product that stands beside them."""
    PAST = section.pattern("{past}")
    """Words of somebody who speaks of what was bought before."""
    BACK = section.pattern("{back}")
    """Words of somebody who wants money back or gives goods back."""
    NOT_YET = section.pattern("{not_yet}")
    """Words of somebody who may buy later."""
    ASKS = section.pattern("{asks}")
    """Words of somebody who wants to know."""
    KNOWLEDGE = section.pattern("{knowledge}")
    """Words of what a shop is asked."""
    VAGUE = section.pattern("{vague}")
    """Words that stand for a product without naming it."""
    STOP: frozenset[str] = frozenset(section.words("stop"))
    """Words that are no part of a product's name at its edges."""
