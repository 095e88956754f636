"""`email-assistant eval run`: the scorecard, from the checkout that holds its data."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from email_assistant.errors import ConfigError

app = typer.Typer(
    help="The scorecard: how good, how safe and how costly the assistant is.", no_args_is_help=True
)


@app.callback()
def _() -> None:
    """The scorecard: how good, how safe and how costly the assistant is."""


@app.command("run", short_help="Measure; with a model by its name, else with the offline rules.")
def run(
    suite: Annotated[
        list[str] | None, typer.Option("--suite", help="Only this suite; again for more.", metavar="NAME")
    ] = None,
    model: Annotated[
        str,
        typer.Option("--model", help="provider:model that answers, or offline (the rules).", metavar="MODEL"),
    ] = "offline",
    split: Annotated[str, typer.Option(help="dev, test, or all of the data.", metavar="HALF")] = "all",
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each case, for pass^k.")] = 1,
    record: Annotated[
        str, typer.Option(help="Write the model's answers into this folder.", metavar="FOLDER")
    ] = "",
    replay: Annotated[str, typer.Option(help="Take the answers from this folder.", metavar="FOLDER")] = "",
    judge: Annotated[str, typer.Option(help="provider:model that judges drafts, too.", metavar="MODEL")] = "",
) -> None:
    """Run the scorecard and write eval/report/index.html and summary.md.

    Without a model no key is needed: the offline rules answer, or a script where a suite says so. A model is asked many
    hundred times; its key is the one of the settings. Exit code 1 when a suite fails.
    """
    root = _checkout()
    if find_spec("scipy") is None:
        raise ConfigError("the scorecard needs the packages for developing: run `make dev` first")
    options = [f"--suite={name}" for name in suite or []] + [
        f"--model={model}",
        f"--split={split}",
        f"--repeats={repeats}",
    ]
    options += [f"--{name}={value}" for name, value in _places(record, replay) if value]
    options += [f"--judge={judge}"] if judge else []
    done = subprocess.run([sys.executable, "-m", "eval", *options], cwd=root, check=False)  # noqa: S603 - our own module
    raise typer.Exit(done.returncode)


def _checkout() -> Path:
    """The checkout that this package runs from, else the working folder."""
    for folder in (*Path(__file__).resolve().parents, Path.cwd()):
        if (folder / "eval" / "__main__.py").is_file():
            return folder
    raise ConfigError(
        "the scorecard's folder eval was not found: run this inside the email_assistant checkout"
    )


def _places(record: str, replay: str) -> list[tuple[str, str]]:
    """The folders as seen from here: the scorecard runs in the checkout."""
    named = (("record", record), ("replay", replay))
    return [(name, str(Path(folder).expanduser().resolve()) if folder else "") for name, folder in named]
