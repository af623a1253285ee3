"""Which examples of a corpus a localizer is measured on."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.detectors.recorded import RecordedDetector
from assay.evaluate.board import Settings, sampled
from assay.evaluate.localization.cases import known_examples
from assay.evaluate.predictions import refuse_unknown


@dataclass(frozen=True, slots=True)
class Part:
    """A split of a corpus, and so many of its examples, chosen by the seed.

    With `held_out` the examples are left out that a sample of that size would choose: those on
    which a prompt was chosen before.
    """

    split: str = ""
    sample: int | None = None
    seed: int = 0
    held_out: int | None = None


@dataclass(frozen=True, slots=True)
class Selected:
    """The examples to measure on; of `unknown` others nobody said what is wrong.

    `outside` are not in the sample that a run is about, or not in a file of verdicts.
    """

    examples: tuple[Example, ...]
    unknown: int = 0
    outside: int = 0


def select(
    dataset: str,
    corpus: Sequence[Example],
    part: Part,
    judges: Sequence[str] = (),
    runs: str | None = None,
) -> Selected:
    """The examples of a part of which it is known what is wrong, and which all judges are about."""
    wanted = of_split(dataset, corpus, part.split)
    known = known_examples(dataset, wanted)
    left = _held_out(known, part)
    meant = _meant(corpus, wanted, judges, Settings(runs=runs))
    inside = [example for example in left if example.id in meant]
    if not inside:
        raise InputError(
            f"no example of {dataset} is left to measure on: all of which it is known what is "
            "wrong are held out, or not in the sample of the run or in the file of verdicts"
        )
    return Selected(
        tuple(choose_sample(inside, part.sample, part.seed)),
        unknown=len(meant) - len(meant & {example.id for example in known}),
        outside=len(wanted) - len(meant),
    )


def of_split(dataset: str, corpus: Sequence[Example], split: str) -> Sequence[Example]:
    """The examples of a split, or all if none is named; a split without examples raises."""
    chosen = [example for example in corpus if example.split == split] if split else corpus
    if not chosen:
        splits = ", ".join(sorted({example.split for example in corpus} - {""})) or "none"
        wanted = f"split '{split}'; its splits: {splits}" if split else "examples"
        raise InputError(f"{dataset} has no {wanted}")
    return chosen


def choose_sample(examples: Sequence[Example], sample: int | None, seed: int) -> list[Example]:
    """So many of the examples, in their order; the same seed chooses the same."""
    if sample is not None and sample < 1:
        raise InputError(f"--sample is how many examples are judged: not {sample}")
    if sample is None or sample >= len(examples):
        return list(examples)
    places = random.Random(seed).sample(range(len(examples)), sample)
    return [examples[place] for place in sorted(places)]


def _held_out(known: Sequence[Example], part: Part) -> Sequence[Example]:
    if part.held_out is None:
        return known
    used = {example.id for example in choose_sample(known, part.held_out, part.seed)}
    return [example for example in known if example.id not in used]


def _meant(
    corpus: Sequence[Example], wanted: Sequence[Example], judges: Sequence[str], settings: Settings
) -> set[str]:
    """The wanted examples that all runs were meant to judge, and of which all files tell.

    Whether it is a sample of the corpus or of the split shows in how many examples it counts.
    """
    of_all = {example.id for example in sampled(corpus, judges, settings)}
    meant = of_all & {example.id for example in sampled(wanted, judges, settings)}
    return meant.intersection(*(_told(name, corpus) for name in judges if is_file(name)))


def is_file(judge: str) -> bool:
    """Whether a judge is a file of `assay check --json`."""
    return not judge.startswith("run:") and Path(judge).suffix == ".json"


def _told(file: str, corpus: Sequence[Example]) -> tuple[str, ...]:
    told = RecordedDetector(file).ids
    refuse_unknown(file, told, corpus)
    return told
