"""Kinds of error of several data sets: each figure under its head, in every form."""

import csv
import io
import re

from assay.audit.profiles import KindShare, Profile
from assay.core.taxonomies import ERROR5
from assay.metrics import proportion
from assay.report.audit.page import profile_html
from assay.report.audit.profiles import csv_profiles, markdown_profiles, profile_tables


def profile(name: str, counts: dict[str, int], without: int, by_people: int) -> Profile:
    n = sum(count for kind, count in counts.items() if "." not in kind)
    kinds = (
        KindShare(label, counts.get(label.name, 0), proportion(counts.get(label.name, 0), n))
        for label in ERROR5
    )
    return Profile(name, tuple(kinds), without, by_people)


STORIES = profile("stories", {"temporal-state": 3, "fabricated-link": 1}, 2, 4)
REFRAMED = {"semantic-reframing": 4, "semantic-reframing.inference": 3, "hedging-removal": 1}
BIO = profile("<bio>", REFRAMED, 6, 5)


def test_shares_of_each_data_set_stand_under_its_name() -> None:
    shares, labels = profile_tables([STORIES, BIO])
    assert shares.heads == ["kind", "stories", "<bio>"]
    rows = {
        row.name: [column.value(row).value for column in shares.columns[1:]] for row in shares.rows
    }
    assert rows["temporal-state"] == [0.75, 0.0]
    assert rows["semantic-reframing"] == [0.0, 0.8]
    assert rows["semantic-reframing.inference"] == [0.0, 0.6]
    assert labels.texts() == [
        ["with a kind", "4", "5"],
        ["of these, given by people", "4", "5"],
        ["without a kind", "2", "6"],
    ]


def test_kinds_of_a_kind_are_shown_only_where_somebody_gave_one() -> None:
    shares, _ = profile_tables([STORIES])
    assert len(shares.rows) == 5
    assert len(next(iter(profile_tables([STORIES, BIO]))).rows) == 8


def test_csv_names_data_set_kind_and_what_it_is_a_part_of() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_profiles([STORIES, BIO]))))
    found = {(row["dataset"], row["kind"]): row for row in rows}
    part = found["<bio>", "semantic-reframing.inference"]
    assert (part["part_of"], part["labels"], part["share"], part["n"]) == (
        "semantic-reframing",
        "3",
        "0.6",
        "5",
    )
    share = proportion(3, 5)
    assert (float(part["low"]), float(part["high"])) == (share.low, share.high)
    assert found["stories", "without a kind"]["labels"] == "2"


def test_page_has_one_chart_with_a_bar_for_each_kind_and_data_set() -> None:
    page = profile_html([STORIES, BIO])
    assert page.count('<table class="bars">') == 1
    assert page.count('class="bar-chart"') == 8 * 2
    assert page.count('<tbody class="part">') == 3
    heads = re.findall(r'scope="rowgroup">(\S+)', page)
    assert heads == list(ERROR5.names)
    assert "<bdi>&lt;bio&gt;</bdi>" in page
    assert "<bio>" not in page
    assert '<rect y="3" width="75.0%"' in page  # temporal errors in stories, of an axis up to 1


def test_markdown_has_both_tables() -> None:
    text = markdown_profiles([STORIES, BIO])
    assert "| kind | stories | \\<bio> |" in text
    assert "| without a kind | 2 | 6 |" in text
