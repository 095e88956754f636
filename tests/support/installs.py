"""The package installed as users install it, into an environment of its own whose other packages are the tests' own."""

import subprocess
import sys
import sysconfig
from pathlib import Path

LANGGRAPH = "#!{python}\nfrom langgraph_cli.cli import cli\ncli()\n"


def environment_with(folder: Path, *install: str) -> Path:
    """A virtual environment in `folder` with what `pip install` is given; returns its folder of commands.

    Nothing is fetched. What the package requires is found beside the tests' own Python, which has installed it from the
    lock; the tests' own installation of the package is not seen.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    own = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    # A folder that a .pth file names is searched, but its own .pth files, like that of an editable package, are not read.
    Path(own, "requirements.pth").write_text(sysconfig.get_path("purelib") + "\n")
    command = folder / "bin" / "langgraph"
    command.write_text(LANGGRAPH.format(python=python))
    command.chmod(0o755)
    # Nothing that is installed is looked at, or removed: the tests' own installation is in sight of pip.
    pip = [
        str(python),
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "install",
        "--ignore-installed",
    ]
    subprocess.run([*pip, "--no-index", "--no-deps", "--no-build-isolation", *install], check=True)
    return folder / "bin"


def built_wheel(project: Path, folder: Path) -> Path:
    """The wheel of the checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel
