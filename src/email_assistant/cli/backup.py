"""`backup` and `restore`: the data folder and its database in one file, made while the server works.

What is copied first is the oldest, so that the copy is what a crash at that moment would have left, which the server mends when it starts:
states of the graphs, then the record of what was done, then mailbox and calendar, where it was done. A card that is answered meanwhile
waits again in the copy, and answering it again finds on record that it is done.
"""

import gzip
import io
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import typer
from sqlalchemy.engine import make_url

from email_assistant.adapters.files import sync_folder
from email_assistant.checkpoints.savers import FILE as CHECKPOINTS
from email_assistant.cli.console import count, journal_deps, say, shown
from email_assistant.cli.server_note import check_alone
from email_assistant.clock import SystemClock
from email_assistant.errors import ConfigError, InputError
from email_assistant.journal.engines import is_sqlite
from email_assistant.journal.schema import NUMBER, made_file
from email_assistant.settings import Settings
from email_assistant.sqlite_files import damage

MANIFEST = "backup.json"
FORMAT = 1
DATA, DATABASE = "data", "database.db"
LOOKS = 10
"""A mail that is renamed while its folder is listed may be missed: the folder is listed again until nothing new is there."""
COPY_SECONDS = 30.0
LEFT_OUT = (
    "*.lock",
    "*-wal",
    "*-shm",
    "*-journal",
    "server.url",
    "server.log*",
    "checkpoints.damaged-*",
    ".*.part",
)
"""Files of one running server, logs, and older copies."""

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The copy, for example assistant.tar.gz.")]


def backup(file: FileArgument) -> None:
    """Copy everything that the assistant keeps into FILE, also while the server runs.

    That is the data folder and a SQLite database, wherever it is. A PostgreSQL database is its own tools' to copy, and so is a mailbox or
    calendar outside the data folder. FILE holds your mail and your sign-ins: keep it as you keep them.
    """
    file = file.expanduser()
    if not file.parent.is_dir():
        raise InputError(f"{file}: name a file in a folder that is there")
    settings = journal_deps().settings
    if file.exists():
        raise InputError(f"{file} is there already: name a new file")
    if file.resolve().is_relative_to(settings.data_path.resolve()):
        raise InputError(f"{file} is in the data folder that is copied: name a file outside")
    part = file.with_name(f".{file.name}.part")
    try:
        with part.open("xb") as target, tarfile.open(fileobj=target, mode="w:gz", compresslevel=1) as archive:
            os.fchmod(target.fileno(), 0o600)
            number = _fill(archive, settings, file.absolute().parent)
        _sync(part)
        os.link(part, file)
    except FileExistsError as error:
        raise InputError(f"{error.filename2 or part} is there already: is another backup at work?") from None
    finally:
        part.unlink(missing_ok=True)
    sync_folder(file.parent)
    say(f"{shown(file)}: {count(number, 'file')}, {file.stat().st_size / 1e6:,.1f} MB.")
    for line in _elsewhere(settings):
        say(line)


def restore(file: FileArgument) -> None:
    """Put what FILE holds into the data folder, which must be empty; the server must not run.

    The database goes where DATABASE_URL says. The copy is read as a whole before anything is put in place.
    """
    from email_assistant.settings import load_settings

    settings = load_settings()
    folder, database = settings.data_path.absolute(), _database(settings)
    check_alone(folder)
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(
            f"EMAIL_ASSISTANT_DATA_DIR: {folder} is not empty: name another folder, or move what is in it"
        )
    if database and database.exists():
        raise ConfigError(f"DATABASE_URL: {database} is there already: name another file, or move it")
    # A service may write into its own folder alone, and that may be a mount.
    beside = folder if folder.exists() else folder.parent
    beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=beside) as part:
        made = _read(file.expanduser(), Path(part))
        if database and (Path(part) / DATABASE).exists():
            place = (
                Path(part, DATA, database.relative_to(folder))
                if database.is_relative_to(folder)
                else database
            )
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            made_file(place).touch(mode=0o600)
            shutil.move(Path(part) / DATABASE, place)
        if beside == folder:
            for each in sorted((Path(part) / DATA).iterdir(), key=lambda each: _turn(each, database)):
                each.replace(folder / each.name)
        else:
            (Path(part) / DATA).replace(folder)
    sync_folder(folder.parent)
    say(
        f"{shown(folder)} is as it was on {made}. Start the server: what was on its way then is looked up first, and done once."
    )


def _turn(path: Path, database: Path | None) -> tuple[bool, bool, bool, bool, str]:
    """Sorts what is put in place one by one. What says that something was there goes first, the database and the mailbox last: a
    server that starts on half of it then says what is gone, and begins nothing anew."""
    is_database = database is not None and path.name == database.name
    says_so = database is not None and path.name == made_file(database).name
    return not says_so, path.suffix != ".made", path.is_dir(), is_database, path.name


