"""Annotations of GitHub: where they stand, how many, and that no text escapes from them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.complaints import CheckEnd
from assay.core.places import STDIN, RowPlace
from assay.core.problems import Problem
from assay.report.annotations import AnnotationWriter
from tests.report.findings import HERE, complaints, found, mark

_COMMAND = re.compile(r"::(error|warning) ([^:]*)::(.*)")


def lines(writer: AnnotationWriter, end: CheckEnd | None = None) -> list[str]:
    return list(writer.lines(end or CheckEnd()))


def test_annotation_names_file_line_label_and_sentence() -> None:
    result = found("fabricated")
    writer = AnnotationWriter(HERE, fails=True)
    writer.add(result, complaints(result))
    assert lines(writer) == [
        "::error file=a.jsonl,line=7,endLine=7,title=fabricated (a)::Ada was born in 1852.%0A"
        f"Because.%0Asource: Ada%0Afingerprint: {mark(result)}"
    ]


def test_what_fails_nothing_is_a_warning_and_what_is_known_is_none() -> None:
    result = found("fabricated", "fabricated", "fabricated")
    writer = AnnotationWriter(HERE, fails=False)
    writer.add(result, complaints(result, "new", "known", "accepted"))
    assert [line.partition(" ")[0] for line in lines(writer)] == ["::warning"]


def test_text_on_standard_input_has_no_file() -> None:
    result = found("fabricated", place=RowPlace(STDIN, 3, "line 3"))
    writer = AnnotationWriter(HERE, fails=True)
    writer.add(result, complaints(result))
    assert lines(writer)[0].startswith("::error title=fabricated (a)::")


def test_missing_verdicts_warn_and_unreadable_rows_are_errors() -> None:
    writer = AnnotationWriter(HERE, fails=True)
    writer.add(found(""), ())
    writer.add_problem(Problem.at(RowPlace("a.jsonl", 9, "line 9"), "the source is empty"))
    error, warning = lines(writer)
    assert error == (
        "::error file=a.jsonl,line=9,endLine=9,title=row that cannot be read::"
        "a.jsonl line 9: the source is empty"
    )
    assert warning.startswith("::warning file=a.jsonl,line=7,endLine=7,title=no verdict%3A parse")


@pytest.mark.parametrize(("count", "shown", "more"), [(10, 10, 0), (11, 10, 1), (30, 10, 20)])
def test_no_more_than_ten_are_shown_and_the_rest_is_counted(
    count: int, shown: int, more: int
) -> None:
    writer = AnnotationWriter(HERE, fails=True)
    for _ in range(count):
        result = found("fabricated")
        writer.add(result, complaints(result))
    *told, last = [*lines(writer), ""] if not more else lines(writer)
    assert len(told) == shown
    assert last == (
        f"assay: {more} more problem{'s'[: more > 1]}; GitHub shows 10 of a kind" if more else ""
    )


def test_share_and_a_check_cut_off_come_first_and_count_among_the_ten() -> None:
    writer = AnnotationWriter(HERE, fails=True)
    for _ in range(10):
        result = found("fabricated")
        writer.add(result, complaints(result))
    told = lines(writer, CheckEnd("budget", "used up", share="3 of 4", share_state="broken"))
    assert told[0] == "::error title=check cut off::it did not go on to its end%3A used up".replace(
        "%3A", ":"
    )
    assert told[1] == "::error title=share of unfaithful responses::3 of 4"
    assert (len(told), told[-1]) == (11, "assay: 2 more problems; GitHub shows 10 of a kind")


@given(st.text(), st.text(min_size=1))
def test_no_text_ends_a_command_or_begins_another(text: str, name: str) -> None:
    result = found("fabricated", id=f"{name},line=1::", text=f"x{text}\n::error::\r\n##[command]")
    writer = AnnotationWriter(HERE, fails=True)
    writer.add(result, complaints(result))
    (line,) = lines(writer)
    assert line.splitlines() == [line]
    command = _COMMAND.fullmatch(line)
    assert command is not None
    given_properties = [each.partition("=")[0] for each in command[2].split(",")]
    assert given_properties == ["file", "line", "endLine", "title"]


def test_percent_signs_are_not_taken_for_escapes() -> None:
    result = found("fabricated", text="It grew by 5%0A.")
    writer = AnnotationWriter(HERE, fails=True)
    writer.add(result, complaints(result))
    assert "::It grew by 5%250A.%0A" in lines(writer)[0]
