"""The command line as a newcomer meets it: every command against a real server with the sample mailbox."""

import json
import mailbox
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli_support import Cli, Running, running, servers_on
from tests.support.desk import mail

pytestmark = pytest.mark.xdist_group("cli")

PERSON = {"EMAIL_ASSISTANT_EMAIL": "robin@vale.example", "EMAIL_ASSISTANT_NAME": "Robin Vale"}
OFFLINE = {"EMAIL_ASSISTANT_MODEL_FAST": "offline", "EMAIL_ASSISTANT_MODEL_STRONG": "offline"}


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One `run` for the session, begun in a folder that is not the checkout, on an empty data folder."""
    folder = tmp_path_factory.mktemp("cli")
    with running(Cli(folder, folder / "data", OFFLINE)) as up:
        yield up


@pytest.fixture
def cli(desk: Running) -> Cli:
    """The user whose server runs."""
    return desk.cli


@pytest.fixture
def newcomer(tmp_path: Path) -> Cli:
    """A user with nothing at all."""
    return Cli(tmp_path, tmp_path / "data", OFFLINE)


def told(result: Any) -> str:
    """The one line on stderr of a command that failed."""
    assert (result.returncode, result.stdout) == (1, ""), result
    (line,) = result.stderr.splitlines()
    assert line.startswith("email-assistant: ")
    return str(line)


def cards(cli: Cli) -> list[dict[str, Any]]:
    """What waits, as `review --json` tells it."""
    return list(json.loads(cli.run("review", "--json").stdout))


def bring(cli: Cli, name: str, body: str, **fields: str) -> None:
    """Ingest one mail."""
    path = cli.folder / f"{name}.eml"
    path.write_bytes(mail(body, message_id=f"<{name}@example.com>", subject=name, **fields))
    assert cli.run("ingest", str(path)).returncode == 0


def sent(cli: Cli, header: str) -> list[Any]:
    """What was sent in answer to a message."""
    root = mailbox.Maildir(cli.data / "mailbox", create=False)
    folder = root.get_folder("Sent") if "Sent" in root.list_folders() else []
    return [m for m in folder if str(m["In-Reply-To"]).strip() == header]


def test_run_fills_in_the_samples_and_says_where_to_review(desk: Running) -> None:
    """The cards are listed, and the three places to review them."""
    assert "trying things out with the sample mailbox" in desk.greeting
    assert "cards wait for your review:" in desk.greeting
    assert "  • " in desk.greeting
    assert f"email-assistant review --url http://127.0.0.1:{desk.port}" in desk.greeting
    assert "Agent Inbox" in desk.greeting


def test_everything_the_server_writes_is_in_the_data_folder(desk: Running) -> None:
    """Nothing is left in the folder where the command was started; the server's own state is with the mailbox."""
    assert [p.name for p in desk.cli.folder.iterdir() if p.suffix != ".eml"] == ["data"]
    assert {".langgraph_api", "mailbox", "calendar.ics", "settings.toml"} <= {
        p.name for p in desk.cli.data.iterdir()
    }


def test_a_second_run_on_the_same_data_folder_is_refused(desk: Running) -> None:
    """Two servers would overwrite each other's state; the line says where the first one is."""
    assert f"at http://127.0.0.1:{desk.port}" in told(desk.cli.run("run", "--port", "1"))


def test_a_taken_port_is_told(desk: Running, newcomer: Cli) -> None:
    """The line names the port and the option; nothing was set up."""
    for command in ("run", "serve"):
        line = told(newcomer.run(command, "--port", str(desk.port)))
        assert f"port {desk.port} is taken" in line
        assert "--port" in line


def test_status_finds_the_server_of_the_data_folder(desk: Running) -> None:
    """Without --url, although the port is not the usual one; as text and as JSON."""
    facts = json.loads(desk.cli.run("status", "--json").stdout)
    assert (facts["server"], facts["server_url"]) == ("running", f"http://127.0.0.1:{desk.port}")
    assert facts["waiting"] == facts["mail"]["waiting_review"] > 0
    assert "waiting " in desk.cli.run("status").stdout


@pytest.mark.parametrize(
    "args",
    ["status", "review", "doctor", "memory show", "memory history cal_preferences", "journal show", "ingest"],
)
def test_json_is_all_that_is_printed(cli: Cli, args: str) -> None:
    """Valid JSON on stdout and nothing on stderr."""
    result = cli.run(*args.split(), "--json")
    json.loads(result.stdout)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_run_of_the_journal_is_shown_by_the_id_that_was_listed(cli: Cli) -> None:
    """The list gives whole ids; the beginning of one is enough, but not when several begin so."""
    run_id = cli.run("journal", "show", "--limit", "1").stdout.split()[0]
    detail = cli.run("journal", "show", run_id).stdout
    assert f"run {run_id} of email_assistant" in detail
    assert "triage" in detail
    assert json.loads(cli.run("journal", "show", run_id, "--json").stdout)["run"]["run_id"] == run_id
    assert "runs begin with" in told(cli.run("journal", "show", run_id[0]))
    assert "no run 'zzz'" in told(cli.run("journal", "show", "zzz"))


