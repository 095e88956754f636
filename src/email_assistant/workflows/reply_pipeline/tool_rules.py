"""Which tools a class of mail gets: code decides, whatever the model selects."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

CHECK_CALENDAR, GET_CONTACT, CREATE_DRAFT = "check_calendar", "get_contact", "create_draft"
ORDER = (CHECK_CALENDAR, GET_CONTACT, CREATE_DRAFT)


@dataclass(frozen=True, slots=True)
class ToolRule:
    """The tools of a class."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    """Used when the model selects them."""


RULES: Mapping[str, ToolRule] = {
    "inquiry": ToolRule((CREATE_DRAFT,), (GET_CONTACT,)),
    "meeting_request": ToolRule((CHECK_CALENDAR, CREATE_DRAFT)),
    "complaint": ToolRule((GET_CONTACT, CREATE_DRAFT)),
    "follow_up": ToolRule((GET_CONTACT, CREATE_DRAFT)),
    "spam": ToolRule(()),
    # Of which nothing is known: as an inquiry.
    "other": ToolRule((CREATE_DRAFT,), (GET_CONTACT,)),
}


@dataclass(frozen=True, slots=True)
class Selection:
    """What is used, and what was left out."""

    selected: tuple[str, ...]
    dropped: tuple[str, ...]
    """Selected by the model, not allowed for the class, or unknown."""


def select_tools(classification: str, wanted: Iterable[str]) -> Selection:
    """The class's required tools, and the optional ones among those wanted; raises `KeyError` for no class."""
    rule, asked = RULES[classification], tuple(dict.fromkeys(wanted))
    used = {*rule.required, *(name for name in asked if name in rule.optional)}
    return Selection(
        tuple(name for name in ORDER if name in used), tuple(name for name in asked if name not in used)
    )