def _fill(archive: tarfile.TarFile, settings: Settings, beside: Path) -> int:
    """Everything, in the order that the module's first lines give; how many files. Databases are copied to the folder `beside` first."""
    folder, database = settings.data_path, _database(settings)
    manifest = {
        "format": FORMAT,
        "version": version("email-assistant"),
        "schema": NUMBER,
        "made": SystemClock().now().isoformat(timespec="seconds"),
    }
    _add(archive, MANIFEST, json.dumps(manifest).encode(), 0)
    own = {folder / CHECKPOINTS: f"{DATA}/{CHECKPOINTS}"} | ({database: DATABASE} if database else {})
    for path, name in own.items():
        if path.exists():
            _add_database(archive, name, path, beside)
    known = set(own)
    for _ in range(LOOKS):
        new = [path for path in _files(folder) if _key(path) not in known]
        known |= {_key(path) for path in new if _add_file(archive, path, folder)}
        if not new:
            break
    return len(known)


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not Path(place, name).is_symlink()]
        for name in names:
            path = Path(place, name)
            if not any(PurePosixPath(name).match(pattern) for pattern in LEFT_OUT) and path.is_file():
                yield path


def _key(path: Path) -> Path:
    """The same for a mail of a Maildir wherever its state has moved it: by its name without flags, in its folder."""
    if path.parent.name in {"new", "cur"}:
        return path.parent.parent / path.name.partition(":2,")[0]
    return path


def _add_file(archive: tarfile.TarFile, path: Path, folder: Path) -> bool:
    try:
        data, changed = path.read_bytes(), path.stat().st_mtime
    except FileNotFoundError:
        return False  # It was moved meanwhile, and is found in the next listing.
    _add(archive, f"{DATA}/{path.relative_to(folder).as_posix()}", data, changed)
    return True


def _add(archive: tarfile.TarFile, name: str, data: bytes, changed: float) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = len(data), 0o600, changed
    archive.addfile(entry, io.BytesIO(data))


def _add_database(archive: tarfile.TarFile, name: str, path: Path, beside: Path) -> None:
    """A SQLite file as it is at one moment, whoever writes it; raises `ConfigError` when it is damaged."""
    if problem := damage(path):
        raise ConfigError(
            f"{path} is damaged ({problem}): a copy of it would help nobody; `email-assistant doctor` says more"
        )
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=beside) as folder:
        copy = Path(folder) / "copy.db"
        with (
            closing(sqlite3.connect(path, timeout=COPY_SECONDS)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
        archive.add(copy, name, filter=_private)


def _private(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o600
    return entry


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _read(file: Path, folder: Path) -> str:
    """Unpack the copy into the folder; when it was made. Raises `InputError` when it is no whole backup, or a newer version's."""
    try:
        with gzip.open(file) as stream:
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                _unpack(archive, folder)
            stream.read()  # Its end holds the checksum.
        made = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        is_ours, moment = made["format"] == FORMAT and made["schema"] == NUMBER, str(made["made"])
        datetime.fromisoformat(moment)
    except FileNotFoundError as error:
        reason = "no such file" if not file.exists() else f"it has no {Path(str(error.filename)).name}"
        raise InputError(f"{file}: {reason}") from None
    except (tarfile.TarError, EOFError, OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{file} is no whole backup: {' '.join(str(error).split()) or type(error).__name__}"
        ) from None
    if not is_ours:
        raise InputError(
            f"{file} was made by email-assistant {made.get('version')}: restore it with that version"
        )
    for path in (folder / DATABASE, folder / DATA / CHECKPOINTS):
        if problem := damage(path):
            raise InputError(f"{file}: {path.name} in it is damaged: {problem}")
    (folder / DATA).mkdir(mode=0o700, exist_ok=True)
    return f"{datetime.fromisoformat(moment):%a %-d %b %Y, %H:%M} UTC"


def _unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Its files, for their owner alone; not `extractall`, whose filter Python 3.11.2 does not have, which Debian 12 brings."""
    for entry in archive:
        path, content = (folder / entry.name).resolve(), archive.extractfile(entry)
        if content is None or not path.is_relative_to(folder.resolve()):
            raise tarfile.TarError(f"{entry.name} is no file of a copy")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with content, os.fdopen(handle, "wb") as file:
            shutil.copyfileobj(content, file)
        os.utime(path, (entry.mtime, entry.mtime))


def _database(settings: Settings) -> Path | None:
    """The SQLite file of our own tables; None where they are in PostgreSQL."""
    url = make_url(settings.database)
    return Path(url.database or "").absolute() if is_sqlite(url) else None


def _elsewhere(settings: Settings) -> Iterator[str]:
    """What is not in the copy, and how it is had."""
    if _database(settings) is None:
        yield (
            "Not in it: the database of DATABASE_URL. `pg_dump --format=custom` copies it; do that before this copy, "
            "so that what it says was done is in here."
        )
    places: dict[str, Any] = {
        "EMAIL_ASSISTANT_MAILBOX": settings.mailbox_path,
        "EMAIL_ASSISTANT_CALENDAR": settings.calendar_path,
    }
    for name, path in places.items():
        if path and not path.absolute().is_relative_to(settings.data_path.absolute()):
            yield f"Not in it: {path} ({name}), which is outside the data folder."
