"""Settings: every wrong value is one line that names the setting."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from email_assistant.cli.server import given_settings
from email_assistant.errors import AccessError, ConfigError
from email_assistant.settings import SETTINGS_FILE, Settings, load_settings


def test_everything_has_a_default(tmp_path: Path) -> None:
    """With no environment and no file the local mailbox and the offline rules are chosen."""
    settings = load_settings({}, tmp_path)
    assert (settings.mailbox, settings.calendar, settings.model_fast) == ("maildir", "ics", "auto")
    assert settings.database.startswith("sqlite")


def test_the_environment_wins_over_the_file_over_the_data_folder(tmp_path: Path) -> None:
    """The three sources are read in this order."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "settings.toml").write_text(
        'EMAIL_ASSISTANT_NAME = "data"\nEMAIL_ASSISTANT_TIMEZONE = "Asia/Tokyo"\nEMAIL_ASSISTANT_BACKGROUND = "b"\n'
    )
    (tmp_path / "email_assistant.toml").write_text(
        f'EMAIL_ASSISTANT_DATA_DIR = "{data}"\nEMAIL_ASSISTANT_NAME = "file"\nEMAIL_ASSISTANT_TIMEZONE = "Europe/Berlin"\n'
    )
    settings = load_settings({"EMAIL_ASSISTANT_NAME": "environment"}, tmp_path)
    assert (settings.name, settings.timezone, settings.background) == ("environment", "Europe/Berlin", "b")


@pytest.mark.parametrize(
    ("name", "value", "mend"),
    [
        ("EMAIL_ASSISTANT_ORDER_APPROVAL", "maybe", "must be true or false"),
        ("EMAIL_ASSISTANT_CURRENCY", "eur", "must be the three capitals of a currency (ISO 4217), like EUR"),
        ("EMAIL_ASSISTANT_RUNS_IN_FLIGHT", "0", "must be greater than or equal to 1"),
        ("EMAIL_ASSISTANT_REFUND_CEILING", "0", "must be greater than 0"),
        ("EMAIL_ASSISTANT_REFUND_CEILING", "12.345", "must have no more than two decimals"),
        ("EMAIL_ASSISTANT_REFUND_CEILING", "NaN", "must be a number, like 12.50"),
        ("EMAIL_ASSISTANT_REFUND_AUTOMATIC", "Infinity", "must be a number, like 12.50"),
    ],
)
def test_a_value_of_a_wrong_kind_tells_the_right_one(
    name: str, value: str, mend: str, tmp_path: Path
) -> None:
    """In words of ours, not of a library's."""
    with pytest.raises(ConfigError) as error:
        load_settings({name: value}, tmp_path)
    assert str(error.value) == f"{name} {mend}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EMAIL_ASSISTANT_TIMEZONE", "Mars/Olympus"),
        ("EMAIL_ASSISTANT_MAILBOX", "imap"),
        ("EMAIL_ASSISTANT_EMAIL", "not an address"),
        ("EMAIL_ASSISTANT_LOG_LEVEL", "loud"),
        ("EMAIL_ASSISTANT_JIRA_URL", "http://acme.example"),
        ("EMAIL_ASSISTANT_JIRA_URL", "https://me:secret@acme.example"),
        ("EMAIL_ASSISTANT_JIRA_URL", "http://127.0.0.1.acme.example"),
        ("EMAIL_ASSISTANT_JIRA_PROJECT", 'C" OR "1'),
        ("EMAIL_ASSISTANT_REFUND_URL", "http://bank.example/pay"),
        ("EMAIL_ASSISTANT_MICROSOFT_CLIENT_ID", "my mail program"),
        ("EMAIL_ASSISTANT_MICROSOFT_AUTHORITY", "http://login.example/common"),
    ],
)
def test_a_wrong_value_names_its_setting_in_one_line(name: str, value: str, tmp_path: Path) -> None:
    """The text says which setting, in one line."""
    with pytest.raises(ConfigError, match=name) as caught:
        load_settings({name: value}, tmp_path)
    assert "\n" not in str(caught.value)


