"""Files of annotation projects: who is an annotator in them, and what settled an item."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.core.codec import write_example
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement
from assay.datasets.conversion import read_converted
from assay.evaluation.gold import annotator_votes, gold_labels
from tests.audit.ferries import ferry, judged

ANN, BEN, REX, CLEO = (Author(name, "person") for name in ("ann", "ben", "rex", "cleo"))
STAGES = {"ann": "annotate", "ben": "annotate", "rex": "review", "cleo": "adjudicate"}
PROJECT = b'{"schema":"urn:assay:project:1","assay":"0.3","name":"p","settings":{}}\n'


def by(author: Author, labels: str, **more: Any) -> Judgement:
    return replace(judged("a", ferry("a").example.units, author, labels), **more)


def read(folder: Path, *said: Judgement, stages: Any = None, **item: Any) -> Annotated:
    """An example of a project, read as every command reads it."""
    if stages is None:
        stages = [(each.author.name, each.round, STAGES.get(each.author.name, "")) for each in said]
    keys = ("author", "round", "stage")
    record = {
        "schema": "urn:assay:project-item:1",
        "example": "a",
        "state": "done",
        "stages": [dict(zip(keys, each, strict=True)) for each in stages if each[2]],
        **item,
    }
    line = write_example(Annotated(ferry("a").example, said))
    path = folder / "p.jsonl"
    path.write_bytes(PROJECT + line + b"\n" + json.dumps(record).encode() + b"\n")
    (found,) = read_converted(str(path))
    assert isinstance(found, Annotated)
    return found


def votes(found: Annotated) -> list[set[str]]:
    return [{each.name for each in given} for given in annotator_votes(found, "sentence")]


def labels(found: Annotated) -> str:
    given = gold_labels(found, "sentence", "corpus")
    return "".join("+" if label == "faithful" else "-" for _, label in given)


PEOPLE = (by(ANN, "++-"), by(BEN, "-+-"))


def test_adjudicator_is_no_annotator_and_settles_the_label(tmp_path: Path) -> None:
    found = read(tmp_path, *PEOPLE, by(CLEO, "+--"), by(GOLD, "+--"), is_settled=True)
    assert votes(found) == [{"ann", "ben"}] * 3
    assert labels(found) == "+--"
    assert [each.author for each in found.judgements] == [ANN, BEN, CLEO, GOLD]  # all are kept
    assert found.judgements[-1].supersedes == "a/cleo/1"


def test_reviewer_is_none_either_and_the_adjudicator_comes_after(tmp_path: Path) -> None:
    said = (*PEOPLE, by(CLEO, "+--"), by(REX, "-++"), by(GOLD, "+--"))
    found = read(tmp_path, *said, is_settled=True)
    assert votes(found) == [{"ann", "ben"}] * 3
    assert [each.supersedes for each in found.judgements[2:]] == ["a/rex/1", "", "a/cleo/1"]


def test_annotator_who_adjudicates_stays_one(tmp_path: Path) -> None:
    stages = [("ann", 1, "annotate"), ("ben", 1, "annotate"), ("ann", 2, "adjudicate")]
    later = by(ANN, "+--", round=2, supersedes="a/ann/1")
    found = read(tmp_path, *PEOPLE, later, by(GOLD, "+--"), stages=stages, is_settled=True)
    assert votes(found) == [{"ann", "ben"}] * 3
    assert labels(found) == "+--"


def test_adjudication_outweighs_the_label_that_the_data_came_with(tmp_path: Path) -> None:
    found = read(tmp_path, by(GOLD, "---"), *PEOPLE, by(CLEO, "+--"))
    assert (labels(found), votes(found)) == ("+--", [{"ann", "ben"}] * 3)
    assert [each.author for each in found.gold] == [ANN, BEN, GOLD]


def test_revision_by_an_audit_outweighs_the_adjudication(tmp_path: Path) -> None:
    stages = [("ann", 1, "annotate"), ("cleo", 1, "adjudicate"), ("gold", 2, "audit")]
    audited = by(GOLD, "+++", round=2, supersedes="a/gold/1")
    found = read(tmp_path, PEOPLE[0], by(CLEO, "+--"), audited, stages=stages)
    assert (labels(found), votes(found)) == ("+++", [{"ann"}] * 3)


def test_what_is_not_settled_is_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, *PEOPLE, by(REX, "+++"), state="adjudication")
    assert [each.author for each in found.judgements] == [ANN, BEN]


@pytest.mark.parametrize("item", [{"example": "b"}, {"state": 1}, {"stages": []}])
def test_line_that_says_nothing_of_it_changes_nothing(tmp_path: Path, item: dict[str, Any]) -> None:
    said = (*PEOPLE, by(CLEO, "+--"))
    assert read(tmp_path, *said, **item).judgements == said
