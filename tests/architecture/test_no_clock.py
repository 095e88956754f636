"""No test knows how fast the machine is."""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
READINGS = {
    "time",
    "monotonic",
    "perf_counter",
    "process_time",
    "time_ns",
    "monotonic_ns",
    "perf_counter_ns",
    "process_time_ns",
}
FILES = [file for file in sorted(TESTS.rglob("*.py")) if file != TESTS / "support/growth.py"]


def compared(tree: ast.AST) -> Iterator[int]:
    """Lines that assert how a reading of a clock, taken directly or by way of names of the same function, compares with a number."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        timed: set[str] = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and _is_timed(node.value, timed):
                timed |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        for node in ast.walk(function):
            if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
                sides = (node.test.left, *node.test.comparators)
                if any(isinstance(side, ast.Constant) for side in sides) and any(
                    _is_timed(side, timed) for side in sides
                ):
                    yield node.lineno


def _is_timed(value: ast.AST, timed: set[str]) -> bool:
    return any(
        (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_reading(node.func))
        or (isinstance(node, ast.Name) and node.id in timed)
        for node in ast.walk(value)
    )


def _is_reading(function: ast.Attribute) -> bool:
    return isinstance(function.value, ast.Name) and function.value.id == "time" and function.attr in READINGS


def test_no_reading_of_a_clock_is_compared_with_a_number() -> None:
    """A machine that is busy would fail it; tests/support/growth.py compares the cost of n with that of 4 n."""
    found = {file.name: list(compared(ast.parse(file.read_text(encoding="utf-8")))) for file in FILES}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_comparison_is_found() -> None:
    """Also when the reading went through a name."""
    source = "def test():\n    began = time.monotonic()\n    took = time.monotonic() - began\n    assert took < 3\n"
    assert list(compared(ast.parse(source))) == [4]
