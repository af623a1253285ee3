"""`assay agree`: corpora, files of one's own, the studio, and bad input."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay import Annotated, Author, Example, Judgement, Response, Source, Unit, Verdict
from assay.core.codec import write_example
from assay.core.labels import Label
from assay.core.taxonomies import BINARY, ERROR5, FINESURE9, NLI
from assay.datasets.formats.flat import write_annotations
from assay.metrics import cohen_kappa, krippendorff_alpha, raw_agreement
from tests.cli.conftest import assay, error_of, line_of

ANN = [1, 1, 0, 0, 1, 0, 1, 1]
BO = [1, 0, 0, 0, 1, 1, 1, 1]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(by: str, label: Label, round: int = 1, number: int = 0) -> Judgement:
    unit = Unit.response("It is.")
    supersedes = f"{number}/{by}/{round - 1}" if round > 1 else ""
    author = Author(by, "person")
    verdict = (Verdict(unit.id, label),)
    return Judgement(str(number), author, (unit,), verdict, round=round, supersedes=supersedes)


def example(number: int, *judgements: Judgement) -> Annotated:
    return Annotated(
        Example(str(number), Source(f"Source {number}."), Response("It is.")), judgements
    )


def both() -> list[Annotated]:
    return [
        example(n, said("ann", BINARY.labels[a], 1, n), said("bo", BINARY.labels[b], 1, n))
        for n, (a, b) in enumerate(zip(ANN, BO, strict=True))
    ]


def write(examples: list[Annotated], name: str = "said.jsonl") -> str:
    Path(name).write_bytes(b"".join(write_example(each) + b"\n" for each in examples))
    return name


def test_the_table_of_figures_does_not_replace_the_annotations() -> None:
    text = "id,annotator,label\na,ann,faithful\na,bo,faithful\n"
    Path("ann.csv").write_text(text, encoding="utf-8")
    assert "ann.csv is an input" in error_of(assay("agree", "ann.csv", "--csv", "ann.csv"))
    assert Path("ann.csv").read_text(encoding="utf-8") == text


def figures(*arguments: str) -> list[dict[str, Any]]:
    done = assay("agree", *arguments, "--json")
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)["figures"]
    return found


def test_figures_are_those_of_the_ratings() -> None:
    (found,) = figures(write(both()))
    assert (found["reading"], found["round"], found["annotators"], found["ratings"]) == (
        "faithful / unfaithful",
        "unknown",
        2,
        16,
    )
    table = [ANN, BO]
    assert found["alpha"]["value"] == pytest.approx(krippendorff_alpha(table))
    assert found["raw"]["value"] == raw_agreement(table) == 0.75
    # 10 of 16 ratings are 1: by chance (100 + 36) / 256 agree
    assert found["fleiss"]["value"] == pytest.approx((0.75 - 136 / 256) / (1 - 136 / 256))
    (pair,) = found["pairs"]
    assert (pair["first"], pair["second"], pair["kappa"]["n"]) == ("ann", "bo", 8)
    assert pair["kappa"]["value"] == pytest.approx(cohen_kappa(*table))
    assert (found["alpha"]["low"], found["alpha"]["high"]) == (None, None)  # of 8 sources


def test_every_form_of_the_same_annotations_has_the_same_figures() -> None:
    expected = figures(write(both()))
    write_annotations(both(), "table.csv")
    assert figures("table.csv") == expected
    with Path("plan.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["batch", "annotator", "id", "source", "response", "label"])
        for n, (a, b) in enumerate(zip(ANN, BO, strict=True)):
            writer.writerow([1, "ann", n, f"Source {n}.", "It is.", a])
            writer.writerow([1, "bo", n, f"Source {n}.", "It is.", BINARY.names[b]])
    assert figures("plan.csv") == expected
    lines = [
        {"id": n, "annotator": who, "label": given[n], "source": f"Source {n}."}
        for n in range(8)
        for who, given in (("ann", ANN), ("bo", BO))
    ]
    Path("plan.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert figures("plan.jsonl") == expected


def test_blank_labels_are_counted_and_lower_the_coverage() -> None:
    both_said = (("ann", ANN), ("bo", BO))
    lines = [f"{n},{who},{given[n]}" for n in range(8) for who, given in both_said]
    lines += ["8,ann,1", "8,bo,", "9,ann,", "9,bo,"]
    Path("plan.csv").write_text("\n".join(["id,annotator,label", *lines, ",,"]), encoding="utf-8")
    found = json.loads(assay("agree", "plan.csv", "--json").stdout)
    assert (found["rows"], found["blank"]) == (20, 3)
    (figure,) = found["figures"]
    assert (figure["alpha"]["n"], figure["alpha"]["of"], figure["ratings"]) == (8, 10, 17)
    shown = assay("agree", "plan.csv").stdout
    assert "17 of 20; 3 are blank" in shown
    assert "8 of 10" in shown


def by_batch(*arguments: str) -> list[dict[str, Any]]:
    return figures(*arguments, "--convention", "faithbench")


def test_alpha_as_faithbenchs_authors_take_it() -> None:
    # Batch 1: the classes are 0, 1, 2 (consistent, benign, unwanted) by ann and bo: 00, 12, 02.
    # Differences squared within units 0, 1, 4, so D_o = 2 * 5 / 6. Of all pairs among the ratings
    # 0, 0, 0, 1, 2, 2 the differences are 3 * 1 (0, 1), 6 * 4 (0, 2) and 2 * 1 (1, 2), so that
    # D_e = 2 * 29 / 30, and alpha = 1 - (10 / 6) / (58 / 30) = 1 - 50 / 58.
    # Batch 2: everybody says consistent, which counts as 1.
    names = ("consistent", "benign", "unwanted")
    pairs = [(1, 0, 0), (1, 1, 2), (1, 0, 2), (2, 0, 0), (2, 0, 0)]
    lines = [
        f"{batch},{n},{who},{names[label]}"
        for n, (batch, ann, bo) in enumerate(pairs)
        for who, label in (("ann", ann), ("bo", bo))
    ]
    head = "batch,id,annotator,label"
    Path("plan.csv").write_text("\n".join([head, *lines]), encoding="utf-8")
    found = by_batch("plan.csv", "--label-taxonomy", "faithbench")
    named = {each["reading"]: each for each in found}
    (three,) = (each for name, each in named.items() if name == "consistent / benign / unwanted")
    assert three["alpha"]["value"] == pytest.approx((1 - 50 / 58 + 1) / 2)
    assert (three["level"], three["batches"], three["alpha"]["n"]) == ("interval by batch", 2, 5)
    assert three["alpha"]["low"] < three["alpha"]["value"] < three["alpha"]["high"]
    assert "four classes" not in named  # which has no order; the same in order has
    assert "four classes in order" in named
    shown = assay(
        "agree", "plan.csv", "--label-taxonomy", "faithbench", "--convention", "faithbench"
    ).stdout
    assert "Alpha is FaithBench's" in " ".join(shown.split())


def test_without_batches_all_is_one_and_labels_without_an_order_are_refused() -> None:
    data = write(both())
    (found,) = by_batch(data)
    # Two classes: the interval is the nominal difference.
    assert found["alpha"]["value"] == pytest.approx(krippendorff_alpha([ANN, BO]))
    assert "all of it is one" in assay("agree", data, "--convention", "faithbench").stdout
    labels = [ERROR5.labels[n % 2] for n in range(4)]
    plain = write([example(n, *(said(by, labels[n], 1, n) for by in "ab")) for n in range(4)])
    assert "have no order" in error_of(assay("agree", plain, "--convention", "faithbench"))


def test_a_record_with_times_knows_its_round() -> None:
    data = [
        replace(each, judgements=tuple(replace(j, at="2025-01-01") for j in each.judgements))
        for each in both()
    ]
    (found,) = figures(write(data))
    assert found["round"] == "first"


def test_sentences_and_other_taxonomies_of_a_table() -> None:
    rows = ["example,author,sentence,label"]
    for n in range(6):
        rows += [f"{n},ann,s1,entailment", f"{n},bo,s1,{'neutral' if n else 'entailment'}"]
    Path("said.csv").write_text("\n".join(rows), encoding="utf-8")
    found = figures("said.csv", "--label-taxonomy", "nli")
    assert [(each["kind"], each["reading"], each["level"]) for each in found] == [
        ("sentence", "three classes", "nominal"),
        ("sentence", "three classes in order", "ordinal"),
        ("sentence", "faithful / unfaithful", "nominal"),
    ]
    assert found[0]["raw"]["value"] == pytest.approx(1 / 6)


def test_rounds_are_told_apart_and_who_came_later_is_no_annotator() -> None:
    faithful, unfaithful = BINARY["faithful"], BINARY["unfaithful"]
    data = both()
    data[1] = example(
        1,
        said("ann", faithful, 1, 1),
        said("bo", unfaithful, 1, 1),
        said("bo", faithful, 2, 1),
        Judgement(
            "1",
            Author("judge", "person"),
            (Unit.response("It is."),),
            (Verdict("response", unfaithful),),
            round=3,
            supersedes="1/ann/1",
        ),
    )
    first, revised = figures(write(data))
    assert (first["round"], revised["round"]) == ("first", "revised")
    assert (first["raw"]["value"], revised["raw"]["value"]) == (0.75, 0.875)
    assert revised["annotators"] == 2


def test_units_of_one_annotator_lower_the_coverage() -> None:
    data = [*both(), example(8, said("cy", BINARY["faithful"], 1, 8))]
    (found,) = figures(write(data))
    assert (found["alpha"]["n"], found["alpha"]["of"], found["annotators"]) == (8, 9, 3)


def test_taxonomies_in_one_file_have_figures_of_their_own() -> None:
    labels = [NLI["neutral"], FINESURE9.labels[0]]
    data = [example(n, *(said(by, labels[n % 2], 1, n) for by in ("ann", "bo"))) for n in range(4)]
    assert {each["taxonomy"] for each in figures(write(data))} == {"nli", "finesure9"}


def test_csv_has_a_row_for_each_figure_and_terminal_shows_them() -> None:
    path = write(both())
    done = assay("agree", path, "--csv", "-")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [row["measure"] for row in rows] == [
        "alpha",
        "fleiss_kappa",
        "raw_agreement",
        "cohen_kappa ann, bo",
    ]
    assert (rows[2]["value"], rows[2]["n"], rows[2]["of"]) == ("0.75", "8", "8")
    shown = assay("agree", path).stdout
    assert "ann, bo" in shown
    assert "agreement on responses, binary labels" in shown
    assert "a missing rating" in shown


def test_stats_of_a_file_show_alpha() -> None:
    shown = assay("data", "stats", write(both()), "--no-overlap", "--json")
    (found,) = json.loads(shown.stdout)["agreement"]
    assert found["alpha"]["value"] == pytest.approx(krippendorff_alpha([ANN, BO]))


def test_a_plan_without_labels_is_told() -> None:
    plan = "batch,annotator,id,source,response\n1,ann,a,S.,R.\n1,bo,a,S.,R.\n"
    Path("plan.csv").write_text(plan, encoding="utf-8")
    assert error_of(assay("agree", "plan.csv")).endswith("it has no field label (--label-field)")


def test_every_reading_has_the_kappa_of_each_pair() -> None:
    ann = ["consistent", "benign", "unwanted", "questionable"] * 5
    bo = ["consistent", "benign", "benign", "unwanted"] * 5
    rows = [f"{n},ann,{each}" for n, each in enumerate(ann)]
    rows += [f"{n},bo,{each}" for n, each in enumerate(bo)]
    Path("said.csv").write_text("id,annotator,label\n" + "\n".join(rows), encoding="utf-8")
    found = figures("said.csv", "--label-taxonomy", "faithbench")
    kappas = {each["reading"]: each["pairs"][0]["kappa"] for each in found}
    assert len(kappas) == 5
    assert kappas["four classes"] == kappas["four classes in order"]
    classes = "consistent + benign / questionable / unwanted"
    low = {"consistent": 0, "benign": 0, "questionable": 1, "unwanted": 2}
    expected = cohen_kappa([low[each] for each in ann], [low[each] for each in bo], classes=3)
    assert kappas[classes]["value"] == pytest.approx(expected)
    assert kappas["consistent / benign / unwanted"]["n"] == 15
    table = assay("agree", "said.csv", "--label-taxonomy", "faithbench").stdout
    _, _, pairs = table.partition("each pair of annotators")
    assert pairs.count("ann, bo") == len(kappas) - 1  # in order they are the same


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("id,annotator,label\n1,ann,faithful\n", "has one annotator, 'ann'; agreement takes two"),
        ("id,annotator,label\n1,ann,1\n2,bo,0\n", "was judged by two of its 2 annotators"),
        ("id,annotator,label\n1,ann,maybe\n", "row 1: unknown binary label 'maybe'"),
        ("id,annotator,label\n1,ann,1\n1,ann,0\n", "ann has two labels for '1'"),
        ("id,annotator,label\n1,,1\n", "row 1: no annotator gave this label"),
        ("id,annotator,label\n1,ann\n", "row 1: it does not have 3 cells"),
        ("id,source,response,label\n1,S.,R.,faithful\n", "it has no field annotator"),
        ("item,rater,label\n1,ann,1\n", "needs an id, an annotator and a label in each row"),
        (
            "id,annotator,label\n1,ann,x\n1,bo,x\n2,bo,x\n",
            "unknown binary label 'x'. Choices: faithful, unfaithful (in 3 rows) "
            "(--label-taxonomy)",
        ),
    ],
)
def test_bad_tables_are_one_clear_line(text: str, error: str) -> None:
    Path("said.csv").write_text(text, encoding="utf-8")
    said_ = error_of(assay("agree", "said.csv", "--label-field", "label"))
    assert error in said_
    assert "\n" not in said_


@pytest.mark.shared_data
def test_published_alphas_stand_beside_ours(shared_data: Path) -> None:
    folder = shared_data / "faithbench" / "data_for_release"
    if not folder.is_dir():
        pytest.skip(f"faithbench is not at {shared_data}")
    done = assay("agree", str(folder), "--data", str(shared_data), "--json")
    found = json.loads(done.stdout)
    assert [(each["published"], round(each["authors_way"], 3)) for each in found["published"]] == [
        (0.749, 0.756),
        (0.679, 0.683),
        (0.582, 0.591),
    ]
    assert [each["ours"] for each in found["published"]] == pytest.approx(
        [0.6933, 0.5531, 0.4564], abs=0.0001
    )
    assert any("16 batches" in line for line in found["handling"])
    assert {each["round"] for each in found["figures"]} == {"unknown"}


@pytest.mark.shared_data
def test_faithbenchs_own_alpha_comes_close_on_the_released_samples(shared_data: Path) -> None:
    found = by_batch("faithbench-paper", "--data", str(shared_data))
    values = {each["reading"]: each["alpha"]["value"] for each in found}
    assert [round(values[name], 3) for name in list(values)[1:]] == [0.771, 0.693, 0.610]
    assert {each["batches"] for each in found} == {16}


def test_sets_in_parts_and_columns_give_the_same_figures() -> None:
    expected = figures(write(both()))
    for to in (["said.parquet"], ["parts/", "--rows-per-part", "3"]):
        assert assay("data", "convert", "said.jsonl", "--to", *to).exit_code == 0
        assert figures(to[0]) == expected


def test_judgements_of_a_detector_are_no_annotations() -> None:
    assay("data", "convert", write(both()), "--to", "data.jsonl")
    assay("run", "data.jsonl", "--detector", "overlap", "--quiet")
    for out in ("out/", "out.parquet"):
        assay("runs", "export", "data--overlap", "--out", out)
        said = line_of(assay("agree", out))
        assert said.startswith(
            f"{out}: a table of annotations needs an id, an annotator and a label"
        )
