"""Things that have one place only."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import email_assistant
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
    """Files (relative) that import the name from the module."""
    return {
        str(file.relative_to(ROOT))
        for file in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == module and name in {a.name for a in node.names}
    }


def test_only_the_gate_interrupts() -> None:
    """A second place that stops a run to ask would have its own idea of answers."""
    assert names_used({"interrupt"}) == {"review/gate.py"}


def test_every_graph_asks_in_one_loop() -> None:
    """A graph that asked, asked again or turned a failure into a question by itself would have promises of its own to keep."""
    for name, owner in (
        ("ask", "review/gate.py"),
        ("put_again", "review/pending.py"),
        ("card_view", "review/card_view.py"),
    ):
        users = names_imported(f"email_assistant.{owner.removesuffix('.py').replace('/', '.')}", name)
        assert users == {"workflows/kit/review_loop.py"}, name
    texts = {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in ROOT.rglob("*.py")}
    assert [file for file, text in texts.items() if "Accept to try again." in text] == [
        "workflows/kit/review_loop.py"
    ]


def test_a_card_is_drawn_by_one_renderer() -> None:
    """For the page when it is asked about, and for the terminal."""
    assert names_imported("email_assistant.review.card", "markdown") == {"review/gate.py", "cli/review.py"}


def test_settings_alone_read_the_environment() -> None:
    """Besides: the command line hands its environment to the server it starts, and asks for the user's editor.

    And oauthlib takes its switches from there only.
    """
    assert names_used({"environ", "getenv"}) == {
        "settings.py", "cli/server.py", "cli/editor.py", "adapters/google/consent.py",
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


def test_one_reader_of_money() -> None:
    """A second pattern with currencies in it would read another amount; phrases of promises name two signs and read none."""
    read = {
        file
        for file, texts in outside_language().items()
        for text in texts
        if re.search(r"[€£¥₹]", text) or len(set(re.findall(r"\b(?:eur|usd|gbp|chf)\b", text.lower()))) > 1
    }
    assert read - {"facts/assurances.py", "fact_check/assurances.py"} == set()


def test_one_table_of_number_words() -> None:
    """A second table would count otherwise; a catalogue's promotions are a grammar of their own."""
    tables = set()
    for file in outside_language():
        for node in ast.walk(modules()[file]):
            if isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
                entries = node.keys if isinstance(node, ast.Dict) else node.elts
                words = [e.value for e in entries if isinstance(e, ast.Constant) and isinstance(e.value, str)]
                if sum(bool(languages_of(word)) for word in words) > 3:
                    tables.add(Path(file).name)
    assert tables == {"promotion_text.py"}


def test_one_reader_of_languages() -> None:
    """A second list of several languages' commonest words would tell another one; those of the search are only left out."""
    for file, texts in outside_language().items():
        words = [set(text.split()) for text in texts]
        lists = [
            known
            for known in ({"the", "and", "you", "is"}, {"der", "die", "und", "nicht"})
            if any(known <= each for each in words)
        ]
        assert len(lists) < 2 or file == "knowledge/lexical.py", file