def test_ingest_takes_every_form_once(cli: Cli) -> None:
    """An .eml file, a folder of them, an mbox and a Maildir; the second time nothing is new."""
    eml = cli.folder / "form-a.eml"
    eml.write_bytes(
        mail("Could you send me a price?", message_id="<form-a@example.com>", subject="A")
    )
    folder = cli.data.parent / "data" / "forms"
    folder.mkdir()
    (folder / "b.eml").write_bytes(
        mail("What does it cost?", message_id="<form-b@example.com>", subject="B")
    )
    box = mailbox.mbox(folder / "c.mbox")
    box.add(mail("When are you open?", message_id="<form-c@example.com>", subject="C"))
    box.close()
    maildir = mailbox.Maildir(folder / "d", create=True)
    maildir.add(mail("Where is it?", message_id="<form-d@example.com>", subject="D"))
    for path in (eml, folder, folder / "c.mbox", folder / "d"):
        first = json.loads(cli.run("ingest", str(path), "--json").stdout)
        assert first == {"imported": 1, "already_there": 0, "started": 1}
        assert cli.run("ingest", str(path)).stdout.splitlines() == [
            "Imported 0 messages; 1 were there already.", "Mail: nothing new."
        ]  # fmt: skip


def test_what_is_no_mail_is_told_and_nothing_is_imported(cli: Cli) -> None:
    """A path that is not there, a binary file, an empty folder."""
    binary = cli.data / "binary.eml.png"
    binary.write_bytes(bytes(range(256)) * 40)
    empty = cli.data / "nothing"
    empty.mkdir()
    assert "/nowhere: no such file" in told(cli.run("ingest", "/nowhere"))
    assert f"{binary}: not an mbox file" in told(cli.run("ingest", str(binary)))
    assert f"{empty}: neither" in told(cli.run("ingest", str(empty)))


def test_review_takes_every_answer(cli: Cli, tmp_path: Path) -> None:
    """Garbage is asked again; edit, respond, accept and skip each do what the menu says; the summary counts them."""
    bring(cli, "review-1", "Could you send me the price of the oak shelf?")
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/^cc$/&/; $ a --- Edited by hand.' \"$1\"\n")
    editor.chmod(0o755)
    position = [c["title"] for c in cards(cli)].index("Send reply to Ana Petrova: Re: review-1")
    with cli.terminal("review", EDITOR=str(editor)) as screen:
        for _ in range(position):
            screen.answer("s")
        shown = screen.answer("abort")
        assert f"{position + 1} of {len(cards(cli))} · Send reply to Ana Petrova: Re: review-1" in shown
        assert "[a] accept – do it as shown" in shown
        assert "type one of a, e, r, i, s, q" in screen.answer("r")
        screen.until("Tell the assistant")
        screen.type("Mention the delivery time.\r")
        assert "(draft 2)" in screen.answer("edit")
        assert "Done with your edit." in screen.answer("q")
        code, rest = screen.end()
    assert code == 0
    assert "1 responded to, 1 edited" in rest
    (reply,) = sent(cli, "<review-1@example.com>")
    assert "--- Edited by hand." in str(reply.get_payload(decode=True), "utf-8")


def test_an_edit_that_is_refused_shows_the_problem_above_the_question(cli: Cli, tmp_path: Path) -> None:
    """A recipient that is no address: the same card again with the reason; ignore then ends it."""
    bring(cli, "review-2", "Could you send me the price of the pine shelf?")
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i '/^--- to$/ {n; s/.*/ana at example/}' \"$1\"\n")
    editor.chmod(0o755)
    with cli.terminal("review", EDITOR=str(editor)) as screen:
        for _ in range([c["title"] for c in cards(cli)].index("Send reply to Ana Petrova: Re: review-2")):
            screen.answer("s")
        screen.answer("e")
        assert re.search(r"Not taken: .*ana at example", screen.answer("i"))
        screen.answer("\x04")
        assert "1 ignored" in screen.end()[1]
    assert sent(cli, "<review-2@example.com>") == []


@pytest.mark.parametrize("keys", ["\x03", "\x04", "quit\r"])
def test_review_can_be_left_at_any_time(cli: Cli, keys: str) -> None:
    """Ctrl-C, Ctrl-D and quit end it with the summary; nothing is answered."""
    with cli.terminal("review") as screen:
        screen.until("Your answer")
        screen.type(keys)
        code, rest = screen.end()
    assert code == 0
    assert "Cards: none answered" in rest


