"""Opening and sharing a database."""

import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import get_type_hints

import psycopg
import pytest
from sqlalchemy import create_engine, inspect, select, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.schema import CreateTable
from typing_extensions import is_typeddict

from email_assistant.adapter_registry import MAILBOXES
from email_assistant.checkpoints.savers import open_saver
from email_assistant.clock import FixedClock
from email_assistant.errors import ConfigError, TransientError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import normalise_url
from email_assistant.journal.mailboxes import Cursors
from email_assistant.journal.schema import MADE, NUMBER, check_whole, open_tables
from email_assistant.journal.sql import METADATA
from email_assistant.review.action import Action, Details
from email_assistant.review.card_view import CardView
from email_assistant.review.kinds import load_kinds
from email_assistant.workflow_registry import NAMES, table_modules
from tests.support.dev_server import free_port
from tests.support.mail_servers import server_process

pytestmark = pytest.mark.usefixtures("real_tables")

STARTER = """
import asyncio, sys
from email_assistant.journal.database import Database
print("ready", flush=True)
sys.stdin.readline()
asyncio.run(Database(sys.argv[1]).open())
"""


def _engine(database: Database):
    return create_engine(database.url.replace("+aiosqlite", ""))


async def test_an_empty_database_gets_the_tables(empty_database_url: str) -> None:
    """Those of the core, and of each workflow as soon as there is one; made once."""
    some, *others = table_modules()
    for modules in ((some,), (some, *others), ()):
        await Database(empty_database_url, tables=modules).open()
    database = Database(empty_database_url)
    with _engine(database).connect() as connection:
        assert set(inspect(connection).get_table_names()) == set(METADATA.tables)
        row = connection.execute(select(MADE)).one()
    assert (row.number, row.modules.split()) == (NUMBER, sorted(table_modules()))


def test_a_change_of_tables_cards_or_states_raises_the_number() -> None:
    """Else a folder of the version before would be read as if it were this one's: raise `schema.NUMBER`, and put the new digest here.

    Where something is merely new, the states of a further workflow or the details of a further kind, the digest is enough.
    """
    for module in (*table_modules(), *(module for each in MAILBOXES.values() for module in each.tables)):
        import_module(module)
    made = [str(CreateTable(table).compile(dialect=sqlite.dialect())) for table in METADATA.sorted_tables]
    kept = (Action, CardView, *_details(), *_states())
    shapes = [f"{each.__name__} {sorted(get_type_hints(each))}" for each in kept]
    digest = hashlib.sha256("\n".join([*made, *shapes]).encode()).hexdigest()[:16]
    assert (NUMBER, digest) == (9, "1303d22a5acf4e79")


def _details(base: type = Details) -> list[type]:
    """What cards of one kind carry."""
    load_kinds()
    found = {each.__qualname__: each for each in base.__subclasses__()}
    return [every for _, each in sorted(found.items()) for every in (each, *_details(each))]


def _states() -> list[type]:
    """What the graphs keep in checkpoints."""
    names = [f"email_assistant.workflows.{name}.state" for name in NAMES]
    modules = [import_module(name) for name in names if find_spec(name)]
    found = {each for module in modules for each in vars(module).values() if is_typeddict(each)}
    return sorted(found, key=lambda each: f"{each.__module__}.{each.__name__}")


def _together(script: str, url: str, number: int) -> None:
    """Run the script in that many processes at the same moment; all must succeed."""
    command, pipe = [sys.executable, "-c", script, url], subprocess.PIPE
    processes = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(number)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [(p.communicate(timeout=60)[1], p.returncode) for p in processes]
    assert [code for _, code in results] == [0] * number, results


def test_processes_that_start_at_once(empty_database_url: str) -> None:
    """Six processes that open an empty database at the same moment all succeed."""
    _together(STARTER, empty_database_url, 6)


