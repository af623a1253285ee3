"""`assay filter`: what is kept, what is dropped and why, and what is only proposed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.core.codec import read_example
from assay.core.examples import Annotated
from assay.core.taxonomies import BINARY, GRAY7
from assay.datasets.selection import DataChoice
from tests.cli.conftest import Workplace, assay, line_of
from tests.cli.loopback import Body

FERRY = "The ferry sank in May near the northern harbour. Nobody was hurt. The ferry never sank."
SHORT = "The ferry sank in May."
ROWS = [
    {"id": "s/m", "source_id": "s", "source": FERRY, "response": f"{SHORT} Sad.", "model": "m"},
    {"id": "s/n", "source_id": "s", "source": FERRY, "response": FERRY, "model": "n"},
    {"id": "t/m", "source_id": "t", "source": "x " * 90, "response": "No.", "model": "m"},
]
KEPT = "kept.parquet"
OUT = ("--out", "kept.jsonl", "--dropped", "dropped.jsonl")


def lines(name: str) -> dict[str, Annotated]:
    text = Path(name).read_text(encoding="utf-8")
    return {each.id: each for each in map(read_example, text.splitlines())}


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    examples = [{"schema": "urn:assay:example:1", **each} for each in ROWS]
    text = "\n".join(map(json.dumps, examples))
    (tmp_path / "data.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def document(*arguments: str) -> dict[str, Any]:
    done = assay("filter", "data.jsonl", *arguments, *OUT, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_what_is_dropped_carries_its_reason(rows: Path) -> None:
    found = document()
    assert (found["responses"], found["kept"]) == (3, 1)
    assert found["dropped"] == {"ratio": 1, "refusal": 1}
    assert found["models"] == {"m": {"kept": 1, "refusal": 1}, "n": {"ratio": 1}}
    assert list(lines("kept.jsonl")) == ["s/m"]
    dropped = lines("dropped.jsonl")
    assert list(dropped) == ["s/n", "t/m"]
    (said,) = dropped["t/m"].judgements
    assert (said.author.name, said.failures[0].reason) == ("filter", "invalid")
    assert said.failures[0].detail == "refusal: the reply has only 1 word"


@pytest.mark.usefixtures("rows")
def test_most_dropped_for_their_ratio_says_how_to_leave_the_rule_out() -> None:
    long = [{**ROWS[1], "id": f"s/{n}", "model": n} for n in "abc"]
    text = "\n".join(map(json.dumps, [ROWS[0], *long]))
    Path("long.jsonl").write_text(text, encoding="utf-8")
    done = assay("filter", "long.jsonl", *OUT)
    assert "most were dropped for their ratio (3 of 4)" in done.stderr
    assert "--ratio 0 keeps them" in done.stderr
    assert "ratio" not in assay("filter", "long.jsonl", "--ratio", "0", *OUT).stderr
    assert "ratio" not in assay("filter", "data.jsonl", *OUT).stderr  # 1 of 3
    said = line_of(assay("filter", "data.jsonl", "--ratio", "-3", *OUT))
    assert said == "a ratio must be 0 or more, not -3; 0 is no rule (--ratio)"


PLAIN = [
    {**ROWS[0], "label": "unfaithful", "difficulty": 3, "tags": ["a", None], "empty": ""},
    {**ROWS[1], "label": 1, "difficulty": None},
]


def test_nothing_of_a_plain_file_is_lost(rows: Path) -> None:
    (rows / "data.jsonl").write_text("\n".join(map(json.dumps, PLAIN)), encoding="utf-8")
    document("--ratio", "0")
    first, second = lines("kept.jsonl").values()
    assert [each.gold[0].verdicts[0].label for each in (first, second)] == [
        BINARY["unfaithful"],
        BINARY["faithful"],
    ]
    assert first.example.source.id == "s"
    assert json.loads(first.example.original) == {"row": {"difficulty": 3, "tags": ["a", None]}}
    assert second.example.original == ""
    document("--ratio", "0")  # the same again
    Path("again.jsonl").write_bytes(Path("kept.jsonl").read_bytes())
    assert assay("filter", "again.jsonl", "--ratio", "0", "--out", "third.jsonl").exit_code == 0
    assert Path("third.jsonl").read_bytes() == Path("again.jsonl").read_bytes()


def test_labels_of_another_taxonomy_are_kept_and_told_or_read_where_it_is_named(
    rows: Path,
) -> None:
    plain = [{**each, "label": "fabricated"} for each in ROWS[:2]]
    (rows / "data.jsonl").write_text("\n".join(map(json.dumps, plain)), encoding="utf-8")
    done = assay("filter", "data.jsonl", "--ratio", "0", *OUT)
    assert done.stderr.count("the field 'label' of 's/m' is no label of the taxonomy") == 1
    first = lines("kept.jsonl")["s/m"]
    assert (first.gold, json.loads(first.example.original)) == (
        (),
        {"row": {"label": "fabricated"}},
    )
    named = ("--label-field", "label", "--label-taxonomy", "gray7")
    done = assay("filter", "data.jsonl", "--ratio", "0", *OUT, *named)
    assert done.exit_code == 0, done.output
    assert lines("kept.jsonl")["s/m"].gold[0].verdicts[0].label == GRAY7["fabricated"]


def test_decisions_of_people_and_lists_are_not_overwritten(rows: Path) -> None:
    Path("ids.jsonl").write_text("s\n", encoding="utf-8")
    done = assay("filter", "data.jsonl", "--drop-sources", "ids.jsonl", "--out", "ids.jsonl")
    assert "ids.jsonl is an input" in line_of(done)
    Path("kept.jsonl").write_text('{"schema": "urn:assay:example:1", "id"', encoding="utf-8")
    done = assay("filter", "data.jsonl", "--out", "kept.jsonl")
    assert "kept.jsonl has an unreadable line (1) that would be lost" in line_of(done)


def test_every_rule_can_be_turned_off(rows: Path) -> None:
    found = document("--ratio", "0", "--keep-refusals", "--keep-cut-off", "--duplicates", "off")
    assert (found["kept"], found["dropped"]) == (3, {})


def test_people_read_a_table(rows: Path) -> None:
    done = assay("filter", "data.jsonl", *OUT)
    assert "kept 1 of 3 responses, to 1 of 2 sources" in done.stdout
    assert ["all", "1", "1", "1"] in [line.split() for line in done.stdout.splitlines()]
    assert "dropped, each with its reason: dropped.jsonl" in done.stdout


def test_what_was_dropped_can_be_filtered_again(rows: Path) -> None:
    document()
    done = assay("filter", "dropped.jsonl", "--out", "k.jsonl", "--dropped", "d.jsonl")
    assert done.exit_code == 0, done.output
    rounds = [said.round for said in lines("d.jsonl")["t/m"].judgements]
    assert rounds == [1, 2]


def test_contradictions_are_proposed_and_dropped_only_on_the_users_word(
    work: Callable[..., Workplace], rows: Path
) -> None:
    place = work(0)
    examples = [{"schema": "urn:assay:example:1", **each} for each in ROWS]
    Path("data.jsonl").write_text("\n".join(map(json.dumps, examples)), encoding="utf-8")

    def answer(body: Body) -> str:
        text = str(body["messages"][-1]["content"])
        # The marks hold the text to be judged after the source.
        judged = text.rpartition("<<<END")[0].rpartition(">>>")[2]
        label = "contradicting" if "never" in judged else "fabricated"
        return json.dumps({"reason": "So it is.", "label": label})

    place.server.answer = answer
    asked = ("--contradictions", "judge-gray7", "--model", "m", "--proposals", "p.jsonl")
    found = document(*asked)
    assert place.server.calls == 3
    assert (found["kept"], found["proposed"], found["proposed_sources"]) == (1, 1, 1)
    (proposal,) = lines("p.jsonl").values()
    assert proposal.example.response.text == "The ferry never sank."
    assert proposal.example.source.id == "s"
    assert list(lines("kept.jsonl")) == ["s/m"]
    document(*asked)
    assert place.server.calls == 3  # the run is there already
    assert document("--drop-sources", "p.jsonl")["dropped"] == {"listed": 2, "refusal": 1}


def test_an_offline_detector_looks_for_contradictions_too(rows: Path) -> None:
    done = assay(
        "filter", "data.jsonl", "--contradictions", "discourse-offline", "--proposals", "p.jsonl"
    )
    assert done.exit_code == 0, done.output
    assert "may contradict the rest, for you to read: p.jsonl" in done.stdout


def test_dry_run_counts_the_sentences_and_writes_nothing(
    work: Callable[..., Workplace], rows: Path
) -> None:
    place = work(0)
    examples = [{"schema": "urn:assay:example:1", **each} for each in ROWS]
    Path("data.jsonl").write_text("\n".join(map(json.dumps, examples)), encoding="utf-8")
    asked = ("--contradictions", "judge-gray7", "--model", "m", "--proposals", "p.jsonl")
    found = document(*asked, "--dry-run")
    assert found["judge-gray7"]["examples"] == 3
    assert place.server.calls == 0
    assert not Path("kept.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", ""), "no file is named for what is kept (--out)"),
        (("--out", "a.csv"), "cannot tell what a.csv should be: end its name in .jsonl"),
        (("--out", "data.jsonl"), "data.jsonl is an input"),
        (("--out", "no/such/a.jsonl"), "cannot write no/such/a.jsonl"),
        (("--out", "a.jsonl", "--dropped", "a.jsonl"), "two outputs would go to one file"),
        ((*OUT, "--duplicates", "some"), "unknown kind of duplicates 'some'"),
        ((*OUT, "--near", "3"), "a similarity lies between 0.1 and 1, not at 3 (--near)"),
        ((*OUT, "--source-words", "9"), "bounds are written MIN:MAX"),
        ((*OUT, "--source-words", "9:3"), "no text has 9 words or more and 3 or fewer"),
        ((*OUT, "--drop-sources", "ids.txt"), "names 'zzz', which the data does not have"),
        ((*OUT, "--contradictions", "overlap"), "name both or none"),
        (
            (*OUT, "--contradictions", "judge-simple", "--proposals", "p.jsonl"),
            "in which what is new cannot be told from what contradicts",
        ),
        ((*OUT, "--contradictions", "nobody", "--proposals", "p.jsonl"), "unknown detector"),
        (
            (*OUT, "--model", "m"),
            "a model is asked only where contradictions are looked for (--model)",
        ),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(
    rows: Path, arguments: tuple[str, ...], message: str
) -> None:
    Path("ids.txt").write_text("zzz\n", encoding="utf-8")
    assert message in line_of(assay("filter", "data.jsonl", *arguments))
    assert not Path("kept.jsonl").exists()


def test_rows_that_cannot_be_read_stop_it_before_anything_is_written(rows: Path) -> None:
    with Path("data.jsonl").open("a", encoding="utf-8") as file:
        file.write('\n{"schema": "urn:assay:example:1", "id": 3}\n')
    assert "data.jsonl record 4" in line_of(assay("filter", "data.jsonl", *OUT))
    assert not Path("kept.jsonl").exists()


def test_neither_file_appears_without_the_other(rows: Path) -> None:
    half = {"schema": "urn:assay:example:1", "id": "h", "source": FERRY, "response": "\ud800 no."}
    with Path("data.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(half))
    Path("kept.jsonl").write_text("", encoding="utf-8")
    said = line_of(assay("filter", "data.jsonl", "--out", "kept.jsonl", "--dropped", "d.parquet"))
    assert said == "the response of 'h' is not text; write it as .jsonl"
    assert Path("kept.jsonl").read_text(encoding="utf-8") == ""
    assert sorted(each.name for each in rows.iterdir()) == ["data.jsonl", "kept.jsonl"]


def test_files_and_folders_are_replaced_together(rows: Path) -> None:
    for dropped in ("d.parquet", "d.parquet", "d/"):
        done = assay("filter", "data.jsonl", "--out", KEPT, "--dropped", dropped)
        assert done.exit_code == 0, done.output
        found = [[each.id for each in DataChoice(name).examples()] for name in (KEPT, dropped)]
        assert found == [["s/m"], ["s/n", "t/m"]]
