"""The page's scripts name nothing that there is not: a key whose function has another name by now would do nothing."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.servers.npm import MissingProgramError, installed, node

STATIC = Path(__file__).resolve().parents[3] / "src" / "email_assistant" / "page" / "static"
OPTIONS = (
    "--allowJs",
    "--checkJs",
    "--noEmit",
    "--target",
    "esnext",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
)
UNKNOWN = re.compile(r"error TS(?:2304|2305|2307|2552|2614|2724): .*")
"""What TypeScript says of a name that nothing declares, of one that no module exports, and of a module that is not there."""


def test_every_name_is_declared() -> None:
    """In the module that uses it, or in one that it imports it from."""
    try:
        checker = installed() / "node_modules" / "typescript" / "bin" / "tsc"
    except MissingProgramError as error:
        pytest.skip(f"NOT TESTED: {error}")
    scripts = sorted(map(str, STATIC.glob("*.js")))
    told = subprocess.run(
        [node(), str(checker), *OPTIONS, *scripts], capture_output=True, text=True, timeout=120, check=False
    )
    assert len(scripts) > 3
    assert UNKNOWN.findall(told.stdout) == []
