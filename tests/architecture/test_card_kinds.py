"""What a kind of card is stands in its declaration: nobody else compares kinds by name, or has a table of them."""

import ast
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import email_assistant
from email_assistant.review.kinds import CardKind
from email_assistant.workflow_registry import card_modules
from tests.architecture.test_one_place import modules

ROOT = Path(email_assistant.__file__).parent
OTHERWISE = {
    "notify": "what triage may come to, and a node",
    "label": "a field of many things, and a node",
    "refund": "an effect, and a field of claims",
    "invitation": "a word",
    "unsubscribe": "a word",
}
"""Names of kinds that are other things as well: those alone are looked at where they stand beside a kind."""


@cache
def names() -> frozenset[str]:
    """Of every kind that a module of the project declares."""
    found: set[str] = set()
    for module in pkgutil.walk_packages(email_assistant.__path__, "email_assistant."):
        found |= {
            each.name for each in vars(import_module(module.name)).values() if isinstance(each, CardKind)
        }
    return frozenset(found)


@cache
def owners() -> frozenset[str]:
    """Files (relative) in which kinds are declared."""
    return frozenset(
        file
        for file, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "declare"
    )


def kinds_in(node: ast.AST) -> set[str]:
    """Names of kinds among the texts of an expression."""
    texts = {
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }
    return texts & names()


def is_of_kinds(node: ast.AST) -> bool:
    """Whether an expression speaks of a kind: `card.kind`, `kind`, `_kind(card)`, `pending.get("kind")`."""
    return any(
        (isinstance(each, ast.Attribute) and each.attr == "kind")
        or (isinstance(each, ast.Name) and each.id.strip("_") == "kind")
        or (isinstance(each, ast.Constant) and each.value == "kind")
        for each in ast.walk(node)
    )


def entries(node: ast.AST) -> list[ast.expr | None]:
    """What a table has its lines by."""
    if isinstance(node, ast.Dict):
        return list(node.keys)
    return list(node.elts) if isinstance(node, ast.Set | ast.Tuple | ast.List) else []


def decided(tree: ast.AST) -> Iterator[tuple[int, set[str]]]:
    """Lines of a module that go by names of kinds: comparisons, matches, tables, and constants that stand for one."""
    for node in ast.walk(tree):
        found: set[str] = set()
        if isinstance(node, ast.Compare | ast.Match):
            found = kinds_in(node)
            found = found if is_of_kinds(node) else found - OTHERWISE.keys()
        elif keys := [each.value for each in entries(node) if isinstance(each, ast.Constant)]:
            found = {key for key in keys if isinstance(key, str)} & names()
            is_table = isinstance(node, ast.Set) or len(found) > 1
            found = found if is_table else found - OTHERWISE.keys()
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            found = kinds_in(node.value) - OTHERWISE.keys()
        if found:
            yield getattr(node, "lineno", 0), found


def test_only_the_owner_of_a_kind_names_it() -> None:
    """A place that goes by the name of a kind is one that whoever adds a kind has to know of."""
    places = [
        (file, line, sorted(found))
        for file, tree in modules().items()
        if file not in owners()
        for line, found in decided(tree)
    ]
    assert places == []


def test_templates_and_scripts_go_by_no_kind() -> None:
    """They are handed what a card draws, and what its buttons say."""
    told = "|".join(map(re.escape, sorted(names())))
    near = re.compile(
        rf"[kK]ind\b[^\n]{{0,40}}[\"'`](?:{told})[\"'`]|[\"'`](?:{told})[\"'`][^\n]{{0,20}}\bkind\b",
    )
    always = "|".join(sorted(names() - OTHERWISE.keys()))
    anywhere = re.compile(rf"[\"'`](?:{always})[\"'`]")
    files = [each for end in ("html", "js") for each in ROOT.rglob(f"*.{end}")]
    texts = {each.name: each.read_text(encoding="utf-8") for each in files}
    assert len(texts) > 10
    assert {
        name: found for name, text in texts.items() if (found := near.findall(text) + anywhere.findall(text))
    } == {}


@pytest.mark.parametrize(
    "code",
    [
        'card.kind == "refund"', 'kind in {"label", other}', 'PAYS = frozenset({"refund"})',
        'NAMES = {"label": 1, "notify": 2}', 'MEETING = "schedule_meeting"',
        'match facts.kind:\n    case "refund": pass',
    ],
)  # fmt: skip
def test_such_a_place_would_be_found(code: str) -> None:
    """Each way in which one has stood here."""
    assert list(decided(ast.parse(code)))


def test_every_kind_is_declared_where_it_is_looked_for() -> None:
    """The registry and each workflow name the modules that declare kinds."""
    files = {f"{each.removeprefix('email_assistant.').replace('.', '/')}.py" for each in card_modules()}
    assert files == owners()
    assert OTHERWISE.keys() <= names()
