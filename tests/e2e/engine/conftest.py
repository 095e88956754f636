"""Two workers on one PostgreSQL, which our own tables are in, too."""

import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from tests.e2e.conftest import SETTINGS, Served
from tests.servers.engine import Engine, engine, installed
from tests.servers.model_server import running_model_server

Office = tuple[Engine, Served]


@pytest.fixture(scope="session")
def packages() -> Path:
    """The engine's; what needs them is skipped, and that is said, where they cannot be had."""
    try:
        return installed()
    except (RuntimeError, subprocess.SubprocessError) as error:
        pytest.skip(f"NOT TRIED: the engine's packages cannot be installed here: {error}")


@pytest.fixture(scope="session")
def database_for(postgres_url: str, packages: Path) -> Callable[..., str]:
    """Makes a database whose owner gets so many connections at most; its URL."""

    def make(connections: int = -1) -> str:
        name = f"engine_{uuid.uuid4().hex}"
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {name} LOGIN CONNECTION LIMIT {connections}")
            connection.execute(f"CREATE DATABASE {name} OWNER {name}")
        return make_url(postgres_url).set(database=name, username=name).render_as_string(hide_password=False)

    return make


@pytest.fixture(scope="session")
def opened(
    tmp_path_factory: pytest.TempPathFactory, database_for: Callable[..., str]
) -> Callable[..., AbstractContextManager[Office]]:
    """Opens an office: the engine with two workers, and what is served by the first."""

    @contextmanager
    def open_office(connections: int = -1) -> Iterator[Office]:
        folder = tmp_path_factory.mktemp("engine")
        with running_model_server() as model:
            settings = SETTINGS | {"OPENAI_BASE_URL": model.base_url}
            with engine(folder, settings, database_for(connections)) as workers:
                first = workers.start()
                workers.start()
                yield workers, Served(first, folder, model)

    return open_office


@pytest.fixture(scope="module")
def office(opened: Callable[..., AbstractContextManager[Office]]) -> Iterator[Office]:
    """One for all tests of a file."""
    with opened() as made:
        yield made


@pytest.fixture(scope="module")
def served(office: Office) -> Served:
    """The assistant as a client of the first worker sees it; either may do the work."""
    return office[1]
