"""Checks of files: one of many examples, or two of text."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated

from assay.app.rows import text_example
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.options import Argument, Option, Takes
from assay.core.places import STDIN, RowPlace
from assay.core.system.files import refuse_as_output
from assay.core.system.lines import DOCUMENT_LIMIT, decode, read_whole, refuse_crowded, why_not_json
from assay.datasets.encodings import open_binary
from assay.datasets.fields import Columns
from assay.datasets.files import count_rows, read_file
from assay.engine.check import (
    Check,
    CheckRequest,
    estimate_check,
    start_check,
)
from assay.engine.kept_checks import Row

__all__ = ["Check", "CheckRequest", "Row", "estimate_check", "start_check"]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files and fields that the user named."""

    file: Annotated[
        str | None,
        Argument(
            "Examples: .json, .jsonl, .csv, .tsv, .parquet (also .gz); '-' reads standard input.",
            "FILE",
        ),
    ] = None
    source: Annotated[
        str | None, Option("The source: text, or .json for a structured one.", "FILE")
    ] = None
    response: Annotated[str | None, Option("The response to check, as text.", "FILE")] = None
    question: Annotated[str, Option("The question that the response answers.", "TEXT")] = ""
    otel: Annotated[
        str | None,
        Option("Exported traces (OTLP JSON): check each answer by what was retrieved.", "FILE"),
    ] = None
    columns: Annotated[Columns, Takes("label_field label_taxonomy")] = field(
        default_factory=Columns
    )
    language: Annotated[
        str | None, Option("Language of the texts, as in 'de'; detected if left out.", "CODE")
    ] = None

    def read(self) -> Iterator[Row]:
        """The examples; what cannot be used at all raises at once."""
        if self.otel is not None:
            return self._traces(self.otel)
        if self.file is not None:
            if self.source or self.response or self.question:
                raise InputError(
                    "give a file of examples, or a source and a response, not both", field="file"
                )
            from assay.datasets.formats.detection import OTHERS, form_of, read_annotated

            # Our own lines are read by their plain fields, as any other file of one example a row.
            read = read_annotated if form_of(self.file) in OTHERS else read_file
            return iter(read(self.file, self.columns, self.language))
        if self.source is None or self.response is None:
            raise InputError(
                "nothing to check: give a file of examples, or a source and a response",
                code="nothing-to-check",
            )
        if self.source == self.response == "-":
            raise InputError("only one of source and response can be standard input")
        return iter([self._pair(self.source, self.response)])

    def refuse_as_output(self, path: str) -> None:
        """Raises if an output would take the place of an input."""
        refuse_as_output(path, self.file, self.source, self.response, self.otel)

    def count(self) -> int | None:
        """The number of examples, if it is known beforehand."""
        if self.otel is not None:
            return None
        if self.file is None:
            return 1
        from assay.datasets.formats.detection import OTHERS, form_of

        return None if form_of(self.file) in OTHERS else count_rows(self.file)

    def _traces(self, path: str) -> Iterator[Row]:
        if self.file or self.source or self.response or self.question:
            raise InputError("give traces, or other examples, not both", field="otel")
        from assay.datasets.formats.otel.traces import read_traces

        return read_traces(path, self.language)

    def _pair(self, source: str, response: str) -> Example:
        try:
            grounding = _read_text_or_json(source)
            example = text_example(grounding, _read_text(response), self.question, self.language)
        except InputError as error:
            raise InputError(_with_file(str(error), source, response)) from None
        file = STDIN if response == "-" else response
        return replace(example, place=RowPlace(file, is_text=True, names_example=True))


def _read_text(path: str) -> str:
    with open_binary(path) as file:
        return decode(read_whole(file, path), path)


def _read_text_or_json(path: str) -> object:
    text = _read_text(path)
    if not path.endswith(".json"):
        return text
    try:
        refuse_crowded(text, DOCUMENT_LIMIT)
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {why_not_json(error)}") from None


def _with_file(message: str, source: str, response: str) -> str:
    """The message with the file that it speaks of."""
    for what, path in (("the source ", source), ("the response ", response)):
        if message.startswith(what) and path != "-":
            return f"{path}: {message}"
    return message
