"""The sums of the results on a page, and the legend of their classes."""

from collections import Counter
from dataclasses import dataclass

from assay.core.judgements import Manifest
from assay.core.results import Result, Totals, is_flagged
from assay.core.taxonomies import taxonomy
from assay.core.verdicts import FAITHFUL_FROM
from assay.report.pages.badges import (
    NO_VERDICT,
    SCORE_ONLY,
    UNSURE,
    Badge,
    label_badge,
    outcome_badge,
    told_badge,
)
from assay.report.pages.records import Numbers

MOST_PROBLEMS = 100  # of the rows that could not be read, shown one by one

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
    """The sums of all results of a page."""

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
        """The meaning of the scores in a few words; not every detector gives probabilities."""
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
