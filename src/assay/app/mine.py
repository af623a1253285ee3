"""Mining: the sources whose responses detectors disagree about most."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated as With
from typing import Any, get_args

from assay import __version__
from assay.app.evaluate import EvaluateRequest
from assay.app.judging import EACH_MODEL, Asking
from assay.app.panels import Panel, estimate_panel, open_panel, refuse_unmet
from assay.app.targets import require_targets
from assay.bench.chance import ChanceComparison, compare_with_chance
from assay.bench.mining import Mined, MiningRule, letters_key, source_key
from assay.bench.panel_votes import PanelVotes
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated, with_said
from assay.core.folding import Rule
from assay.core.options import Argument, Option, Takes
from assay.core.results import count_of
from assay.datasets.part_writing import is_parts_target, require_example_target, write_example_set
from assay.datasets.selection import DATA_ARGUMENT, DataChoice, warned_of_labels
from assay.engine.estimate import RunEstimate
from assay.evaluation.corpora.label_counts import response_label
from assay.evaluation.items import Scale
from assay.evaluation.policy import CUT


@dataclass(frozen=True, slots=True)
class MineRequest:
    """The data, whose disagreement counts, and where the chosen groups are written.

    Without detectors, all recorded ones count; with `models`, only responses by these. `compare`
    is data whose sources are looked for among the chosen ones.
    """

    data: With[DataChoice, Takes("language sample seed", dataset=DATA_ARGUMENT)]
    asking: With[Asking, Takes("peers", model=EACH_MODEL)] = field(default_factory=Asking)
    detectors: With[
        tuple[str, ...],
        Argument(
            "Recorded detectors of the data, runs as run:NAME, files of judgements (.json, "
            ".parquet, DIR/), or detectors to run; by default all recorded ones.",
            "DETECTOR",
        ),
    ] = ()
    models: With[
        tuple[str, ...], Option("Use only responses by these LLMs.", "NAME,...", commas=True)
    ] = ()
    reading: With[
        str,
        Option(
            "Which labels count as faithful: the name of a reading; others go by their coarse "
            "reading.",
            "NAME",
        ),
    ] = ""
    cut: With[str | float | None, CUT] = None
    fold: With[
        str,
        Option("How sentences and claims are folded into a response.", choices=get_args(Rule)),
    ] = "worst"
    rule: MiningRule = field(default_factory=MiningRule)
    out: With[str, Option("Write the chosen groups there as examples.", "FILE|DIR/")] = ""
    compare: With[
        str,
        Option(
            "Say how many of this data's sources were chosen, and how many by chance.", "NAME|FILE"
        ),
    ] = ""

    def scale(self) -> Scale:
        """The scale on which the detectors vote; raises for a name that is none."""
        measured = EvaluateRequest(
            self.data,
            self.asking,
            reading=self.reading,
            unit="response",
            cut=self.cut,
            fold=(self.fold,),
        ).settings()
        return Scale(measured.policy, measured.threshold, measured.rules[0])


@dataclass(frozen=True, slots=True)
class Mining:
    """The groups that were found, their file, and how many are known from elsewhere."""

    dataset: str
    mined: Mined
    reading: str
    out: str = ""
    written: int = 0
    compared: str = ""
    finding: ChanceComparison | None = None

    @property
    def nothing(self) -> str:
        """The reason why no group was chosen; empty if some were."""
        return "" if self.mined.chosen else _why_nothing(self.mined)

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay mine` prints as JSON."""
        return {
            "assay": __version__,
            "dataset": self.dataset,
            "reading": self.reading,
            **self.mined.to_dict(),
            "out": self.out or None,
            "written": self.written,
            "nothing": self.nothing or None,
            "compared": {"dataset": self.compared, **asdict(self.finding)}
            if self.finding
            else None,
        }


