"""One reader of languages."""

import pytest

from email_assistant.language.text import DAY_FIRST, LANGUAGES, is_written_in, language_of
from tests.support.spellings import TEXTS

ITALIAN = "Potrebbe mandarmi il listino prezzi?"


@pytest.mark.parametrize("text", [text for text in TEXTS if text != ITALIAN])
def test_short_mails_have_a_language(text: str) -> None:
    """A sentence is enough, mostly; what nobody could tell is not guessed at."""
    assert language_of(text) == TEXTS[text]


def test_the_languages_asked_for_are_the_only_answers() -> None:
    """A caller that speaks a few is not told of others."""
    assert language_of(ITALIAN, among=("it", "de")) == "it"
    assert all(language_of(text, among=("en", "de")) in {"en", "de", ""} for text in TEXTS)
    assert set(LANGUAGES) > DAY_FIRST


def test_a_text_in_another_language_is_told_from_ours() -> None:
    """What rules cannot read they are not asked about."""
    ours = ("en", "de", "fr", "es")
    assert is_written_in("Thank you, we will send the chairs on Monday.", ours)
    assert not is_written_in("Dziękuję bardzo, proszę przesłać do nas krzesła na poniedziałek.", ours)
    assert not is_written_in("価格表を送っていただけますか。", ours)
