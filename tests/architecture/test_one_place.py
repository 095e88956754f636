"""Things that have one place only."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import email_assistant
from email_assistant.language.numbers import number_words
from email_assistant.language.time_words import FULL_WEEKDAYS, MONTHS

pytestmark = pytest.mark.xdist_group("reads every module")
ROOT = Path(email_assistant.__file__).parent
MOST_LINES = 400


@cache
def modules() -> Mapping[str, ast.Module]:
    """Every module, by its file (relative)."""
    return {
        str(file.relative_to(ROOT)): ast.parse(file.read_text(encoding="utf-8"))
        for file in ROOT.rglob("*.py")
    }


@cache
def nodes() -> Mapping[str, tuple[ast.AST, ...]]:
    """What stands in each, walked through once."""
    return {file: tuple(ast.walk(tree)) for file, tree in modules().items()}


def names_used(wanted: set[str]) -> set[str]:
    """Files (relative) that import or take as an attribute one of the names."""
    return {
        file
        for file, there in nodes().items()
        for node in there
        if (isinstance(node, ast.Attribute) and node.attr in wanted)
        or (isinstance(node, ast.ImportFrom) and not wanted.isdisjoint(a.name for a in node.names))
    }


def names_imported(module: str, name: str) -> set[str]:
    """Files (relative) that import the name from the module, or take it as an attribute of the module."""
    parent, _, leaf = module.rpartition(".")
    found = set()
    for file, there in nodes().items():
        imports = [node for node in there if isinstance(node, ast.ImportFrom)]
        if any(each.module == module and name in {a.name for a in each.names} for each in imports):
            found.add(file)
        aliases = {
            a.asname or leaf
            for each in imports
            if each.module == parent
            for a in each.names
            if a.name == leaf
        }
        for node in there:
            taken = isinstance(node, ast.Attribute) and node.attr == name
            if taken and isinstance(node.value, ast.Name) and node.value.id in aliases:
                found.add(file)
    return found


def test_only_the_gate_interrupts() -> None:
    """A second place that stops a run to ask would have its own idea of answers."""
    assert names_used({"interrupt"}) == {"review/gate.py"}


def test_every_effect_is_performed_in_one_place() -> None:
    """Whoever else called the outbox would have a protocol of its own for what is begun and came to no end."""
    calls = [
        (file, ast.unparse(node.func.value))
        for file, there in nodes().items()
        for node in there
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "perform"
    ]
    assert [file for file, owner in calls if owner.endswith("outbox")] == ["effects/once.py"]


def test_every_graph_asks_in_one_loop() -> None:
    """A graph that asked, asked again or turned a failure into a question by itself would have promises of its own to keep."""
    for name, owner in (
        ("ask", "review/gate.py"),
        ("put_again", "review/pending.py"),
        ("card_view", "review/card_view.py"),
    ):
        users = names_imported(f"email_assistant.{owner.removesuffix('.py').replace('/', '.')}", name)
        assert users == {"kit/review_loop.py"}, name
    texts = {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in ROOT.rglob("*.py")}
    assert [file for file, text in texts.items() if "Accept to try again." in text] == ["kit/review_loop.py"]


def test_a_card_is_drawn_by_one_renderer() -> None:
    """For the page when it is asked about, and for the terminal."""
    assert names_imported("email_assistant.review.card", "markdown") == {"review/gate.py", "cli/review.py"}


def test_a_class_has_a_name_of_its_own() -> None:
    """Two of one name would be taken for each other; what a module keeps to itself may be called like another's."""
    places: dict[str, list[str]] = {}
    for file, there in nodes().items():
        for node in there:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(file)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_settings_alone_read_the_environment() -> None:
    """Besides: the command line goes on as the server with its settings in the environment, and asks for the user's editor.

    And oauthlib takes its switches from there only, and the tests' own switch is no setting.
    """
    assert names_used({"environ", "getenv"}) == {
        "settings.py", "cli/server.py", "cli/answering.py", "adapters/google/consent.py", "server/engine.py",
    }  # fmt: skip


def test_the_clock_alone_tells_the_time() -> None:
    """Everything else is handed a clock, so that tests and replays are the same every time."""
    assert names_used({"utcnow"}) == set()
    for file in ROOT.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if str(file.relative_to(ROOT)) != "clock.py":
            assert "datetime.now(" not in text, file
            assert "date.today(" not in text, file


def strings(there: Sequence[ast.AST]) -> Iterator[str]:
    """The texts of a module that are no docstrings."""
    told = {id(node.value) for node in there if isinstance(node, ast.Expr)}
    for node in there:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


READERS = {"languages", "numbers", "money", "days", "times", "hours", "deadlines", "zones"}
"""Sections of the files of words that the readers of what people write know."""


