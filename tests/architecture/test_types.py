"""Types, beside the other tests and not before them: one processor's minute."""

import subprocess
import sys

import pytest

from tests.support.selection import ROOT


@pytest.mark.timeout(600)
def test_the_types_fit() -> None:
    """Source, tests and eval pass mypy as pyproject.toml sets it up."""
    checked = subprocess.run(
        [sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout
