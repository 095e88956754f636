"""Changing some settings in a settings file, and nothing else in it."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.cli.account_settings import change_settings_file, read_settings_file
from email_assistant.errors import ConfigError

WRITTEN = '''\
# How I like it
EMAIL_ASSISTANT_NAME = "Robin"  # my name
EMAIL_ASSISTANT_BACKGROUND = """
EMAIL_ASSISTANT_EMAIL = "not-a-setting@example.com"
A studio."""
"EMAIL_ASSISTANT_TIMEZONE"='Europe/Berlin'
EMAIL_ASSISTANT_MODEL_TIMEOUT = 30
EMAIL_ASSISTANT_NOW = 2026-11-20T08:00:00Z
# The end'''

texts = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A settings file that is not there yet."""
    return tmp_path / "folder" / "settings.toml"


def test_a_new_file_holds_what_was_set(file: Path) -> None:
    """It is made with its folder, and readable by its owner only."""
    change_settings_file(file, {"EMAIL_ASSISTANT_MAILBOX": "gmail", "EMAIL_ASSISTANT_NAME": None})
    assert file.read_text() == 'EMAIL_ASSISTANT_MAILBOX = "gmail"\n'
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_is_there_stays(file: Path) -> None:
    """Comments, other settings of any type, their order, and a long text with a line that looks like a setting."""
    file.parent.mkdir()
    file.write_text(WRITTEN)
    change_settings_file(
        file, {"EMAIL_ASSISTANT_EMAIL": "robin@example.com", "EMAIL_ASSISTANT_NAME": 'R "x" \\ é'}
    )
    now = tomllib.loads(file.read_text())
    assert now == tomllib.loads(WRITTEN) | {
        "EMAIL_ASSISTANT_EMAIL": "robin@example.com",
        "EMAIL_ASSISTANT_NAME": 'R "x" \\ é',
    }
    assert file.read_text().startswith("# How I like it\nEMAIL_ASSISTANT_NAME = ")
    assert file.read_text().endswith('# The end\nEMAIL_ASSISTANT_EMAIL = "robin@example.com"\n')


@given(before=st.dictionaries(st.sampled_from(["A", "B", "C"]), texts), after=texts)
def test_any_text_can_be_written_and_read_again(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, str], after: str
) -> None:
    """Quotes, controls, line ends of every kind, other planes: what is read is what was written."""
    file = tmp_path_factory.mktemp("any") / "settings.toml"
    change_settings_file(file, before)
    assert read_settings_file(file) == before
    change_settings_file(file, {"B": after, "C": None})
    assert read_settings_file(file) == {k: v for k, v in before.items() if k == "A"} | {"B": after}


def test_what_cannot_be_changed_safely_is_left_alone(file: Path) -> None:
    """A table where a setting should be: the file stays as it is."""
    file.parent.mkdir()
    for text in ("[A]\nb = 1\n", 'A.b = "x"\n'):
        file.write_text(text)
        with pytest.raises(ConfigError, match="change it by hand"):
            change_settings_file(file, {"A": "new"})
        assert file.read_text() == text


@pytest.mark.parametrize("data", [b'A = "x\n', b"\xff\xfe"])
def test_a_file_that_cannot_be_read(file: Path, data: bytes) -> None:
    """One line with its name."""
    file.parent.mkdir()
    file.write_bytes(data)
    for act in (read_settings_file, lambda path: change_settings_file(path, {"A": "x"})):
        with pytest.raises(ConfigError, match=r"settings\.toml cannot be read"):
            act(file)
    assert file.read_bytes() == data
