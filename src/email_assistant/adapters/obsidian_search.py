"""Finding notes by words, in memory. Blocking calls."""

import math
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from email_assistant.adapters.obsidian_index import Entry
from email_assistant.adapters.obsidian_page import body
from email_assistant.adapters.obsidian_text import readable, shortened, unescaped
from email_assistant.notes.vault import Found

MAX_SNIPPET = 300

_MAX_WORDS = 40
_MAX_BYTES = 64 * 1024
_WORD = re.compile(r"\w+")
_TITLE_WEIGHT = 3.0
# From this length on a word also stands for its longer forms: "invoice" for "invoices".
_STEM = 4


@dataclass(frozen=True, slots=True)
class _Text:
    """A note's words between single spaces, and what they were read from."""

    stamp: tuple[int, int, int]
    title: str
    words: str


class NoteSearch:
    """Words of notes, read once and again when a note changed. Not safe to use from two threads at once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._texts: dict[str, _Text] = {}

    def best(self, entries: list[Entry], query: str, limit: int) -> list[Found]:
        """At most `limit` of the notes that have any word of the query; rare words and words of titles count more."""
        wanted = _wanted(query)
        texts = {entry.path: self._text(entry) for entry in entries} if wanted and limit > 0 else {}
        self._texts = {path: text for path, text in texts.items() if text} or self._texts
        scores = self._scores(wanted)
        ranked = sorted(scores, key=lambda path: (-scores[path], path))
        titles = {entry.path: entry.identity.title for entry in entries if entry.identity}
        chosen = [path for path in ranked if path in titles][:limit]
        return [Found(path, titles[path] or Path(path).stem, self._snippet(path, wanted)) for path in chosen]

    def _scores(self, wanted: list[str]) -> dict[str, float]:
        scores: dict[str, float] = {}
        for word in wanted:
            hits = [path for path, text in self._texts.items() if word in text.words or word in text.title]
            weight = math.log(1 + len(self._texts) / (len(hits) or 1))
            for path in hits:
                in_title = word in self._texts[path].title
                scores[path] = scores.get(path, 0.0) + weight * (_TITLE_WEIGHT if in_title else 1.0)
        return scores

    def _text(self, entry: Entry) -> _Text | None:
        known = self._texts.get(entry.path)
        if known and known.stamp == entry.stamp:
            return known
        text = self._read(entry.path)
        title = entry.identity.title if entry.identity else ""
        return None if text is None else _Text(entry.stamp, _words(title), _words(unescaped(text)))

    def _snippet(self, path: str, wanted: list[str]) -> str:
        """The first of the lines that have the most of the words."""
        lines = [line for line in (self._read(path) or "").splitlines() if line.strip()]
        best = max(lines, key=lambda line: sum(word in _words(readable(line)) for word in wanted), default="")
        return shortened(readable(best.strip().lstrip("#- ")), MAX_SNIPPET)

    def _read(self, path: str) -> str | None:
        try:
            with (self._root / path).open("rb") as file:
                return body(file.read(_MAX_BYTES))
        except FileNotFoundError:
            return None


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
