"""The whole error analysis of one detector on one corpus."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from assay import __version__
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.judgements import Author, Judgements, Manifest
from assay.core.problems import Unread
from assay.datasets.selection import choose
from assay.decisions.forms import FormLine
from assay.detectors.protocol import Detector, Progress, no_progress
from assay.detectors.registry import DetectorSpec
from assay.error_analysis.answers import annotate, with_answers
from assay.error_analysis.beliefs import Beliefs, beliefs, believe
from assay.error_analysis.counterfactuals import Counterfactual, try_counterfactuals
from assay.error_analysis.error_items import Gathered, choose_items, gather_errors
from assay.error_analysis.explanations import (
    ErrorShares,
    Explained,
    distributions,
    explain,
)
from assay.error_analysis.targets import (
    Finder,
    described_targets,
    labelled_targets,
)
from assay.evaluation.evaluate import name_of
from assay.evaluation.localization.matching import Matcher
from assay.evaluation.references import refuse_repeated, refuse_unknown
from assay.llm.client import ModelClient
from assay.llm.settings.options import Options

_SETTINGS = ("base_url", "temperature", "max_tokens", "seed", "logprobs", "reasoning_effort")


@dataclass(frozen=True, slots=True)
class Subject:
    """The detector whose errors are looked at: what it said, and how it can be asked again.

    `model` believes answers in its place: its own, or the explaining one where it has none.
    """

    predictions: Judgements
    model: str
    options: Options

    @property
    def name(self) -> str:
        """The name in reports."""
        return name_of(self.predictions)

    def spec(self) -> DetectorSpec:
        """The same detector, to be asked about other responses; raises if that cannot be."""
        manifest = self.predictions.manifest
        refusal = _refusal(manifest)
        if refusal:
            raise InputError(f"{self.name} cannot be asked again: {refusal}", code="not-again")
        if not DetectorSpec(manifest.detector).capabilities.asks_model:
            return DetectorSpec(manifest.detector)
        return DetectorSpec(manifest.detector, (self.model,), manifest.votes, self.options)

    def refuse_other_prompts(self, detector: Detector) -> None:
        """Raises if the detector now asks with other prompts than those of the predictions."""
        digests, now = self.predictions.manifest.prompt_digests, detector.prompt_digests
        changed = [name for name, digest in digests.items() if now.get(name) != digest]
        if changed:
            raise InputError(
                f"{self.name} cannot be asked again: its prompt '{changed[0]}' has changed since; "
                "make a new run",
                code="not-again",
            )

    def believer_spec(self, repeat: int, prompt: str = "") -> DetectorSpec:
        """`p-true` by its own model, which is sampled and tells the probabilities of its tokens.

        `prompt` is a file that takes the place of ours.
        """
        if repeat < 1:
            raise InputError(f"repeat must be 1 or more, not {repeat}", field="repeat")
        options = replace(self.options, temperature=1.0, logprobs=True)
        own = f",prompt={prompt}" if prompt else ""
        return DetectorSpec(f"p-true:repeat={repeat}{own}", (self.model,), options=options)


@dataclass(frozen=True, slots=True)
class Experiments:
    """Those to ask about the errors, opened by the caller; without a client they stay open.

    `believer` is a `p-true` detector, `again` the judged detector itself for the counterfactual
    test. `answers` are examples that an earlier report gave and people worked on. `sample` is how
    many errors of each side are explained, and how many details are changed. `reading` names the
    table by which gold labels are read.
    """

    client: ModelClient | None = None
    believer: Detector | None = None
    again: Detector | None = None
    answers: tuple[FormLine, ...] = ()
    sample: int | None = None
    seed: int = 0
    reading: str = ""

    def __post_init__(self) -> None:
        if self.sample is not None and self.sample < 1:
            raise InputError(f"sample must be 1 error or more, not {self.sample}", field="sample")
        if self.client is None and (self.believer or self.again):
            what = "P(True)" if self.believer else "the counterfactual test"
            raise InputError(f"{what} asks a model, and none is given", field="model")


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """The errors of a detector by reason, and what the two experiments say of the missed ones.

    `matcher` is empty where nothing was matched; `believer` is the model of which P(True) was
    wanted; `reading` was named for the gold labels, or is empty.
    """

    dataset: str
    author: Author
    matcher: str
    gathered: Gathered
    explained: tuple[Explained, ...]
    believer: str = ""
    beliefs: tuple[Beliefs, ...] = ()
    counterfactual: Counterfactual | None = None
    reading: str = ""
    unread: Unread = field(default_factory=Unread)  # rows of the data, which are left out

    @property
    def distributions(self) -> tuple[ErrorShares, ...]:
        """Missed and invented errors by category."""
        return distributions(self.explained)

    @property
    def annotated(self) -> list[Annotated]:
        """The examples with their errors and all that was said of these, for people to go on."""
        return annotate(self.explained, self.author)

    @property
    def is_complete(self) -> bool:
        """True if nothing failed: an error that waits for people is no failure."""
        gathered, test = self.gathered, self.counterfactual
        return not (
            (gathered.failures or gathered.matcher_failures or gathered.unchecked)
            or any(each.failures for each in self.distributions)
            or any(each.failures for each in self.beliefs)
            or (test and (test.failed or test.unjudged))
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values, but for the errors themselves."""
        gathered, test = self.gathered, self.counterfactual
        return {
            "assay": __version__,
            "dataset": self.dataset,
            "detector": gathered.detector,
            "author": asdict(self.author),
            "level": gathered.level,
            "matcher": self.matcher,
            "reading": self.reading,
            "units": gathered.units,
            "found": dict(Counter(item.side for item in gathered.items)),
            "failures": dict(gathered.failures),
            "matcher_failures": dict(gathered.matcher_failures),
            "unchecked": gathered.unchecked,
            **self.unread.to_dict(),
            **{each.side: each.to_dict() for each in self.distributions},
            "believer": self.believer,
            "p_true": {each.category.name: each.to_dict() for each in self.beliefs},
            "counterfactual": test.to_dict() if test else None,
        }


