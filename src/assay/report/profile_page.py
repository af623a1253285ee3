"""The page of the kinds of error in several data sets: one chart, with its numbers beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.audit.profiles import Profile
from assay.report.charts import Bar
from assay.report.evaluation_page import page_template
from assay.report.profile_views import NOTE, TITLE, share_of_kind, shown_kinds


@dataclass(frozen=True, slots=True)
class Group:
    """A kind of error, with a bar for each data set; `is_part` is one that counts with another."""

    name: str
    meaning: str
    bars: tuple[Bar, ...]
    is_part: bool


def profile_html(profiles: Sequence[Profile]) -> str:
    """A page with one chart of all data sets."""
    groups = [
        Group(
            label.name,
            label.meaning,
            tuple(Bar(each.name, share_of_kind(each, label)) for each in profiles),
            bool(label.parent),
        )
        for label in shown_kinds(profiles)
    ]
    page = page_template("audit/profile.html.jinja").render(
        title=TITLE, note=NOTE, groups=groups, profiles=profiles
    )
    return page.encode("utf-8", "xmlcharrefreplace").decode("utf-8")
