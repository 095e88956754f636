"""The command line as a newcomer meets it: every command against a real server with the sample mailbox."""

import json
import mailbox
import os
import re
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client

from email_assistant.ingest.own_style import FEWEST
from tests.e2e.cli_support import Cli, Running, running, servers_on, told
from tests.support.desk import mail

pytestmark = pytest.mark.xdist_group("cli")
GMAIL = {"EMAIL_ASSISTANT_MAILBOX": "gmail"}
"""Lets a command import what talks to Google."""


def bring(
    cli: Cli, *names: str, body: str = "Robin, could you send me the price of the oak shelf?", **fields: str
) -> None:
    """Ingest a folder of mails."""
    folder = cli.folder / names[0]
    folder.mkdir()
    for name in names:
        raw = mail(body, message_id=f"<{name}@example.com>", subject=name, **fields)
        (folder / f"{name}.eml").write_bytes(raw)
    counts = json.loads(cli.run("ingest", str(folder), "--json").stdout)
    assert counts == {
        "imported": len(names),
        "already_there": 0,
        "imported_as_sent": 0,
        "started": len(names),
    }


def sent(cli: Cli, name: str) -> list[Any]:
    """What was sent in answer to a message that `bring` brought."""
    root = mailbox.Maildir(cli.data / "mailbox", create=False)
    folder = root.get_folder("Sent") if "Sent" in root.list_folders() else []
    return [m for m in folder if str(m["In-Reply-To"]).strip() == f"<{name}@example.com>"]


def an_editor(folder: Path, script: str) -> str:
    """An editor that makes one change by itself."""
    editor = folder / "an editor"
    editor.write_text(f"#!/bin/sh\n{script}\n")
    editor.chmod(0o755)
    return f"'{editor}'"


def test_run_fills_in_the_samples_and_goes_on_where_it_was_ended(newcomer: Cli) -> None:
    """A first fill that was interrupted is completed; the next run imports nothing again, and lists the same cards."""
    newcomer.data.mkdir()
    (newcomer.data / ".samples-unfinished").touch()
    mailbox.Maildir(newcomer.data / "mailbox", create=True)
    with running(newcomer) as first:
        assert "trying things out with the sample mailbox" in first.greeting
        assert f"email-assistant review --url http://127.0.0.1:{first.port}" in first.greeting
        assert f"in a browser:  http://127.0.0.1:{first.port}/review\n" in first.greeting
        first.output.process.send_signal(signal.SIGINT)
        assert (first.output.end()[0], servers_on(first.port)) == (0, [])
    assert [p.name for p in newcomer.folder.iterdir()] == ["data"]
    with running(newcomer, EMAIL_ASSISTANT_API_TOKEN="right") as second:
        assert "Ignored today: 8 mails." in second.greeting
        assert "sample mailbox" not in second.greeting
        assert "Mail: nothing new." in second.greeting
        assert len(listed(second.greeting)) > 20
        assert listed(second.greeting) == listed(first.greeting)
        assert_logs_in_once(second)
        wrong = told(newcomer.run("ingest", EMAIL_ASSISTANT_API_TOKEN="wrong"))
        assert "set EMAIL_ASSISTANT_API_TOKEN" in wrong
        second.output.process.send_signal(signal.SIGTERM)
        code, rest = second.output.end()
        assert (code, rest.splitlines()[-1], servers_on(second.port)) == (0, "Stopped.", [])


def assert_logs_in_once(up: Running) -> None:
    """The link that `run` prints opens the page for one browser, on a button; nothing of the token is in it."""
    found = re.search(r"in a browser:  (http://\S+/review/login/\S+) ", up.greeting)
    assert found, up.greeting
    link = found[1]
    assert "right" not in link
    url = f"http://127.0.0.1:{up.port}"
    with httpx.Client(headers={"origin": url}) as browser, httpx.Client(headers={"origin": url}) as another:
        assert browser.post(f"{link}x", json={}).status_code == 401
        assert (browser.head(link).status_code, browser.get(link).status_code) == (200, 200)
        browser.headers["review-key"] = browser.post(link, json={}).headers["review-key"]
        assert browser.get(f"{url}/review/list").status_code == 200
        assert another.post(link, json={}).status_code == 401
        assert another.get(f"{url}/review/list").status_code == 401


