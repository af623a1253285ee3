"""The functions for Python programs: on texts, rows or data sets, at once, streamed or awaited.

A function takes what its request takes, by the names of the options; the typed dictionaries say so
to editors and type checkers.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from assay.app.results import Report
from assay.app.rows import GivenRows, OnError, make_rows, read_rows, refusal_of
from assay.core.errors import AssayError, InputError
from assay.core.options import build, declared
from assay.core.problems import Problem
from assay.core.results import Result
from assay.datasets.fields import Columns
from assay.datasets.selection import DataChoice
from assay.detectors.local import FittedCalibration
from assay.detectors.registry import DetectorSpec
from assay.engine.check import Check, CheckRequest, start_check

if TYPE_CHECKING:  # what only some functions need is imported by them
    from assay.app.board import BoardArguments, BoardResult
    from assay.app.calibrate import CalibrateArguments, Calibrated
    from assay.app.evaluate import Compared, EvaluateArguments, Evaluated
    from assay.app.localize import LocalizeArguments, Localized
    from assay.app.runs import RunOutcome

T = TypeVar("T")

AT_ONCE = 32  # rows that `check_each` reads before the first result of a model comes


class DetectorArguments(TypedDict, total=False):
    """A detector, the model that it asks, and the reading of scores of one that runs here."""

    detector: str | DetectorSpec
    model: str | Sequence[str]
    threshold: float | None
    calibration: str | Path | FittedCalibration | None
    device: str
    batch_size: int | None


class CheckArguments(DetectorArguments, total=False):
    """The same, and how the rows of a check are read."""

    columns: Columns | None
    language: str | None
    on_error: OnError


def check(
    source: object, response: object = None, question: str = "", **how: Unpack[CheckArguments]
) -> Report:
    """Judges every sentence of a response, or of many, by its source.

    Give a source and a response; or, as the first argument alone, a dict or row with both, or
    many of these: a list, a data frame, a data set. Sources may be text, lists or JSON objects.
    `detector` names who judges. `model` is the model that a judge asks; without it, the one that
    environment and settings name. `threshold`, `calibration` (a file, or what `calibrate` gives)
    and `device` are for a detector that runs a model here: see `LocalOptions`. `columns` are your
    names for the fields of rows, and `language` is that of the texts.

    The report's `coarse` says whether all is faithful, as `assay check --fail-on` counts it. Its
    `label` is the likelier one, and says nothing of whether the detector is sure.

    A row that cannot be read raises, and the error's `results` has what was judged before it; with
    `on_error="keep"` it is a result with a `problem`, in its place, and the others are judged.
    """
    given, request = _given(source, response, question, how)
    checking = start_check(given, request, journal=response is None)
    judged = given.complete(lambda: checking.results(_refuse), checking.manifest.author)
    return Report(checking.manifest, _collected(judged), checking.stages)


def check_each(rows: object, **how: Unpack[CheckArguments]) -> Iterator[Result]:
    """Like `check` for many rows, one result after the other, however many there are.

    The results of all rows before one that cannot be read come first; then it raises, or is kept.
    """
    columns, language, on_error = _reading(how)
    request = _detecting(CheckRequest, how)
    asks_model = request.detector.capabilities.asks_model
    given = GivenRows(read_rows(rows, columns, language), on_error, pauses=not asks_model)
    checking = start_check(() if asks_model else given, request)

    def judge_some() -> Iterator[Result]:
        # A model is asked about so many rows at the same time; what cuts that off is asked once.
        some = start_check(given.take(AT_ONCE), request) if asks_model else checking
        return some.results(_refuse)

    yield from given.complete(judge_some, checking.manifest.author)


async def acheck(
    source: object, response: object = None, question: str = "", **how: Unpack[CheckArguments]
) -> Report:
    """`check` for a program with an event loop of its own, which goes on meanwhile.

    If it is cancelled, calls under way are cancelled too.
    """
    given, request = _given(source, response, question, how)
    # In a thread, since what a detector needs may take a while to import.
    checking: Check = await asyncio.to_thread(start_check, given, request, journal=response is None)
    results = await checking.collect(_refuse)
    judged = given.complete(lambda: results, checking.manifest.author)
    return Report(checking.manifest, _collected(judged), checking.stages)


def check_request(how: "DetectorArguments") -> CheckRequest:
    """The request of checks with these arguments; what is wrong with them raises."""
    return _detecting(CheckRequest, how)


def run(
    data: str | DataChoice,
    *,
    name: str = "",
    runs: str | None = None,
    resume: bool | None = None,
    retry: bool = False,
    **who: Unpack[DetectorArguments],
) -> "RunOutcome":
    """Judges a corpus or file with a journal: what was judged and paid for is never lost.

    Without `resume` a run that is there already goes on; False refuses to go on with it.
    """
    from assay.app.judging import silently
    from assay.app.runs import RunRequest, run

    request = _detecting(RunRequest, {**who, "data": _choice(data), "name": name})
    outcome = run(request, silently, runs=runs, resume=resume, retry=retry)
    if outcome.ending.state == "interrupted":
        raise KeyboardInterrupt
    return outcome


def evaluate(
    *detectors: str,
    data: str | DataChoice,
    by_model: bool = False,
    **how: "Unpack[EvaluateArguments]",
) -> "Evaluated":
    """Measures detectors, runs or files of judgements against the gold labels of a corpus.

    An empty unit, reading or pool is that of the paper that evaluates on the corpus. `cut` is the
    score or label from which a prediction counts as faithful. With `by_model`, the report also has
    ranks among the detectors that ask the same model.
    """
    from assay.app.evaluate import EvaluateRequest, evaluate

    given = {**_cut(how), "data": _choice(data), "detectors": detectors, "by_model": by_model}
    return evaluate(_request(EvaluateRequest, given))


def compare(
    first: str, second: str, *, data: str | DataChoice, **how: "Unpack[EvaluateArguments]"
) -> "Compared":
    """Shows where two detectors differ on a corpus, and whether it is more than chance."""
    from assay.app.evaluate import EvaluateRequest, compare

    given = {**_cut(how), "data": _choice(data), "detectors": (first, second)}
    return compare(_request(EvaluateRequest, given))


def build_board(
    *judges: str, data: str | DataChoice, **how: "Unpack[BoardArguments]"
) -> "BoardResult":
    """Ranks the LLMs whose responses the data has by how often judges call them hallucinated.

    Without judges, people's labels where there are some (`gold`) and all recorded detectors.
    `peers` names annotated responses that a judge such as `faithjudge` learns from.
    """
    from assay.app.board import BoardRequest, build_board

    return build_board(_request(BoardRequest, {**how, "data": _choice(data), "judges": judges}))


def localize(
    detector: str, *datasets: str, folder: str | None = None, **how: "Unpack[LocalizeArguments]"
) -> "Localized":
    """Measures how well a detector says what is wrong, on corpora with described errors.

    Without a reading, every error counts that people marked.
    """
    from assay.app.localize import LocalizeRequest, localize

    request = _request(LocalizeRequest, {**how, "dataset": datasets, "data": folder})
    return localize(request, detector)


def calibrate(data: str | DataChoice, **how: "Unpack[CalibrateArguments]") -> "Calibrated":
    """Fits how the scores of a detector are read, on a file or corpus with labels.

    `save` writes the result to a file, and `check(..., calibration=...)` takes the file or its
    `fitted`. Verdicts outside of the not-sure band should be right with a chance of `sure`.
    """
    from assay.app.calibrate import CalibrateRequest, calibrate

    return calibrate(_request(CalibrateRequest, {**how, "data": _choice(data)}))


def _choice(data: str | DataChoice) -> DataChoice:
    return DataChoice(data) if isinstance(data, str) else data


def _request(kind: type[T], given: Mapping[str, Any]) -> T:
    """A request from arguments by name; one that nothing is called raises."""
    options = list(declared(kind))
    known = {name for each in options for name in (each.name, *each.fields[:-1])}
    for name in given:
        if name not in known:
            raise TypeError(f"got an unexpected keyword argument '{name}'")
    return build(kind, given)


def _detecting(kind: type[T], given: Mapping[str, Any]) -> T:
    """The same for one detector, which may be there as a whole."""
    if isinstance(given.get("detector"), DetectorSpec):
        for name in ("device", "threshold", "batch_size", "calibration"):
            if given.get(name, "cpu" if name == "device" else None) not in ("cpu", None):
                raise InputError(f"the detector's spec says that; leave out {name}", field=name)
        if given.get("model"):
            raise InputError(
                "the detector's spec names its models; leave out the model", field="model"
            )
    return _request(kind, given)


def _reading(how: "CheckArguments") -> tuple[Columns | None, str | None, OnError]:
    """The arguments that say how rows are read, taken out of the others."""
    return how.pop("columns", None), how.pop("language", None), how.pop("on_error", "raise")


def _given(
    source: object, response: object, question: str, how: "CheckArguments"
) -> tuple[GivenRows, CheckRequest]:
    columns, language, on_error = _reading(how)
    request = _detecting(CheckRequest, how)
    rows = make_rows(source, response, question, columns, language, on_error)
    return GivenRows(rows, on_error, free=not request.detector.capabilities.asks_model), request


def _cut(how: "EvaluateArguments") -> dict[str, Any]:
    """The arguments; before 0.3 a label was given as the threshold, which is the cut now."""
    given: dict[str, Any] = {**how}
    if isinstance(given.get("threshold"), str):
        given["cut"] = given.pop("threshold")
    return given


def _collected(results: Iterable[Result]) -> tuple[Result, ...]:
    """All results; an error takes along those that came before it."""
    found: list[Result] = []
    try:
        found.extend(results)
    except AssayError as error:
        error.results = tuple(found)
        raise
    return tuple(found)


def _refuse(problem: Problem) -> None:
    raise refusal_of(problem)
