"""Texts and rows that a program or a command gives to a check, as examples."""

from collections.abc import Iterable

from assay.app.given import OnError
from assay.app.state import Row
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response, Source
from assay.datasets.fields import Columns
from assay.datasets.rows import Parts, check_language, check_source, check_text, problem_of
from assay.datasets.shapes import plain_answer, plain_source
from assay.datasets.tables import read_rows as read_table


def make_rows(
    source: object,
    response: object,
    question: str,
    columns: Columns | None,
    language: str | None,
    on_error: OnError,
) -> Iterable[Row]:
    """The rows of a check: a pair of texts, or whatever holds many."""
    if response is not None:
        return [_pair(source, response, question, check_language(language), on_error)]
    if isinstance(source, str):
        raise InputError("the response is missing: check(source, response)", field="response")
    return read_rows(source, columns, language)


def read_rows(data: object, columns: Columns | None, language: str | None) -> Iterable[Row]:
    """The rows of a list, a data frame or a data set."""
    return read_table(data, columns, check_language(language))


def _pair(
    source: object, response: object, question: str, language: str | None, on_error: OnError
) -> Row:
    parts = Parts()
    example = _text_example(source, response, question, language, parts)
    if parts.error is None:
        return example
    if on_error == "raise":
        raise parts.error
    return problem_of(parts.error, "the texts", example)


def text_example(source: object, response: object, question: str, language: str | None) -> Example:
    """The example of two texts; the source may also be a list or a JSON object."""
    parts = Parts()
    example = _text_example(source, response, question, language, parts)
    if parts.error:
        raise parts.error
    return example


def _text_example(
    source: object, response: object, question: str, language: str | None, parts: Parts
) -> Example:
    stated = check_language(language)
    return Example(
        id="1",
        source=parts.read(lambda: check_source(read_source(plain_source(source))), Source("")),
        response=parts.read(
            lambda: Response(check_text(plain_answer(response), "response")), Response("")
        ),
        question=parts.read(lambda: check_text(question, "question") if question else "", ""),
        language=stated or "en",
        is_english_stated=stated == "en",
    )
