"""Words that say nothing of a product, and those of colour, size and material, in five languages.

Written down once, not learned from any mailbox. `ATTRIBUTES` has what makes variants of a product: two values of one group speak
against each other ("the red one" is not the blue one).
"""

from email_assistant.workflows.order_desk.wording import WORDS

with WORDS.section("products") as section:
    FILLER = frozenset(section.words("filler"))
    IRREGULAR = section.entries("irregular")
    _GROUPS = {group: section.entries(group) for group in ("colour", "material", "size", "for")}
ATTRIBUTES: dict[str, tuple[str, str]] = {
    word: (value, group)
    for group, values in _GROUPS.items()
    for value, words in values.items()
    for word in words.split()
}
"""A word's value and group."""
