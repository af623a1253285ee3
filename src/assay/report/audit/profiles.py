"""Kinds of error in several data sets side by side: for the terminal, in Markdown and as CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType

from assay import __version__
from assay.audit.profiles import Profile
from assay.core.labels import Label
from assay.core.taxonomies import ERROR5
from assay.metrics import Estimate
from assay.report.audit.tables import markdown_tables
from assay.report.tables import COUNT, FIGURE, WORDS, Column, Table, csv_text, series, table_view

TITLE = "Kinds of error that labels had overlooked"
NOTE = (
    "Each share is of the revised labels of a data set whose kind is known; intervals resample "
    "sources."
)


def profile_view(profiles: Sequence[Profile]) -> Iterator[RenderableType]:
    """For the terminal."""
    return map(table_view, profile_tables(profiles))


def profile_tables(profiles: Sequence[Profile]) -> Iterator[Table[Any]]:
    """The shares of each kind, and how many labels they are of."""
    names = [each.name for each in profiles]
    kinds: list[Column[Label]] = [
        Column("kind", lambda label: label.name, WORDS),
        *series(names, lambda label: [share_of_kind(each, label) for each in profiles], FIGURE),
    ]
    yield Table("kinds of error", NOTE, kinds, shown_kinds(profiles))
    labels: list[Column[tuple[str, list[int]]]] = [
        Column("", lambda row: row[0], WORDS),
        *series(names, lambda row: row[1], COUNT),
    ]
    yield Table(
        "revised labels",
        "Kinds that people did not give are those of detectors.",
        labels,
        (
            ("with a kind", [each.known for each in profiles]),
            ("of these, given by people", [each.by_people for each in profiles]),
            ("without a kind", [each.without for each in profiles]),
        ),
    )


def markdown_profiles(profiles: Sequence[Profile]) -> str:
    """The tables in Markdown."""
    return markdown_tables(f"{TITLE}.", profile_tables(profiles), ())


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of CSV; labels without a kind have no share."""

    dataset: str
    kind: str
    part_of: str
    labels: int
    share: Estimate | None = None


_LINES: tuple[Column[_Line], ...] = (
    Column("dataset", lambda line: line.dataset),
    Column("kind", lambda line: line.kind),
    Column("part_of", lambda line: line.part_of),
    Column("labels", lambda line: line.labels),
    Column(
        "share",
        lambda line: line.share,
        parts={"share": "value", "low": "low", "high": "high", "n": "n"},
    ),
    Column("assay", lambda _: __version__),
)


def csv_profiles(profiles: Sequence[Profile]) -> str:
    """One line for each data set and kind: how many labels, their share, its interval and n."""
    return csv_text(_LINES, (line for each in profiles for line in _lines(each)))


def _lines(profile: Profile) -> Iterator[_Line]:
    for each in profile.kinds:
        yield _Line(profile.name, each.label.name, each.label.parent, each.count, each.share)
    yield _Line(profile.name, "without a kind", "", profile.without)


def shown_kinds(profiles: Sequence[Profile]) -> list[Label]:
    """The five kinds, and those below them where somebody gave one."""
    has_parts = any(each.has_parts for each in profiles)
    return [label for label in ERROR5 if has_parts or not label.parent]


def share_of_kind(profile: Profile, label: Label) -> Estimate:
    """The share that a kind has in a data set."""
    return next(each.share for each in profile.kinds if each.label == label)
