"""How far the annotators of a corpus agree: Krippendorff's alpha with its interval."""

from array import array
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from assay.core.examples import Annotated
from assay.core.labels import Label
from assay.evaluation.gold import annotator_votes
from assay.evaluation.policy import GoldUnit
from assay.metrics import Estimate, Resampling, estimate_from_rows, krippendorff_alpha
from assay.metrics.arrays import Floats

KINDS: tuple[GoldUnit, ...] = ("response", "sentence")
MANY = 20_000  # units, from which fewer replicates do


@dataclass(frozen=True, slots=True)
class Agreement:
    """Nominal alpha over the units that two annotators or more judged, of which `alpha.n` tells.

    The interval is a bootstrap over sources. A kind of error counts as its parent.
    """

    kind: GoldUnit
    taxonomy: str
    annotators: int
    ratings: int
    alpha: Estimate


class Ratings:
    """The ratings of one kind of unit in one taxonomy, unit after unit."""

    def __init__(self) -> None:
        self.annotators: set[str] = set()
        self._labels: dict[str, int] = {}
        self._ratings = array("l")
        self._sizes = array("l")
        self._sources: dict[bytes, int] = {}
        self._groups = array("l")

    def add(self, votes: dict[str, Label], source: bytes) -> None:
        """One more unit that several annotators judged."""
        self.annotators |= votes.keys()
        names = [label.parent or label.name for label in votes.values()]
        self._ratings.extend(self._labels.setdefault(name, len(self._labels)) for name in names)
        self._sizes.append(len(names))
        self._groups.append(self._sources.setdefault(source, len(self._sources)))

    def agreement(self, kind: GoldUnit, menu: str) -> Agreement:
        """Alpha of all ratings so far."""
        table, n = self._table(), len(self._sizes)
        resampling = Resampling(replicates=200 if n > MANY else 1000)
        groups = np.array(self._groups, dtype=np.int64)
        alpha = estimate_from_rows(
            lambda rows: krippendorff_alpha(table[:, rows]), n, groups=groups, resampling=resampling
        )
        return Agreement(kind, menu, len(self.annotators), len(self._ratings), alpha)

    def _table(self) -> Floats:
        """Ratings by unit; who gave which does not matter to alpha, so rows are no annotators."""
        sizes = np.array(self._sizes, dtype=np.int64)
        table = np.full((int(sizes.max()), sizes.size), np.nan)
        units = np.repeat(np.arange(sizes.size), sizes)
        rows = np.arange(units.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        table[rows, units] = np.array(self._ratings, dtype=np.float64)
        return table


class AgreementCounter:
    """Gathers what annotators say of responses and sentences."""

    def __init__(self) -> None:
        self._ratings: dict[tuple[GoldUnit, str], Ratings] = {}

    def add(self, annotated: Annotated) -> None:
        """Takes in the votes of an example; a unit that one annotator judged tells nothing."""
        source = blake2b(
            annotated.example.source.text.encode(errors="surrogatepass"), digest_size=16
        ).digest()
        for kind in KINDS:
            for votes in annotator_votes(annotated, kind):
                menus = {label.taxonomy for label in votes.values()}
                if len(votes) > 1 and len(menus) == 1:
                    ratings = self._ratings.setdefault((kind, menus.pop()), Ratings())
                    ratings.add({who.name: label for who, label in votes.items()}, source)

    def agreements(self) -> tuple[Agreement, ...]:
        """The agreement for each kind of unit and taxonomy that several annotators judged."""
        return tuple(
            ratings.agreement(kind, menu) for (kind, menu), ratings in sorted(self._ratings.items())
        )
