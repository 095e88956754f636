"""The README's commands, as printed and in their order, in a fresh clone: what a newcomer does in the first minutes."""

import mailbox
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.e2e.cli_support import OFFLINE, Cli, Output, servers_on
from tests.support.desk import mail
from tests.support.dev_server import ROOT, free_port
from tests.support.installs import environment_with

README = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = 120
"""A README that is longer is not read."""
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """What the README says to type, without its remarks."""
    blocks = (text for kind, text in _BLOCK.findall(README) if kind == "sh")
    return [line.split(" #")[0].strip() for block in blocks for line in block.splitlines() if line.strip()]


def shown() -> list[str]:
    """What the README says that `make run` prints."""
    (text,) = (text for kind, text in _BLOCK.findall(README) if kind == "console")
    return [line for line in text.splitlines()[1:] if line.strip() not in {"", "…"}]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of what is committed or changed here, set up as `make setup` does but for the packages, which are there."""
    folder = tmp_path_factory.mktemp("newcomer") / "email_assistant"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    for name in filter(None, tracked):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        else:
            (folder / name).unlink(missing_ok=True)
    environment_with(folder / ".venv", "--editable", str(folder))
    (folder / ".venv" / ".runtime").touch()
    return folder


@contextmanager
def typed(user: Cli, command: str) -> Iterator[Output]:
    """The command on a terminal of the user's, as the shell takes it."""
    words = [
        word.replace("~", str(user.folder.parent), 1) if word.startswith("~") else word
        for word in shlex.split(command)
    ]
    program = words[0] if "/" not in words[0] else str(user.folder / words[0])
    with Cli(user.folder, user.data, user.settings, command=program).terminal(*words[1:]) as output:
        yield output


@pytest.mark.timeout(600)
def test_the_commands_of_the_readme_in_order(clone: Path) -> None:
    """The server of the first one runs on; cards are reviewed, and a mail of one's own comes in."""
    box = mailbox.mbox(clone.parent / "mail.mbox")
    box.add(mail(message_id="<own@example.com>"))
    box.close()
    port = str(free_port())
    user = Cli(clone, clone / ".email_assistant", OFFLINE | {"PORT": port, "MAKEFLAGS": ""})
    first, *rest = commands()
    with ExitStack() as stack:
        server = stack.enter_context(typed(user, first))
        greeting = server.until("until Ctrl-C.").replace("\r", "")
        for line in shown():
            assert digits_aside(line) in digits_aside(greeting), (
                f"README shows {line!r}; printed was:\n{greeting}"
            )
        for command in rest:
            with typed(user, command) as output:
                if command.endswith(" review"):
                    assert "[i] not wanted – do nothing" in output.answer("s")
                    output.answer("q")
                code, printed = output.end()
                assert code == 0, f"{command}: {printed}"
        server.type("\x03")
        server.end()
    assert servers_on(int(port)) == []


def digits_aside(text: str) -> str:
    """Numbers of mails and cards, and the port, may differ."""
    return re.sub(r"\d+", "0", text)


def test_the_readme_is_short() -> None:
    """Every line more is a reader less."""
    assert len(README.splitlines()) <= LINES


def test_the_readme_names_only_commands_that_it_shows() -> None:
    """Two commands first; each command of the README begins with `make` or with the installed command."""
    assert commands()[:2] == ["make run", ".venv/bin/email-assistant review"]
    assert all(re.match(r"make |\.venv/bin/email-assistant ", command) for command in commands())
