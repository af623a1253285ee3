"""How annotators are pooled on a board, and that it is told wherever a figure rests on them."""

import json
from pathlib import Path

import pytest

from assay import Annotated, Author, Judgement, Unit, Verdict
from assay.core.codec import write_example
from assay.core.judgements import GOLD
from tests.board.making import F, U, response
from tests.cli.conftest import assay
from tests.reading_tables import csv_rows

BUILD = ("board", "build")
QUICK = ("--replicates", "20")
STATEMENTS = {
    "any": "gold: worst of 3 annotators (any)",
    "majority": "gold: majority of 3 annotators (ties count as unfaithful)",
    "all": "gold: best of 3 annotators (all)",
    "": "gold: worst of 3 annotators (any)",
}


def voted(source: str, votes: str) -> Annotated:
    """A response on which annotators vote, `+` that it is hallucinated, and a detector does."""
    example = response("llm", source)
    unit = Unit.response(example.response.text)
    authors = [Author(f"a{n}", "person") for n in range(len(votes))]
    given = [
        Judgement(example.id, who, (unit,), (Verdict(unit.id, U if vote == "+" else F),))
        for who, vote in zip((*authors, Author("d")), (*votes, "+"), strict=True)
    ]
    return Annotated(example, tuple(given))


@pytest.fixture
def split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Four responses with three annotators each: one, two, three and none say hallucinated."""
    monkeypatch.chdir(tmp_path)
    rows = [voted(f"s{n}", votes) for n, votes in enumerate(("+..", "++.", "+++", "..."))]
    Path("x.jsonl").write_bytes(b"\n".join(map(write_example, rows)))
    return "x.jsonl"


@pytest.mark.parametrize(("pool", "count"), [("any", 3), ("majority", 2), ("all", 1), ("", 3)])
def test_the_rate_of_people_depends_on_the_pool_which_is_told_everywhere(
    split: str, pool: str, count: int
) -> None:
    options = ("--pool", pool) if pool else ()
    files = ("--markdown", "t.md", "--csv", "t.csv", "--site", "site")
    done = assay(*BUILD, split, *options, *files, *QUICK)
    assert done.exit_code == 0, done.output
    markdown = Path("t.md").read_text("utf-8")
    for text in (" ".join(done.stdout.split()), markdown):
        assert f"G{STATEMENTS[pool][1:]}." in text  # in the note of a table
        assert "own labels" not in text
    assert f"- gold: {STATEMENTS[pool].partition(': ')[2]}\n" in markdown
    rows = {row["judge"]: row for row in csv_rows(Path("t.csv").read_text("utf-8"))}
    assert (rows["gold"]["hallucinated"], rows["gold"]["gold"]) == (str(count), STATEMENTS[pool])
    assert (rows["d"]["hallucinated"], rows["d"]["gold"]) == ("4", "")
    document = json.loads(Path("site/board.json").read_text("utf-8"))
    assert document["gold"]["statement"] == STATEMENTS[pool]
    assert document["gold"]["annotators"] == [3, 3]
    assert f"level unfaithful; {STATEMENTS[pool]}<" in Path("site/index.html").read_text("utf-8")
    assert json.dumps(STATEMENTS[pool]) in Path("site/data/board.js").read_text("utf-8")


def test_detectors_are_measured_against_the_same_pool(split: str) -> None:
    done = json.loads(assay(*BUILD, split, "--pool", "all", "--json", *QUICK).stdout)
    (measured,) = done["detectors"]["detectors"]
    assert measured["figures"]["precision"]["value"] == 1 / 4
    assert done["detectors"]["gold"]["statement"] == STATEMENTS["all"]


def test_own_labels_are_told_where_a_corpus_has_them(split: str) -> None:
    example = response("llm", "s9")
    unit = Unit.response(example.response.text)
    own = Judgement(example.id, GOLD, (unit,), (Verdict(unit.id, U),))
    with Path(split).open("ab") as file:
        file.write(b"\n" + write_example(Annotated(example, (own,))))
    found = json.loads(assay(*BUILD, split, "gold", "--json", *QUICK).stdout)["gold"]
    assert found["statement"] == (
        "gold: the corpus's own labels for 1, worst of 3 annotators (any) for 4"
    )


def test_an_unknown_pool_is_told(split: str) -> None:
    done = assay(*BUILD, split, "--pool", "some")
    assert done.exit_code == 2
    assert "unknown pool 'some'" in done.stderr
