"""Files of words: what is read of them, and what is said of one that does not fit its reader."""

import re
from pathlib import Path

import pytest

from email_assistant.word_files import WordFileError, WordFiles, WordSection


def written(folder: Path, **texts: str) -> WordFiles:
    """A file for each language, in this order."""
    paths = []
    for language, text in texts.items():
        paths.append(folder / f"{language}.toml")
        paths[-1].write_text(text, encoding="utf-8")
    return WordFiles(tuple(paths), frozenset({"times", "days"}))


def times(folder: Path, **texts: str) -> WordSection:
    """The section of files that hold this one only."""
    section = written(folder, **{language: f"[times]\n{text}" for language, text in texts.items()}).section
    return section("times", hour=r"\d\d")


def test_the_alternatives_of_all_languages_make_one_pattern(tmp_path: Path) -> None:
    """In the order of the files, those on lines of their own too."""
    with times(
        tmp_path, en="moves = '''\nmove|shift\npostpone\n'''", de="moves = 'verschieb\\w*'"
    ) as section:
        assert section.pattern(r"\b(?:{moves})\b").pattern == r"\b(?:move|shift|postpone|verschieb\w*)\b"


def read(files: WordFiles) -> None:
    """A reader of one pattern, and of one for each day."""
    with files.section("times") as section:
        section.pattern("{moves}")
        for day in section.table("days").values():
            section.pattern(day)


@pytest.mark.parametrize(
    ("english", "german", "problem"),
    [
        ("[times]\nmoves = 'move'\nmoevs = 'push'", "", "en.toml: [times] has an unknown key moevs"),
        (
            "[times]\nmoves = 'move'",
            "[times]\nmoves = 'schieb('",
            "de.toml: [times] moves does not compile: ",
        ),
        ("[times]\nmoves = 'move|{hours}'", "", "en.toml: [times] lacks the key hours"),
        ("[times]\nmoves = 'move'", "[tiems]\nmoves = 'schieb'", "de.toml: nobody reads the section [tiems]"),
        ("[times]\nmoves = move", "", "en.toml: Invalid value (at line 2, column 9)"),
    ],
)
def test_what_does_not_fit_is_told_by_file_and_key(
    tmp_path: Path, english: str, german: str, problem: str
) -> None:
    """A slip of the pen is found where it stands, when the file is read."""
    files = written(tmp_path, en=english, de=german)
    with pytest.raises(WordFileError, match=re.escape(problem)):
        read(files)
