"""Words and patterns of human languages, read from TOML files and checked as they are read.

A file has a section for each reader, and in it a text for each key: the alternatives of a pattern, on one line or several, or words with
spaces between them. `{name}` in a text is another text of its section, or a fragment that the reader gives. Of alternatives the first
that fits counts, and the files' come one behind the other: a pattern whose end matters needs ones that do not begin alike.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

_NAME = re.compile(r"\{([a-z][a-z_0-9.]*)\}")


class WordFileError(ValueError):
    """A file of words does not fit its reader; the text names the file and the key."""


@dataclass(frozen=True)
class WordFiles:
    """Files that hold the same sections, in the order in which their alternatives are tried."""

    paths: tuple[Path, ...]
    sections: frozenset[str]

    def section(self, name: str, **fragments: str) -> "WordSection":
        """A reader's section of each file that has one; leave it (`with`) when all its keys are read.

        Raises:
            WordFileError: no file has the section, or one has a section that nobody reads.
        """
        texts: dict[str, Mapping[str, Any]] = {}
        for path in self.paths:
            read = _read(path)
            if unknown := read.keys() - self.sections:
                raise WordFileError(f"{path}: nobody reads the section [{min(unknown)}]")
            if name in read:
                texts[str(path)] = dict(_flat(read[name]))
        if not texts:
            raise WordFileError(f"{self.paths[0]}: the section [{name}] is missing")
        return WordSection(name, texts, fragments)


@dataclass
class WordSection:
    """What one reader knows: its texts by file and key."""

    name: str
    texts: Mapping[str, Mapping[str, Any]]
    fragments: Mapping[str, str] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)

    def __enter__(self) -> "WordSection":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            return
        for file, texts in self.texts.items():
            if unknown := texts.keys() - self._used:
                raise WordFileError(f"{file}: [{self.name}] has an unknown key {min(unknown)}")

    def pattern(self, template: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
        """The template compiled, with the alternatives of all files for each `{key}` in it."""
        try:
            return re.compile(self.text(template), flags)
        except re.error as error:
            raise WordFileError(f"{self._blamed(template)} does not compile: {error}") from error

    def text(self, template: str) -> str:
        """The same as a text, to be part of other patterns."""
        return _NAME.sub(lambda found: self.fragments.get(found[1]) or self._joined(found[1]), template)

    def words(self, key: str) -> tuple[str, ...]:
        """The words of all files."""
        return tuple(word for text in self.by_file(key).values() for word in text.split())

    def lines(self, key: str) -> tuple[str, ...]:
        """The alternatives of all files, each by itself."""
        return tuple(line for text in self.by_file(key).values() for line in text.splitlines())

    def by_file(self, key: str) -> dict[str, Any]:
        """What is written for a key, by the file's name without its ending: a language."""
        self._used.add(key)
        found = {Path(file).stem: texts[key] for file, texts in self.texts.items() if key in texts}
        if not found:
            raise WordFileError(f"{next(iter(self.texts))}: [{self.name}] lacks the key {key}")
        return {file: text.strip("\n") if isinstance(text, str) else text for file, text in found.items()}

    def table(self, name: str) -> dict[str, str]:
        """The alternatives of all files for each entry of a table in the section."""
        keys = [key for texts in self.texts.values() for key in texts if key.startswith(f"{name}.")]
        return {key.removeprefix(f"{name}."): self._joined(key) for key in dict.fromkeys(keys)}

    def entries(self, table: str) -> dict[str, str]:
        """The texts of a table as they stand, with what is to be filled in later."""
        keys = [key for texts in self.texts.values() for key in texts if key.startswith(f"{table}.")]
        return {key.removeprefix(f"{table}."): next(iter(self.by_file(key).values())) for key in keys}

    def rows(self, key: str) -> Iterator[tuple[str, str, int]]:
        """The rows of a text and a number of all files, each behind its file's name without its ending."""
        for file, rows in self.by_file(key).items():
            yield from (
                (file, "|".join(self._alternatives(text, file, key)), number) for text, number in rows
            )

    def of(self, file: str) -> "WordSection":
        """What one of the files says, by its name without its ending."""
        texts = {path: texts for path, texts in self.texts.items() if Path(path).stem == file}
        return WordSection(self.name, texts, self.fragments, self._used)

    def _joined(self, key: str) -> str:
        return "|".join(
            alternative
            for file, text in self.by_file(key).items()
            for alternative in self._alternatives(text, file, key)
        )

    def _alternatives(self, text: Any, file: str, key: str) -> Iterator[str]:
        """The lines of a text; an empty one would be an alternative that fits everywhere."""
        if not isinstance(text, str) or not all(map(str.strip, text.split("\n"))):
            raise WordFileError(f"{file}.toml: [{self.name}] {key} is no text, or has an empty line")
        for line in text.split("\n"):
            yield _NAME.sub(lambda found: self._fragment(found[1], file), line)

    def _fragment(self, name: str, file: str) -> str:
        """What a name in a file's text stands for: a text of that file, or else what the reader gives."""
        if name in self.fragments:
            return self.fragments[name]
        if (text := self.by_file(name).get(file)) is None:
            raise WordFileError(f"{file}.toml: [{self.name}] lacks the key {name}")
        return "|".join(self._alternatives(text, file, name))

    def _blamed(self, template: str) -> str:
        """The file and key whose text does not compile by itself, or else the keys that do not fit together."""
        keys = _NAME.findall(template)
        for file, texts in self.texts.items():
            alone = self.of(Path(file).stem)
            for key in [
                key for key, text in texts.items() if isinstance(text, str) and (key in keys or not keys)
            ]:
                try:
                    re.compile(alone._joined(key))
                except re.error:
                    return f"{file}: [{self.name}] {key}"
        return f"{next(iter(self.texts))}: [{self.name}] {', '.join(keys) or template}"


@cache
def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise WordFileError(f"{path}: {error}") from error


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The keys of a section, those of a table in it behind its name and a dot."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value
