"""Responses of LLMs and what each judge says of them, as small arrays; only numbers are kept.

Whatever counts responses counts them here: boards, and the published leaderboards that are
recomputed.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Judgement
from assay.core.labels import Label
from assay.core.pooling import Pool, Voices
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE
from assay.core.verdicts import Failure, FailureReason, Outcome, Verdict
from assay.evaluation.gold import find_gold
from assay.evaluation.items import response_outcome
from assay.evaluation.levels import CLASSES, Class, Counting, Level, class_of
from assay.metrics.arrays import Ints
from assay.text.refusals import refusal_of
from assay.text.words import count_words

Classes = NDArray[np.int8]  # places in CLASSES
Numbers = NDArray[np.int32]  # of which there are as many as responses
Said = Label | str  # a label, or why there is none

NOTHING = -1  # the code where a judge says nothing of a response
UNCOUNTED = CLASSES.index("uncounted")


def number_of(name: Class) -> int:
    """The place of a class among `CLASSES`."""
    return CLASSES.index(name)


@dataclass(frozen=True, slots=True, eq=False)
class JudgeCodes:
    """The labels that one judge gives, as places in `menu` for each response; -1 is none.

    `is_scored` says that some of it is a score without a label, which was read as a label.
    """

    menu: tuple[Said, ...]
    codes: NDArray[np.int16]
    is_scored: bool = False

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that were given."""
        return tuple(each for each in self.menu if isinstance(each, Label))

    def classes(self, refused: NDArray[np.bool_], level: Level, counting: Counting) -> Classes:
        """The class of each response in the count of this judge."""
        outcomes = [_outcome(each) for each in self.menu]
        tables = [
            [CLASSES.index(class_of(each, level, counting, is_refusal=flag)) for each in outcomes]
            for flag in (False, True)
        ]
        # A code of -1 takes the last entry, which stands for nothing said.
        table = np.array([[*each, UNCOUNTED] for each in tables], dtype=np.int8)
        found: Classes = table[refused.astype(np.int8), self.codes]
        return found


def _outcome(said: Said) -> Outcome:
    if isinstance(said, Label):
        return Verdict(RESPONSE, said)
    return Failure(RESPONSE, next(each for each in get_args(FailureReason) if each == said))


@dataclass(frozen=True, slots=True, eq=False)
class Prompts:
    """The source, by number, the task and the words of each prompt."""

    source: Numbers
    task: Numbers
    words: Numbers


@dataclass(frozen=True, eq=False)
class Responses:
    """Responses, by number: who wrote each to which prompt, and what each judge says of it.

    Of a response there are some 14 bytes, and 2 for each judge: the arrays are of small integers.
    """

    models: tuple[str, ...]
    sources: tuple[str, ...]
    tasks: tuple[str, ...]
    model: Numbers
    prompt: Numbers
    words: Numbers
    refused: NDArray[np.bool_]
    prompts: Prompts
    judged: dict[str, JudgeCodes]
    kept: NDArray[np.bool_]  # of all responses that were read, those that are here

    @cached_property
    def source(self) -> Numbers:
        """The source of each response."""
        found: Numbers = self.prompts.source[self.prompt]
        return found

    @cached_property
    def task(self) -> Numbers:
        """The task of each response."""
        found: Numbers = self.prompts.task[self.prompt]
        return found

    def classes(self, judge: str, level: Level, counting: Counting) -> Classes:
        """The class of each response in the count of a judge at a level."""
        return self.judged[judge].classes(self.refused, level, counting)

    def counts(self, classes: Classes, task: str | None = None) -> Ints:
        """The number of responses of each LLM (rows) in each class (columns), of a task or all."""
        inside = slice(None) if task is None else self.task == self.tasks.index(task)
        cells = self.model[inside] * len(CLASSES) + classes[inside]
        found: Ints = np.bincount(cells, minlength=len(self.models) * len(CLASSES))
        return found.reshape(len(self.models), len(CLASSES))


Duplicates = Literal["refuse", "first"]

MOST_NAMED = 5


def said_of(example: Example, judgement: Judgement) -> Said:
    """The label of a whole response in a judgement, smaller units folded by the worst.

    A score without a label is read as a binary label.
    """
    outcome = judgement.outcomes[0] if len(judgement.outcomes) == 1 else None
    if outcome is None or outcome.unit != RESPONSE:
        outcome = response_outcome(example, judgement, judgement.author.name, "worst")
    if isinstance(outcome, Failure):
        return outcome.reason
    return outcome.label or BINARY.labels[outcome.leaning == "faithful"]


def gold_judgement(annotated: Annotated, pool: Pool = "corpus") -> Judgement | None:
    """The judgement of people on a response; see `pooled_gold`."""
    found = pooled_gold(annotated, pool)
    return found[0] if found else None


def pooled_gold(annotated: Annotated, pool: Pool) -> tuple[Judgement, Voices] | None:
    """The judgement of people on a response, pooled to one label, and the voices behind it.

    What they wrote about it is in the note. None where nobody said anything.
    """
    if all(one.author.kind != "person" for one in annotated.judgements):
        return None
    for gold in find_gold(annotated, "response", pool):
        notes = (
            (judgement.author.name, " ".join(finding.note.split()))
            for judgement in annotated.gold
            for finding in judgement.findings
            if finding.note and finding.id == RESPONSE
        )
        note = "\n".join(dict.fromkeys(f"{name}: {text}" for name, text in notes))
        verdict = Verdict(gold.unit.id, gold.label, note=note)
        return Judgement(annotated.id, GOLD, (gold.unit,), (verdict,)), gold.voices
    return None