def test_a_broken_file_is_one_line(tmp_path: Path) -> None:
    """TOML that cannot be parsed names the file."""
    (tmp_path / "email_assistant.toml").write_text("= nonsense")
    with pytest.raises(ConfigError, match=r"email_assistant\.toml cannot be read"):
        load_settings({}, tmp_path)


HOME = 'imap = { host = "imap.example.com", port = 993 }'
BOTH = f"{HOME}\n{HOME.replace('imap', 'smtp')}"
PLAIN = 'imap = { host = "imap.example.com", port = 143, security = "none" }'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("accounts = 5", "accounts must be tables, like [accounts.home]"),
        ("[accounts]\nhome = 5", "accounts must be tables, like [accounts.home]"),
        (f"[accounts.home]\n{HOME}", "accounts.home.email is missing"),
        (
            f'[accounts.home]\nemail = "a@b.example"\n{HOME.replace(", port = 993", "")}',
            "accounts.home.imap.port is missing",
        ),
        (
            '[accounts.home]\nemail = "a@b.example"\nimap = "imap.example.com"',
            "accounts.home.imap must be a table, like {",
        ),
        (
            f'[accounts.home]\nemail = "a@b.example"\n{PLAIN}',
            'must have security = "tls"',
        ),
        (
            '[accounts.home]\nemail = "a@b.example"\nauth = "microsoft"\ncalendar = { url = "https://b.example" }',
            'accounts.home must have no calendar with auth = "microsoft"',
        ),
        (
            f'[accounts.home]\nEMAIL_ASSISTANT_NAME = "Ana"\n{HOME}',
            "EMAIL_ASSISTANT_NAME stands below [accounts.home]: move it above",
        ),
        (
            f'[accounts."My Home"]\nemail = "a@b.example"\n{HOME}',
            "accounts.My Home must be called by small letters",
        ),
        ('EMAIL_ASSISTANT_MAILBOX = "imap:work"', "names the account work, and there is no [accounts.work]"),
        (
            f'EMAIL_ASSISTANT_CALENDAR = "caldav:home"\n[accounts.home]\nemail = "a@b.example"\n{HOME}',
            "EMAIL_ASSISTANT_CALENDAR names the account home, and [accounts.home] has no calendar",
        ),
        (
            f'EMAIL_ASSISTANT_MAILBOX = "imap:home"\nEMAIL_ASSISTANT_SMTP = "smtp:home"\n[accounts.home]\nemail = "a@b.example"\n{BOTH}',
            "EMAIL_ASSISTANT_SMTP is for a Maildir, and EMAIL_ASSISTANT_MAILBOX is imap:home",
        ),
        (
            f'[accounts.home]\nemail = "a@b.example"\n{BOTH[:-2]}, sent = "Outbox" }}',
            "accounts.home.smtp.sent is not known",
        ),
        (
            '[accounts.home]\nemail = "a@b.example"\ncalendar = { url = "http://dav.example.com/" }',
            'must have a url that begins with "https://"',
        ),
    ],
)
def test_a_wrong_account_is_told_in_one_line(text: str, told: str, tmp_path: Path) -> None:
    """Which field of which account, and how to mend it."""
    (tmp_path / SETTINGS_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(told)) as raised:
        load_settings({}, tmp_path)
    assert "\n" not in str(raised.value)


def test_an_account_is_whose_mail_it_is(tmp_path: Path) -> None:
    """Its address is the user's where none is set; the password is read from its file, and the environment's counts first."""
    text = f'EMAIL_ASSISTANT_MAILBOX = "imap:home"\nEMAIL_ASSISTANT_DATA_DIR = "{tmp_path}"\n[accounts.home]\nemail = "a@b.example"\n{HOME}'
    (tmp_path / SETTINGS_FILE).write_text(text, encoding="utf-8")
    settings = load_settings({}, tmp_path)
    assert settings.email == "a@b.example"
    with pytest.raises(AccessError, match="write it into"):
        settings.account_secret("home")()
    file = settings.account_secret("home").file
    file.parent.mkdir()
    file.write_text("kept\n", encoding="utf-8")
    assert settings.account_secret("home")() == "kept"
    given = load_settings({"EMAIL_ASSISTANT_ACCOUNT_PASSWORD": "given"}, tmp_path)
    assert given.account_secret("home")() == "given"


