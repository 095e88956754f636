"""The words by which the rules tell what a sentence of a customer does: orders, asks, or neither."""

from email_assistant.workflows.order_desk.wording import WORDS

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
    ALL = section.pattern("{all}")
    """Words of somebody who wants all there is."""
    STOP: frozenset[str] = frozenset(section.words("stop"))
    """Words that are no part of a product's name at its edges."""
