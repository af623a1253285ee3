"""A small board with all that a site can show, and the rows behind it, which are counted here."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.board.results import (
    Bias,
    BiasCell,
    Board,
    Distribution,
    ErrorDistribution,
    Judge,
    Lengths,
    RankCorrelation,
    Ranking,
    Standing,
)
from assay.board.rows import Row
from assay.core.decision import Answers
from assay.core.examples import Example
from assay.core.folding import fold_judgement
from assay.core.judgements import Author, Judgement
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.corpora.length_rates import LengthRates
from assay.evaluation.levels import Class, Counting, Level, class_of
from assay.metrics import Estimate, proportion
from tests.report.site.site_browsing import open_site as open_site
from tests.report.site.site_browsing import site as site
from tests.report.site.site_browsing import tabs as tabs

MODELS = ("alpha-1", "beta", "../x<img src=x onerror=alert(1)>", "נמלה")
TASKS = ("summary", "question")
LEVELS = (
    Level("strict", "unwanted", {"faithbench": "faithbench-unwanted", "gray7": "from-ambiguous"}),
    Level("wide", "unwanted + rest", {"faithbench": "faithbench-strict", "gray7": "from-no-fact"}),
)
JUDGES = (
    Judge("people", "gold:toy", "person", ("faithbench",)),
    Judge("reader", "run:reader", "detector", ("gray7",), "alpha-1"),
    Judge("scores", "recorded:scores@toy", "detector", ("binary",), is_scored=True),
    Judge("majority", "reader+scores", "vote", ("binary",)),
)
SOURCES = 12
FACTS = ("The bridge opened in 1931.", "It cost two million.", "The mayor cut the ribbon 😀.")


def _source(number: int) -> Source:
    return Source(f"Report {number}. " + " ".join(FACTS), id=f"report-{number}")


def _spans(text: str, sentences: Sequence[str]) -> list[Unit]:
    units, start = [], 0
    for number, sentence in enumerate(sentences, start=1):
        start = text.index(sentence, start)
        span = Span.cut(text, start, start + len(sentence), "response")
        units.append(Unit.at("sentence", span, unit_id("sentence", number)))
        start += len(sentence)
    return units


def _reads(example: Example, sentences: Sequence[str], wrong: int) -> Judgement:
    """The judge that reads sentence by sentence: of the first some, it says that they are wrong."""
    outcomes: list[Outcome] = []
    units = _spans(example.response.text, sentences)
    for number, unit in enumerate(units):
        fact = FACTS[number % len(FACTS)]
        at = example.source.text.index(fact)
        evidence = (Span.cut(example.source.text, at, at + len(fact), "source"),)
        label = GRAY7["contradicting" if number < wrong else "explicitly-supported"]
        note = f"The source says otherwise: {fact}" if number < wrong else "It is stated."
        answers = Answers(states_fact=True, entailed=number >= wrong)
        score = 0.1 if number < wrong else 0.9
        verdict = Verdict(unit.id, label, score, 0.8, note, evidence, answers=answers)
        start = (unit.start or 0) + unit.text.index(" ") + 1
        mark = Span.cut(example.response.text, start, unit.end or 0, "response")
        outcomes.append(replace(verdict, marks=(mark,)) if number < wrong else verdict)
    return Judgement(example.id, Author("reader"), tuple(units), tuple(outcomes))


def _whole(example: Example, author: str, outcome: Outcome) -> Judgement:
    unit = Unit.response(example.response.text)
    return Judgement(example.id, Author(author), (unit,), (outcome,))


def _row(model: int, source: int) -> Row | None:
    """One response; what is said of it goes by numbers, so that all classes occur."""
    kind = (3 * model + source) % 7
    if (model, source) == (3, 0):
        return None  # a missing response
    sentences = [
        f"Bridge {source} opened in 19{31 + kind}.",
        f"It cost {kind + 1} million.",
        "So it is.",
    ]
    text = "I cannot help." if kind == 6 else " ".join(sentences)
    example = Example(
        f"report-{source}/{MODELS[model]}",
        _source(source),
        Response(text, MODELS[model]),
        question="What opened?" if source % 2 else "",
        task=TASKS[source % 2],
    )
    people = ("unwanted.intrinsic", "questionable", "benign", "consistent")[kind % 4]
    said: list[Judgement | None] = [
        _whole(example, "people", Verdict("response", FAITHBENCH[people], note="Ann: see there.")),
        None if kind == 5 else _reads(example, [] if kind == 6 else sentences, kind % 3),
        _whole(example, "scores", Verdict("response", score=round(0.15 * kind, 2)))
        if kind != 4
        else _whole(example, "scores", Failure("response", "parse", "no number", "Well <b>so</b>")),
        None,
    ]
    return _classed(example, said, is_refusal=kind == 6)


def _classed(example: Example, said: list[Judgement | None], *, is_refusal: bool) -> Row:
    classes: list[tuple[Class, ...]] = []
    for each in said[:-1]:
        outcome = None if each is None else fold_judgement(each)
        classes.append(
            tuple(class_of(outcome, level, Counting(), is_refusal=is_refusal) for level in LEVELS)
        )
    votes: list[Class] = [
        "hallucinated" if "hallucinated" in pair else pair[0]
        for pair in zip(*classes[1:], strict=True)
    ]
    return Row(example, tuple(said), (*classes, tuple(votes)))


def _count(row: Row, judge: int, level: int) -> Class:
    return row.classes[judge][level]


def _ranking(rows: Sequence[Row], judge: int, level: int, task: str) -> Ranking:
    standings = []
    inside = [row for row in rows if task in ("", row.example.task)]
    sources = {row.example.source.id for row in inside}
    for model in MODELS:
        own = [row for row in inside if row.example.response.model == model]
        counts = {
            kind: sum(_count(row, judge, level) == kind for row in own)
            for kind in ("hallucinated", "faithful", "refused", "invalid", "failed", "uncounted")
        }
        judged = counts["hallucinated"] + counts["faithful"]
        standings.append(
            Standing(
                model, None, None, proportion(counts["hallucinated"], judged),
                counts["hallucinated"], judged, len(own) - counts["uncounted"],
                counts["refused"], counts["invalid"], counts["failed"],
                len(sources) - len(own), 8.5,
            )
        )  # fmt: skip
    standings.sort(key=lambda each: each.rate.value or 0.0)
    ranked = tuple(
        replace(each, rank=rank, ranks=(rank, min(4, rank + 1)), is_starred=place < 2)
        for place, each in enumerate(standings)
        for rank in [1 + sum((o.rate.value or 0) < (each.rate.value or 0) for o in standings)]
    )
    differs = tuple(tuple(abs(a - b) > 1 for b in range(4)) for a in range(4))
    p_values = tuple(tuple(None if a == b else 0.5 for b in range(4)) for a in range(4))
    return Ranking(
        JUDGES[judge].name, LEVELS[level].name, task, len(sources), ranked, p_values, differs,
        differs,
    )  # fmt: skip


def _distributions(rows: Sequence[Row]) -> Iterable[Distribution]:
    for model in MODELS:
        names = [
            fold_judgement(row.said[0]).label
            for row in rows
            if row.example.response.model == model and row.said[0]
        ]
        counts = {label.name: names.count(label) for label in FAITHBENCH if label in names}
        yield Distribution("people", model, counts, {})
        yield Distribution("scores", model, {"unfaithful": 5, "faithful": 3}, {"parse": 1})


def _lengths() -> Lengths:
    rates = tuple(proportion(hits, 10) for hits in (1, 2, 4))
    own = {MODELS[0]: tuple(proportion(hits, 4) for hits in (0, 1, 3))}
    return Lengths("people", "strict", (LengthRates("source", (50, 80, 200), rates, own, {}),))


@pytest.fixture(scope="session")
def rows() -> list[Row]:
    """All rows, source by source."""
    found = (_row(model, source) for source in range(SOURCES) for model in range(len(MODELS)))
    return [row for row in found if row is not None]


@pytest.fixture(scope="session")
def board(rows: list[Row], small_report: EvaluationReport) -> Board:
    """The board that counts the rows."""
    places = [(judge, level) for judge in range(len(JUDGES)) for level in range(len(LEVELS))]
    return Board(
        title="Bridges and </script> other things",
        dataset="toy",
        digest="abc123",
        models=MODELS,
        tasks=TASKS,
        judges=JUDGES,
        levels=LEVELS,
        rankings=tuple(
            _ranking(rows, *place, task) for place in places for task in ("", *TASKS)
        ),
        distributions=tuple(_distributions(rows)),
        lengths=(_lengths(),),
        correlations=(
            RankCorrelation(
                "people", "reader", "strict",
                Estimate(0.67, 4, 0.1, 1.0), Estimate(0.8, 4, 0.2, 1.0),
            ),
        ),
        bias=(
            Bias("strict", 20, tuple(
                BiasCell(judge, model, 2 + at, 5, 1 + at, judge == "reader" and at == 0)
                for judge in ("reader", "scores") for at, model in enumerate(MODELS)
            )),
        ),
        detectors=small_report,
        errors=(
            ErrorDistribution(
                "reader", "response", {"benign": 3}, {"implicitly-supported": 4, "benign": 9}
            ),
        ),
        warnings=("נמלה has no response to 1 of 12 sources", "second <b>warning</b>"),
        replicates=200,
        seed=7,
        version="0.1",
    )  # fmt: skip


PIECE = re.compile(r'piece\(("[^"]+"),(.*)\);\n', re.DOTALL)


@pytest.fixture(scope="session")
def read_piece() -> Callable[[Path, str], Any]:
    """Reads a piece of a site, which is JSON between the brackets of a call."""

    def read(site: Path, name: str) -> Any:
        text = (site / "data" / f"{name}.js").read_text(encoding="utf-8")
        match = PIECE.fullmatch(text)
        assert match
        assert json.loads(match[1]) == name
        return json.loads(match[2])

    return read
