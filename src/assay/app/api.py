"""What Python programs call: texts, rows or whole data sets, at once, as a stream, or awaited."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.app.check import CheckRequest, start_check
from assay.app.given import GivenRows, OnError, refusal_of
from assay.app.results import Report
from assay.app.texts import make_rows, read_rows
from assay.core.errors import AssayError, InputError
from assay.core.problems import Problem
from assay.core.results import Result
from assay.datasets.fields import Columns
from assay.datasets.selection import DataChoice
from assay.detectors.local import NO_OPTIONS, FittedCalibration, LocalOptions, read_calibration
from assay.detectors.registry import DEFAULT, DetectorSpec
from assay.llm.options import Options

if TYPE_CHECKING:  # what only some functions need is imported by them
    from assay.app.board import BoardResult
    from assay.app.calibrate import Calibrated
    from assay.app.evaluate import Compared, Evaluated
    from assay.app.judging import Asking
    from assay.app.localize import Localized
    from assay.app.run import RunOutcome
    from assay.engine.session import Tick


AT_ONCE = 32  # rows that `check_each` reads before the first result of a model comes


def check(  # noqa: PLR0913 - all that a user may want to say, each by its name
    source: object,
    response: object = None,
    question: str = "",
    *,
    detector: str | DetectorSpec = DEFAULT,
    model: str | Sequence[str] = (),
    threshold: float | None = None,
    calibration: str | Path | FittedCalibration | None = None,
    device: str = "cpu",
    columns: Columns | None = None,
    language: str | None = None,
    on_error: OnError = "raise",
) -> Report:
    """Judges every sentence of a response, or of many, by its source.

    Give a source and a response; or, as the first argument alone, a dict or row with both, or
    many of these: a list, a data frame, a data set. Sources may be text, lists or JSON objects.
    `model` is the model that a judge asks; without it, the one that environment and settings name.
    `threshold`, `calibration` (a file, or what `calibrate` gives) and `device` are for a detector
    that runs a model here: see `LocalOptions`.

    The report's `coarse` says whether all is faithful, as `assay check --fail-on` counts it. Its
    `label` is the likelier one, and says nothing of whether the detector is sure.

    A row that cannot be read raises, and the error's `results` has what was judged before it; with
    `on_error="keep"` it is a result with a `problem`, in its place, and the others are judged.
    """
    local = _local(threshold, calibration, device)
    request = CheckRequest(_spec(detector, model, local))
    rows = make_rows(source, response, question, columns, language, on_error)
    given = GivenRows(rows, on_error, free=not request.detector.capabilities.asks_model)
    checking = start_check(given, request, journal=response is None)
    judged = given.complete(lambda: checking.results(_refuse), checking.manifest.author)
    return Report(checking.manifest, _collected(judged))


def check_each(  # noqa: PLR0913 - as for `check`
    rows: object,
    *,
    detector: str | DetectorSpec = DEFAULT,
    model: str | Sequence[str] = (),
    threshold: float | None = None,
    calibration: str | Path | FittedCalibration | None = None,
    device: str = "cpu",
    columns: Columns | None = None,
    language: str | None = None,
    on_error: OnError = "raise",
) -> Iterator[Result]:
    """Like `check` for many rows, one result after the other, however many there are.

    The results of all rows before one that cannot be read come first; then it raises, or is kept.
    """
    local = _local(threshold, calibration, device)
    request = CheckRequest(_spec(detector, model, local))
    asks_model = request.detector.capabilities.asks_model
    given = GivenRows(read_rows(rows, columns, language), on_error, pauses=not asks_model)
    checking = start_check(() if asks_model else given, request)

    def judge_some() -> Iterator[Result]:
        # A model is asked about so many rows at the same time; what cuts that off is asked once.
        some = start_check(given.take(AT_ONCE), request) if asks_model else checking
        return some.results(_refuse)

    yield from given.complete(judge_some, checking.manifest.author)


async def acheck(  # noqa: PLR0913 - as for `check`
    source: object,
    response: object = None,
    question: str = "",
    *,
    detector: str | DetectorSpec = DEFAULT,
    model: str | Sequence[str] = (),
    threshold: float | None = None,
    calibration: str | Path | FittedCalibration | None = None,
    device: str = "cpu",
    columns: Columns | None = None,
    language: str | None = None,
    on_error: OnError = "raise",
) -> Report:
    """`check` for a program with an event loop of its own, which goes on meanwhile.

    If it is cancelled, calls under way are cancelled too.
    """
    local = _local(threshold, calibration, device)
    request = CheckRequest(_spec(detector, model, local))
    rows = make_rows(source, response, question, columns, language, on_error)
    given = GivenRows(rows, on_error, free=not request.detector.capabilities.asks_model)
    # In a thread, since what a detector needs may take a while to import.
    checking = await asyncio.to_thread(start_check, given, request, journal=response is None)
    results = await checking.collect(_refuse)
    judged = given.complete(lambda: results, checking.manifest.author)
    return Report(checking.manifest, _collected(judged))


def run(  # noqa: PLR0913 - as for `check`
    data: str | DataChoice,
    *,
    detector: str | DetectorSpec = DEFAULT,
    model: str | Sequence[str] = (),
    threshold: float | None = None,
    calibration: str | Path | FittedCalibration | None = None,
    device: str = "cpu",
    name: str = "",
    runs: str | None = None,
    resume: bool | None = None,
    retry: bool = False,
) -> "RunOutcome":
    """Judges a corpus or file with a journal: what was judged and paid for is never lost.

    Without `resume` a run that is there already goes on; False refuses to go on with it.
    """
    from assay.app.run import RunRequest, run

    spec = _spec(detector, model, _local(threshold, calibration, device))
    request = RunRequest(_choice(data), spec, name=name)
    outcome = run(request, _silently, runs=runs, resume=resume, retry=retry)
    if outcome.ending.state == "interrupted":
        raise KeyboardInterrupt
    return outcome


def evaluate(  # noqa: PLR0913 - as for `check`
    *detectors: str,
    data: str | DataChoice,
    unit: str = "",
    reading: str = "",
    pool: str = "",
    threshold: float | str | None = None,
    invalid: str = "failure",
    model: str | Sequence[str] = (),
    options: Options | None = None,
    calibration: str | Path | FittedCalibration | None = None,
    device: str = "cpu",
    runs: str | None = None,
    by_model: bool = False,
) -> "Evaluated":
    """Measures detectors, runs or files of judgements against the gold labels of a corpus.

    An empty unit, reading or pool is that of the paper that evaluates on the corpus. With
    `by_model`, the report also has ranks among the detectors that ask the same model.
    """
    from assay.app.evaluate import EvaluateRequest, evaluate

    asking = _asking(model, options, runs, _local(None, calibration, device))
    request = EvaluateRequest(_choice(data), asking, detectors, reading, unit, pool, threshold)
    return evaluate(replace(request, invalid=invalid, by_model=by_model))


def compare(  # noqa: PLR0913 - as for `check`
    first: str,
    second: str,
    *,
    data: str | DataChoice,
    unit: str = "",
    reading: str = "",
    pool: str = "",
    threshold: float | str | None = None,
    invalid: str = "failure",
    model: str | Sequence[str] = (),
    options: Options | None = None,
    calibration: str | Path | FittedCalibration | None = None,
    device: str = "cpu",
    runs: str | None = None,
) -> "Compared":
    """Shows where two detectors differ on a corpus, and whether it is more than chance."""
    from assay.app.evaluate import EvaluateRequest, compare

    local = _local(None, calibration, device)
    names, asking = (first, second), _asking(model, options, runs, local)
    request = EvaluateRequest(_choice(data), asking, names, reading, unit, pool, threshold)
    return compare(replace(request, invalid=invalid))


def build_board(  # noqa: PLR0913 - as for `check`
    *judges: str,
    data: str | DataChoice,
    title: str = "",
    levels: Sequence[str] = (),
    invalid: str = "apart",
    refusals: str = "apart",
    duplicates: str = "refuse",
    by_task: bool = False,
    common: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    own: Mapping[str, str] | None = None,
    pool: str = "",
    model: str | Sequence[str] = (),
    options: Options | None = None,
    peers: str = "",
    runs: str | None = None,
) -> "BoardResult":
    """Ranks the LLMs whose responses the data has by how often judges call them hallucinated.

    Without judges, people's labels where there are some (`gold`) and all recorded detectors.
    `peers` names annotated responses that a judge such as `faithjudge` learns from.
    """
    from assay.app.board import BoardRequest, build_board

    request = BoardRequest(
        _choice(data),
        replace(_asking(model, options, runs), peers=peers),
        judges,
        title=title,
        levels=tuple(levels),
        invalid=invalid,
        refusals=refusals,
        duplicates=duplicates,
        by_task=by_task,
        common=common,
        replicates=replicates,
        seed=seed,
        own=own or {},
        pool=pool,
    )
    return build_board(request)


def localize(  # noqa: PLR0913 - as for `check`
    detector: str,
    *datasets: str,
    split: str = "",
    sample: int | None = None,
    seed: int = 0,
    matcher: str = "offline",
    reading: str = "",
    model: str | Sequence[str] = (),
    options: Options | None = None,
    folder: str | None = None,
    runs: str | None = None,
) -> "Localized":
    """How well a detector says in words what is wrong, on corpora with described errors.

    Without a reading, every error counts that people marked.
    """
    from assay.app.localize import LocalizeRequest, Matching, Part, localize

    part = Part(split, sample, seed)
    asking = _asking(model, options, runs)
    request = LocalizeRequest(datasets, asking, folder, part, Matching(matcher), reading)
    return localize(request, detector)


def calibrate(  # noqa: PLR0913 - as for `check`
    data: str | DataChoice,
    *,
    detector: str = DEFAULT,
    unit: str = "",
    reading: str = "",
    sure: float = 0.8,
    device: str = "cpu",
    pool: str = "",
) -> "Calibrated":
    """Fits how the scores of a detector are read, on a file or corpus with labels.

    `save` writes the result to a file, and `check(..., calibration=...)` takes the file or its
    `fitted`. Verdicts outside of the not-sure band should be right with a chance of `sure`.
    """
    from assay.app.calibrate import CalibrateRequest, calibrate

    asking = _asking((), None, None, LocalOptions(device))
    return calibrate(CalibrateRequest(_choice(data), asking, detector, unit, reading, sure, pool))


def _choice(data: str | DataChoice) -> DataChoice:
    return DataChoice(data) if isinstance(data, str) else data


def _asking(
    model: str | Sequence[str],
    options: Options | None,
    runs: str | None,
    local: LocalOptions = NO_OPTIONS,
) -> "Asking":
    from assay.app.judging import Asking

    return Asking(_silently, _models(model), options or Options(), runs, local=local)


def _silently(session: object) -> AbstractContextManager["Tick"]:
    """Shows no progress."""
    return nullcontext(lambda: None)


def _models(model: str | Sequence[str]) -> tuple[str, ...]:
    return (model,) if isinstance(model, str) and model else tuple(model)


def _local(
    threshold: float | None, calibration: str | Path | FittedCalibration | None, device: str
) -> LocalOptions:
    if isinstance(calibration, (str, Path)):
        calibration = read_calibration(calibration)
    return LocalOptions(device, threshold, calibration)


def _spec(
    detector: str | DetectorSpec, model: str | Sequence[str], local: LocalOptions = NO_OPTIONS
) -> DetectorSpec:
    models = _models(model)
    if isinstance(detector, str):
        return DetectorSpec(detector, models, local=local)
    if local.changed:
        name = local.changed[0]
        raise InputError(f"the detector's spec says that; leave out {name}", field=name)
    if models:
        raise InputError("the detector's spec names its models; leave out the model", field="model")
    return detector


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
