"""What each reader knows of each language, a file a language; the likelier language first."""

from pathlib import Path

from email_assistant.word_files import WordFiles

_LIKELIER = ("en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "pl")
_FILES = {path.stem: path for path in sorted(Path(__file__).parent.glob("??.toml"))}
LANGUAGES = (*_LIKELIER, *(language for language in _FILES if language not in _LIKELIER))
"""ISO 639-1: those whose order was measured, then whatever other file lies here."""

WORDS = WordFiles(
    tuple(_FILES[language] for language in LANGUAGES),
    frozenset({
        "languages", "numbers", "days", "times", "hours", "lengths", "deadlines", "zones", "mail", "meetings", "meeting_changes",
        "orders_to_assistants", "names", "promises", "assurances", "guest_letter", "asks", "letter", "questions",
        "invitation_words", "invitation_answer", "preferences", "offers", "facts",
    }),
)  # fmt: skip
COMMON = WordFiles(
    tuple(Path(__file__).with_name(f"{name}.toml") for name in ("places", "units", "elsewhere")),
    frozenset({"zones", "money", "quantities", "elsewhere"}),
)
"""What belongs to no one language: places and clocks, currencies and units, words of languages that nobody reads."""
