"""Places of rows: the file that an example was read from, and its line there."""

import re
from dataclasses import dataclass

STDIN = "standard input"
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class RowPlace:
    """The place of a row: its file, the line on which it begins, and both in words.

    Lines count from 1. A form without lines, such as Parquet, has every row on line 1, and `part`
    says which it is. Of a response that is a whole file, each sentence has a line of its own.
    """

    file: str
    line: int = 1
    part: str = ""  # of the file, such as `line 3`
    is_text: bool = False  # the file is the response and nothing else
    names_example: bool = False  # the row has no id of its own, and is known by its number

    def __str__(self) -> str:
        return f"{self.file} {self.part}".rstrip()

    def line_at(self, response: str, start: int | None) -> int:
        """The line of what begins there in the response, as far as the file has lines of it."""
        if not self.is_text or start is None:
            return self.line
        return self.line + len(_LINE_END.findall(response, 0, start))