def test_review_without_a_terminal_ends_with_the_input(cli: Cli) -> None:
    """Answers may be piped in; the end of the input is quit."""
    result = cli.run("review", stdin="s\n")
    assert result.returncode == 0
    assert "2 of " in result.stdout
    assert "none answered" in result.stdout


def test_a_hostile_mail_cannot_act_on_the_terminal(cli: Cli) -> None:
    """Escapes, 8-bit controls, direction marks and markup of the mail are shown or gone, never emitted."""
    hostile = (
        "What does [bold red]it[/] cost? :warning: \x1b]0;owned\x07\x1b[2J\x9b31m\u202egro.live\r\x08 `x`?"
    )
    bring(cli, "review-3", hostile, sender='"Eve \x1b[31m[blink]" <eve@example.com>')
    plain = cli.run("review", stdin="s\n" * 200).stdout
    as_json = cli.run("review", "--json").stdout
    for text in (plain, as_json, cli.run("journal", "show", "--limit", "3").stdout, cli.run("status").stdout):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert "[bold red]it[/] cost? :warning:" in plain
    with cli.terminal("review") as screen:
        for _ in range(len(cards(cli))):
            screen.answer("s")
        screen.end()
    assert "\x1b]" not in screen.text
    assert "\x1b[2J" not in screen.text


def test_memory_is_edited_and_restored_and_the_server_shows_it(cli: Cli) -> None:
    """Each change is a revision; the store of the running server has the newest."""
    before = json.loads(cli.run("memory", "show", "--json").stdout)["cal_preferences"]
    assert cli.run("memory", "edit", "cal_preferences", "--text", "- Never on Monday.").returncode == 0
    assert "- Never on Monday." in cli.run("memory", "show").stdout
    assert (
        cli.run("memory", "edit", "cal_preferences", "--text", "- Never on Monday.").stdout
        == "Nothing was changed.\n"
    )
    assert cli.run("memory", "restore", "cal_preferences", str(before["revision"])).returncode == 0
    after = json.loads(cli.run("memory", "show", "--json").stdout)["cal_preferences"]
    assert (after["content"], after["revision"]) == (before["content"], before["revision"] + 2)
    assert "- Never on Monday." in cli.run("memory", "history", "cal_preferences").stdout
    assert "no revision 999" in told(cli.run("memory", "restore", "cal_preferences", "999"))
    assert "cannot be empty" in told(cli.run("memory", "edit", "cal_preferences", "--text", " "))
    assert "set EDITOR to one that does" in told(
        cli.run("memory", "edit", "cal_preferences", EDITOR="/nowhere/vi")
    )


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_server_ends_with_its_command(newcomer: Cli, ending: signal.Signals) -> None:
    """The child is gone when the command is, with exit code 0, and the port is free again."""
    with running(newcomer, command="serve", **PERSON) as up:
        assert len(servers_on(up.port)) == 1
        up.output.process.send_signal(ending)
        code, rest = up.output.end()
    assert (code, servers_on(up.port)) == (0, [])
    assert rest.endswith("Stopped.\n")


def test_run_goes_on_where_it_was_ended(newcomer: Cli) -> None:
    """An interrupted first fill is completed; the next run imports nothing again, and lists the same cards."""
    newcomer.data.mkdir()
    (newcomer.data / ".samples-unfinished").touch()
    mailbox.Maildir(newcomer.data / "mailbox", create=True)
    with running(newcomer) as first:
        assert "sample mailbox" in first.greeting
        first.output.process.send_signal(signal.SIGTERM)
        first.output.end()
    with running(newcomer, EMAIL_ASSISTANT_API_TOKEN="right") as second:
        assert "sample mailbox" not in second.greeting
        assert "Mail: nothing new." in second.greeting
        assert listed(second.greeting) == listed(first.greeting)
        for args in ("review", "ingest"):
            line = told(newcomer.run(args, EMAIL_ASSISTANT_API_TOKEN="wrong"))
            assert "set EMAIL_ASSISTANT_API_TOKEN" in line
        assert newcomer.run("review", "--json", EMAIL_ASSISTANT_API_TOKEN="right").returncode == 0
        assert "refuses the key" in newcomer.run("doctor").stdout


def listed(greeting: str) -> list[str]:
    """The cards that `run` has listed."""
    return sorted(line for line in greeting.splitlines() if line.startswith("  • "))


def test_a_server_that_dies_is_told(newcomer: Cli) -> None:
    """Exit code 1, because nobody asked for it."""
    with running(newcomer, command="serve", **PERSON) as up:
        (server,) = servers_on(up.port)
        os.kill(server, signal.SIGKILL)
        code, rest = up.output.end()
    assert code == 1
    assert "the server ended by itself" in rest