def listed(greeting: str) -> list[str]:
    """The cards that `run` has listed."""
    return sorted(line for line in greeting.splitlines() if line.startswith("  • "))


def test_a_server_that_dies_is_told(newcomer: Cli) -> None:
    """Exit code 1, because nobody asked for it."""
    with running(newcomer) as up:
        (server,) = servers_on(up.port)
        os.kill(server, signal.SIGKILL)
        code, rest = up.output.end()
    assert code == 1
    assert f"the server ended by itself (exit code -9); its log is {newcomer.data / 'server.log'}" in rest


def test_a_second_server_is_refused(desk: Running, newcomer: Cli) -> None:
    """On the same data folder, or on the same port: the line says where the first one is, and how to go on."""
    assert f"at http://127.0.0.1:{desk.port}" in told(desk.cli.run("run", "--port", "1"))
    line = told(newcomer.run("run", "--port", str(desk.port)))
    assert f"port {desk.port} is taken" in line
    assert "--port" in line
    assert not newcomer.data.exists()


def test_doctor_finds_the_server_of_the_data_folder(desk: Running) -> None:
    """Without --url although its port is not the usual one; valid JSON alone."""
    result = desk.cli.run("doctor", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    findings = json.loads(result.stdout)
    assert all(finding["ok"] for finding in findings)
    assert findings[-1]["text"] == f"running at http://127.0.0.1:{desk.port}"


@pytest.mark.parametrize("args", [("doctor",), ("status", "--json"), ("nope",)], ids=" ".join)
def test_a_forked_command_is_the_command(newcomer: Cli, args: tuple[str, ...]) -> None:
    """What users start prints the same and ends alike: it imports what it needs by itself, and no import has its say."""
    newcomer.run("status")
    forked, started = newcomer.run(*args, **GMAIL), newcomer.run_unprepared(*args, **GMAIL)
    assert (started.returncode, started.stdout, started.stderr) == (
        forked.returncode,
        forked.stdout,
        forked.stderr,
    )


def test_ingest_takes_a_mail_once_in_every_form(cli: Cli) -> None:
    """Out of a Maildir, and then again out of an mbox: it is taken up once, and the journal has its run."""
    raw = mail("Big summer sale!", message_id="<form@example.com>", List_Unsubscribe="<mailto:a@example.com>")
    mailbox.Maildir(cli.folder / "maildir", create=True).add(raw)
    box = mailbox.mbox(cli.folder / "mbox")
    box.add(raw)
    box.close()
    first = json.loads(cli.run("ingest", str(cli.folder / "maildir"), "--json").stdout)
    assert first == {"imported": 1, "already_there": 0, "imported_as_sent": 0, "started": 1}
    lines = cli.run("ingest", str(cli.folder / "mbox")).stdout.splitlines()
    assert lines[:2] == ["Imported 0 messages; 1 were there already.", "Mail: nothing new."]
    run_id = cli.run("journal", "show", "--limit", "1").stdout.split()[0]
    detail = cli.run("journal", "show", run_id).stdout
    assert f"trace {run_id} of email_assistant" in detail
    assert "triage" in detail


def test_review_takes_every_answer(cli: Cli, tmp_path: Path) -> None:
    """Garbage is asked again; respond, edit, accept gap by gap, skip and ignore do what the menu says; the summary counts them."""
    bring(cli, "walk-1", "walk-2")
    filled = """sed -i 's/^It is 95 euros.*/Edited by hand./' "$1\""""
    with cli.terminal("review", EDITOR=an_editor(tmp_path, filled)) as screen:
        shown = screen.answer("abort")
        assert re.search(r"1 of 2 · Send reply to Ana Petrova: \w", shown)
        assert "[a] accept – do it as shown" in shown
        assert "type one of a, e, r, d, i, s, q" in screen.answer("r")
        screen.until("Tell the assistant")
        screen.type("Tell her it is 95 euros.\r")
        assert "(draft 2)" in screen.answer("edit")
        assert "Done with your edit." in screen.answer("A")
        screen.until("Gap 1 of 1")
        screen.type("We will.\r")
        code, rest = screen.end()
    assert code == 0
    assert "Cards: 1 told the assistant, 1 edited, 1 accepted; nothing waits any more." in rest
    bodies = [
        str(reply.get_payload(decode=True), "utf-8")
        for name in ("walk-1", "walk-2")
        for reply in sent(cli, name)
    ]
    assert len(bodies) == 2
    assert len([body for body in bodies if "Edited by hand." in body]) == 1
    assert [body for body in bodies if "[confirm:" in body] == []
    assert len([body for body in bodies if "We will." in body]) == 1


def test_a_hostile_mail_cannot_act_and_an_edit_can_be_refused(cli: Cli, tmp_path: Path) -> None:
    """Nothing of the mail acts on the terminal; an edit with no address shows why; Ctrl-C leaves the card waiting."""
    hostile = "Robin, what does [bold red]it[/] cost? :warning: \x1b]0;owned\x07\x1b[2J\x9b31m\u202egro.live\x08 `x`?"
    bring(cli, "hostile", body=hostile, sender='"Eve [blink]" <eve@example.com>')
    editor = an_editor(tmp_path, "sed -i '/^--- to$/ {n; s/.*/eve at example/}' \"$1\"")
    with cli.terminal("review", EDITOR=editor) as screen:
        screen.answer("e")
        assert re.search(r"Not taken: .*eve at example", screen.until("Your answer"))
        screen.interrupt()
        code, rest = screen.end()
    assert code == 0
    assert "Cards: none answered; 1 waits for you." in rest
    assert "[bold red]it[/] cost? :warning:" in screen.text
    for acting in (
        r"\x1b[^[]",
        r"\x1b\[[0-9;?]*[^0-9;?m]",
        r"[\x00-\x08\x0b\x0c\x0e-\x1a\x80-\x9f\u202a-\u202e]",
    ):
        assert not re.search(acting, screen.text), acting
    listed_as_json = cli.run("review", "--json").stdout
    assert len(json.loads(listed_as_json)) == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", listed_as_json)
    assert "1 not wanted; nothing waits" in cli.run("review", stdin="i\n").stdout
    assert sent(cli, "hostile") == []


def test_how_the_user_writes_is_counted_and_learned_from_its_card(cli: Cli) -> None:
    """What the command prints is what the card proposes; counted anew, one card waits."""
    assert "To see how you write, 20 are needed." in told(cli.run("learn", "--from-sent"))
    folder = cli.folder / "own"
    folder.mkdir()
    for number in range(FEWEST):
        body = f"Hey Ana,\n\nthe oak shelf number {number} is ready and waits for you.\n\nTake care\nRob"
        raw = mail(body, sender="Robin Vale <robin@vale.example>", message_id=f"<own{number}@vale.example>")
        raw = raw.replace(b"To: Robin Vale <robin@vale.example>", b"To: Ana Petrova <ana@example.com>")
        (folder / f"{number}.eml").write_bytes(raw)
    cli.run("ingest", str(folder))
    for _ in range(2):
        printed = cli.run("learn", "--from-sent").stdout
        (waiting,) = json.loads(cli.run("review", "--json").stdout)
        assert waiting["args"]["letters"] == printed.partition("- Close to me")[0].strip()
    assert "1 accepted; nothing waits" in cli.run("review", stdin="a\n").stdout
    learned = cli.run("memory", "show").stdout.splitlines()
    assert set(waiting["args"]["letters"].splitlines()) <= set(learned)


def test_a_change_of_the_memory_reaches_the_running_server(desk: Running) -> None:
    """The server's store shows the new revision at once."""
    assert desk.cli.run("memory", "edit", "cal_preferences", "--text", "- Never on Monday.").returncode == 0
    client = get_sync_client(url=f"http://127.0.0.1:{desk.port}")
    item = client.store.get_item(["email_assistant", "cal_preferences"], "user_preferences")
    assert item["value"]["content"] == "- Never on Monday."
