"""The pieces of a page, collected as results come and joined at the end.

What is said first, the sums and the index, is known last. So the records of the responses, and the
lines of the index, wait in two temporary files: the memory that a page takes does not grow with it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from math import floor
from typing import IO

from jinja2 import Environment

from assay import __version__
from assay.core.decision import QUESTIONS
from assay.core.judgements import Manifest, utc_now
from assay.core.results import Result, is_flagged
from assay.core.taxonomies import taxonomy
from assay.core.totals import Totals
from assay.core.verdicts import FAITHFUL_FROM
from assay.report.looks import (
    NO_VERDICT,
    SCORE_ONLY,
    UNSURE,
    Badge,
    label_badge,
    make_environment,
    outcome_badge,
    told_badge,
)
from assay.report.records import Numbers, badge_record, example_record, source_text, write_json
from assay.report.views import ExampleView, view_example

MOST_WITHOUT_SCRIPT = 50  # responses that a notebook, or a browser without scripts, shows
MOST_PROBLEMS = 100  # of the rows that could not be read, shown one by one
BLOCK = 200_000  # characters of records that the script reads at a time
_CHUNK = 1 << 16

COARSE = ("unfaithful", "not-sure", "faithful", "no-fact", None)
_SCORES = {
    "embedded": "probability of being faithful",
    "embedded-large": "probability of being faithful",
    "overlap": "from counted words alone",
}


@dataclass(frozen=True, slots=True)
class LegendRow:
    """A class with how many units, and how many whole responses, have it."""

    number: int
    badge: Badge
    units: int
    responses: int


class Sums:
    """What all results of a page add up to."""

    def __init__(self, manifest: Manifest, data: str = "") -> None:
        self.manifest = manifest
        self.data = data or manifest.dataset
        self.totals = Totals()
        self.responses: Counter[str] = Counter()
        self.flagged = 0  # responses that need a look
        self.consulted = False
        self.scored = False
        self.days: tuple[str, ...] = ()  # the first and the last on which anything was judged
        self.problems: list[tuple[str, str]] = []
        self.problem_count = 0
        self.badges = Numbers()
        self._menu = taxonomy(manifest.taxonomy) if manifest.taxonomy else None
        for badge in (*map(label_badge, self._menu or ()), UNSURE, SCORE_ONLY, NO_VERDICT):
            self.badges[badge]

    @property
    def threshold(self) -> float | None:
        """The score from which something is faithful; None where a model chooses the label."""
        given = self.manifest.parameters.get("threshold")
        if isinstance(given, float):
            return given
        return None if self.manifest.model else FAITHFUL_FROM

    @property
    def score_means(self) -> str:
        """What the scores are, in a few words; not every detector gives probabilities."""
        return _SCORES.get(self.manifest.author.name, "higher is more faithful")

    def add(self, result: Result) -> None:
        """Counts one more result."""
        self.totals.add(result)
        self.responses[outcome_badge(result.response.outcome).name] += 1
        self.flagged += any(map(is_flagged, result.counted))
        for verdict in result.judgement.verdicts:
            self.scored = self.scored or verdict.score is not None
            self.consulted = self.consulted or bool(
                verdict.external or verdict.attributes.consulted
            )
        if day := result.judgement.at[: len("2026-01-31")]:
            days = sorted({*self.days, day})
            self.days = tuple(dict.fromkeys((days[0], days[-1])))

    def add_problem(self, where: str, message: str) -> None:
        """Counts one more row that could not be read."""
        self.problem_count += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append((where, message))

    @property
    def legend(self) -> tuple[LegendRow, ...]:
        """The whole menu, then what else there is."""
        units = self.totals.labels + Counter({NO_VERDICT.name: self.totals.unjudged})
        menu = map(label_badge, self._menu or ())
        extra = (UNSURE, SCORE_ONLY, NO_VERDICT)
        rows = (self._row(badge, units) for badge in (*menu, *extra))
        return tuple(row for row in rows if row.units or row.responses or row.badge not in extra)

    def _row(self, badge: Badge, units: Counter[str]) -> LegendRow:
        told = told_badge(badge, self.consulted)
        return LegendRow(self.badges[badge], told, units[badge.name], self.responses[badge.name])


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
        example = view_example(result, self._sums.threshold)
        if len(self._first) < MOST_WITHOUT_SCRIPT:
            self._first.append(render("response", example=example))
        number = self._sums.totals.examples
        self._sums.add(result)
        text = source_text(example)
        source = self._sources[
            blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
        ]
        new = source == self._source_count
        record = example_record(example, source, self._sums.badges)
        self._write([record, text] if new else [record], number)
        self._source_count += new
        line = write_json(self._line(example))
        self._index.write(f",\n{line}" if number else line)

    def _write(self, record: list[object], number: int) -> None:
        """Writes a record, with its source if that is new, into a block of about equal size."""
        text = write_json(record)
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

    def _line(self, example: ExampleView) -> list[object]:
        """What the index tells of a response: enough to list, to sort and to filter it."""
        result = example.result
        present = {self._sums.badges[outcome_badge(each.outcome)] for each in result.counted}
        return [
            result.id,
            self._sums.badges[example.badge],
            None if result.score is None else round(result.score, 4),
            COARSE.index(result.response.coarse),
            sum(1 << number for number in present if number < 31),
            sum(map(is_flagged, result.counted)),
            self._models[result.example.response.model],
            self._detectors[result.judgement.author.name],
        ]

    def pieces(self) -> Iterator[str]:
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
            "badges": [badge_record(told_badge(badge, sums.consulted)) for badge in sums.badges],
            "coarse": [each or NO_VERDICT.name for each in COARSE],
            "models": list(self._models),
            "detectors": list(self._detectors),
            "questions": list(QUESTIONS.values()),
            "blocks": self._blocks,
        }
        yield render("head", sums=sums, now=utc_now()[: len("2026-01-31")])
        yield f'<script type="application/json" id="about">{write_json(about)}</script>\n'
        yield '<script type="application/json" id="index">['
        yield from _read(self._index)
        yield f"]</script>\n{render('script')}"
        yield from _read(self._records)
        yield render("foot", sums=sums, responses=self._first)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def _read(spool: IO[str]) -> Iterator[str]:
    spool.seek(0)
    while chunk := spool.read(_CHUNK):
        yield chunk


def fragment(results: Iterable[Result], manifest: Manifest) -> str:
    """What a notebook shows: the first responses, and the sums of all."""
    sums = Sums(manifest)
    shown: list[str] = []
    for result in results:
        sums.add(result)
        if len(shown) < MOST_WITHOUT_SCRIPT:
            shown.append(render("response", example=view_example(result, sums.threshold)))
    return render("fragment", sums=sums, responses=shown)


def render(template: str, **values: object) -> str:
    """A template of the page with its values."""
    return _templates().get_template(f"{template}.html.jinja").render(values)


@cache
def _templates() -> Environment:
    environment = make_environment("templates/check")
    environment.filters["fixed"] = "{:.2f}".format
    environment.filters["percent"] = _percent
    environment.globals["version"] = __version__
    return environment


def _percent(share: float) -> str:
    """A share as a whole percentage, rounded down: all but one of many is not 100%."""
    return f"{floor(round(share * 100, 6))}%"
