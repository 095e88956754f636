"""CSS read just far enough to tell what a reader cannot see: declarations, selectors, the default medium; and the rules that hold for an
element, given the elements around it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import tinycss2  # type: ignore[import-untyped]

Declarations = Mapping[str, tuple[str, bool]]
"""Property name → (value in lower case, whether it is marked !important)."""

INTERESTING = frozenset(
    (
        "display", "visibility", "opacity", "font-size", "font", "text-indent", "position", "left", "right",
        "top", "bottom", "margin-left", "margin-top", "clip", "clip-path", "transform", "overflow",
        "overflow-x", "overflow-y", "height", "width", "max-height", "max-width", "color", "background",
        "background-color", "background-image", "content-visibility", "-webkit-text-fill-color", "filter",
        "white-space",
    )
)  # fmt: skip
_MAX_CSS = 400_000
_MAX_RULES = 5_000
_MAX_TRIES = 5_000_000
_MAX_ANCESTORS = 200
_MAX_NESTING = 5
_WIDTH = 1000.0  # CSS pixels of the window that "the default medium" stands for
_ATTRIBUTE_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "": lambda value, wanted: True,
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}
_FEATURE = re.compile(r"\(\s*([a-z-]+)\s*(?::\s*([^()]*?)\s*)?\)")
_NUMBER = re.compile(r"(\d*\.?\d+)\s*(px|em|rem|)")


@dataclass(frozen=True, slots=True)
class Compound:
    """What one element must be: `td.pre#x[align=left]`."""

    tag: str = ""
    id: str = ""
    classes: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, str, str], ...] = ()
    """(name, one of the attribute tests or "" for mere presence, value)."""

    @property
    def weight(self) -> tuple[int, int, int]:
        """Its share of the selector's specificity (Selectors 4 §17)."""
        return (int(bool(self.id)), len(self.classes) + len(self.attributes), int(bool(self.tag)))


@dataclass(frozen=True, slots=True)
class Rule:
    """Declarations that hold for elements matching a chain of compounds, the element's own compound last."""

    chain: tuple[tuple[Compound, bool], ...]
    """Each compound with whether it must be the parent (True) or any ancestor (False) of the next one."""
    declarations: Declarations = field(hash=False)
    order: tuple[tuple[int, int, int], int]

    @property
    def subject(self) -> Compound:
        """What the element itself must be."""
        return self.chain[-1][0]


def declarations(css: str) -> Declarations:
    """The declarations of a `style` attribute that matter here."""
    return _declarations(tinycss2.parse_blocks_contents(css[:_MAX_CSS]))


def rules(css: str) -> list[Rule]:
    """The rules of a style sheet that hold on a wide screen in light colors, weakest first.

    Selectors that need more than the element and its ancestors (siblings, pseudo-classes) are left out.
    """
    found: list[Rule] = []
    _collect(tinycss2.parse_stylesheet(css[:_MAX_CSS], skip_comments=True, skip_whitespace=True), found, 0)
    return sorted(found, key=lambda rule: rule.order)


def applies(media: str) -> bool:
    """Whether a media query list (in lower case) holds on a wide screen in light colors."""
    return not media.strip() or any(_query_holds(query.strip()) for query in media.split(","))


def _collect(nodes: Iterable[Any], found: list[Rule], depth: int) -> None:
    for node in nodes:
        if node.type == "qualified-rule":
            kept = _declarations(tinycss2.parse_blocks_contents(node.content))
            if not kept:
                continue
            for chain in _selectors(node.prelude):
                weights = [compound.weight for compound, _ in chain]
                total = (sum(w[0] for w in weights), sum(w[1] for w in weights), sum(w[2] for w in weights))
                found.append(Rule(chain, kept, (total, len(found))))
        elif node.type == "at-rule" and node.content is not None and depth < _MAX_NESTING:
            name = node.lower_at_keyword
            if (name == "media" and applies(_text(node.prelude))) or name in (
                "supports",
                "layer",
                "document",
            ):
                inner = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
                _collect(inner, found, depth + 1)


def _declarations(nodes: Iterable[Any]) -> Declarations:
    found: dict[str, tuple[str, bool]] = {}
    for node in nodes:
        if node.type != "declaration" or node.lower_name not in INTERESTING:
            continue
        earlier = found.get(node.lower_name)
        if earlier is None or node.important or not earlier[1]:
            found[node.lower_name] = (_text(node.value), node.important)
    return found


