"""Localizers compared with the errors that people found: one, or the two wordings of a style."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated as With
from typing import Any

from assay import __version__
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.judgements import Judgement, Judgements
from assay.core.options import Option
from assay.core.problems import Unread
from assay.datasets.corpus import corpus_names
from assay.datasets.selection import choose
from assay.detectors.localize.making import PLAIN, STYLES, VARIANTS
from assay.evaluation.evaluate import Evaluation, evaluate, name_of, sampled
from assay.evaluation.localization.gold import STRICT, gold_policy, known_examples
from assay.evaluation.localization.matching import Matcher, match_predictions
from assay.evaluation.localization.measures import (
    Localization,
    MarkedWords,
    compare_f1,
    measure,
    measure_marks,
)
from assay.evaluation.policy import GoldPolicy
from assay.evaluation.references import is_in_files, refuse_repeated, refuse_unknown
from assay.metrics import Comparison, Resampling


@dataclass(frozen=True, slots=True)
class Part:
    """A split of a corpus, and so many of its examples, chosen by the seed.

    With `held_out`, the examples are left out that a sample of that size would choose: those on
    which a wording was chosen before.
    """

    split: With[str, Option("Use only this split of the corpus.", "NAME")] = ""
    sample: With[int | None, Option("Use only K examples, drawn with the seed.", "K")] = None
    seed: With[int, Option("Seed of the sample.", "S")] = 0
    held_out: With[
        int | None,
        Option("Leave out the K examples that a prompt was chosen on before.", "K"),
    ] = None

    def __post_init__(self) -> None:
        for what, value in (("sample", self.sample), ("held_out", self.held_out)):
            if value is not None and value < 1:
                name = what.replace("_", " ")
                raise InputError(f"{name} must be 1 example or more, not {value}", field=what)


@dataclass(frozen=True, slots=True)
class Selected:
    """The examples to measure on; of `unknown` others nobody said what is wrong.

    `outside` are not in the sample that a run is about, or not in a file of judgements; `absent`
    were judged, but are not in the data. The policy says which labels make something an error.
    """

    annotated: tuple[Annotated, ...]
    unknown: int = 0
    outside: int = 0
    policy: GoldPolicy = STRICT
    absent: int = 0


@dataclass(frozen=True, slots=True)
class LocalizationReport:
    """The figures on one corpus: the errors found, and the verdicts on whole responses.

    `binarized` reads at least one inconsistency as unfaithful; `binary` is a detector of whole
    responses to compare with. `marked` has the words without any matching, where people marked
    some. `made` gold errors are only marked, and the correction of `several`
    changes more than one place. `unknown`, `outside` and `absent` are those of the selection;
    `reading` names the table by which labels are read, where it is not the usual one.
    """

    dataset: str
    localization: Localization
    binarized: Evaluation
    binary: Evaluation | None
    unknown: int = 0
    outside: int = 0
    made: int = 0
    several: int = 0
    reading: str = ""
    absent: int = 0
    marked: MarkedWords | None = None
    unread: Unread = field(default_factory=Unread)  # rows of the data, which are left out

    @property
    def is_complete(self) -> bool:
        """True if every example has an outcome, of both detectors."""
        return self.localization.is_complete and not (self.binary and self.binary.failures)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values, but for the examples."""
        return {
            "assay": __version__,
            "dataset": self.dataset,
            **self.localization.to_dict(),
            "left_out": self.unknown,
            "outside_of_sample": self.outside,
            "not_in_data": self.absent,
            **self.unread.to_dict(),
            "undescribed_gold": self.made,
            "gold_of_several_changes": self.several,
            "reading": self.reading,
            "marked_words": self.marked.to_dict() if self.marked else None,
            "binarized": self.binarized.to_dict(),
            "binary": self.binary.to_dict() if self.binary else None,
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """Both wordings of a style, the difference of their F1, and the one to take.

    Nothing is `better` where no F1 can be compared.
    """

    style: str
    variants: tuple[Localization, Localization]
    comparison: Comparison
    better: str | None

    @property
    def is_clear(self) -> bool:
        """True if the interval of the difference leaves out 0."""
        low, high = self.comparison.difference.low, self.comparison.difference.high
        return low is not None and high is not None and not low <= 0 <= high

    @property
    def is_complete(self) -> bool:
        """True if both are measured on all examples, and can be compared."""
        return self.better is not None and all(each.is_complete for each in self.variants)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values, but for the examples."""
        return {
            "assay": __version__,
            "style": self.style,
            "better": self.better,
            "clear": self.is_clear,
            "difference": asdict(self.comparison.difference),
            "p_value": self.comparison.p_value,
            "variants": [each.to_dict() for each in self.variants],
        }


def select(
    dataset: str,
    corpus: Sequence[Annotated],
    part: Part,
    predictions: Sequence[Judgements] = (),
    *,
    reading: str = "",
) -> Selected:
    """The examples of a part of which it is known what is wrong, and which all predictions cover.

    The sample is chosen among these. Without a reading, every error counts that people marked.
    """
    refuse_repeated(dataset, (each.id for each in corpus))
    wanted = _of_split(dataset, corpus, part.split)
    policy = gold_policy(corpus, reading)
    known = known_examples(dataset, wanted, policy)
    absent = _absent(dataset, corpus, predictions)
    covered = _covered(dataset, corpus, wanted, predictions)
    held_out = choose(known, part.held_out, part.seed) if part.held_out else ()
    used = {each.id for each in held_out}
    inside = [each for each in known if each.id in covered - used]
    if not inside:
        raise InputError(
            f"no example of {dataset} is left to measure on: all of which it is known what is "
            "wrong are held out, or are not among those that were judged",
            code="nothing-left",
        )
    return Selected(
        tuple(choose(inside, part.sample, part.seed)),
        unknown=len(covered) - len(covered & {each.id for each in known}),
        outside=len(wanted) - len(covered),
        policy=policy,
        absent=absent,
    )


async def evaluate_localizer(
    dataset: str,
    selected: Selected,
    predictions: Judgements,
    matcher: Matcher,
    binary: Judgements | None = None,
) -> LocalizationReport:
    """Measures what a detector says is wrong, and its verdicts beside those of another one."""
    how = Resampling()
    policy = selected.policy
    cases = await match_predictions(selected.annotated, predictions, matcher, policy=policy)
    return LocalizationReport(
        dataset,
        measure(name_of(predictions), matcher.name, cases, how),
        evaluate_whole(selected.annotated, predictions, how, policy),
        evaluate_whole(selected.annotated, binary, how, policy) if binary else None,
        unknown=selected.unknown,
        outside=selected.outside,
        made=sum(error.is_made for case in cases for error in case.gold),
        several=sum(error.covers_several for case in cases for error in case.gold),
        reading=policy.reading,
        absent=selected.absent,
        marked=measure_marks(selected.annotated, predictions, policy, how),
    )


def evaluate_whole(
    annotated: Sequence[Annotated],
    predictions: Judgements,
    resampling: Resampling,
    policy: GoldPolicy,
) -> Evaluation:
    """The verdicts on whole responses against the gold labels, read as the errors are."""
    only = {each.id for each in annotated}

    def read() -> Iterator[Judgement]:
        return (judgement for judgement in predictions if judgement.example in only)

    return evaluate(annotated, replace(predictions, read=read), policy, resampling=resampling)


def style_variants(style: str) -> tuple[str, str]:
    """The names of the detectors that ask in both wordings of a style, perhaps of its plain form.

    >>> style_variants("localize-cot:definitions")
    ('localize-cot:a,definitions', 'localize-cot:b,definitions')
    """
    name = style.removesuffix(f":{PLAIN}")
    if name not in STYLES:
        raise UnknownNameError("style", style, STYLES, field="style")
    more = f",{PLAIN}" if name != style else ""
    first, second = (f"{name}:{variant}{more}" for variant in VARIANTS)
    return first, second


async def choose_variant(
    style: str,
    selected: Selected,
    predictions: tuple[Judgements, Judgements],
    matcher: Matcher,
    resampling: Resampling | None = None,
) -> Choice:
    """The wording with the higher F1, from what `style_variants` said; of equals the first."""
    how = resampling or Resampling()
    names = style_variants(style)
    cases = [
        await match_predictions(selected.annotated, said, matcher, policy=selected.policy)
        for said in predictions
    ]
    first, second = (
        measure(name, matcher.name, each, how) for name, each in zip(names, cases, strict=True)
    )
    comparison = compare_f1(first, second, how)
    one, other = comparison.first, comparison.second
    better = None if one is None or other is None else names[other > one]
    return Choice(style, (first, second), comparison, better)


def _of_split(dataset: str, corpus: Sequence[Annotated], split: str) -> Sequence[Annotated]:
    """The examples of a split, or all if none is named; a split without examples raises."""
    chosen = [each for each in corpus if each.example.split == split] if split else corpus
    if not chosen:
        splits = ", ".join(sorted({each.example.split for each in corpus} - {""})) or "none"
        wanted = f"split '{split}'; its splits: {splits}" if split else "examples"
        raise InputError(f"{dataset} has no {wanted}", field="split" if split else "dataset")
    return chosen


def _absent(dataset: str, corpus: Sequence[Annotated], predictions: Sequence[Judgements]) -> int:
    """The number of judged examples that a file lacks which was made from what was judged.

    They raise where the data is what was judged, or where it has none of them.
    """
    known = {each.id for each in corpus}
    absent: set[str] = set()
    for each in predictions:
        told = {judgement.example for judgement in each}
        if not (_is_made_from(dataset, each) and told & known):
            refuse_unknown(each.reference, told, known)
        absent |= told - known
    return len(absent)


def _is_made_from(dataset: str, predictions: Judgements) -> bool:
    """True if the data may be a part of what was judged: a file, which has another name."""
    judged = predictions.manifest.dataset
    return bool(judged) and judged != dataset and dataset not in corpus_names()


def _covered(
    dataset: str,
    corpus: Sequence[Annotated],
    wanted: Sequence[Annotated],
    predictions: Sequence[Judgements],
) -> set[str]:
    """The wanted examples that all runs were meant to judge, and that all files tell of.

    Where an older run did not note them, whether it is of a sample of the corpus or of the split
    shows in how many examples it counts. In a file made from the corpus it does not, and those
    count that a complete run has.
    """
    covered = {each.id for each in sampled(corpus, predictions)}
    covered &= {each.id for each in sampled(wanted, predictions)}
    for each in predictions:
        run = each.manifest
        if run.example_ids:
            continue
        told = {judgement.example for judgement in each}
        is_sample = run.sample is not None and run.sample <= len(told) < run.examples
        if is_in_files(each.reference) or (is_sample and _is_made_from(dataset, each)):
            covered &= told
    return covered