def texts_in(value: Any) -> Iterator[str]:
    """The texts of a table, however deep they stand."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each)


@cache
def outside_language() -> Mapping[str, tuple[str, ...]]:
    """The texts of the modules, and of the sections of words, that do not belong to the readers of what people write."""
    found = {
        file: tuple(strings(there)) for file, there in nodes().items() if not file.startswith("language/")
    }
    for file in (*ROOT.rglob("words.toml"), *ROOT.rglob("words/*.toml")):
        for section, table in tomllib.loads(file.read_text(encoding="utf-8")).items():
            name = f"{file.parent.relative_to(ROOT)} [{section}]"
            if file.name == "words.toml" or section not in READERS:
                found[name] = (*found.get(name, ()), *texts_in(table))
    return found


CURRENCIES = re.compile(r"\b(?:eur|usd|gbp|chf|euros|dollars|pounds|francs|francos|franken)\b")


def test_one_reader_of_money() -> None:
    """A second pattern with currencies in it would read another amount; phrases of promises and of scams name some and read none.

    Those that are no names of people are no amounts.
    """
    read = {
        file
        for file, texts in outside_language().items()
        for text in texts
        if re.search(r"[€£¥₹]", text) or len(set(CURRENCIES.findall(text.lower().replace("s?", "s")))) > 1
    }
    phrases = {"language/words [assurances]", "language/words [mail]", "language/words [names]"}
    assert read - phrases == set()


@cache
def words_together() -> tuple[tuple[str, list[str]], ...]:
    """Each text outside the readers by itself, and those that stand together as keys or entries of one table."""
    together = [(file, [text]) for file, texts in outside_language().items() for text in texts]
    for file, there in nodes().items():
        for node in there:
            if isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set) and file in outside_language():
                entries = node.keys if isinstance(node, ast.Dict) else node.elts
                texts = [e.value for e in entries if isinstance(e, ast.Constant) and isinstance(e.value, str)]
                together.append((file, texts))
    return tuple(together)


def test_one_table_of_number_words() -> None:
    """A second table or pattern would count otherwise; promotions are a grammar of their own, and phrases of ordering name some only."""
    tables = set()
    for file, words in words_together():
        # A pattern's words stand between bars; prose has none.
        each = (
            words
            if len(words) > 1
            else [word for text in words if "|" in text for word in re.split(r"\W+", text)]
        )
        numbers = {word.lower() for word in each for number in number_words(word) if not number.bare}
        if len(numbers) > 3:
            tables.add(file.removeprefix("workflows/order_desk/"))
    phrases = {
        "workflows/order_desk [quantities]",
        "workflows/order_desk [sentences]",
        "workflows/order_desk [analysis]",
        "language/words [offers]",  # Which one of several is meant: "the second", "both".
    }
    assert tables - phrases == {"shop/promotion.py"}


NAMES_OF_DAYS = {*FULL_WEEKDAYS, *(name for name in MONTHS if len(name) > 4), "tues", "wednes", "thurs"}


def test_one_reader_of_days() -> None:
    """A second pattern or table of weekdays or months would find another day; phrases of promises and deadlines name some and read none.

    Those that are no names of people are no table: nothing is counted from them.
    """
    named = {
        file
        for file, words in words_together()
        if len(NAMES_OF_DAYS & {word.lower() for text in words for word in re.findall(r"\w+", text)}) > 2
    }
    phrases = {
        "facts/promises.py",
        "language/words [guest_letter]",  # By these days are written.
        "language/words [mail]",
        "language/words [names]",
        "workflows/inbox_organizer [categories]",
    }
    assert named - phrases == set()


def test_one_reader_of_languages() -> None:
    """A second list of several languages' commonest words would tell another one; those of the search are only left out."""
    known = ({"the", "and", "you", "is"}, {"der", "die", "und", "nicht"})
    lists: dict[str, set[int]] = {}
    for file, words in words_together():
        held = {word for text in words for word in text.split()}
        lists.setdefault(file, set()).update(number for number, each in enumerate(known) if each <= held)
    assert {file for file, found in lists.items() if len(found) == len(known)} <= {"knowledge [search]"}


def test_no_file_is_longer_than_a_reader_keeps_in_mind() -> None:
    """What outgrows that is two subjects, or one that has a part of its own."""
    lengths = {
        str(file.relative_to(ROOT)): len(file.read_bytes().splitlines()) for file in ROOT.rglob("*.py")
    }
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_first_lines_tell_modules_apart() -> None:
    """Whoever reads the list of a folder's files learns what is special to each."""
    first: dict[str, list[str]] = {}
    for file, tree in modules().items():
        first.setdefault((ast.get_docstring(tree) or "").partition("\n")[0], []).append(file)
    assert {line: files for line, files in first.items() if len(files) > 1} == {}
