"""The JSON document of a check, written as results come and valid whenever it is closed."""

import json
from typing import TextIO

from assay.checking.results import Checked
from assay.core.units import UnitKind
from assay.datasets.files import Problem

MOST_PROBLEMS = 100  # kept for the end of the document; the rest are only counted


class DocumentWriter:
    """Writes the document that `Report.to_dict` describes, one example a line."""

    def __init__(
        self, stream: TextIO, detector: str, taxonomy: str, unit_kind: UnitKind = "sentence"
    ) -> None:
        self._stream = stream
        self._separator = "\n"
        self._problems: list[dict[str, str]] = []
        head = {"detector": detector, "taxonomy": taxonomy, "unit_kind": unit_kind}
        lines = (f"{_dump(name)}: {_dump(value)},\n" for name, value in head.items())
        stream.write("{\n" + "".join(lines) + '"examples": [')

    def add(self, checked: Checked) -> None:
        """Writes one example."""
        self.add_line(_dump(checked.to_dict()))

    def add_line(self, record: str) -> None:
        """Writes one example that is a record already."""
        self._stream.write(self._separator + record)
        self._separator = ",\n"

    def add_problem(self, problem: Problem) -> None:
        """Keeps a row that could not be read for the end of the document."""
        if len(self._problems) < MOST_PROBLEMS:
            self._problems.append({"where": problem.where, "message": problem.message})

    def close(self) -> None:
        """Ends the document."""
        self._stream.write(f'\n],\n"problems": {_dump(self._problems)}\n}}\n')
        self._stream.flush()


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
