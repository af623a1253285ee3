"""The transaction in which a journal writes what has gathered, on either kind of database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from sqlalchemy import Connection

Rows = Sequence[tuple[Any, ...]]


class Writing(Protocol):
    """A transaction under way."""

    def one(self, statement: str, values: tuple[Any, ...]) -> None:
        """Executes a statement with these values."""
        ...

    def many(self, statement: str, rows: Rows) -> None:
        """Executes a statement for all of these rows."""
        ...


@contextmanager
def transaction(connection: Connection) -> Iterator[Writing]:
    """Writes all at once or nothing, past SQLAlchemy, which would look at every row.

    Statements for a server travel together, since each way to it and back may take long.
    """
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "sqlite":
        with connection.begin():
            yield _OnFile(driver)
    else:
        try:
            with driver.pipeline():  # not with `transaction()`, which waits at both its ends
                driver.execute("BEGIN")
                yield _OnServer(driver)
                driver.execute("COMMIT")
        except BaseException:
            if not driver.closed:
                driver.rollback()
            raise


class _OnFile:
    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def one(self, statement: str, values: tuple[Any, ...]) -> None:
        self._driver.execute(statement, values)

    def many(self, statement: str, rows: Rows) -> None:
        self._driver.executemany(statement, rows)


class _OnServer:
    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def one(self, statement: str, values: tuple[Any, ...]) -> None:
        self._driver.execute(statement, values)

    def many(self, statement: str, rows: Rows) -> None:
        """Sends the columns, each as one array."""
        self._driver.execute(statement, [list(column) for column in zip(*rows, strict=True)])
