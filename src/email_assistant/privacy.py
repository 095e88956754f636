"""What is in mail is its owner's alone: the files of the data folder, and what libraries write into our logs.

Mail, tokens, the journal and what the server remembers lie in the data folder.
"""

import logging
import os
import stat
from pathlib import Path

import structlog

OTHERS = 0o077
"""What group and others may do, as bits of a mode."""
SILENT = ("extraction", "langmem")
"""They quote what a model has written, in errors: `extraction` is trustcall's."""
QUIET = (
    "httpx", "httpx2", "httpcore", "httpcore2", "openai", "openai._base_client", "anthropic", "googleapiclient", "google.auth",
    "urllib3", "requests_oauthlib", "oauthlib", "langchain_openai", "aiosqlite", "sqlalchemy.engine", "markdown_it", "pypdf", "imapclient",
)  # fmt: skip
"""They tell addresses with their queries, headers, bodies or parameters, below the level of warnings."""

log = structlog.get_logger(__name__)


def be_private() -> None:
    """Let this process, and those that it starts, make files 0600 and folders 0700."""
    os.umask(OTHERS)


def make_private_folder(path: Path) -> None:
    """Make the folder, or take an existing one from others; raises `OSError`."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _holds_home(path) and path.stat().st_mode & OTHERS:
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)


def tighten(folder: Path) -> int:
    """Take everything in the folder, and the folder, from others; how many modes were changed.

    Links are not followed. What belongs to somebody else stays as it is, with a warning. A folder that holds the home folder is
    left alone: somebody has named it by mistake, and other programs live there.
    """
    if not folder.is_dir() or _holds_home(folder):
        return 0
    changed = int(_tightened(folder))
    for path, folders, files in os.walk(folder):
        changed += sum(_tightened(Path(path, name)) for name in (*folders, *files))
    return changed


def _tightened(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode) or not mode & OTHERS:
            return False
        path.chmod(stat.S_IMODE(mode) & ~OTHERS)
    except FileNotFoundError:
        return False  # Other commands work in the folder, too.
    except OSError as error:
        log.warning("file_is_readable_by_others", reason=error.strerror or type(error).__name__)
        return False
    return True


def _holds_home(path: Path) -> bool:
    home = Path(os.path.realpath(Path.home()))
    return home.is_relative_to(Path(os.path.realpath(path)))


def quiet_libraries() -> None:
    """Let libraries log nothing that comes from mail, models or addresses, whatever level our own log has."""
    for name in SILENT:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