def test_secrets_do_not_show(tmp_path: Path) -> None:
    """Printing settings never prints a key."""
    assert "sk-secret" not in repr(load_settings({"OPENAI_API_KEY": "sk-secret"}, tmp_path))


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ({}, ""),
        ({"EMAIL_ASSISTANT_MAILBOX": "gmail"}, "mx.google.com"),
        ({"EMAIL_ASSISTANT_AUTHSERV_ID": " mx.example.com "}, "mx.example.com"),
        ({"EMAIL_ASSISTANT_MAILBOX": "gmail", "EMAIL_ASSISTANT_AUTHSERV_ID": "mx.example.com"}, "mx.example.com"),
    ],
)  # fmt: skip
def test_the_receiving_host(tmp_path: Path, given: dict[str, str], host: str) -> None:
    """Gmail's name is known; any other host's has to be told."""
    assert load_settings(given, tmp_path).receiving_host == host


@pytest.mark.parametrize("wrong", ["mx.example.com; spf=pass", "spf=pass"])
def test_a_receiving_host_that_is_no_word(tmp_path: Path, wrong: str) -> None:
    """More than the first word of the header is told to be wrong, naming the setting."""
    with pytest.raises(ConfigError, match="EMAIL_ASSISTANT_AUTHSERV_ID must be the first word"):
        load_settings({"EMAIL_ASSISTANT_AUTHSERV_ID": wrong}, tmp_path)


@pytest.mark.parametrize("value", ["Clients", "A,a", "A,b\x07c"])
def test_what_are_no_categories(value: str) -> None:
    """The setting is named."""
    with pytest.raises(ValueError, match="EMAIL_ASSISTANT_CATEGORIES"):
        Settings.model_validate({"EMAIL_ASSISTANT_CATEGORIES": value})


def test_refunds_are_reviewed_unless_the_settings_say_otherwise(tmp_path: Path) -> None:
    """Up to 500.00, none of it without a person; amounts are exact."""
    settings = load_settings({}, tmp_path)
    assert (settings.refund_ceiling, settings.refund_automatic) == (Decimal("500.00"), Decimal(0))
    given = {"EMAIL_ASSISTANT_REFUND_CEILING": "0.3", "EMAIL_ASSISTANT_REFUND_AUTOMATIC": "0.10"}
    settings = load_settings(given, tmp_path)
    assert (settings.refund_ceiling, settings.refund_automatic) == (Decimal("0.3"), Decimal("0.1"))
    assert given_settings(settings).items() >= given.items()


def test_jira_is_whole(tmp_path: Path) -> None:
    """Its address alone would fail with the first ticket."""
    given = {"EMAIL_ASSISTANT_JIRA_URL": "https://acme.atlassian.net", "EMAIL_ASSISTANT_JIRA_TOKEN": "s3cret"}
    with pytest.raises(
        ConfigError, match="needs EMAIL_ASSISTANT_JIRA_TOKEN and EMAIL_ASSISTANT_JIRA_PROJECT"
    ) as error:
        load_settings(given, tmp_path)
    assert "s3cret" not in str(error.value)
    for token in ("s3cret\r\nx: y", "s3cr\u00e9t", "s3 cret"):
        with pytest.raises(ConfigError, match="EMAIL_ASSISTANT_REFUND_TOKEN must be a token") as error:
            load_settings({"EMAIL_ASSISTANT_REFUND_TOKEN": token}, tmp_path)
        assert token not in str(error.value)
    settings = load_settings({"EMAIL_ASSISTANT_REFUND_TOKEN": " s3cret\n"}, tmp_path)
    assert settings.refund_token is not None
    assert settings.refund_token.get_secret_value() == "s3cret"
    settings = load_settings(given | {"EMAIL_ASSISTANT_JIRA_PROJECT": "CLAIMS"}, tmp_path)
    assert "s3cret" not in repr(settings)
    for address in ("http://127.0.0.1:8080", "http://[::1]:1/x", "https://api.atlassian.com/ex/jira/1-2"):
        assert load_settings({"EMAIL_ASSISTANT_REFUND_URL": address}, tmp_path).refund_url == address
