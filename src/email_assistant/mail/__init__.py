"""What an email is: addresses, messages, MIME to text, quoting, threading, and the mailbox port."""

from pathlib import Path

from email_assistant.word_files import WordFiles

WORDS = WordFiles((Path(__file__).with_name("words.toml"),), frozenset({"quoting", "domains"}))
"""How mail quotes in many languages, and what is known of domains and of names."""