@pytest.mark.parametrize("another", ["older", "newer", "of Alembic"])
async def test_a_database_of_another_version_is_refused(empty_database_url: str, another: str) -> None:
    """In one line that says how to begin anew, and it is left as it is."""
    database = Database(empty_database_url)
    await database.open()
    engine = _engine(database)
    with engine.begin() as connection:
        if another == "of Alembic":
            connection.execute(text("CREATE TABLE email_assistant_version (version_num VARCHAR(32))"))
        else:
            number = NUMBER + (1 if another == "newer" else -1)
            connection.execute(MADE.update().values(number=number))
        connection.execute(text("INSERT INTO cursors VALUES ('known by', '1', '2026-11-20 00:00:00+00')"))
    with pytest.raises(
        ConfigError, match=r"another version .* To begin anew .* mailbox, calendar and settings stay"
    ) as error:
        await Database(empty_database_url).open()
    assert "\n" not in str(error.value)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT value FROM cursors")).scalar() == "1"
    engine.dispose()


async def test_unusable_places(tmp_path: Path) -> None:
    """A file that is no database, a folder, and a server that is not there are errors of one line."""
    (tmp_path / "text.db").write_text("not a database, but long enough to be looked at " * 50)
    (tmp_path / "file").write_text("")
    for url in (
        f"sqlite:///{tmp_path / 'text.db'}",
        f"sqlite:///{tmp_path}",
        f"sqlite:///{tmp_path / 'file' / 'a.db'}",
        "postgresql://ann:s3cr3t@127.0.0.1:1/mail",
        "postgresql://ann:s3cr3t@127.0.0.1:1/mail?no_such_option=s3cr3t",
    ):
        with pytest.raises(ConfigError, match="DATABASE_URL") as caught:
            await Database(url).open()
        assert "s3cr3t" not in str(caught.value)
        assert "\n" not in str(caught.value)


def test_repr_hides_the_password() -> None:
    """A database that ends up in a traceback does not show its password."""
    assert "s3cr3t" not in repr(Database("postgresql://ann:s3cr3t@db.example.com/mail"))


async def test_a_lost_server_is_transient(
    fresh_postgres, postgres_template: str, postgres_url: str, clock: FixedClock
) -> None:
    """A PostgreSQL that ends the connection is reported as something that may pass."""
    database = Database(fresh_postgres(postgres_template))
    with pytest.raises(TransientError, match="database is not available"):
        async with database.begin() as connection:
            await connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
    await Cursors(database, clock).set("a", "1")
    assert await Cursors(database, clock).get("a") == "1"


async def test_a_pooled_connection_survives_what_breaks_off(database_url: str, clock: FixedClock) -> None:
    """A failed or cancelled use leaves neither a lock nor half a transaction to the next one."""
    database = Database(database_url, pooled=True)
    cursors = Cursors(database, clock)
    await cursors.set("a", "1")

    async def hang() -> None:
        async with database.begin() as connection:
            await connection.execute(text("UPDATE cursors SET value = 'lost'"))
            begun.set_result(None)
            await asyncio.Event().wait()

    for _ in range(3):
        begun = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(hang())
        await begun
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await cursors.get("a") == "1"

    async def fail() -> None:
        async with database.begin() as connection:
            await connection.execute(text("UPDATE cursors SET value = 'lost'"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    await cursors.set("b", "2")
    assert (await cursors.get("a"), await cursors.get("b")) == ("1", "2")
    await database.close()


async def test_a_damaged_journal_is_refused_by_its_name(tmp_path: Path, clock: FixedClock) -> None:
    """Whatever meets it: the look before a start, or a statement while a server runs; with what to do, in one line."""
    path = tmp_path / "a.db"
    database = Database(f"sqlite:///{path}")
    await database.open()
    raw = path.read_bytes()
    path.write_bytes(raw[:4096] + bytes(len(raw) - 4096))
    for look in (
        lambda: Cursors(database, clock).get("a"),
        lambda: asyncio.to_thread(check_whole, database.url),
    ):
        with pytest.raises(ConfigError, match=r"a\.db is damaged .* put your backup in its place") as told:
            await look()
        assert "\n" not in str(told.value)


@pytest.mark.parametrize("harm", ["gone", "empty"])
async def test_a_journal_that_was_there_is_not_begun_anew_unasked(tmp_path: Path, harm: str) -> None:
    """What it knew of sent replies would be forgotten; who wants it so says so."""
    path = tmp_path / "a.db"
    await Database(f"sqlite:///{path}").open()
    path.unlink() if harm == "gone" else path.write_bytes(b"")
    with pytest.raises(
        ConfigError, match=rf"a\.db is damaged \(it is {harm}; to begin anew instead, delete a\.db\.made\)"
    ):
        await Database(f"sqlite:///{path}").open()
    (tmp_path / "a.db.made").unlink()
    await Database(f"sqlite:///{path}").open()


OTHERS = """
CREATE TABLE runs (id int); INSERT INTO runs VALUES (7); CREATE TABLE checkpoints (id int); INSERT INTO checkpoints VALUES (8);
CREATE TABLE thread (id int);
"""
"""As the server that runs the graphs names its tables, too."""


def _tables(url: str) -> dict[str, set[str]]:
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'email_assistant')"
        ).fetchall()
    return {
        schema: {name for owner, name in rows if owner == schema} for schema in ("public", "email_assistant")
    }


