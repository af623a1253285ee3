"""The page of a check: one HTML file that needs nothing else, written as results come."""

import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Self

from jinja2 import Environment

from assay import __version__
from assay.core.errors import InputError
from assay.core.files import part_beside
from assay.core.judgements import Manifest
from assay.core.results import Result
from assay.core.taxonomies import taxonomy
from assay.core.totals import Totals
from assay.report.looks import (
    NO_VERDICT,
    SCORE_ONLY,
    Badge,
    label_badge,
    make_environment,
    outcome_badge,
)
from assay.report.views import view_example

MOST_IN_NOTEBOOK = 50


@dataclass(frozen=True, slots=True)
class LegendRow:
    """A class with how many units, and how many whole responses, have it."""

    badge: Badge
    units: int
    responses: int


class _Sums:
    """What all results of a page add up to."""

    def __init__(self) -> None:
        self.totals = Totals()
        self.responses: Counter[str] = Counter()
        self.days: tuple[str, ...] = ()  # the first and the last on which anything was judged

    def add(self, result: Result) -> None:
        self.totals.add(result)
        self.responses[outcome_badge(result.response.outcome).name] += 1
        if day := result.judgement.at[: len("2026-01-31")]:
            days = sorted({*self.days, day})
            self.days = tuple(dict.fromkeys((days[0], days[-1])))

    def legend(self, manifest: Manifest) -> Iterator[LegendRow]:
        """The whole menu, then what else there is."""
        units = self.totals.labels + Counter({NO_VERDICT.name: self.totals.unjudged})
        menu = taxonomy(manifest.taxonomy) if manifest.taxonomy else ()
        for badge in map(label_badge, menu):
            yield LegendRow(badge, units[badge.name], self.responses[badge.name])
        for badge in (SCORE_ONLY, NO_VERDICT):
            if units[badge.name] or self.responses[badge.name]:
                yield LegendRow(badge, units[badge.name], self.responses[badge.name])


def html_of(results: Iterable[Result], manifest: Manifest) -> str:
    """The whole page of some results as text."""
    sums = _Sums()
    examples = (_example(result, sums) for result in results)
    return _encodable("".join((_head(manifest), *examples, _foot(manifest, sums))))


def html_fragment(results: Iterable[Result], manifest: Manifest) -> str:
    """What a notebook shows of some results: no script, and styles that touch nothing else.

    It shows the first 50 responses and says how many more there are.
    """
    sums = _Sums()
    examples = []
    for number, result in enumerate(results, start=1):
        sums.add(result)
        if number <= MOST_IN_NOTEBOOK:
            examples.append(view_example(number, result))
    legend = tuple(sums.legend(manifest))
    return _encodable(
        _render("fragment", manifest=manifest, sums=sums, legend=legend, examples=examples)
    )


class PageWriter:
    """Writes the page as results come; the file appears, whole, when it is closed without an error.

    Until then it grows in a file beside the target, so that an older page stays as it is.
    """

    def __init__(self, path: str, manifest: Manifest) -> None:
        self._path = path
        self._target, self._part = part_beside(path)
        self._manifest = manifest
        self._sums = _Sums()
        try:
            # What cannot be encoded is shown as a replacement character, and the rest is kept.
            self._file = open(  # noqa: SIM115 - it stays open from call to call
                self._part, "x", encoding="utf-8", errors="xmlcharrefreplace", newline=""
            )
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            self._write(_head(manifest))
        except InputError:
            self.discard()
            raise

    def add(self, result: Result) -> None:
        """Writes one example."""
        self._write(_example(result, self._sums))

    def close(self) -> None:
        """Writes the sums and puts the file in its place."""
        self._write(_foot(self._manifest, self._sums))
        try:
            self._file.close()
            os.replace(self._part, self._target)
        except OSError as error:
            raise self._unwritable(error) from None

    def discard(self) -> None:
        """Gives up the page; what was at the target before stays there."""
        # Closing writes what is left in memory, which a full disk refuses once more.
        with suppress(OSError):
            self._file.close()
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

    def _write(self, text: str) -> None:
        try:
            self._file.write(text)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"cannot write {self._path}: {error.strerror or error}")


def _head(manifest: Manifest) -> str:
    menu = taxonomy(manifest.taxonomy) if manifest.taxonomy else None
    return _render("head", manifest=manifest, taxonomy=menu)


def _example(result: Result, sums: _Sums) -> str:
    sums.add(result)
    return _render("example", example=view_example(sums.totals.examples, result))


def _foot(manifest: Manifest, sums: _Sums) -> str:
    return _render("foot", sums=sums, legend=tuple(sums.legend(manifest)))


def _render(template: str, **values: object) -> str:
    return _templates().get_template(f"{template}.html.jinja").render(values)


@cache
def _templates() -> Environment:
    environment = make_environment("templates/check")
    environment.filters["fixed"] = "{:.2f}".format
    environment.filters["percent"] = _percent
    environment.globals["version"] = __version__
    return environment


def _encodable(text: str) -> str:
    """The text with a reference in the place of each half of a character."""
    return text.encode("utf-8", "xmlcharrefreplace").decode("utf-8")


def _percent(share: float) -> str:
    """A share as a whole percentage, rounded down: all but one of many is not 100%."""
    return f"{math.floor(round(share * 100, 6))}%"
