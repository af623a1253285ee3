"""Kinds of error in several data sets side by side: for the terminal, in Markdown and as CSV."""

import csv
import io
from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from assay import __version__
from assay.audit.profiles import Profile
from assay.core.formulas import guard
from assay.core.labels import Label
from assay.core.taxonomies import ERROR5
from assay.metrics import Estimate
from assay.report.audit_tables import markdown_tables
from assay.report.audit_view import detail_view
from assay.report.evaluation_details import Detail

TITLE = "Kinds of error that labels had overlooked"
NOTE = (
    "Each share is of the revised labels of a data set whose kind is known; intervals resample "
    "sources."
)


def profile_view(profiles: Sequence[Profile]) -> Iterator[RenderableType]:
    """For the terminal."""
    return map(detail_view, profile_details(profiles))


def profile_details(profiles: Sequence[Profile]) -> Iterator[Detail]:
    """The shares of each kind, and how many labels they are of."""
    names = tuple(each.name for each in profiles)
    yield Detail(
        "kinds of error",
        NOTE,
        ("kind", *names),
        tuple(
            (label.name, *(share_of_kind(each, label) for each in profiles))
            for label in shown_kinds(profiles)
        ),
        1,
    )
    yield Detail(
        "revised labels",
        "Kinds that people did not give are those of detectors.",
        ("", *names),
        (
            ("with a kind", *(f"{each.known:,}" for each in profiles)),
            ("of these, given by people", *(f"{each.by_people:,}" for each in profiles)),
            ("without a kind", *(f"{each.without:,}" for each in profiles)),
        ),
        1,
    )


def markdown_profiles(profiles: Sequence[Profile]) -> str:
    """The tables in Markdown."""
    return markdown_tables(f"{TITLE}.", profile_details(profiles), ())


def csv_profiles(profiles: Sequence[Profile]) -> str:
    """One line for each data set and kind: how many labels, their share, its interval and n."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = ("dataset", "kind", "part_of", "labels", "share", "low", "high", "n", "assay")
    writer.writerow(heads)
    for profile in profiles:
        for each in profile.kinds:
            share = each.share
            cells = ("" if v is None else v for v in (share.value, share.low, share.high))
            label = each.label
            line = (profile.name, label.name, label.parent, each.count, *cells, share.n)
            writer.writerow(map(guard, (*line, __version__)))
        line = (profile.name, "without a kind", "", profile.without, "", "", "", "")
        writer.writerow(map(guard, (*line, __version__)))
    return out.getvalue()


def shown_kinds(profiles: Sequence[Profile]) -> list[Label]:
    """The five kinds, and those below them where somebody gave one."""
    has_parts = any(each.has_parts for each in profiles)
    return [label for label in ERROR5 if has_parts or not label.parent]


def share_of_kind(profile: Profile, label: Label) -> Estimate:
    """The share that a kind has in a data set."""
    return next(each.share for each in profile.kinds if each.label == label)