def _text(nodes: Iterable[Any], depth: int = 0) -> str:
    """Component values as text in lower case, comments dropped and escapes resolved."""
    out: list[str] = []
    for node in nodes:
        kind = node.type
        if kind == "whitespace":
            out.append(" ")
        elif kind in ("ident", "literal", "hash"):
            out.append(("#" if kind == "hash" else "") + node.value)
        elif kind in ("number", "percentage"):
            out.append(node.representation + ("%" if kind == "percentage" else ""))
        elif kind == "dimension":
            out.append(node.representation + node.unit)
        elif kind == "url":
            out.append("url()")
        elif kind == "function" and depth < _MAX_NESTING:
            out.append(f"{node.name}({_text(node.arguments, depth + 1)})")
        elif kind == "() block" and depth < _MAX_NESTING:
            out.append(f"({_text(node.content, depth + 1)})")
    return "".join(out).strip().lower()


def _query_holds(query: str) -> bool:
    negated = query.startswith("not ")
    words = re.sub(r"\([^()]*\)", " ", query).replace("only ", " ").split()
    kinds = [word for word in words if word not in ("and", "not", "only")]
    holds = all(kind in ("all", "screen") for kind in kinds)
    holds = holds and all(_feature_holds(name, value) for name, value in _FEATURE.findall(query))
    return holds != negated


def _feature_holds(name: str, value: str) -> bool:
    if name == "prefers-color-scheme":
        return value == "light"
    if name == "orientation":
        return value == "landscape"
    if name in ("color", "hover", "any-hover"):
        return value != "none"
    number = _NUMBER.match(value)
    if number is None:
        return False
    size = float(number[1]) * (16 if number[2] in ("em", "rem") else 1)
    here = _WIDTH if name.endswith(("width", "height")) else 1.0
    if name.startswith(("min-", "-webkit-min-")):
        return size <= here
    return name.startswith(("max-", "-webkit-max-")) and size >= here


def _selectors(prelude: Sequence[Any]) -> list[tuple[tuple[Compound, bool], ...]]:
    """The selectors of a list that can be judged here."""
    found = []
    start = 0
    for index, node in enumerate([*prelude, None]):
        if node is None or (node.type == "literal" and node.value == ","):
            chain = _chain(prelude[start:index])
            if chain:
                found.append(chain)
            start = index + 1
    return found


def _chain(nodes: Sequence[Any]) -> tuple[tuple[Compound, bool], ...]:
    """One selector as compounds; () when it holds anything that cannot be judged."""
    chain: list[tuple[Compound, bool]] = []
    group: list[Any] = []
    for node in [*nodes, None]:
        is_child = node is not None and node.type == "literal" and node.value == ">"
        if node is not None and not is_child and node.type != "whitespace":
            group.append(node)
            continue
        if group:
            compound = _compound(group)
            if compound is None:
                return ()
            chain.append((compound, False))
            group = []
        if is_child:
            if not chain:
                return ()
            chain[-1] = (chain[-1][0], True)
    return tuple(chain)


def _compound(nodes: Sequence[Any]) -> Compound | None:
    tag = identity = ""
    classes: set[str] = set()
    attributes: list[tuple[str, str, str]] = []
    remaining = list(reversed(nodes))
    while remaining:
        node = remaining.pop()
        if node.type == "ident" and not (tag or identity or classes or attributes):
            tag = node.lower_value
        elif node.type == "literal" and node.value == "*":
            continue
        elif node.type == "hash":
            identity = node.value
        elif node.type == "literal" and node.value == "." and remaining and remaining[-1].type == "ident":
            classes.add(remaining.pop().value)
        elif node.type == "[] block" and (test := _attribute_test(node.content)):
            attributes.append(test)
        else:
            return None
    return Compound(tag, identity, frozenset(classes), tuple(attributes))


def _attribute_test(nodes: Iterable[Any]) -> tuple[str, str, str] | None:
    parts = [node for node in nodes if node.type != "whitespace"]
    if not parts or parts[0].type != "ident":
        return None
    if len(parts) == 1:
        return (parts[0].lower_value, "", "")
    if len(parts) < 3 or parts[1].value not in _ATTRIBUTE_TESTS or parts[2].type not in ("ident", "string"):
        return None
    return (parts[0].lower_value, parts[1].value, parts[2].value)


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
