"""What the tests of outputs share: a PostgreSQL."""

from collections.abc import Iterator

import pytest

from tests.postgres import Postgres, running_postgres


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    with running_postgres() as database:
        yield database