@pytest.fixture
def bouncer(tmp_path: Path) -> Iterator[Callable[[str, str], str]]:
    """A PgBouncer before the database of a URL, in a mode; skipped, and that is said, where it is not installed."""
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
    if program is None:
        pytest.skip("NOT TESTED with a pooler: there is no pgbouncer")
    # It runs as whoever runs the PostgreSQL, who may not read the test's own folder.
    with tempfile.TemporaryDirectory(prefix="pgb", dir="/tmp") as folder, ExitStack() as servers:
        os.chmod(folder, 0o755)
        users, settings = Path(folder, "users"), Path(folder, "pgbouncer.ini")

        def start(url: str, mode: str) -> str:
            behind, port = make_url(url), free_port()
            socket = Path(str(behind.query["host"]))
            place = f"host={socket} port={behind.port or 5432}"
            users.write_text(f'"{behind.username}" ""\n')
            settings.write_text(
                f"[databases]\n* = {place}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
                f"auth_type = trust\nauth_file = {users}\npool_mode = {mode}\nignore_startup_parameters = options,extra_float_digits\n"
            )
            user = ["-u", socket.owner()] if os.getuid() == 0 else []
            servers.enter_context(server_process([program, *user, str(settings)], port))
            return behind.set(host="127.0.0.1", port=port, query={}).render_as_string(hide_password=False)

        yield start


@pytest.mark.parametrize(("mode", "has_path"), [("transaction", True), ("session", False), ("session", True)])
def test_a_pooler_that_forgets_sessions_is_refused(
    fresh_postgres: Callable[[str | None], str], bouncer: Callable[[str, str], str], mode: str, has_path: bool
) -> None:
    """Tables would lie in another schema, and locks be anybody's; nothing is made, and the line says what to set."""
    url = fresh_postgres(None)
    if has_path:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {make_url(url).database} SET search_path = email_assistant")
    is_kept = (mode, has_path) == ("session", True)
    told = nullcontext() if is_kept else pytest.raises(ConfigError, match=r"a pooler before .* does not keep")
    with told:
        open_tables(normalise_url(bouncer(url, mode)))
    tables = _tables(url)
    assert (tables["public"], MADE.name in tables["email_assistant"]) == (set(), is_kept)


async def test_a_postgresql_is_shared_with_the_server_of_the_graphs(
    fresh_postgres: Callable[[str | None], str], clock: FixedClock
) -> None:
    """Both have a table `runs`, and one of checkpoints: ours are in a schema of their own, and nobody else's are touched."""
    url = fresh_postgres(None)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(OTHERS)
    database = Database(url)
    await Cursors(database, clock).set("ana", "1")
    async with open_saver(database.url, Path()) as saver:
        assert (await saver.standing()).stopped == frozenset()
    tables = _tables(url)
    assert tables["public"] == {"runs", "checkpoints", "thread"}
    assert tables["email_assistant"] >= {
        "runs",
        "mail",
        "cursors",
        MADE.name,
        "checkpoints",
        "checkpoint_writes",
    }
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT * FROM public.runs, public.checkpoints").fetchall() == [(7, 8)]
    await database.close()
