"""The commands that need no server, and what they say when something is wrong: exit codes 0, 1 and 2."""

import asyncio
import json
from pathlib import Path

import pytest

from email_assistant.cli.console import app_deps
from email_assistant.cli.running import UNFINISHED, prepare_samples
from email_assistant.memory.said_facts import SaidAnswer
from tests.support.desk import mail
from tests.support.dev_server import free_port
from tests.unit.cli.called import Command, told


@pytest.mark.parametrize(
    "args",
    [
        ("nope",), ("memory",), ("memory", "restore", "cal_preferences", "0"), ("serve", "--port", "x"),
        ("ingest", "--limit", "0"), ("knowledge", "import", "--tenant", "acme"),
    ],
)  # fmt: skip
def test_wrong_usage_is_2(command: Command, args: tuple[str, ...]) -> None:
    """With the usage or the reason on stderr or, for a bare group, its help."""
    code, out, err = command(*args)
    assert code == 2
    assert "Usage: " in out + err
    assert not Path(".email_assistant").exists()


@pytest.mark.parametrize("args", [("status",), ("review",), ("run", "--port")])
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("EMAIL_ASSISTANT_TIMEZONE", "Mars/Base", "must be an IANA time zone"),
        ("EMAIL_ASSISTANT_DATA_DIR", "/proc/nowhere", "/proc/nowhere cannot be written"),
    ],
)
def test_a_wrong_setting_is_told_by_every_command(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, ...],
    name: str,
    value: str,
    words: str,
) -> None:
    """One line that names it."""
    monkeypatch.setenv(name, value)
    line = told(command(*args, *([str(free_port())] if "--port" in args else [])))
    assert name in line
    assert words in line