class ResponseTable:
    """Gathers responses one after the other; only numbers stay in memory.

    A prompt is a source under a task with a question. A second response of an LLM to the same
    prompt raises, or is passed over.
    """

    def __init__(self, duplicates: Duplicates = "refuse") -> None:
        self.models: dict[str, int] = {}
        self.sources: dict[str, int] = {}
        self.tasks: dict[str, int] = {}
        self.unnamed = 0  # responses without the name of an LLM, which are left out
        self.repeated = 0  # second responses that were passed over
        self._kept = bytearray()  # of each response that was given, whether it counts
        self._duplicates = duplicates
        self._twice: list[str] = []
        self._prompts: dict[tuple[int, int, bytes], int] = {}
        self._of_prompt = tuple(array("i") for _ in range(3))  # source, task, words
        self._writers: list[int] = []  # of each prompt, a bit for each LLM that has written to it
        self._rows = tuple(array("i") for _ in range(3))  # model, prompt, words
        self._refused = bytearray()
        self._menus: dict[str, dict[Said, int]] = {}
        self._codes: dict[str, array[int]] = {}
        self._scored: set[str] = set()

    def __len__(self) -> int:
        return len(self._rows[0])

    def add(self, example: Example, said: Mapping[str, Judgement]) -> bool:
        """One more response, and what each judge says of it; returns whether it counts."""
        counts = self._add(example, said)
        self._kept.append(counts)
        return counts

    def _add(self, example: Example, said: Mapping[str, Judgement]) -> bool:
        name = example.response.model
        if not name:
            self.unnamed += 1
            return False
        prompt = self._prompt(example)
        model = self.models.setdefault(name, len(self.models))
        if self._writers[prompt] >> model & 1:
            self.repeated += 1
            if len(self._twice) < MOST_NAMED:
                self._twice.append(f"'{example.id}' ({name})")
            return False
        self._writers[prompt] |= 1 << model
        text = example.response.text
        models, prompts, lengths = self._rows
        models.append(model)
        prompts.append(prompt)
        lengths.append(count_words(text))
        self._refused.append(refusal_of(text, example.question) is not None)
        for judge, judgement in said.items():
            self._note(judge, said_of(example, judgement))
            if judge not in self._scored and any(each.label is None for each in judgement.verdicts):
                self._scored.add(judge)
        return True

    def _prompt(self, example: Example) -> int:
        """The number of what was asked."""
        source = example.source.id or _digest(example.source.text).hex()
        where = self.sources.setdefault(source, len(self.sources))
        task = self.tasks.setdefault(example.task, len(self.tasks))
        key = where, task, _digest(example.question) if example.question else b""
        if key not in self._prompts:
            self._prompts[key] = len(self._prompts)
            self._writers.append(0)
            row = (where, task, count_words(example.source.text))
            for column, value in zip(self._of_prompt, row, strict=True):
                column.append(value)
        return self._prompts[key]

    def _note(self, judge: str, said: Said) -> None:
        if judge not in self._menus:
            self._menus[judge], self._codes[judge] = {}, array("h")
        menu, codes = self._menus[judge], self._codes[judge]
        silent = len(self) - 1 - len(codes)
        if silent:
            codes.extend([NOTHING] * silent)
        code = menu.get(said)
        if code is None:
            code = menu[said] = len(menu)
        codes.append(code)

    def responses(self, judges: Iterable[str] | None = None) -> Responses:
        """All that was gathered; without names, every judge who has a verdict on anything."""
        if self._twice and self._duplicates == "refuse":
            more = self.repeated - len(self._twice)
            others = f" and {more:,} more" if more else ""
            raise InputError(
                "an LLM has a second response to the same source and question: "
                f"{', '.join(self._twice)}{others}",
                field="duplicates",
                code="duplicate-responses",
            )
        if not len(self):
            what = "no response says which LLM wrote it" if self.unnamed else "there is no response"
            raise InputError(f"there is nothing to rank: {what}", code="no-models")
        names = list(self._menus) if judges is None else list(judges)
        found = {name: self._judged(name) for name in names}
        model, prompt, length = (np.frombuffer(each, np.int32) for each in self._rows)
        source, task, source_words = (np.frombuffer(each, np.int32) for each in self._of_prompt)
        # Sources are numbered by name, so that the same are drawn whatever the order of the rows.
        named = sorted(self.sources)
        place = {name: at for at, name in enumerate(named)}
        number = np.array([place[name] for name in self.sources], dtype=np.int32)
        return Responses(
            models=tuple(self.models),
            sources=tuple(named),
            tasks=tuple(self.tasks),
            model=model,
            prompt=prompt,
            words=length,
            refused=np.frombuffer(self._refused, np.bool_),
            prompts=Prompts(number[source], task, source_words),
            judged={n: e for n, e in found.items() if judges is not None or e.labels},
            kept=np.frombuffer(self._kept, np.bool_),
        )

    def _judged(self, name: str) -> JudgeCodes:
        codes = self._codes.get(name, array("h"))
        codes.extend([NOTHING] * (len(self) - len(codes)))
        menu, scored = tuple(self._menus.get(name, {})), name in self._scored
        return JudgeCodes(menu, np.frombuffer(codes, np.int16), scored)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def gather(rows: Iterable[Annotated], judges: Sequence[str]) -> Responses:
    """The responses of a corpus, by recorded detectors or, under the name `gold`, by people."""
    table = ResponseTable()
    for each in rows:
        said = {one.author.name: one for one in each.detected if one.author.name in judges}
        gold = gold_judgement(each) if GOLD.name in judges else None
        table.add(each.example, {**said, GOLD.name: gold} if gold else said)
    return table.responses(judges)
