"""Two workers on one PostgreSQL, which our own tables are in, too."""

import subprocess
import uuid
from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy.engine import make_url

from tests.e2e.conftest import SETTINGS, Served
from tests.servers.engine import Engine, engine, installed
from tests.servers.model_server import running_model_server


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[tuple[Engine, Served]]:
    """The engine with two workers, and what is served by the first; skipped, and that is said, where its packages cannot be had."""
    try:
        installed()
    except (RuntimeError, subprocess.SubprocessError) as error:
        pytest.skip(f"NOT TRIED: the engine's packages cannot be installed here: {error}")
    name = f"engine_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    database = make_url(postgres_url).set(database=name).render_as_string(hide_password=False)
    folder = tmp_path_factory.mktemp("engine")
    with running_model_server() as model:
        settings = SETTINGS | {"OPENAI_BASE_URL": model.base_url}
        with engine(folder, settings, database) as workers:
            first = workers.start()
            workers.start()
            yield workers, Served(first, folder, model)


@pytest.fixture(scope="module")
def served(office: tuple[Engine, Served]) -> Served:
    """The assistant as a client of the first worker sees it; either may do the work."""
    return office[1]
