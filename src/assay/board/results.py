"""A board as data: terminal, Markdown, CSV, JSON and the site are views of it."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from assay.core.pooling import GoldBasis
from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.corpora.length_rates import LengthRates
from assay.evaluation.levels import Counting, Level
from assay.metrics import CorrectedRate, Estimate


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge of responses: people, a detector, or a vote of several.

    `model` is the LLM that a judge asks, as far as its run, the corpus or the user says so. `own`
    are those of the ranked LLMs that are the same, or the same but for a date or an effort, which
    is another version.
    """

    name: str
    reference: str
    kind: Literal["person", "detector", "vote"]
    taxonomies: tuple[str, ...]
    model: str = ""
    own: tuple[str, ...] = ()
    own_by: Literal["", "model", "version"] = ""
    is_scored: bool = False  # it gives scores without labels, which are read from one half


@dataclass(frozen=True, slots=True)
class Standing:
    """One LLM in a ranking.

    `rate` is hallucinated / judged, with its interval clustered by source. What is not in the rate
    is counted apart, so that judged + refused + invalid + failed = responses: `refused` (the LLM
    did not answer; empty replies too), `invalid` (a judge said that it is no answer to the task)
    and `failed` (the judge has no verdict). What the board's `counting` puts into the rate is in
    `judged`. `missing` are prompts that other LLMs answered and this one has no response to.
    Equal rates share a rank; `ranks` are those that the comparisons with all others leave, a 95 %
    confidence set. `is_starred` says that it is not distinguishable from the lowest rate: it then
    begins with rank 1. `corrected` is the rate of a detector corrected by people's labels, where
    these cover some of the responses, but not all.
    """

    model: str
    rank: int | None
    ranks: tuple[int, int] | None
    rate: Estimate
    hallucinated: int
    judged: int
    responses: int
    refused: int = 0
    invalid: int = 0
    failed: int = 0
    missing: int = 0
    words: float | None = None  # mean length of the responses
    is_starred: bool = False
    corrected: CorrectedRate | None = None

    @property
    def coverage(self) -> float | None:
        """The share of sources with a verdict."""
        of = self.responses + self.missing
        return self.judged / of if of else None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The LLMs by one judge, at one level, in one task (empty: all of them), best first.

    `p_values[i][j]` is that of a paired comparison of standings i and j on the sources that both
    have; None where they share fewer than two. `differs` says which stay below 0.05 after Holm's
    correction over all pairs, and row i of `differs_from` which of those with standing i do after
    a correction over these only; ranks and stars are made of it. `shared` is how many sources the
    pairs that are compared have in common, the fewest and the most; None where none is compared.
    """

    judge: str
    level: str
    task: str
    sources: int
    standings: tuple[Standing, ...]
    p_values: tuple[tuple[float | None, ...], ...] = ()
    differs: tuple[tuple[bool, ...], ...] = ()
    differs_from: tuple[tuple[bool, ...], ...] = ()
    shared: tuple[int, int] | None = None

    @property
    def pairs(self) -> tuple[int, int, int]:
        """Numbers of pairs of LLMs with a rate: all, compared, and different."""
        ranked = sum(each.rank is not None for each in self.standings)
        compared = sum(p is not None for row in self.p_values for p in row) // 2
        return ranked * (ranked - 1) // 2, compared, sum(map(sum, self.differs)) // 2


@dataclass(frozen=True, slots=True)
class Distribution:
    """Counts of each label that a judge gave to responses of an LLM, in the order of the menu.

    The responses are those of the ranking: labels and failures together are as many as are judged,
    invalid or failed there. Those that it leaves out, or counts as refused, are in neither.
    """

    judge: str
    model: str
    labels: dict[str, int]
    failures: dict[str, int]


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """The rank correlation of two judges over `n` LLMs that both judged; few have no interval."""

    first: str
    second: str
    level: str
    kendall: Estimate
    spearman: Estimate


@dataclass(frozen=True, slots=True)
class BiasCell:
    """One judge's count for one LLM, among the responses that all judges judged."""

    judge: str
    model: str
    hallucinated: int
    n: int
    rank: int
    is_own: bool  # the judge's own model wrote them


