"""The page of a check: one HTML file that needs nothing else, written as results come."""

import io
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from assay.core.errors import InputError
from assay.core.files import part_beside
from assay.core.judgements import Manifest
from assay.core.results import Result
from assay.report.collecting import Collector, Sums, fragment


def html_of(
    results: Iterable[Result], manifest: Manifest, problems: Iterable[tuple[str, str]] = ()
) -> str:
    """The whole page of some results as text; a problem is a place and what is wrong there."""
    sums = Sums(manifest)
    collector = Collector(sums, io.StringIO(), io.StringIO())
    for result in results:
        collector.add(result)
    for where, message in problems:
        sums.add_problem(where, message)
    return "".join(collector.pieces())


def html_fragment(results: Iterable[Result], manifest: Manifest) -> str:
    """What a notebook shows of some results: no script, and styles that touch nothing else.

    It shows the first 50 responses and says how many more there are.
    """
    return fragment(results, manifest)


class PageWriter:
    """Writes the page of results that come one by one, and of rows that could not be read.

    The file appears, whole, when it is closed without an error; an older page stays until then.
    `data` is the name of what was checked.
    """

    def __init__(self, path: str, manifest: Manifest, data: str = "") -> None:
        self._path = path
        self._target, self._part = part_beside(path)
        self._sums = Sums(manifest, data)
        try:
            self._file = open(  # noqa: SIM115 - it stays open from call to call
                self._part, "x", encoding="utf-8", newline=""
            )
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            self._spools = tuple(_spool(self._target.parent) for _ in range(2))
        except OSError as error:
            self._spools = ()
            self.discard()
            raise self._unwritable(error) from None
        self._collector = Collector(self._sums, *self._spools)

    def add(self, result: Result) -> None:
        """Takes one result."""
        try:
            self._collector.add(result)
        except OSError as error:
            raise self._unwritable(error) from None

    def add_problem(self, where: str, message: str) -> None:
        """Takes a row that could not be read."""
        self._sums.add_problem(where, message)

    def close(self) -> None:
        """Writes the page and puts it in its place."""
        try:
            for piece in self._collector.pieces():
                self._file.write(piece)
            self._file.close()
            os.replace(self._part, self._target)
        except OSError as error:
            raise self._unwritable(error) from None

    def discard(self) -> None:
        """Gives up the page; what was at the target before stays there."""
        for file in (self._file, *self._spools):
            # Closing writes what is left in memory, which a full disk refuses once more.
            with suppress(OSError):
                file.close()
        with suppress(FileNotFoundError):
            self._part.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.close()
        finally:
            self.discard()

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"cannot write {self._path}: {error.strerror or error}")


def _spool(folder: Path) -> IO[str]:
    """A file without a name, which is gone when it is closed or the process ends."""
    return tempfile.TemporaryFile("w+", encoding="utf-8", newline="", dir=folder)
