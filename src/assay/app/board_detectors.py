"""The detectors of a board compared with people, where the data has labels of people."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.app.evaluate import EvaluateRequest, fitting
from assay.app.judging import Asking
from assay.app.panels import Panel
from assay.board.judges import VOTE, broad_judges, error_distributions, vote, voters
from assay.board.results import Board
from assay.board.tallies import FAITHFUL, HALLUCINATED
from assay.core.errors import InputError
from assay.core.judgements import Author, Judgement, Judgements, Manifest
from assay.core.readings import usual_reading
from assay.core.taxonomies import BINARY
from assay.core.verdicts import Failure, Verdict
from assay.datasets.selection import Loaded, load
from assay.evaluation.comparison import EvaluationReport, make_report
from assay.evaluation.evaluate import Predictions, name_of
from assay.evaluation.gold import labelled_kinds
from assay.evaluation.items import find_items
from assay.evaluation.levels import Counting, Level
from assay.evaluation.policy import GoldPolicy, GoldUnit
from assay.evaluation.references import recorded_judgements
from assay.evaluation.responses import Classes, Responses
from assay.metrics import Resampling
from assay.text.sentences import response_unit

_AS_JUDGED = Counting(refusals="judged")  # a detector's verdict on a refusal counts


@dataclass(frozen=True, slots=True)
class Measuring:
    """The panel whose detectors are measured, and how."""

    panel: Panel
    asking: Asking
    resampling: Resampling
    pool: str = ""
    by_task: bool = False
    reading: str = ""


def measured(board: Board, responses: Responses, how: Measuring) -> Board:
    """The board with how well its detectors agree with people, by responses and by sentences.

    People's labels are read as the board's only level reads them; where it has several, in their
    usual reading. The majority of the detectors is measured like them, on whole responses, and
    sentences only where people labelled these or spans: what a label of a response leaves to
    conclude about its sentences is one-sided.
    """
    names = [judge.name for judge in board.judges if judge.kind == "detector"]
    if not names:
        return board
    opened = {name_of(each): each for each in how.panel.opened}
    target = how.panel.choice.target
    loaded = load(how.panel.choice)
    single: list[Predictions] = [
        opened.get(name) or recorded_judgements(name, target, loaded.annotated) for name in names
    ]
    at, reading = _level_for(board, loaded)
    how = replace(how, reading=reading)
    every = [*single, *_majority(board, responses, loaded, at)]
    whole = _report(how, loaded, every, "response")
    has_parts = not labelled_kinds(loaded.annotated).isdisjoint({"sentence", "span"})
    sentences = _report(how, loaded, single, "sentence") if has_parts else None
    errors = (
        *(error_distributions(whole, "response") if whole else ()),
        *(error_distributions(sentences, "sentence") if sentences else ()),
    )
    return replace(
        board,
        detectors=whole,
        sentence_detectors=sentences,
        errors=errors,
        measured_at=at.name if at else "",
    )


def _level_for(board: Board, loaded: Loaded) -> tuple[Level | None, str]:
    """The level at which people's labels are read, and the reading, if it is not the usual one."""
    items = find_items(loaded.annotated, GoldPolicy("response"))
    menus = {item.gold.taxonomy for item in items} - {BINARY.name}
    if len(board.levels) == 1:
        (level,) = board.levels
        named = {level.readings[menu] for menu in menus if menu in level.readings}
        if len(named) == 1:
            return level, named.pop()
        return None if menus else level, ""
    usual = {menu: usual_reading(menu).name for menu in menus}
    for level in board.levels:
        if usual and usual.items() <= level.readings.items():
            return level, ""
    return None, ""


def _report(
    how: Measuring, loaded: Loaded, predictions: list[Predictions], unit: GoldUnit
) -> EvaluationReport | None:
    """The figures at one level; None where there are no labels, or nobody judges such units."""
    asked = EvaluateRequest(
        how.panel.choice, how.asking, unit=unit, pool=how.pool, reading=how.reading
    )
    settings = replace(asked.settings(), resampling=how.resampling, by_task=how.by_task)
    settings = fitting(asked, settings, loaded, predictions)
    if not find_items(loaded.annotated, settings.policy):
        return None
    try:
        return make_report(
            how.panel.choice.target,
            loaded.annotated,
            predictions,
            settings,
            repairs=loaded.repairs,
            labels=loaded.card.labels if loaded.card else "",
        )
    except InputError as error:
        if error.code != "whole-responses":  # all of them judge these only
            raise
        return None


def _majority(
    board: Board, responses: Responses, loaded: Loaded, at: Level | None
) -> Iterator[Judgements]:
    """The majority of the detectors as a detector of its own, if they vote at all."""
    voting = voters(broad_judges(board.judges[:-1], responses))
    if board.judges[-1].kind != "vote":
        return
    level = at or board.levels[min(1, len(board.levels) - 1)]
    said = vote([responses.classes(each.name, level, _AS_JUDGED) for each in voting])
    manifest = Manifest(
        Author(VOTE), unit_kind="response", taxonomy=BINARY.name, examples=len(loaded.annotated)
    )
    found = tuple(_votes(said, responses, loaded, level))
    yield Judgements(VOTE, manifest, lambda: found)


def _votes(
    said: Classes, responses: Responses, loaded: Loaded, level: Level
) -> Iterator[Judgement]:
    labels = {HALLUCINATED: BINARY["unfaithful"], FAITHFUL: BINARY["faithful"]}
    given = iter(said.tolist())
    for each, is_kept in zip(loaded.annotated, responses.kept.tolist(), strict=True):
        label = labels.get(next(given)) if is_kept else None
        unit = response_unit(each.example)
        note = f"the majority, at the level {level.name}"
        outcome = (
            Verdict(unit.id, label, note=note)
            if label
            else Failure(unit.id, "missing", "not all detectors have a verdict")
        )
        yield Judgement(each.id, Author(VOTE), (unit,), (outcome,))
