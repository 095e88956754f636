"""Each promise has a test that notices when it is broken: one line of the product is changed on a copy, and the test must fail.

`broken_promises.toml` holds, for each promise, the line, what it is changed to, and the test. The whole table is gone through by
`make promises` (nightly) and `make soak`; that it still fits the code is checked each time.
"""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns(
    ".venv", ".git", "node_modules", "__pycache__", ".*_cache", ".hypothesis", "docs"
)


@dataclass(frozen=True)
class Broken:
    """One promise, and how to break it."""

    promise: str
    file: str
    """Relative to the repository."""
    old: str
    """What stands there, once."""
    new: str
    test: str
    """The node id of a test that then fails."""


def _table() -> list[Broken]:
    read = tomllib.loads((Path(__file__).parent / "broken_promises.toml").read_text(encoding="utf-8"))
    return [Broken(**row) for row in read["broken"]]


TABLE = _table()


def test_the_table_fits_the_code() -> None:
    """Each line is there once, and each test exists; as one test, so that `make check` goes through every row."""
    misfits = {}
    for row in TABLE:
        file, *_, name = row.test.split("::")
        found = (
            (ROOT / row.file).read_text(encoding="utf-8").count(row.old) if (ROOT / row.file).exists() else 0
        )
        if found != 1 or row.old == row.new:
            misfits[row.promise] = f"{row.file} has the line {found} times"
        elif (
            not (ROOT / file).exists()
            or name.partition("[")[0] not in _functions(file) | _functions_of_contracts()
        ):
            misfits[row.promise] = f"there is no test {row.test}"
    assert misfits == {}


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("broken", TABLE, ids=lambda each: each.promise)
def test_a_broken_promise_is_noticed(broken: Broken, tmp_path: Path) -> None:
    """With the line changed on a copy, the test fails; unchanged it passes in `make test`."""
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    file = copy / broken.file
    file.write_text(file.read_text(encoding="utf-8").replace(broken.old, broken.new), encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:randomly",
            "-p",
            "no:cacheprovider",
            broken.test,
        ],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout[-2_000:]
    assert " failed" in done.stdout.splitlines()[-1], done.stdout[-2_000:]


@cache
def _functions(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@cache
def _functions_of_contracts() -> set[str]:
    """Tests that a class inherits from a contract stand in its mixins."""
    mixins = Path(__file__).parent.glob("*_contract.py")
    return set().union(*(_functions(str(each.relative_to(ROOT))) for each in mixins))
