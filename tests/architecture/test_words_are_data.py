"""Words and patterns of human languages stand in data files, each read by one reader and checked as it is read."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import email_assistant
from email_assistant.word_files import WordFiles

ROOT = Path(email_assistant.__file__).parent
MOST_LINES = 1_420
"""So many lines of constants of words and patterns are left in code at most; whoever moves some lowers it."""
DECLARES = {"Table", "declare", "Workflow", "typer.Typer", "new_app", "Field", "WordFiles", "Adapter"}
"""What declares a table, a card, a workflow, a command, a setting, an adapter or a file of words: its texts are no words of a language."""


def constants(tree: ast.AST) -> Iterator[ast.Assign | ast.AnnAssign]:
    """The assignments of a module and of its classes, also within `with` and `if`, but not those of functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.expr):
            yield from constants(node)


def holds_words(node: ast.Assign | ast.AnnAssign) -> bool:
    """Whether a constant holds a pattern, or texts of some length, and declares nothing."""
    if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) in DECLARES:
        return False
    texts = [
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
    return sum(map(len, texts)) >= 60 or "re.compile" in ast.unparse(node)


def test_few_words_are_left_in_code(capsys: pytest.CaptureFixture[str]) -> None:
    """A list of words, or a pattern of many, belongs into the file of its language."""
    left: dict[str, int] = {}
    for file in ROOT.rglob("*.py"):
        for node in constants(ast.parse(file.read_text(encoding="utf-8"))):
            if holds_words(node):
                name = str(file.relative_to(ROOT))
                left[name] = left.get(name, 0) + (node.end_lineno or node.lineno) - node.lineno + 1
    with capsys.disabled():
        print(f"\n{sum(left.values())} lines of constants of words and patterns are left in code.")
    most = sorted(left, key=lambda name: left[name], reverse=True)[:5]
    assert sum(left.values()) <= MOST_LINES, {name: left[name] for name in most}


def word_files() -> Iterator[WordFiles]:
    """The sets of files of words that modules name."""
    for file in ROOT.rglob("*.py"):
        if "WordFiles(" in file.read_text(encoding="utf-8"):
            name = ".".join(("email_assistant", *file.relative_to(ROOT).with_suffix("").parts))
            module = importlib.import_module(name.removesuffix(".__init__"))
            yield from (value for value in vars(module).values() if isinstance(value, WordFiles))


def test_every_file_of_words_is_read() -> None:
    """A file that no reader names would be kept up for nothing."""
    named = {path for files in word_files() for path in files.paths}
    assert {*ROOT.rglob("words/*.toml"), *ROOT.rglob("words.toml")} == named
