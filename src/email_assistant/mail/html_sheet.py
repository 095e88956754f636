"""Which style rules hold for an element, given the elements around it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from email_assistant.mail.html_css import Compound, Declarations, Rule, rules

_ATTRIBUTE_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "": lambda value, wanted: True,
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}
_MAX_RULES = 5_000
_MAX_TRIES = 5_000_000
_MAX_ANCESTORS = 200


class Element(NamedTuple):
    """What selectors can ask of an element."""

    tag: str
    attributes: Mapping[str, str]
    classes: frozenset[str] = frozenset()

    def matches(self, compound: Compound) -> bool:
        """Whether it is what the compound says."""
        if compound.tag and compound.tag != self.tag:
            return False
        if compound.id and compound.id != self.attributes.get("id"):
            return False
        if not compound.classes <= self.classes:
            return False
        return all(self._holds(*test) for test in compound.attributes)

    def _holds(self, name: str, test: str, wanted: str) -> bool:
        value = self.attributes.get(name)
        return value is not None and _ATTRIBUTE_TESTS[test](value, wanted)


@dataclass(slots=True)
class Sheet:
    """The rules of a message's style elements, looked up by what the element is.

    Work is bounded: after some millions of tries the rules are no longer asked, and `gave_up` says so.
    """

    by_key: dict[str, list[Rule]] = field(default_factory=dict)
    gave_up: bool = False
    _tries: int = 0

    @classmethod
    def of(cls, css: str) -> "Sheet":
        """The sheet of all style elements' text together."""
        sheet = cls()
        for rule in rules(css)[-_MAX_RULES:] if css.strip() else ():
            subject = rule.subject
            first_class = min(subject.classes, default="")
            key = f"#{subject.id}" if subject.id else f".{first_class}" if first_class else subject.tag
            sheet.by_key.setdefault(key, []).append(rule)
        return sheet

    def layers(self, element: Element, ancestors: Sequence[Element]) -> list[Declarations]:
        """The declarations that hold for the element, weakest first."""
        if not self.by_key or self.gave_up:
            return []
        keys = ["", element.tag, *(f".{name}" for name in element.classes)]
        if "id" in element.attributes:
            keys.append(f"#{element.attributes['id']}")
        found = [
            rule
            for key in keys
            for rule in self.by_key.get(key, ())
            if self._applies(rule, element, ancestors)
        ]
        return [rule.declarations for rule in sorted(found, key=lambda rule: rule.order)]

    def _applies(self, rule: Rule, element: Element, ancestors: Sequence[Element]) -> bool:
        self._tries += 1
        self.gave_up = self._tries > _MAX_TRIES
        if self.gave_up or not element.matches(rule.subject):
            return False
        chain = rule.chain[:-1]
        return not chain or self._climbs(chain, ancestors[-_MAX_ANCESTORS:])

    def _climbs(self, chain: Sequence[tuple[Compound, bool]], ancestors: Sequence[Element]) -> bool:
        """Whether the rest of a chain holds for the ancestors, nearest last.

        Follows all ways to match at once: compounds wanted anywhere above, and those wanted right here.
        """
        last = len(chain) - 1
        anywhere = set() if chain[last][1] else {last}
        here = {last} if chain[last][1] else set()
        for ancestor in reversed(ancestors):
            parents: set[int] = set()
            for index in sorted(anywhere | here):
                self._tries += 1
                if not ancestor.matches(chain[index][0]):
                    continue
                if index == 0:
                    return True
                (parents if chain[index - 1][1] else anywhere).add(index - 1)
            here = parents
            if not anywhere and not here:
                return False
        return False