def test_a_database_that_is_not_there_is_told(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the setting, and never the password."""
    monkeypatch.setenv("DATABASE_URL", f"postgresql://robin:secret@127.0.0.1:{free_port()}/mail")
    for args in (("status",), ("memory", "show"), ("journal", "show")):
        line = told(command(*args))
        assert "DATABASE_URL: cannot open mail on 127.0.0.1" in line
        assert "secret" not in line


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("EMAIL_ASSISTANT_MAILBOX", "gmail", "run `email-assistant gmail auth`"),
        ("EMAIL_ASSISTANT_CALENDAR", "google", "run `email-assistant gmail auth`"),
        ("EMAIL_ASSISTANT_MODEL_FAST", "gpt", "EMAIL_ASSISTANT_MODEL_FAST"),
    ],
)
def test_serving_says_what_it_cannot_do_before_it_starts(
    command: Command, monkeypatch: pytest.MonkeyPatch, name: str, value: str, line: str
) -> None:
    """`run` and `serve` name the setting or the command that mends it; no server was started."""
    monkeypatch.setenv(name, value)
    monkeypatch.setenv("EMAIL_ASSISTANT_EMAIL", "robin@vale.example")
    for args in ("run", "serve"):
        assert line in told(command(args, "--port", str(free_port())))
    assert not Path(".email_assistant/.langgraph_api").exists()


def test_without_a_server_the_lines_say_how_to_start_it(command: Command) -> None:
    """Nothing is imported by a command that fails; status does without the server."""
    url = f"http://127.0.0.1:{free_port()}"
    Path("a.eml").write_bytes(mail())
    for args in (("ingest",), ("ingest", "a.eml"), ("review",), ("review", "--json")):
        assert "start it with `make run`" in told(command(*args, "--url", url))
    assert not list(Path(".email_assistant").rglob("*.import*"))
    facts = json.loads(command("status", "--json", "--url", url)[1])
    assert (facts["server"], facts["waiting"], facts["last_processed"]) == ("not running", 0, "never")


def test_what_is_no_mail_is_told_before_the_server_is_asked(command: Command) -> None:
    """A path that is not there, a binary file, an empty folder."""
    Path("binary").write_bytes(bytes(range(256)) * 40)
    Path("empty").mkdir()
    assert "nowhere: no such file" in told(command("ingest", "nowhere"))
    assert "binary: not an mbox file" in told(command("ingest", "binary"))
    assert "empty: neither" in told(command("ingest", "empty"))


def test_doctor_names_what_is_to_be_mended(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each check has its line although others fail; the last line is on stderr and the exit code 1."""
    monkeypatch.setenv("EMAIL_ASSISTANT_MAILBOX", "gmail")
    monkeypatch.setenv("EMAIL_ASSISTANT_GOOGLE_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    code, out, err = command("doctor", "--url", f"http://127.0.0.1:{free_port()}")
    assert code == 1
    assert [line.split(":")[0] for line in out.splitlines()] == [
        "MEND person", "ok   models", "ok   knowledge", "ok   database", "ok   checkpoints", "MEND google token",
        "ok   calendar", "MEND server",
    ]  # fmt: skip
    assert err == "email-assistant: to be mended: person, google token, server\n"
    findings = json.loads(command("doctor", "--json", "--url", f"http://127.0.0.1:{free_port()}")[1])
    assert all(finding["mend"] for finding in findings if not finding["ok"])


def test_memory_is_shown_edited_and_restored_without_a_server(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each change is a revision; what changes nothing or is empty is none."""
    before = json.loads(command("memory", "show", "--json")[1])["cal_preferences"]
    command("memory", "edit", "cal_preferences", "--text", "- Never\x1b[2J.")
    assert "- Never\\u001b[2J." in command("memory", "show")[1]
    again = command("memory", "edit", "cal_preferences", "--text", "- Never\x1b[2J.")
    assert again[1] == "Nothing was changed.\n"
    command("memory", "edit", "cal_preferences", "--text", "- Never before ten.")
    lines = json.loads(command("memory", "show", "--json")[1])["cal_preferences"]["lines"]
    assert lines == {"- Never before ten.": "rules follow this: no meetings before 10:00"}
    assert command("memory", "restore", "cal_preferences", "1")[1] == "cal_preferences is now revision 4.\n"
    history = json.loads(command("memory", "history", "cal_preferences", "--json")[1])
    assert [revision["revision"] for revision in history] == [1, 2, 3, 4]
    assert history[3]["content"] == before["content"]
    assert "no revision 999" in told(command("memory", "restore", "cal_preferences", "999"))
    assert "cannot be empty" in told(command("memory", "edit", "cal_preferences", "--text", " "))
    monkeypatch.setenv("EDITOR", "/nowhere/vi")
    assert "set EDITOR to one that does" in told(command("memory", "edit", "cal_preferences"))


def test_facts_are_listed_edited_and_forgotten(command: Command) -> None:
    """By their numbers; what is none, or no short line, is refused in a line."""
    assert command("memory", "facts")[1].startswith("None yet")
    assert json.loads(command("memory", "facts", "--json")[1]) == []
    asyncio.run(_said())
    (fact,) = json.loads(command("memory", "facts", "--json")[1])
    assert (fact["number"], fact["question"], fact["answer"]) == (1, "What is your rate?", "95 EUR")
    assert ": 95 EUR, to everybody\n" in command("memory", "facts")[1]
    assert "no fact 7" in told(command("memory", "facts", "forget", "7"))
    assert "one line" in told(command("memory", "facts", "edit", "1", "--text", "a\nb"))
    assert (
        "Kept for everybody: “What is your rate?” 99 EUR"
        in command("memory", "facts", "edit", "1", "--text", "99 EUR")[1]
    )
    assert command("memory", "facts", "forget", "1")[1] == "Fact 1 is forgotten.\n"
    assert json.loads(command("memory", "facts", "--json")[1]) == []


async def _said() -> None:
    built = app_deps()
    said = [SaidAnswer("What is your rate?", "95 EUR")]
    await built.said_facts.keep(said, lambda fact, answer: False, "decision")
    await built.database.close()


def test_the_first_fill_survives_an_interruption(command: Command) -> None:
    """Looking around first does not prevent it; done again it adds nothing; a hand-written memory is kept."""
    command("status")
    command("memory", "edit", "triage_preferences", "--text", "- Mine.")
    prepare_samples()
    data = Path(".email_assistant")
    first = sorted(p.name for p in data.rglob("*.import*"))
    assert len(first) > 20
    assert not (data / UNFINISHED).exists()
    profiles = json.loads(command("memory", "show", "--json")[1])
    assert profiles["triage_preferences"]["content"] == "- Mine."
    assert profiles["cal_preferences"]["revision"] == 2
    (data / "settings.toml").unlink()
    (data / UNFINISHED).touch()
    prepare_samples()
    assert sorted(p.name for p in data.rglob("*.import*")) == first
    assert json.loads(command("memory", "show", "--json")[1])["cal_preferences"]["revision"] == 2


def test_a_mailbox_of_ones_own_is_never_mixed_with_samples(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither when mail is there, nor when a person, a mailbox, a calendar or a database is configured."""
    new = folder / ".email_assistant" / "mailbox" / "new"
    for name in ("new", "cur", "tmp"):
        (new.parent / name).mkdir(parents=True)
    (new / "1.mine").write_bytes(mail())
    prepare_samples()
    assert [p.name for p in new.iterdir()] == ["1.mine"]
    (new / "1.mine").unlink()
    for name, value in (
        ("EMAIL_ASSISTANT_EMAIL", "me@example.com"), ("EMAIL_ASSISTANT_MAILBOX", "maildir:m"),
        ("EMAIL_ASSISTANT_CALENDAR", "ics:c.ics"), ("DATABASE_URL", "sqlite:///j.db"),
    ):  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            prepare_samples()
    assert not (folder / ".email_assistant" / "settings.toml").exists()


def test_what_cannot_be_imported_is_told(command: Command) -> None:
    """Before any server is asked: names, folders, files."""
    Path("docs").mkdir()

    def refused(*args: str) -> str:
        return told(command("knowledge", "import", "docs", *args))

    assert "'Acme' is no name of a tenant; write a-z, 0-9 and -" in refused("--tenant", "Acme")
    for role in ("", "Public", "public", "../x"):
        assert "is no name of a role" in refused("--tenant", "acme", "--role", role)
        told(command("knowledge", "forget-documents", "--tenant", "acme", "--role", role))
    assert "docs: holds no document" in refused("--tenant", "acme")
    Path("docs/empty.md").touch()
    line = refused("--tenant", "acme")
    assert "nothing was imported: empty.md: is empty (--skip-bad leaves them out)" in line
    assert "holds no document" in refused("--tenant", "acme", "--skip-bad")
    assert "no such folder" in told(command("knowledge", "import", "nowhere", "--tenant", "acme"))
    assert "no name of a tenant" in told(command("knowledge", "documents", "--tenant", "%"))