@dataclass(frozen=True, slots=True)
class Bias:
    """The same responses judged by several judges, and by the majority of them, at one level."""

    level: str
    responses: int  # that every judge has a verdict on
    cells: tuple[BiasCell, ...]


@dataclass(frozen=True, slots=True)
class Lengths:
    """The rates by the length of source and response, by one judge at one level."""

    judge: str
    level: str
    rates: tuple[LengthRates, ...]


@dataclass(frozen=True, slots=True)
class ErrorDistribution:
    """Where a detector goes wrong: of its errors, how many have each gold label (by name).

    `gold` counts all judged items of each label, so that a share of these can be given as well.
    """

    detector: str
    unit: Literal["response", "sentence"]
    errors: dict[str, int]
    gold: dict[str, int]


@dataclass(frozen=True, slots=True)
class Board:
    """All that is known of some LLMs from what judges said of their responses.

    `detectors` measures the judges themselves on whole responses, where there is gold, and
    `sentence_detectors` on sentences, where people labelled these or spans; `measured_at` is the
    level at which gold was read for it, or empty where it is the usual reading. `warnings` are to
    be shown with every view: unequal coverage, missing responses, judges that know only some LLMs.
    """

    title: str
    dataset: str
    digest: str
    models: tuple[str, ...]
    tasks: tuple[str, ...]
    judges: tuple[Judge, ...]
    levels: tuple[Level, ...]
    rankings: tuple[Ranking, ...]
    distributions: tuple[Distribution, ...]
    lengths: tuple[Lengths, ...]
    correlations: tuple[RankCorrelation, ...]
    bias: tuple[Bias, ...]
    detectors: EvaluationReport | None = None
    sentence_detectors: EvaluationReport | None = None
    errors: tuple[ErrorDistribution, ...] = ()
    measured_at: str = ""
    warnings: tuple[str, ...] = ()
    gold: GoldBasis | None = None  # what people's labels rest on, where these are a judge
    counting: Counting = field(default_factory=Counting)
    is_common: bool = False  # only sources that every LLM has a verdict on
    replicates: int = 1000
    seed: int = 0
    version: str = ""


SCHEMA_VERSION = 1


def board_document(board: Board) -> dict[str, Any]:
    """Everything that a board says, but for the responses behind it."""
    reports = board.detectors, board.sentence_detectors
    whole, sentences = (each.to_dict() if each else None for each in reports)
    return {
        "schema_version": SCHEMA_VERSION,
        "assay": board.version,
        "title": board.title,
        "dataset": board.dataset,
        "digest": board.digest,
        "replicates": board.replicates,
        "seed": board.seed,
        "counting": asdict(board.counting),
        "is_common": board.is_common,
        "gold": board.gold.to_dict() if board.gold else None,
        "warnings": list(board.warnings),
        "models": list(board.models),
        "tasks": list(board.tasks),
        "judges": [asdict(each) for each in board.judges],
        "levels": [asdict(each) for each in board.levels],
        "rankings": [_ranking(each) for each in board.rankings],
        "distributions": [asdict(each) for each in board.distributions],
        "lengths": [asdict(each) for each in board.lengths],
        "correlations": [asdict(each) for each in board.correlations],
        "bias": [asdict(each) for each in board.bias],
        "detectors": whole,
        "sentence_detectors": sentences,
        "measured_at": board.measured_at,
        "errors": [asdict(each) for each in board.errors],
    }


def _ranking(ranking: Ranking) -> dict[str, Any]:
    standings = [{**asdict(each), "coverage": each.coverage} for each in ranking.standings]
    return {**asdict(ranking), "standings": standings}
