"""Lines for people: written, filled in, and read back."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.taxonomies import FINAL4
from assay.core.verdicts import Failure
from assay.detectors.p_true import Belief, Said
from assay.evaluate.errors.explaining import from_gold
from assay.evaluate.errors.explanations import Explained, Proposal
from assay.evaluate.errors.lines import read_lines, write_lines
from assay.evaluate.errors.records import Origin, explained_record, with_answers
from tests.evaluate.errors.cases import PLACE, invented, missed

ORIGIN = Origin("ragtruth", "run:x", "offline", "0.1")
MODEL = Proposal(FINAL4["extrinsic-wrong"], "m", "Because.", "abc", "2025-01-01")


def line(each: Explained, **changes: Any) -> dict[str, Any]:
    return {**explained_record(each, ORIGIN), **changes}


def read_back(path: Path, each: Explained, *lines: Any) -> Explained:
    file = path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return with_answers(read_lines(str(file)), [each])[0]


def test_line_has_all_that_a_person_needs_and_room_for_the_answer() -> None:
    record = line(replace(from_gold([missed()])[0], proposal=MODEL))
    assert (record["category"], record["by"], record["note"]) == ("", "", "")
    assert record["description"] == PLACE.text
    assert record["spans"] == [{"start": 7, "end": 16, "text": "in Vardia"}]
    assert set(record["categories"]) == set(FINAL4.names)
    assert record["proposed"]["by"] == "m"
    assert (record["dataset"], record["judge"], record["matcher"]) == (
        "ragtruth",
        "run:x",
        "offline",
    )
    assert record["response"].startswith("Guards in Vardia")
    json.dumps(record)


def test_answer_of_a_person_overrides_the_model(tmp_path: Path) -> None:
    each = replace(from_gold([missed()])[0], proposal=MODEL)
    found = read_back(
        tmp_path, each, line(each, category="intrinsic-alteration", by="ann", note="See line 2.")
    )
    assert found.category == FINAL4["intrinsic-alteration"]
    assert (found.decided_by, found.proposal) == ("people", MODEL)
    again = read_back(tmp_path, each, line(found))
    assert again == found


def test_short_line_is_enough_for_an_answer(tmp_path: Path) -> None:
    each = from_gold([missed()])[0]
    found = read_back(
        tmp_path, each, {"id": each.item.id, "category": "extrinsic-wrong", "by": "ann"}
    )
    assert found.decided_by == "people"


def test_what_a_model_proposed_before_is_kept_without_asking(tmp_path: Path) -> None:
    each = from_gold([missed()])[0]
    found = read_back(tmp_path, each, line(replace(each, proposal=MODEL, claim="It was Vardia.")))
    assert (found.proposal, found.claim, found.decided_by) == (MODEL, "It was Vardia.", "model")


def test_only_the_data_says_what_is_gold(tmp_path: Path) -> None:
    before = from_gold([missed(category="extrinsic-correct")])[0]
    now = from_gold([missed()])[0]
    assert before.item.id == now.item.id
    assert read_back(tmp_path, now, line(before)).category is None


def test_belief_and_failures_are_written() -> None:
    each = from_gold([missed()])[0]
    belief = Belief((Said(0.9, True),), (Said(0.7, True),))
    record = line(replace(each, belief=belief, believer="m"))
    assert record["p_true"]["probability"] == pytest.approx(0.8)
    record = line(replace(each, failure=Failure(PLACE, "parse", "?", "raw")))
    assert (record["failure"]["reason"], record["failure"]["raw"]) == ("parse", "raw")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([{"id": "other"}], "'other' is none of the errors"),
        ([{"category": "x"}], "it has no 'id'"),
        (["text"], "a JSON object, not str"),
        ([{"id": "ID", "category": "extrinsic-wrong"}], "no name under 'by'"),
        ([{"id": "ID", "category": "omission", "by": "a"}], "unknown final4 label 'omission'"),
        ([{"id": "ID", "category": 3, "by": "a"}], "'category' is text, not 3"),
        ([{"id": "ID", "proposed": "x"}], "'proposed' is an object"),
        ([{"id": "ID", "proposed": {"category": "extrinsic-wrong"}}], "does not say by whom"),
        ([{"id": "ID"}, {"id": "ID"}], "is answered twice"),
    ],
)
def test_line_that_cannot_be_used_is_named(tmp_path: Path, lines: list[Any], message: str) -> None:
    each = from_gold([missed()])[0]
    named = [
        {**one, "id": each.item.id} if isinstance(one, dict) and one.get("id") == "ID" else one
        for one in lines
    ]
    with pytest.raises(InputError, match=message) as raised:
        read_back(tmp_path, each, *named)
    assert f"record {len(lines)}" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_answer_to_the_other_side_is_on_its_menu(tmp_path: Path) -> None:
    each = from_gold([invented()])[0]
    found = read_back(tmp_path, each, line(each, category="Omission", by="ann"))
    assert str(found.category) == "omission"


def test_lines_with_half_a_character_are_written_and_read(tmp_path: Path) -> None:
    file = str(tmp_path / "x.jsonl")
    assert write_lines(file, [{"id": "é"}, {"id": "\ud83d"}]) == 2
    assert [record["id"] for _, record in read_lines(file)] == ["é", "\ud83d"]
