"""What Python programs call: texts, rows or whole data sets, at once, as a stream, or awaited."""

from collections.abc import Iterable, Iterator, Sequence

from assay.app.check import CheckRequest, Row, start_check
from assay.app.results import Report
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.results import Result
from assay.core.texts import Response
from assay.datasets.fields import Columns, check_language, check_source, check_text, read_rows
from assay.datasets.files import Problem
from assay.detectors.registry import DEFAULT, DetectorSpec


def check(  # noqa: PLR0913 - all that a user may want to say, each by its name
    source: object,
    response: str | None = None,
    question: str = "",
    *,
    detector: str | DetectorSpec = DEFAULT,
    model: str | Sequence[str] = (),
    columns: Columns | None = None,
    language: str = "en",
) -> Report:
    """Judges every sentence of a response, or of many, by its source.

    Give a source and a response; or, as the first argument alone, a dict or row with both, or
    many of these: a list, a data frame, a data set. Sources may be text, lists or JSON objects.
    `model` is the model that a judge asks; without it, the one that environment and settings name.
    """
    rows = _rows(source, response, question, columns, language)
    checking = start_check(rows, CheckRequest(_spec(detector, model)), journal=response is None)
    return Report(checking.manifest, tuple(checking.results(_refuse)))


def check_each(
    rows: object,
    *,
    detector: str | DetectorSpec = DEFAULT,
    model: str | Sequence[str] = (),
    columns: Columns | None = None,
    language: str = "en",
) -> Iterator[Result]:
    """Like `check` for many rows, one result after the other, however many there are."""
    request = CheckRequest(_spec(detector, model))
    yield from start_check(read_rows(rows, columns, language), request).results(_refuse)


async def acheck(  # noqa: PLR0913 - as for `check`
    source: object,
    response: str | None = None,
    question: str = "",
    *,
    detector: str | DetectorSpec = DEFAULT,
    model: str | Sequence[str] = (),
    columns: Columns | None = None,
    language: str = "en",
) -> Report:
    """`check` for a program with an event loop of its own, which goes on meanwhile.

    If it is cancelled, calls under way are cancelled too.
    """
    rows = _rows(source, response, question, columns, language)
    checking = start_check(rows, CheckRequest(_spec(detector, model)), journal=response is None)
    return Report(checking.manifest, tuple(await checking.collect(_refuse)))


def text_example(source: object, response: str, question: str, language: str) -> Example:
    """The example of two texts; the source may also be a list or a JSON object."""
    return Example(
        id="1",
        source=check_source(read_source(source)),
        response=Response(check_text(response, "response")),
        question=question,
        language=check_language(language),
    )


def _spec(detector: str | DetectorSpec, model: str | Sequence[str]) -> DetectorSpec:
    models = (model,) if isinstance(model, str) and model else tuple(model)
    if isinstance(detector, str):
        return DetectorSpec(detector, models)
    if models:
        raise InputError("the detector's spec names its models; leave out the model", field="model")
    return detector


def _rows(
    source: object, response: str | None, question: str, columns: Columns | None, language: str
) -> Iterable[Row]:
    if response is not None:
        return [text_example(source, response, question, language)]
    if isinstance(source, str):
        raise InputError("the response is missing: check(source, response)", field="response")
    return read_rows(source, columns, language)


def _refuse(problem: Problem) -> None:
    raise InputError(str(problem))
