"""What `assay localize` does once its options are read."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console, RenderableType

from assay.checking.usage import usage_line
from assay.cli.data_cards import make_console, print_json
from assay.cli.progress import Progress
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example, Judgement
from assay.datasets.fields import Columns
from assay.datasets.files import Problem
from assay.datasets.opening import open_examples
from assay.evaluate.localization.agreement import measure_matcher
from assay.evaluate.localization.annotators import annotator_rounds, is_development
from assay.evaluate.localization.choosing import choose_variant
from assay.evaluate.localization.evaluation import Measuring, evaluate_localizer
from assay.evaluate.localization.hearing import Asking
from assay.evaluate.localization.llm_matcher import LlmMatcher
from assay.evaluate.localization.matching import Matcher
from assay.evaluate.localization.offline import OfflineMatcher
from assay.evaluate.localization.selecting import Part, choose_sample, of_split, select
from assay.llm.options import Options
from assay.report.localization_view import (
    agreement_document,
    agreement_view,
    choice_document,
    choice_view,
    report_document,
    report_view,
)

_MATCHERS = ("offline", "llm")


@dataclass(frozen=True, slots=True)
class Corpora:
    """The corpora that the user named, and which part of each."""

    names: tuple[str, ...]
    folder: str | None
    split: str
    sample: int | None
    seed: int
    held_out: int | None = None

    def __post_init__(self) -> None:
        if not self.names:
            raise InputError("name a corpus with described errors: --dataset ragtruth")
        if self.sample is not None and self.sample < 1:
            raise InputError(f"--sample is how many examples are judged: not {self.sample}")
        if self.held_out is not None and self.held_out < 1:
            raise InputError(f"--held-out is how many examples are left out: not {self.held_out}")

    @property
    def part(self) -> Part:
        """Which part of each."""
        return Part(self.split, self.sample, self.seed, self.held_out)

    def read_all(self, name: str) -> list[Example]:
        """All examples of one of them; a row that cannot be read raises."""
        examples: list[Example] = []
        for each in open_examples(name, self.folder, Columns()):
            if isinstance(each, Problem):
                raise InputError(f"{each}; mend it or take it out, then measure again")
            examples.append(each)
        return examples

    def read(self, name: str) -> list[Example]:
        """The examples of the split."""
        return list(of_split(name, self.read_all(name), self.split))


@dataclass(frozen=True, slots=True)
class Models:
    """Who is asked: the judge's model, the matcher and its model."""

    matcher: str
    model: str
    matcher_model: str
    options: Options
    runs: str | None = None

    def __post_init__(self) -> None:
        if self.matcher not in _MATCHERS:
            raise UnknownNameError("matcher", self.matcher, _MATCHERS)
        if self.matcher_model and self.matcher != "llm":
            raise InputError("--matcher-model is for --matcher llm; the offline one asks no model")

    def find_matcher(self, asking: Asking) -> Matcher:
        """The matcher; one that asks a model is connected."""
        if self.matcher == "offline":
            return OfflineMatcher()
        return LlmMatcher(asking.client(self.matcher_model or self.model))


def run_evaluate(
    judge: str, binary: str, corpora: Corpora, models: Models, *, as_json: bool
) -> int:
    """Prints the figures of a judge on each corpus; gives the exit code."""
    if judge.startswith("run:") and len(corpora.names) > 1:
        raise InputError("a run is about one corpus; give --dataset once")
    reports = []
    with waiting() as tick:
        asking = Asking(models.options, models.runs, tick)
        matcher = models.find_matcher(asking)
        measuring = Measuring(judge, matcher, models.model, binary, corpora.part)
        for name in corpora.names:
            reports.append(evaluate_localizer(name, corpora.read_all(name), measuring, asking))
    say_usage(asking)
    if as_json:
        print_json({"corpora": [report_document(report) for report in reports]})
    else:
        show(part for report in reports for part in report_view(report))
    return exit_code(all(report.is_complete for report in reports))


def run_choose(style: str, corpora: Corpora, models: Models, *, as_json: bool) -> int:
    """Prints both prompts of a style side by side, and which to take; gives the exit code."""
    name = corpora.names[0]
    examples = select(name, corpora.read_all(name), corpora.part).examples
    with waiting() as tick:
        asking = Asking(models.options, models.runs, tick)
        client, matcher = asking.client(models.model), models.find_matcher(asking)
        choice = choose_variant(style, examples, client, matcher, tick)
    say_usage(asking)
    if as_json:
        print_json({"dataset": name, "model": client.model, **choice_document(choice)})
    else:
        show(choice_view(choice, f"{len(examples):,} examples of {name}, {client.model}"))
    return exit_code(choice.is_complete)


def run_matcher(corpora: Corpora, models: Models, *, as_json: bool) -> None:
    """Prints how well a matcher finds what two annotators have in common."""
    name = corpora.names[0]
    examples = choose_sample(corpora.read(name), corpora.sample, corpora.seed)
    asking = Asking(models.options)
    matcher = models.find_matcher(asking)
    parts = {}
    for half, wanted in (("development", True), ("held out", False)):
        some = [example for example in examples if is_development(example) is wanted]
        for placed, how in ((False, "words only"), (True, "words, gold also by place")):
            rounds = list(annotator_rounds(some, placed_gold=placed))
            parts[f"{half}, {how}"] = measure_matcher(matcher, rounds)
    say_usage(asking)
    if not any(part.rounds for part in parts.values()):
        raise InputError(f"{name} has no response with notes of two annotators; faithbench does")
    if as_json:
        print_json({"dataset": name, **agreement_document(parts)})
        return
    show(agreement_view(parts, name))


def show(parts: Iterable[RenderableType]) -> None:
    """Prints tables one after the other."""
    console = make_console()
    for part in parts:
        console.print(part, soft_wrap=True)


def exit_code(is_complete: bool) -> int:
    """3 where something has no outcome, as everywhere."""
    return 0 if is_complete else 3


def say_usage(asking: Asking) -> None:
    """What was asked, and what that cost; nothing where nobody was asked."""
    used = usage_line(asking.meters)
    if used:
        sys.stderr.write(f"assay: {used}\n")


@contextmanager
def waiting() -> Iterator[Callable[[Judgement], None]]:
    """A bar on standard error that counts judgements and failures."""
    failures = 0

    def tick(judgement: Judgement) -> None:
        nonlocal failures
        failures += len(judgement.failures)
        bar.advance(failures)

    with Progress(Console(stderr=True), None, shown=True) as bar:
        yield tick
