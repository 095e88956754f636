"""The words of the order desk's rules, in a data file of its own."""

from pathlib import Path

from email_assistant.word_files import WordFiles

WORDS = WordFiles(
    (Path(__file__).with_name("words.toml"),),
    frozenset({"sentences", "quantities", "measures", "prices", "products", "promotions"}),
)
