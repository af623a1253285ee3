"""The whole error analysis of one judge on one corpus."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay import __version__
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.detectors.protocol import Detector
from assay.evaluate.errors.alternatives import Proposer
from assay.evaluate.errors.believing import ClaimWriter, believe_all
from assay.evaluate.errors.counterfactuals import Counterfactual, Target, try_counterfactuals
from assay.evaluate.errors.explaining import Explainer, explain_all, from_gold
from assay.evaluate.errors.explanations import Explained
from assay.evaluate.errors.finding import Finder
from assay.evaluate.errors.gathering import Gathered, gather_described, gather_labelled
from assay.evaluate.errors.items import choose_items
from assay.evaluate.errors.lines import read_lines
from assay.evaluate.errors.records import Origin, with_answers
from assay.evaluate.errors.shares import Beliefs, Distribution, beliefs, distributions
from assay.evaluate.errors.subjects import Subject, find_subject
from assay.evaluate.errors.targets import (
    choose_targets,
    described_targets,
    labelled_targets,
)
from assay.evaluate.localization.hearing import Asking, Ticking
from assay.evaluate.localization.matching import Matcher
from assay.evaluate.predictions import refuse_repeated


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be found out; without a `model` nobody is asked, and errors stay open.

    `repeat` is how often P(True) is asked in each order; None is not at all.
    """

    judge: str
    model: str = ""
    answers: str = ""
    sample: int | None = None
    seed: int = 0
    repeat: int | None = None
    counterfactual: bool = False

    def __post_init__(self) -> None:
        if self.repeat is not None and self.repeat < 1:
            raise InputError(
                f"--repeat is how often each order is asked: 1 or more, not {self.repeat}"
            )
        if self.sample is not None and self.sample < 1:
            raise InputError(
                f"--sample is how many errors of each side are explained: not {self.sample}"
            )
        if not self.model and (self.repeat or self.counterfactual):
            option = "--p-true" if self.repeat else "--counterfactual"
            raise InputError(f"{option} asks a model; name one with --model")


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """The errors of a judge by reason, and what the two experiments say of the missed ones.

    `believer` is the model of which P(True) was wanted.
    """

    dataset: str
    gathered: Gathered
    explained: tuple[Explained, ...]
    origin: Origin
    believer: str = ""
    beliefs: tuple[Beliefs, ...] = ()
    counterfactual: Counterfactual | None = None

    @property
    def distributions(self) -> tuple[Distribution, ...]:
        """Missed and invented errors by category."""
        return distributions(self.explained)

    @property
    def is_complete(self) -> bool:
        """Whether nothing failed: an error that waits for people is no failure."""
        gathered, test = self.gathered, self.counterfactual
        return not (
            (gathered.failures or gathered.matcher_failures or gathered.unchecked)
            or any(each.failures for each in self.distributions)
            or any(each.failures for each in self.beliefs)
            or (test and (test.failed or test.unjudged))
        )


def analyse_errors(
    dataset: str, corpus: Sequence[Example], wanted: Wanted, matcher: Matcher, asking: Asking
) -> ErrorReport:
    """Finds the errors, has them explained, and makes the experiments that are wanted."""
    refuse_repeated(dataset, (example.id for example in corpus))
    subject = find_subject(wanted.judge, wanted.model, corpus, asking)
    # What cannot be read or asked is known before anything is paid for.
    answers = list(read_lines(wanted.answers)) if wanted.answers else []
    again = subject.again(asking) if wanted.counterfactual else None
    believer = subject.believer(asking, wanted.repeat) if wanted.repeat else None
    examples = subject.judged(corpus)
    if wanted.sample and subject.is_heard_now:
        asking.say(
            f"{subject.name} first judges all {len(examples):,} examples to find its errors; "
            "--sample is how many of them are explained"
        )
    gathered = _gather(dataset, examples, subject, matcher, asking)
    explained = _explain(gathered, with_answers(answers, from_gold(gathered.items)), wanted, asking)
    if believer:
        explained = believe_all(explained, ClaimWriter(asking.client(wanted.model)), believer)
    finder = Finder(subject.level, matcher)
    targets = _targets(gathered, explained, finder) if again else []
    test = _test(again, targets, finder, wanted, asking) if again else None
    matched = matcher.name if subject.level == "error" else ""
    origin = Origin(dataset, wanted.judge, matched, __version__)
    name = believer.client.model if believer else ""
    return ErrorReport(dataset, gathered, tuple(explained), origin, name, beliefs(explained), test)


def _targets(gathered: Gathered, explained: Sequence[Explained], finder: Finder) -> list[Target]:
    if finder.level == "error":
        return described_targets(gathered.cases, explained)
    return labelled_targets(gathered.judgements, finder)


def _test(
    again: Detector, targets: Sequence[Target], finder: Finder, wanted: Wanted, asking: Asking
) -> Counterfactual:
    chosen = choose_targets(targets, wanted.sample, wanted.seed)
    proposer = Proposer(asking.client(wanted.model))
    return try_counterfactuals(chosen, proposer, again, finder, asking.tick)


def _gather(
    dataset: str, examples: Sequence[Example], subject: Subject, matcher: Matcher, asking: Asking
) -> Gathered:
    if subject.level == "error":
        return gather_described(
            subject.name, subject.said, (dataset, examples), matcher, asking.tick
        )
    said = Ticking(subject.said, asking.tick)
    found = gather_labelled(subject.name, said, examples, subject.level)
    if not found.units:
        raise InputError(f"{dataset} has no gold labels of {subject.level}s to hold it against")
    return found


def _explain(
    gathered: Gathered, explained: Sequence[Explained], wanted: Wanted, asking: Asking
) -> list[Explained]:
    chosen = {item.id for item in choose_items(gathered.items, wanted.sample, wanted.seed)}
    some = [each for each in explained if each.item.id in chosen]
    lost = sum(bool(each.answer) for each in explained) - sum(bool(each.answer) for each in some)
    if lost:
        raise InputError(
            f"{lost:,} answers in {wanted.answers} are about errors outside the sample; use the "
            "--sample and --seed with which its errors were written, or leave out --sample"
        )
    if not wanted.model:
        return some
    return explain_all(some, Explainer(asking.client(wanted.model)), asking.tick)
