"""The labelled data: one JSON object a line, each in the half `dev` or `test`; the test halves are locked.

Rules and prompts may be fitted to `dev`. `test` is only measured: `eval/datasets.lock.json` holds its SHA-256, so that nobody
changes it in silence. `python -m eval.datasets` writes the lock anew, which a review of the change then shows.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from email_assistant.errors import InputError

HERE = Path(__file__).parent
LOCK = HERE / "datasets.lock.json"
SPLITS = ("dev", "test")
Case = dict[str, Any]


def load(name: str) -> list[Case]:
    """The cases of a file, like `triage/mails.jsonl`.

    Raises `InputError` naming the line for what is no case, and when the test half is not the locked one.
    """
    found = _read(HERE / name)
    if digest(found) != _locked().get(name):
        raise InputError(
            f"eval/{name}: the test half is not the one in datasets.lock.json; undo the change, or lock it anew"
            " with `python -m eval.datasets` and say why"
        )
    return found


def split(cases: Iterable[Case], which: str) -> list[Case]:
    """One half, or all of it for `all`."""
    return [case for case in cases if which in ("all", case["split"])]


def digest(cases: Sequence[Case]) -> str:
    """SHA-256 of the test half, whatever its order and white space."""
    lines = sorted(json.dumps(c, sort_keys=True, ensure_ascii=False) for c in split(cases, "test"))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _locked() -> dict[str, str]:
    try:
        found: dict[str, str] = json.loads(LOCK.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            f"eval/{LOCK.name} cannot be read ({error}); after a merge keep the lines of both sides"
        ) from None
    return found


def _read(path: Path) -> list[Case]:
    found: list[Case] = []
    seen = set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"eval/{path.relative_to(HERE)}, line {number}"
        try:
            case = json.loads(line)
        except ValueError as error:
            raise InputError(f"{where}: this is not JSON ({error})") from None
        if not isinstance(case, dict) or case.get("split") not in SPLITS or not case.get("id"):
            raise InputError(f"{where}: a case needs an id, and a split that is dev or test")
        if case["id"] in seen:
            raise InputError(f"{where}: there is another case with the id {case['id']}")
        seen.add(case["id"])
        found.append(case)
    return found


def main() -> None:
    """Lock all files that are in the lock, and those named on the command line."""
    import sys

    known = _locked() if LOCK.exists() else {}
    names = sorted({*known, *sys.argv[1:]})
    locked = {name: digest(_read(HERE / name)) for name in names}
    LOCK.write_text(json.dumps(locked, indent=2) + "\n", encoding="utf-8")
    print(
        f"{len(locked)} files are locked; changed: {[n for n in names if known.get(n) != locked[n]] or 'none'}"
    )


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        raise SystemExit(f"error: {error}") from None
