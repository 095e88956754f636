"""What each reader knows of each language, a file a language; the likelier language first."""

from pathlib import Path

from email_assistant.word_files import WordFiles

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "pl", "ja")
"""ISO 639-1."""

WORDS = WordFiles(
    tuple(Path(__file__).with_name(f"{language}.toml") for language in LANGUAGES),
    frozenset({
        "languages", "numbers", "days", "times", "hours", "deadlines", "zones", "mail", "meetings", "meeting_changes", "meeting_words",
        "orders_to_assistants", "names", "promises", "assurances", "guest_letter",
    }),
)  # fmt: skip
PLACES = WordFiles((Path(__file__).with_name("places.toml"),), frozenset({"zones"}))
"""Places by their IANA zone, as each language calls them."""
