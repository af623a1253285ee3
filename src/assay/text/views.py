"""Views: a text as a reader sees it, with the place in the original of every character."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class View:
    """A text that stands for another one: character `n` for `original[starts[n]:ends[n]]`.

    Both sequences never fall. A character that was inserted, such as the header before the cell of
    a table, stands for nothing: it starts and ends at the same place.
    """

    text: str
    original: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str) -> "View":
        """The view that is the text itself."""
        return cls(text, text, range(len(text)), range(1, len(text) + 1))

    @property
    def is_original(self) -> bool:
        """True if there was nothing to change."""
        return self.text == self.original

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original that a range of the view stands for."""
        if start < end:
            return self.starts[start], self.ends[end - 1]
        place = self.starts[start] if start < len(self.starts) else len(self.original)
        return place, place

    def from_original(self, start: int, end: int) -> tuple[int, int]:
        """The range of the view that stands for a range of the original, if only in part.

        What was inserted at either end of it is part of it.
        """
        first = bisect_left(self.ends, start)
        while first < len(self.starts) and self.starts[first] < start == self.ends[first]:
            first += 1
        last = bisect_right(self.starts, end)
        while last > first and self.starts[last - 1] == end < self.ends[last - 1]:
            last -= 1
        return first, max(first, last)

    def then(self, later: "View") -> "View":
        """The view of the original that a view of this view amounts to."""
        if later.is_original:
            return self
        if self.is_original:
            return later
        places = [
            self.to_original(start, end)
            for start, end in zip(later.starts, later.ends, strict=True)
        ]
        starts = array("q", (start for start, _ in places))
        return View(later.text, self.original, starts, array("q", (end for _, end in places)))


class ViewBuilder:
    """Puts a view together from left to right."""

    def __init__(self, original: str, start: int = 0) -> None:
        """`start` is where it stands as long as it is empty."""
        self.original = original
        self._start = start
        self._parts: list[str] = []
        self._starts = array("q")
        self._ends = array("q")

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def last(self) -> str:
        """The last character; empty if there is none."""
        return self._parts[-1][-1] if self._parts else ""

    @property
    def start(self) -> int:
        """Its start in the original."""
        return self._starts[0] if self._starts else self._start

    @property
    def end(self) -> int:
        """Its end in the original so far."""
        return self._ends[-1] if self._ends else self._start

    def copy(self, start: int, end: int, opened: int | None = None) -> None:
        """Shows a range of the original as it is; a mark that was `opened` belongs to it."""
        if start < end:
            self._parts.append(self.original[start:end])
            self._starts.append(start if opened is None else opened)
            self._starts.extend(range(start + 1, end))
            self._ends.extend(range(start + 1, end + 1))

    def widen(self, start: int, end: int) -> None:
        """Lets the last character stand for a mark as well that follows it directly."""
        if self.end == start and self._ends:
            self._ends[-1] = end

    def put(self, text: str, start: int, end: int) -> None:
        """Shows a text in place of a range of the original; of an empty one, it is inserted."""
        if text:
            self._parts.append(text)
            self._starts.extend([start] * len(text))
            self._ends.extend([end] * len(text))

    def add(self, view: View, offset: int) -> None:
        """Goes on with the view of a part of the original that begins at the offset."""
        if view.text:
            self._parts.append(view.text)
            self._starts.extend(place + offset for place in view.starts)
            self._ends.extend(place + offset for place in view.ends)

    def extend(self, other: "ViewBuilder") -> None:
        """Goes on with what another one has of the same original."""
        self._parts += other._parts
        self._starts.extend(other._starts)
        self._ends.extend(other._ends)

    def on_one_line(self) -> None:
        """Turns line breaks into spaces."""
        self._parts = [part.replace("\n", " ") for part in self._parts]

    def build(self) -> View:
        """The view; that of the text itself if nothing was changed."""
        text = self.text
        if text == self.original:
            return View.of(text)
        return View(text, self.original, self._starts, self._ends)


@dataclass(frozen=True, slots=True)
class Edit:
    """A range of a text that is shown as something else, by default as nothing.

    A mark that opens belongs to what follows it, and one that closes to what is before it: whoever
    points at the words points at their marks as well.
    """

    start: int
    end: int
    shown: str = ""
    opens: bool = False
    closes: bool = False


def edited(text: str, edits: Iterable[Edit]) -> View:
    """The view of a text with some edits; what begins inside another one is left out."""
    out = ViewBuilder(text)
    position, opened = 0, None
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):
        if edit.start < position:
            continue
        if position < edit.start:
            out.copy(position, edit.start, opened)
            opened = None
        if edit.shown:
            out.put(edit.shown, edit.start if opened is None else opened, edit.end)
        elif edit.closes:
            out.widen(edit.start, edit.end)
        if edit.shown or not edit.opens:
            opened = None
        elif opened is None:
            opened = edit.start
        position = edit.end
    out.copy(position, len(text), opened)
    return out.build()
