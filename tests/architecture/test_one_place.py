"""Things that have one place only."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import email_assistant
from email_assistant.language.day_words import FULL_WEEKDAYS, MONTHS
from email_assistant.language.number_words import languages_of

ROOT = Path(email_assistant.__file__).parent


@cache
def modules() -> Mapping[str, ast.Module]:
    """Every module, by its file (relative)."""
    return {
        str(file.relative_to(ROOT)): ast.parse(file.read_text(encoding="utf-8"))
        for file in ROOT.rglob("*.py")
    }


def names_used(wanted: set[str]) -> set[str]:
    """Files (relative) that import or take as an attribute one of the names."""
    found = set()
    for file, tree in modules().items():
        for node in ast.walk(tree):
            imported = {a.name for a in node.names} if isinstance(node, ast.ImportFrom) else set()
            attribute = {node.attr} if isinstance(node, ast.Attribute) else set()
            if wanted & (imported | attribute):
                found.add(file)
    return found


def names_imported(module: str, name: str) -> set[str]:
    """Files (relative) that import the name from the module, or take it as an attribute of the module."""
    parent, _, leaf = module.rpartition(".")
    found = set()
    for file, tree in modules().items():
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        if any(each.module == module and name in {a.name for a in each.names} for each in imports):
            found.add(file)
        aliases = {
            a.asname or leaf
            for each in imports
            if each.module == parent
            for a in each.names
            if a.name == leaf
        }
        for node in ast.walk(tree):
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
        for file, tree in modules().items()
        for node in ast.walk(tree)
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
    for file, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(file)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_settings_alone_read_the_environment() -> None:
    """Besides: the command line hands its environment to the server it starts, and asks for the user's editor.

    And oauthlib takes its switches from there only.
    """
    assert names_used({"environ", "getenv"}) == {
        "settings.py", "cli/server.py", "cli/server_process.py", "cli/answering.py", "adapters/google/consent.py",
    }  # fmt: skip


def test_the_clock_alone_tells_the_time() -> None:
    """Everything else is handed a clock, so that tests and replays are the same every time."""
    assert names_used({"utcnow"}) == set()
    for file in ROOT.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if str(file.relative_to(ROOT)) not in {
            "clock.py",
            "models/failures.py",
        }:  # Retry-After may be a date.
            assert "datetime.now(" not in text, file
            assert "date.today(" not in text, file


def strings(tree: ast.Module) -> Iterator[str]:
    """The texts of a module that are no docstrings."""
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


@cache
def outside_language() -> Mapping[str, tuple[str, ...]]:
    """The texts of the modules that do not belong to the readers of what people write."""
    return {
        file: tuple(strings(tree)) for file, tree in modules().items() if not file.startswith("language/")
    }


CURRENCIES = re.compile(r"\b(?:eur|usd|gbp|chf|euros|dollars|pounds|francs|francos|franken)\b")


def test_one_reader_of_money() -> None:
    """A second pattern with currencies in it would read another amount; phrases of promises and of scams name some and read none."""
    read = {
        file
        for file, texts in outside_language().items()
        for text in texts
        if re.search(r"[€£¥₹]", text) or len(set(CURRENCIES.findall(text.lower().replace("s?", "s")))) > 1
    }
    assert read - {"facts/assurances.py", "models/offline/words.py"} == set()


def words_together() -> Iterator[tuple[str, list[str]]]:
    """Each text outside the readers by itself, and those that stand together as keys or entries of one table."""
    for file, texts in outside_language().items():
        yield from ((file, [text]) for text in texts)
        for node in ast.walk(modules()[file]):
            if isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
                entries = node.keys if isinstance(node, ast.Dict) else node.elts
                yield (
                    file,
                    [e.value for e in entries if isinstance(e, ast.Constant) and isinstance(e.value, str)],
                )


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
        if len({word.lower() for word in each if languages_of(word)}) > 3:
            tables.add(file.removeprefix("workflows/order_desk/"))
    phrases = {"shop/quantity_phrases.py", "offline/words.py", "offline/mentions.py", "offline/analysis.py"}
    assert tables - phrases == {"shop/promotion_text.py"}


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
        "facts/assurances.py",
        "facts/names.py",
        "models/offline/words.py",
        "workflows/inbox_organizer/offline/category_words.py",
    }
    assert named - phrases == set()


def test_one_reader_of_languages() -> None:
    """A second list of several languages' commonest words would tell another one; those of the search are only left out."""
    known = ({"the", "and", "you", "is"}, {"der", "die", "und", "nicht"})
    lists: dict[str, set[int]] = {}
    for file, words in words_together():
        held = {word for text in words for word in text.split()}
        lists.setdefault(file, set()).update(number for number, each in enumerate(known) if each <= held)
    assert {file for file, found in lists.items() if len(found) == len(known)} <= {"knowledge/lexical.py"}


def test_first_lines_tell_modules_apart() -> None:
    """Whoever reads the list of a folder's files learns what is special to each."""
    first: dict[str, list[str]] = {}
    for file, tree in modules().items():
        first.setdefault((ast.get_docstring(tree) or "").partition("\n")[0], []).append(file)
    assert {line: files for line, files in first.items() if len(files) > 1} == {}
