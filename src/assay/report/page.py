"""The page of a check: one HTML file that needs nothing else, written as results come."""

import math
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Self

from jinja2 import Environment

from assay.checking.results import Checked
from assay.checking.totals import Totals
from assay.core.errors import InputError
from assay.core.labels import Taxonomy
from assay.core.writing import part_beside
from assay.report.badges import NO_VERDICT, SCORE_ONLY, Badge, label_badge, outcome_badge
from assay.report.templating import make_environment
from assay.report.views import view_example


@dataclass(frozen=True, slots=True)
class LegendRow:
    """A class with how many units, and how many whole responses, have it."""

    badge: Badge
    units: int
    responses: int


class PageWriter:
    """Writes the page as results come; the file appears, whole, when it is closed without an error.

    Until then it grows in a file beside the target, so that an older page stays as it is.
    """

    def __init__(self, path: str, detector: str, taxonomy: Taxonomy) -> None:
        self._path = path
        self._target, self._part = part_beside(path)
        self._taxonomy = taxonomy
        self._totals = Totals()
        self._responses: Counter[str] = Counter()
        try:
            # What cannot be encoded is shown as a replacement character, and the rest is kept.
            self._file = open(  # noqa: SIM115 - it stays open from call to call
                self._part, "x", encoding="utf-8", errors="xmlcharrefreplace", newline=""
            )
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            self._write("head", detector=detector, taxonomy=taxonomy)
        except InputError:
            self.discard()
            raise

    def add(self, checked: Checked) -> None:
        """Writes one example."""
        self._totals.add(checked)
        self._responses[outcome_badge(checked.response).name] += 1
        self._write("example", example=view_example(self._totals.examples, checked))

    def close(self) -> None:
        """Writes the sums and puts the file in its place."""
        legend = tuple(self._legend())
        self._write("foot", totals=self._totals, legend=legend, noun=self._totals.noun)
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

    def _write(self, template: str, **values: object) -> None:
        text = _templates().get_template(f"{template}.html.jinja").render(values)
        try:
            self._file.write(text)
        except OSError as error:
            raise self._unwritable(error) from None

    def _legend(self) -> Iterator[LegendRow]:
        """The whole menu, then what else there is."""
        units = self._totals.labels + Counter({NO_VERDICT.name: self._totals.unjudged})
        for badge in map(label_badge, self._taxonomy):
            yield LegendRow(badge, units[badge.name], self._responses[badge.name])
        for badge in (SCORE_ONLY, NO_VERDICT):
            if units[badge.name] or self._responses[badge.name]:
                yield LegendRow(badge, units[badge.name], self._responses[badge.name])

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"cannot write {self._path}: {error.strerror or error}")


@cache
def _templates() -> Environment:
    environment = make_environment("templates/check")
    environment.filters["fixed"] = "{:.2f}".format
    environment.filters["percent"] = _percent
    return environment


def _percent(share: float) -> str:
    """A share as a whole percentage, rounded down: all but one of many is not 100%."""
    return f"{math.floor(round(share * 100, 6))}%"
