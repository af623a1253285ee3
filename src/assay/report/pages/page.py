"""The page of a check: one HTML file that needs nothing else, written as results come.

What is said first, the sums and the index, is known last. So the records of the responses, and the
lines of the index, wait in two temporary files: the memory that a page takes does not grow with it.
"""

import io
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from math import floor
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from jinja2 import Environment

from assay import __version__
from assay.core.decision import QUESTIONS
from assay.core.errors import InputError
from assay.core.judgements import Manifest, utc_now
from assay.core.results import Result, is_flagged
from assay.core.system.files import part_beside
from assay.report.pages.badges import (
    NO_VERDICT,
    Badge,
    make_environment,
    outcome_badge,
    told_badge,
)
from assay.report.pages.records import Numbers, literal, names, record, row
from assay.report.pages.responses import view_result
from assay.report.pages.sums import Sums

MOST_WITHOUT_SCRIPT = 50  # responses that a notebook, or a browser without scripts, shows
BLOCK = 200_000  # characters of records that the script reads at a time
_CHUNK = 1 << 16

COARSE = ("unfaithful", "not-sure", "faithful", "no-fact", None)


def html_of(
    results: Iterable[Result],
    manifest: Manifest,
    problems: Iterable[tuple[str, str]] = (),
    *,
    back: str = "",
) -> str:
    """The whole page of some results as text; a problem is a place and what is wrong there.

    A page that answers a form has a way `back` to it.
    """
    sums = Sums(manifest)
    collector = Collector(sums, io.StringIO(), io.StringIO())
    for result in results:
        collector.add(result)
    for where, message in problems:
        sums.add_problem(where, message)
    return "".join(collector.pieces(back))


def html_fragment(results: Iterable[Result], manifest: Manifest) -> str:
    """The HTML that a notebook shows: no script, and styles that touch nothing else.

    It has the first 50 responses, and says how many more there are.
    """
    sums = Sums(manifest)
    shown: list[str] = []
    for result in results:
        sums.add(result)
        if len(shown) < MOST_WITHOUT_SCRIPT:
            response = view_result(result, sums.threshold)
            shown.append(render("response", result=result, response=response))
    return render("fragment", sums=sums, responses=shown)


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


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A response in the index, with enough to list, to sort and to filter it.

    `coarse`, `model` and `detector` are numbers; `labels` has a bit for the number of each badge.
    """

    id: str
    badge: Badge
    score: float | None
    coarse: int
    labels: int
    flagged: int
    model: int
    detector: int


class Collector:
    """Takes results, and gives the page in pieces when all are there."""

    def __init__(self, sums: Sums, records: IO[str], index: IO[str]) -> None:
        self._sums = sums
        self._records = records
        self._index = index
        self._blocks: list[tuple[int, int]] = []  # the first response and source of each
        self._block_is_open = False
        self._written = 0
        self._models, self._detectors, self._sources = Numbers(), Numbers(), Numbers()
        self._source_count = 0
        self._first: list[str] = []  # for browsers without scripts

    def add(self, result: Result) -> None:
        """Takes one more result."""
        response = view_result(result, self._sums.threshold)
        if len(self._first) < MOST_WITHOUT_SCRIPT:
            self._first.append(render("response", result=result, response=response))
        number, badges = self._sums.totals.examples, self._sums.badges
        self._sums.add(result)
        content = literal(record(response.shown, badges)).encode("utf-8")
        source = self._sources[blake2b(content, digest_size=12).digest()]
        is_new = source == self._source_count
        shown = response.shown if is_new else None
        told = replace(response, source=source, shown=shown)
        self._write(literal(record(told, badges)), number)
        self._source_count += is_new
        self._index.write(f",\n{literal(row(self._listed(result), badges))}")

    def _write(self, text: str, number: int) -> None:
        """Writes a record into a block of about equal size."""
        if self._block_is_open and self._written + len(text) > BLOCK:
            self._end_block()
        if self._block_is_open:
            self._records.write(",\n")
        else:
            self._records.write(f'<script type="application/json" id="b{len(self._blocks)}">[')
            self._blocks.append((number, self._source_count))
            self._block_is_open, self._written = True, 0
        self._records.write(text)
        self._written += len(text)

    def _end_block(self) -> None:
        self._records.write("]</script>\n")
        self._block_is_open = False

    def _listed(self, result: Result) -> IndexRow:
        present = {self._sums.badges[outcome_badge(each.outcome)] for each in result.counted}
        return IndexRow(
            id=result.id,
            badge=outcome_badge(result.response.outcome),
            score=result.score,
            coarse=COARSE.index(result.response.coarse),
            labels=sum(1 << number for number in present if number < 31),
            flagged=sum(map(is_flagged, result.counted)),
            model=self._models[result.example.response.model],
            detector=self._detectors[result.judgement.author.name],
        )

    def pieces(self, back: str = "") -> Iterator[str]:
        """The page from its beginning to its end; there is nothing to be added after this."""
        if self._block_is_open:
            self._end_block()
        sums = self._sums
        about = {
            "count": sums.totals.examples,
            "data": sums.data,
            "noun": sums.totals.noun,
            "threshold": sums.threshold,
            "score": sums.score_means,
            "badges": [
                record(told_badge(each, sums.consulted), sums.badges) for each in sums.badges
            ],
            "coarse": [each or NO_VERDICT.name for each in COARSE],
            "models": list(self._models),
            "detectors": list(self._detectors),
            "questions": list(QUESTIONS.values()),
            "blocks": self._blocks,
        }
        yield render("head", sums=sums, back=back, now=utc_now()[: len("2026-01-31")])
        yield f'<script type="application/json" id="about">{literal(about)}</script>\n'
        yield f'<script type="application/json" id="index">[{literal(names(IndexRow))}'
        yield from _read(self._index)
        yield f"]</script>\n{render('script')}"
        yield from _read(self._records)
        yield render("foot", sums=sums, responses=self._first)


def _read(spool: IO[str]) -> Iterator[str]:
    spool.seek(0)
    while chunk := spool.read(_CHUNK):
        yield chunk


def render(template: str, **values: object) -> str:
    """A template of the page with its values."""
    return _templates().get_template(f"check/{template}.html.jinja").render(values)


@cache
def _templates() -> Environment:
    environment = make_environment("templates")
    environment.filters["fixed"] = "{:.2f}".format
    environment.filters["percent"] = _percent
    environment.globals["version"] = __version__
    return environment


def _percent(share: float) -> str:
    """A share as a whole percentage, rounded down: all but one of many is not 100%."""
    return f"{floor(round(share * 100, 6))}%"
