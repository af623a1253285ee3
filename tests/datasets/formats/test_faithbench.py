"""FaithBench's batch files, read and written."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.core.codec import read_example, write_example
from assay.core.decision import Interpretation
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.problems import Problem
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.texts import Passage, Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from assay.datasets.corpus import load_corpus
from assay.datasets.formats.faithbench import read_faithbench, write_faithbench

SOURCE, SUMMARY = "The ferry 😀 left at nine. It was full.", "The big ferry left at ten."
Batch = Callable[..., Path]


def annotation(number: int = 1, **fields: Any) -> dict[str, Any]:
    return {
        "annot_id": number,
        "annotator_id": "id-ann",
        "annotator_name": "Ann Lee",
        "label": ["Unwanted", "Unwanted.Intrinsic"],
        "note": "It was nine.",
        "summary_span": "ten",
        "summary_start": 22,
        "summary_end": 25,
        "source_span": "nine",
        "source_start": 20,
        "source_end": 24,
    } | fields


def sample(*annotations: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "sample_id": 3,
        "source": SOURCE,
        "summary": SUMMARY,
        "annotations": list(annotations),
        "metadata": {"summarizer": "llm-1", "hhemv1": 0.25, "gpt_4o": 1, "raw_sample_id": 15},
    } | fields


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    def write(*samples: Any, name: str = "batch_7.json") -> Path:
        (tmp_path / name).write_text(json.dumps({"samples": samples}), encoding="utf-8")
        return tmp_path / name

    return write


def read(path: Path) -> list[Annotated]:
    rows = list(read_faithbench(path))
    assert not [each for each in rows if isinstance(each, Problem)]
    return [each for each in rows if isinstance(each, Annotated)]


def again(path: Path) -> list[dict[str, Any]]:
    """The samples of a file after they were read and written."""
    target = path.with_name("again.json")
    write_faithbench(read(path), target)
    samples: list[dict[str, Any]] = json.loads(target.read_text(encoding="utf-8"))["samples"]
    return samples


def test_each_person_says_what_they_marked(batch: Batch) -> None:
    bob = annotation(2, annotator_name="Bob", annotator_id="id-bob", label=["Benign"])
    [annotated] = read(batch(sample(annotation(), bob)))
    assert (annotated.id, annotated.example.split) == ("7-3", "batch-7")
    ann, other = annotated.gold[1:]
    assert (ann.author, other.author.name) == (Author("Ann Lee", "person", "id-ann"), "Bob")
    [finding] = ann.findings
    assert (finding.text, finding.note) == ("ten", "It was nine.")
    assert finding.label == "unwanted.intrinsic"
    assert [(span.start, span.text) for span in finding.evidence] == [(20, "nine")]
    assert annotated.gold[0].author == GOLD
    assert annotated.gold[0].findings[0].label == "unwanted"
    assert {each.author.name: each.findings[0].score for each in annotated.recorded} == {
        "hhem-1": 0.25,
        "gpt-4o": None,
    }


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"label": ["Benign", "Unwanted.Instrinsic"]},
        {"label": ["Unwanted", "Questionable", "Unwanted.Extrinsic"]},
        {"label": ["questionable"]},
        {"label": []},
        {"label": [], "summary_span": None, "summary_start": None, "summary_end": None},
        {"note": ""},
        {"note": None},
        {"summary_start": 2, "summary_end": 5},
        {"summary_end": 23},
        {"summary_span": None},
        {"summary_span": None, "summary_start": None, "summary_end": None},
        {"source_span": None, "source_start": None, "source_end": None},
        {"source_span": "nine", "source_start": None, "source_end": None},
        {"annotator_name": None},
        {"annotator_name": "Bob", "annotator_id": 5},
        {"annot_id": "a1", "seconds": 12.5, "flags": ["late"]},
    ],
)
def test_an_annotation_is_written_as_it_was(fields: dict[str, Any], batch: Batch) -> None:
    given = sample(annotation(4, **fields), annotation(9, annotator_name="Cy"), extra={"a": None})
    assert again(batch(given)) == [given]


def test_an_annotation_without_a_label_is_a_failure(batch: Batch) -> None:
    [annotated] = read(batch(sample(annotation(label=[]))))
    [failure] = annotated.gold[1].failures
    assert (failure.reason, json.loads(failure.raw)["annot_id"]) == ("missing", 1)
    assert annotated.gold[0].findings[0].label == "consistent"


def test_marks_of_several_people_keep_their_order(batch: Batch) -> None:
    names = ["Ann", "Bob", "Ann", "Bob"]
    marks = [annotation(n, annotator_name=name) for n, name in enumerate(names, start=10)]
    assert again(batch(sample(*marks))) == [sample(*marks)]


def test_people_of_one_name_are_told_apart_by_their_ids(batch: Batch) -> None:
    given = sample(annotation(1), annotation(2, annotator_id="id-2"))
    [annotated] = read(batch(given))
    names = [each.author.name for each in annotated.gold[1:]]
    assert names == ["Ann Lee (id-ann)", "Ann Lee (id-2)"]
    assert again(batch(given)) == [given]


def test_a_changed_label_is_written_and_the_id_stays(batch: Batch, tmp_path: Path) -> None:
    path = batch(sample(annotation(8, label=["Questionable", "Unwanted"])))
    [annotated] = read(path)
    _, said, *others = annotated.judgements
    verdict = replace(said.verdicts[0], label=FAITHBENCH["benign"], interpretations=())
    changed = replace(annotated, judgements=(replace(said, outcomes=(verdict,)), *others))
    write_faithbench([changed], tmp_path / "new.json")
    [written] = json.loads((tmp_path / "new.json").read_text())["samples"]
    assert written["annotations"] == [annotation(8, label=["Benign"])]


def test_who_found_nothing_is_known_again(batch: Batch, tmp_path: Path) -> None:
    rows = read(batch(*(sample(annotation(n), sample_id=n) for n in range(8))))
    whole = Unit.response(SUMMARY)
    looked = Judgement(
        rows[0].id,
        Author("Dee", "person"),
        (whole,),
        (Verdict(whole.id, FAITHBENCH["consistent"]),),
    )
    rows[0] = rows[0].with_judgements(looked)
    write_faithbench(rows, tmp_path / "batch_7.json")
    found = [[each.author.name for each in row.gold] for row in read(tmp_path / "batch_7.json")]
    assert found == [["gold", "Ann Lee", "Dee"]] + 7 * [["gold", "Ann Lee"]]


def spans_of_the_studio() -> Annotated:
    """Marks that FaithBench has no fields for: nested, twice linked, with answers, sentences."""
    outer = Unit.at("span", Span.cut(SUMMARY, 4, 13, "response"), "p1")
    inner = Unit.at("span", Span.cut(SUMMARY, 4, 7, "response"), "p2", "p1")
    parts = (Span.cut(SUMMARY, 0, 3, "response"), Span.cut(SUMMARY, 22, 25, "response"))
    split = Unit("p3", "span", "The … ten", parts)
    sentence = Unit.at("sentence", Span.cut(SUMMARY, 0, 26, "response"), "s1")
    linked = tuple(Span.cut(SOURCE, start, start + 3, "source") for start in (0, 27))
    several = tuple(Interpretation(FAITHBENCH[each]) for each in ("benign", "questionable"))
    ann = Judgement(
        "x",
        Author("ann", "person"),
        (outer, inner, split),
        (
            Verdict("p1", FAITHBENCH["questionable"], evidence=linked, interpretations=several),
            Verdict("p2", FAITHBENCH["unwanted.extrinsic"], attributes=Attributes(cited="big")),
            Verdict(
                "p3", FAITHBENCH["benign"], note="Ten.", attributes=Attributes(nothing_found=True)
            ),
        ),
    )
    bob = Judgement(
        "x", Author("bob", "person"), (sentence,), (Verdict("s1", GRAY7["out-dependent"]),)
    )
    whole = Unit.response(SUMMARY)
    gold = Judgement("x", GOLD, (whole,), (Verdict(whole.id, FAITHBENCH["consistent"]),))
    example = Example(
        "x",
        Source(SOURCE, (Passage("one", 0, 3),), "s"),
        Response(SUMMARY, "m"),
        question="When?",
        language="de",
        split="dev",
        task="qa",
    )
    return Annotated(example, (gold, ann, bob))


def test_what_faithbench_has_no_field_for_comes_back(tmp_path: Path) -> None:
    annotated = spans_of_the_studio()
    assert write_faithbench([annotated], tmp_path / "mine.json") == 1
    [found] = read(tmp_path / "mine.json")
    assert found.example == annotated.example
    assert {each.author.name: each for each in found.judgements} == {
        each.author.name: each for each in annotated.judgements
    }
    [written] = json.loads((tmp_path / "mine.json").read_text())["samples"]
    labels = [(each["annotator_name"], each["label"]) for each in written["annotations"]]
    assert labels == [
        ("ann", ["Benign", "Questionable"]),
        ("ann", ["Unwanted", "Unwanted.Extrinsic"]),
        ("ann", ["Benign"]),
        ("bob", ["Questionable"]),
        ("gold", ["Consistent"]),
    ]
    assert [each["annot_id"] for each in written["annotations"]] == [1, 2, 3, 4, 5]


def test_a_field_that_was_changed_by_hand_is_believed(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    write_faithbench([spans_of_the_studio()], path)
    document = json.loads(path.read_text())
    document["samples"][0]["annotations"][1]["label"] = ["Benign"]
    path.write_text(json.dumps(document))
    [found] = read(path)
    ann = next(each for each in found.gold if each.author.name == "ann")
    assert [each.label for each in ann.findings] == ["questionable", "benign", "benign"]


def test_samples_of_two_batches_in_one_file_keep_their_ids(batch: Batch, tmp_path: Path) -> None:
    rows = [
        row
        for name in ("batch_1.json", "batch_2.json")
        for row in read(batch(sample(annotation()), name=name))
    ]
    write_faithbench(rows, tmp_path / "all.json")
    found = read(tmp_path / "all.json")
    assert [each.example for each in found] == [each.example for each in rows]
    assert [each.id for each in found] == ["1-3", "2-3"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (5, "Expected 'object', got 'int'"),
        ({"sample_id": 1, "source": "a"}, "missing required field 'summary'"),
        (sample(source=None), "Expected 'str', got 'null' - at '$.source'"),
        (sample({"note": "x"}), "missing required field 'label' - at '$.annotations[0]'"),
        (sample(annotation(label="Benign")), "Expected 'array', got 'str'"),
        (sample(annotation(summary_start=-1)), "'int' >= 0 - at '$.annotations[0].summary_start'"),
        (
            sample(annotation(summary_end=99)),
            "annotation 1: summary 22:99 does not fit a text of 26 characters",
        ),
        (
            sample(annotation(), annotation(source_span="ten")),
            "annotation 2: the source does not say 'ten'",
        ),
        (
            sample(annotation(label=["Bad"])),
            "annotation 1: unknown faithbench label 'Bad'",
        ),
        (sample(annotation(annotator_name="", annotator_id=None)), "nobody is named"),
        (sample(metadata={"summarizer": 5}), "the summarizer must be text, not int"),
        (sample(metadata={"annotators": "ann"}), "must be a list of names"),
        (sample(metadata={"deep": json.loads(60 * "[" + 60 * "]")}), "nested more than 50 deep"),
        (sample(metadata={"assay": {"id": 5}}), "Expected `str`, got `int` - at `$.id`"),
    ],
)
def test_a_bad_sample_is_a_problem_and_the_others_are_read(
    bad: Any, message: str, batch: Batch
) -> None:
    path = batch(bad, sample(annotation()))
    problem, good = read_faithbench(path)
    assert isinstance(problem, Problem)
    assert problem.where == f"{path} sample 1"
    assert message in problem.message
    assert isinstance(good, Annotated)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "is not JSON"), ("[]", "has no list of samples"), ('{"samples": 5}', "no list of")],
)
def test_a_file_that_is_no_batch_is_told_in_one_line(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "b.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_faithbench(path))


def test_a_remark_without_a_label_leaves_a_regular_annotator_silent(batch: Batch) -> None:
    remark = annotation(2, label=[], note="All of it is right.")
    bob = {"annotator_name": "Bob", "annotator_id": "id-bob"}
    path = batch(
        sample(annotation(1), annotation(1, **bob)),
        sample(remark, annotation(3, **bob), sample_id=4),
    )
    _, second = read(path)
    ann = next(each for each in second.gold if each.author.name == "Ann Lee")
    assert [(each.id, str(each.label)) for each in ann.findings] == [
        ("p1", "None"),
        ("response", "consistent"),
    ]
    assert again(path) == json.loads(path.read_text())["samples"]


def test_somebody_who_could_not_say_is_not_taken_to_have_found_nothing(batch: Batch) -> None:
    remark = annotation(2, label=[], note="I cannot tell.")
    first, second = read(batch(sample(annotation(1)), sample(remark, sample_id=4)))
    said = [
        replace(each, units=each.units[:1], outcomes=each.outcomes[:1])
        for each in second.gold
        if each.author != GOLD
    ]
    target = batch(name="batch_8.json")
    write_faithbench([first, replace(second, judgements=tuple(said))], target)
    _, found = read(target)
    ann = next(each for each in found.gold if each.author.name == "Ann Lee")
    assert [each.id for each in ann.findings] == ["p1"]


@pytest.mark.shared_data
def test_the_release_is_written_byte_for_byte(shared_data: Path, tmp_path: Path) -> None:
    released = sorted((shared_data / "faithbench" / "data_for_release").glob("batch_*.json"))
    if not released:
        pytest.skip("FaithBench is not there")
    for path in released:
        target = tmp_path / "written.json"
        kept = [read_example(write_example(each)) for each in read(path)]  # as a store keeps them
        assert write_faithbench(kept, target) == 50
        assert target.read_bytes() == path.read_bytes(), path.name


@pytest.mark.shared_data
def test_a_released_batch_says_what_the_corpus_says(shared_data: Path) -> None:
    path = shared_data / "faithbench" / "data_for_release" / "batch_4.json"
    if not path.exists():
        pytest.skip("FaithBench is not there")
    corpus = [
        each for each in load_corpus("faithbench", shared_data) if each.example.split == "batch-4"
    ]
    for ours, known in zip(read(path), corpus, strict=True):
        assert replace(ours.example, original="") == known.example
        # the corpus leaves out annotations without a label
        labels = [[each.label for each in said.findings if each.verdict] for said in ours.gold]
        expected = [[each.label for each in said.findings] for said in known.gold]
        assert sorted(map(str, labels)) == sorted(map(str, expected))