def mine(request: MineRequest) -> Mining:
    """Scores all responses, ranks their sources, and writes the chosen groups."""
    scale = request.scale()
    request.data.refuse_unrepeatable()
    _require_target(request)
    panel = open_panel(request.data, request.detectors, request.asking)
    with closing(PanelVotes(with_letters=bool(request.compare))) as ballots:
        _vote(request, panel, scale, ballots)
        mined = ballots.mined(request.rule)
        wanted = request.compare if mined.chosen else ""
        finding = None
        if wanted:
            finding = _compare(DataChoice(wanted, request.data.folder), mined, ballots)
    written = 0
    if request.out and mined.chosen:
        chosen = warned_of_labels(_chosen(request, panel, mined, ballots.repeated.tolist()))
        written = write_example_set(chosen, request.out, response_label)
    return Mining(
        dataset=request.data.target,
        mined=mined,
        reading=scale.policy.reading,
        out=request.out if mined.chosen else "",
        written=written,
        compared=wanted,
        finding=finding,
    )


def estimate(request: MineRequest) -> dict[str, RunEstimate]:
    """The cost of the detectors that ask a model; nothing is sent."""
    request.scale()
    return estimate_panel(request.data, request.detectors, request.asking)


def _require_target(request: MineRequest) -> None:
    if not request.out:
        return
    require_example_target(request.out, "out")
    if is_parts_target(request.out):  # a new folder, in which nothing can be lost
        return
    inputs = (request.data.target, request.compare, *request.detectors)
    require_targets({"out": request.out}, *inputs)


def _vote(request: MineRequest, panel: Panel, scale: Scale, ballots: PanelVotes) -> None:
    """Takes in what the detectors say of each response."""
    met: set[str] = set()
    models: set[str] = set()
    for each, said in panel.rows():
        if panel.recorded:
            met.update(said)
        example = each.example
        models.add(example.response.model)
        if request.models and example.response.model not in request.models:
            continue
        ballots.add(example, {name: scale.vote(example, one, name) for name, one in said.items()})
    refuse_unmet(panel, met)
    for model in request.models:
        if model not in models:
            raise UnknownNameError("model of the data", model, models, field="models")
    if not ballots.detectors:
        raise InputError(
            f"{request.data.target} has no recorded detectors; name a file, a run or a detector",
            code="no-detectors",
        )


def _why_nothing(mined: Mined) -> str:
    if mined.unscored == mined.responses:
        return f"none of the {mined.responses:,} responses has two votes, so that none has a score"
    if not mined.disagreed:
        scored = count_of(mined.responses - mined.unscored, "response")
        return f"the detectors agree on all {scored} with a score, so that none is hard"
    most = max(mined.groups_by_hard)
    wanted = count_of(mined.at_least, "response")
    return (
        f"no source has {wanted} with an entropy of {mined.hard_from:g} or more; the most that one "
        f"has is {most:,}"
    )


def _chosen(
    request: MineRequest, panel: Panel, mined: Mined, repeated: Sequence[int]
) -> Iterator[Annotated]:
    """The examples of the chosen groups, in the order of the data, with what was said of each."""
    chosen, others = {each.key for each in mined.chosen}, set(repeated)
    whole = replace(panel, choice=panel.choice.keeping_all(), kept=())
    for number, (each, said) in enumerate(whole.rows(request.models)):
        if number not in others and source_key(each.example.source.text) in chosen:
            yield with_said(each, said.values())


def _compare(choice: DataChoice, mined: Mined, ballots: PanelVotes) -> ChanceComparison:
    """Counts sources of other data among the chosen, by their letters and digits."""
    wanted = {
        letters_key(text) for text in {each.example.source.text for each in choice.examples()}
    }
    chosen = {group.key for group in mined.chosen}
    known = found = 0
    for key, letters in ballots.letters():
        if letters in wanted:
            known += 1
            found += key in chosen
    return compare_with_chance(
        others=len(wanted),
        known=known,
        sources=mined.groups,
        chosen=len(chosen),
        found=found,
    )
