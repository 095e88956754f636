"""What was answered case by case: `eval/report/answers-SUITE-MODEL.json`, so that two runs can be compared (`eval.compare`).

The file holds the suite's name, who answered, and for each case whether the answer was right, what it was and what was wanted.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from email_assistant.errors import InputError

REPORT = Path(__file__).parent / "report"


@dataclass(frozen=True, slots=True)
class Given:
    """The answer to one case."""

    right: bool
    answer: str = ""
    wanted: str = ""


@dataclass(frozen=True, slots=True)
class Answers:
    """One run of a suite."""

    suite: str
    by: str
    """Who answered."""
    cases: Mapping[str, Given]

    @property
    def right(self) -> dict[str, bool]:
        """Case → whether it was right."""
        return {name: given.right for name, given in self.cases.items()}


def write(answers: Answers, model: str, folder: Path | None = None) -> Path:
    """Write the file of a run by `model` (`provider:model` or `offline`); returns where. A run before it is replaced."""
    folder = folder or REPORT
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"answers-{answers.suite}-{re.sub(r'[^A-Za-z0-9.]+', '-', model).strip('-')}.json"
    path.write_text(json.dumps(asdict(answers), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def read(path: Path) -> Answers:
    """What `write` wrote, or a bare object of case → true or false; raises `InputError` for anything else."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; name a file that a suite wrote") from None
    except ValueError as error:
        raise InputError(f"{path}: this is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: wanted an object, case → whether it was right")
    whole = isinstance(value.get("cases"), dict)
    cases = value["cases"] if whole else value
    suite, by = (str(value.get("suite", "")), str(value.get("by", ""))) if whole else ("", "")
    return Answers(suite, by or path.stem, {str(n): _given(path, n, each) for n, each in cases.items()})


def _given(path: Path, name: str, value: object) -> Given:
    if isinstance(value, bool):
        return Given(value)
    if isinstance(value, dict) and isinstance(value.get("right"), bool):
        return Given(value["right"], str(value.get("answer", "")), str(value.get("wanted", "")))
    raise InputError(f"{path}: case {name}: wanted true or false, or an object with `right`")
