"""`check` from Python: texts, rows or whole data sets; at once, as a stream, or awaited."""

import asyncio
from collections.abc import Iterator
from threading import Event

from assay.checking.results import Checked, Report
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.datasets.fields import Columns, check_language, check_source, check_text
from assay.datasets.rows import read_rows
from assay.detectors.protocol import Detector
from assay.detectors.registry import DEFAULT
from assay.llm.background import unwanted


def check(  # noqa: PLR0913 - all that a user may want to say, each by its name
    source: object,
    response: str | None = None,
    question: str = "",
    *,
    detector: str | Detector = DEFAULT,
    model: str = "",
    columns: Columns | None = None,
    language: str = "en",
) -> Report:
    """Judges every sentence of a response, or of many, by its source.

    Give a source and a response; or, as the first argument alone, a dict or row with both, or
    many of these: a list, a data frame, a data set. Sources may be text, lists or JSON objects.
    `model` is whom a judge asks; without it, the one that environment and settings file name.
    """
    judge = _detector(detector, model)
    examples = _examples(source, response, question, columns, language)
    return _report(judge, examples, Event())


def check_each(
    rows: object,
    *,
    detector: str | Detector = DEFAULT,
    model: str = "",
    columns: Columns | None = None,
    language: str = "en",
) -> Iterator[Checked]:
    """Like `check` for many rows, one result after the other, however many there are."""
    for judgement in _detector(detector, model).detect(read_rows(rows, columns, language)):
        yield Checked(judgement)


async def acheck(  # noqa: PLR0913 - as for `check`
    source: object,
    response: str | None = None,
    question: str = "",
    *,
    detector: str | Detector = DEFAULT,
    model: str = "",
    columns: Columns | None = None,
    language: str = "en",
) -> Report:
    """`check` in a thread, so that the running event loop goes on meanwhile.

    If it is cancelled, calls under way are called off.
    """
    cancelled = Event()
    unwanted.set(cancelled)  # the thread gets a copy of what is set here

    def work() -> Report:
        judge = _detector(detector, model)
        examples = _examples(source, response, question, columns, language)
        return _report(judge, examples, cancelled)

    try:
        return await asyncio.to_thread(work)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def _report(judge: Detector, examples: Iterator[Example], cancelled: Event) -> Report:
    """What the detector says of the examples, up to where it is cancelled."""
    checked = []
    judgements = judge.detect(examples)
    for judgement in judgements:
        if cancelled.is_set():
            getattr(judgements, "close", lambda: None)()  # a generator lets go of its calls
            break
        checked.append(Checked(judgement))
    return Report(judge.name, judge.taxonomy.name, tuple(checked), judge.unit_kind)


def text_example(source: object, response: str, question: str, language: str) -> Example:
    """The example of two texts; the source may also be a list or a JSON object."""
    return Example(
        id="1",
        source=check_source(read_source(source)),
        response=Response(check_text(response, "response")),
        question=question,
        language=check_language(language),
    )


def _detector(detector: str | Detector, model: str) -> Detector:
    if not isinstance(detector, str):
        if model:
            raise InputError(f"detector '{detector.name}' is loaded already; leave out the model")
        return detector
    from assay.checking.loading import JudgeChoice, load_judge  # only judges need a client

    return load_judge(JudgeChoice(detector, (model,) if model else ()))


def _examples(
    source: object, response: str | None, question: str, columns: Columns | None, language: str
) -> Iterator[Example]:
    if response is not None:
        return iter([text_example(source, response, question, language)])
    if isinstance(source, str):
        raise InputError("the response is missing: check(source, response)")
    return read_rows(source, columns, language)