def find_subject(predictions: Judgements, model: str, options: Options) -> Subject:
    """The detector of some predictions, with the model and settings that their manifest names.

    Budget and the like are those of `options`. A detector that asks no model, or whose model is
    not known, believes what `model` does.
    """
    manifest = predictions.manifest
    if not manifest.model:
        return Subject(predictions, model, options)
    same = {each: manifest.parameters[each] for each in _SETTINGS if each in manifest.parameters}
    return Subject(predictions, manifest.model, replace(options, **same))  # type: ignore[arg-type]


async def explain_errors(
    dataset: str,
    corpus: Sequence[Annotated],
    subject: Subject,
    matcher: Matcher,
    experiments: Experiments,
    progress: Progress = no_progress,
) -> ErrorReport:
    """Finds the errors, has them explained, and makes the experiments that are wanted.

    Of a run or file about a part of the corpus, only that part counts.
    """
    predictions = subject.predictions
    judged = judged_part(dataset, corpus, predictions)
    gathered = await gather_errors(
        dataset, judged, predictions, matcher, progress, reading=experiments.reading
    )
    explained = with_answers(experiments.answers, [Explained(item) for item in gathered.items])
    explained = _sampled(explained, gathered, experiments)
    client, believer = experiments.client, experiments.believer
    if client:
        explained = await explain(client, explained, progress)
    if client and believer:
        explained = await believe(client, believer, explained, progress)
    test = None
    if client and experiments.again:
        finder = Finder(gathered.level, matcher)
        if gathered.level == "error":
            targets = described_targets(gathered.cases, explained)
        else:
            targets = labelled_targets(judged, predictions, gathered.level)
        chosen = choose(targets, experiments.sample, experiments.seed)
        test = await try_counterfactuals(chosen, client, experiments.again, finder, progress)
    return ErrorReport(
        dataset,
        predictions.manifest.author,
        matcher.name if gathered.level == "error" else "",
        gathered,
        tuple(explained),
        subject.model if believer else "",
        beliefs(explained),
        test,
        experiments.reading,
    )


def judged_part(
    dataset: str, corpus: Sequence[Annotated], predictions: Judgements
) -> list[Annotated]:
    """The examples of a corpus that were judged; ids that it does not have, or twice, raise."""
    refuse_repeated(dataset, (each.id for each in corpus))
    told = {judgement.example for judgement in predictions}
    refuse_unknown(predictions.reference, told, {each.id for each in corpus})
    return [each for each in corpus if each.id in told]


def _sampled(
    explained: Sequence[Explained], gathered: Gathered, experiments: Experiments
) -> list[Explained]:
    items = choose_items(gathered.items, experiments.sample, experiments.seed)
    chosen = {item.key for item in items}
    some = [each for each in explained if each.item.key in chosen]
    lost = sum(bool(each.answer) for each in explained) - sum(bool(each.answer) for each in some)
    if lost:
        raise InputError(
            f"{lost:,} answers are about errors outside the sample; use the sample and the seed "
            "with which these errors were written, or no sample",
            field="sample",
        )
    return some


def _refusal(manifest: Manifest) -> str:
    """The reason why a detector cannot be asked about other responses; empty if it can."""
    try:
        can = DetectorSpec(manifest.detector).capabilities
    except UnknownNameError:
        return "it is not known how it was made"
    if manifest.model and "model" not in manifest.parameters:
        return "several models voted; use a run of one of them"
    if manifest.knowledge:
        return f"it consulted {manifest.knowledge}; use a run that consulted no outside source"
    if manifest.peers or can.reads_annotations:
        return "it learns from annotated responses, and none are annotated like the changed ones"
    return ""
