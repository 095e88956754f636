"""What mail programs call their folders, where nothing else says what a folder is for."""

from pathlib import Path

from email_assistant.word_files import WordFiles

WORDS = WordFiles((Path(__file__).with_name("words.toml"),), frozenset({"folders"}))
with WORDS.section("folders") as section:
    SENT, DRAFTS, JUNK, TRASH = map(section.lines, ("sent", "drafts", "junk", "trash"))


def last_name(name: str, separator: str) -> str:
    """The folder's own name without those it lies in, in small letters."""
    return (name.rpartition(separator)[2] if separator else name).casefold()
