"""Where the examples of a check come from: one file of many, or two files of text."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from assay.app.state import Row
from assay.app.texts import text_example
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.files import refuse_as_output
from assay.core.json_errors import why_not_json
from assay.core.lines import DOCUMENT_LIMIT, decode, read_whole, refuse_crowded
from assay.core.problems import Problem
from assay.datasets.fields import Columns
from assay.datasets.files import count_rows, read_file
from assay.datasets.formats.detecting import OTHERS, form_of, read_annotated
from assay.datasets.opening import open_binary

__all__ = ["Inputs", "Problem"]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files and fields that the user named."""

    file: str | None
    source: str | None
    response: str | None
    question: str
    columns: Columns
    language: str | None = None

    def read(self) -> Iterator[Row]:
        """The examples; what cannot be used at all raises at once."""
        if self.file is not None:
            if self.source or self.response or self.question:
                raise InputError(
                    "give a file of examples, or a source and a response, not both", field="file"
                )
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
        refuse_as_output(path, self.file, self.source, self.response)

    def count(self) -> int | None:
        """How many examples there are, where that is known beforehand."""
        if self.file is None:
            return 1
        return None if form_of(self.file) in OTHERS else count_rows(self.file)

    def _pair(self, source: str, response: str) -> Example:
        try:
            grounding = _read_text_or_json(source)
            return text_example(grounding, _read_text(response), self.question, self.language)
        except InputError as error:
            raise InputError(_with_file(str(error), source, response)) from None


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
