"""Finding notes by words, in memory. Blocking calls."""

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from email_assistant.workflows.inbox_organizer.notes.obsidian_names import title_of_file
from email_assistant.workflows.inbox_organizer.notes.obsidian_text import readable, shortened, unescaped
from email_assistant.workflows.inbox_organizer.notes.vault import FoundNote

MAX_SNIPPET = 300

_MAX_WORDS = 40
_MAX_BYTES = 64 * 1024
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)
_MARK = re.compile(r"<!-- mail [0-9a-f]+ -->")
_WORD = re.compile(r"\w+")
_TITLE_WEIGHT = 3.0
# From this length on a word also stands for its longer forms: "invoice" for "invoices".
_STEM = 4


@dataclass(frozen=True, slots=True)
class _Text:
    """A note's words between single spaces, and time of change (in nanoseconds) and size of the file they were read from."""

    stamp: tuple[int, int]
    title: str
    words: str


class NoteSearch:
    """Words of notes, read once and again when a note changed."""

    def __init__(self) -> None:
        self._texts: dict[str, _Text] = {}

    def best(self, notes: Mapping[str, Path], query: str, limit: int) -> list[FoundNote]:
        """At most `limit` of the notes (file by path in the vault) that have any word of the query.

        Rare words and words of titles count more.
        """
        wanted = _wanted(query)
        if not wanted or limit <= 0:
            return []
        texts = {path: text for path, file in notes.items() if (text := self._text(path, file))}
        self._texts = texts
        scores = _scores(texts, wanted)
        ranked = sorted(scores, key=lambda path: (-scores[path], path))[:limit]
        return [
            FoundNote(path, title_of_file(notes[path].name), _snippet(_read(notes[path]), wanted))
            for path in ranked
        ]

    def _text(self, path: str, file: Path) -> _Text | None:
        try:
            status = file.lstat()
        except FileNotFoundError:
            return None
        known, stamp = self._texts.get(path), (status.st_mtime_ns, status.st_size)
        if known and known.stamp == stamp:
            return known
        return _Text(stamp, _words(title_of_file(file.name)), _words(unescaped(_read(file))))


def _scores(texts: Mapping[str, _Text], wanted: list[str]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for word in wanted:
        hits = [path for path, text in texts.items() if word in text.words or word in text.title]
        weight = math.log(1 + len(texts) / (len(hits) or 1))
        for path in hits:
            scores[path] = scores.get(path, 0.0) + weight * (
                _TITLE_WEIGHT if word in texts[path].title else 1
            )
    return scores


def _snippet(text: str, wanted: list[str]) -> str:
    """The first of the lines that have the most of the words."""
    lines = [line for line in text.splitlines() if line.strip()]
    best = max(lines, key=lambda line: sum(word in _words(readable(line)) for word in wanted), default="")
    return shortened(readable(best.strip().lstrip("#- ")), MAX_SNIPPET)


def _read(file: Path) -> str:
    """The note's text, without its front matter and the marks of its entries."""
    try:
        with file.open("rb") as opened:
            text = opened.read(_MAX_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
    return _MARK.sub("", _FRONT_MATTER.sub("", text, count=1))


def _wanted(query: str) -> list[str]:
    """The query's words, each as it is looked for among words between spaces."""
    words = dict.fromkeys(_WORD.findall(_folded(query[:4000])))
    return [f" {word}" if len(word) >= _STEM else f" {word} " for word in words if len(word) > 1][:_MAX_WORDS]


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(_folded(text)))} "


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()
