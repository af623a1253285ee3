"""The choice of data: read as a stream, surveyed, sampled, loaded, and what authors said of it."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import TypeVar

import pytest

from assay.core.codec import write_example
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated, Example
from assay.core.problems import Problem
from assay.core.texts import Passage, Response, Source, Span
from assay.core.units import Unit
from assay.datasets.conversion import convert
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    annotate,
    opinion,
    person,
    read_score,
)
from assay.datasets.corpus import load_corpus
from assay.datasets.fields import Columns
from assay.datasets.selection import (
    MOST_PROBLEMS,
    DataChoice,
    ExampleEntry,
    choose,
    choose_positions,
    load,
)
from assay.datasets.survey import Survey, content
from assay.evaluation.references import corpus_judgements

T = TypeVar("T")
Rows = Iterable[dict[str, object]]


@pytest.fixture
def data(tmp_path: Path) -> Callable[..., DataChoice]:
    """Writes rows to a file and names it."""

    def write(rows: Rows, *, name: str = "data.jsonl", more: str = "") -> DataChoice:
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows) + more, encoding="utf-8")
        return DataChoice(str(path))

    return write


def row(number: int, **more: object) -> dict[str, object]:
    return {"id": f"ex{number}", "source": f"Cat {number} sat.", "response": "It sat.", **more}


@pytest.mark.parametrize(
    ("arguments", "message", "field"),
    [
        ({"target": ""}, "no corpus or file is given", "dataset"),
        ({"target": "qags", "sample": 0}, "a sample has 1 example or more, not 0", "sample"),
        ({"target": "qags", "seed": 7}, "a seed chooses a sample, and there is no", "seed"),
    ],
)
def test_choice_that_makes_no_sense_is_refused_by_field(
    arguments: dict[str, object], message: str, field: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        DataChoice(**arguments)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_survey_counts_and_gives_the_same_digest_for_the_same_content(
    data: Callable[..., DataChoice],
) -> None:
    first = data([row(1), row(2)]).survey()
    again = data([{**row(1), "unread": 5}, row(2)], name="other.jsonl").survey()
    assert first == again
    assert first.examples == 2


@pytest.mark.parametrize(
    "changed",
    [{"response": "It ran."}, {"id": "ex9"}, {"source": "Dog."}, {"question": "Who?"}],
    ids=lambda each: next(iter(each)),
)
def test_digest_changes_with_all_that_a_detector_sees(
    changed: dict[str, object], data: Callable[..., DataChoice]
) -> None:
    assert data([row(1)]).survey().digest != data([{**row(1), **changed}]).survey().digest


def changed_ones(example: Example) -> Iterator[tuple[str, Example]]:
    """The example with one field changed at a time, below too, and which that is."""
    source, response = example.source, example.response
    (passage,) = source.passages
    (unit,) = example.units
    for each in fields(Passage):
        changed = replace(source, passages=(other(passage, each.name),))
        yield f"passage {each.name}", replace(example, source=changed)
    for each in fields(Source):
        yield f"source {each.name}", replace(example, source=other(source, each.name))
    for each in fields(Response):
        yield f"response {each.name}", replace(example, response=other(response, each.name))
    for name in ("id", "text", "parent"):
        yield f"unit {name}", replace(example, units=(other(unit, name),))
    for each in fields(Example):
        if each.name not in ("source", "response", "place"):
            yield each.name, other(example, each.name)


def other(value: T, name: str) -> T:
    """The value with something else in one field; a kind of field that is new here raises."""
    new: object
    match getattr(value, name):
        case str(text):
            new = f"{text}x"
        case int(number):
            new = number + 1
        case tuple():
            new = ()
        case unknown:
            raise NotImplementedError(f"{name}: {unknown!r}")
    return replace(value, **{name: new})  # type: ignore[type-var]


def test_digest_has_every_field_of_an_example() -> None:
    unit = Unit.at("sentence", Span.cut("It sat.", 0, 7, "response"), "s1")
    source = Source("A cat sat.", (Passage("one", 0, 10),), "s")
    example = Example("a", source, Response("It sat."), units=(unit,))
    same = [name for name, each in changed_ones(example) if content(each) == content(example)]
    # What detectors look up is no part of the data, and what they never see need not be the same.
    assert same == ["source outside", "original"]


def test_order_is_part_of_the_content(data: Callable[..., DataChoice]) -> None:
    assert data([row(1), row(2)]).survey().digest != data([row(2), row(1)]).survey().digest


def test_rows_that_cannot_be_used_are_told_together(data: Callable[..., DataChoice]) -> None:
    rows = [row(1), {"id": "a", "source": "x"}, row(1), row(2)]
    choice = data(rows, more="{broken\n")
    for look in (choice.survey, lambda: load(choice)):
        with pytest.raises(InputError) as caught:
            look()
        first, *lines = str(caught.value).splitlines()
        assert first == "fix these rows or take them out, then try again:"
        assert "  the id 'ex1' appears twice: outcomes are kept by id" in lines
        assert sum("data.jsonl line 2: no response" in line for line in lines) == 1
        assert sum("line 5: not valid JSON" in line for line in lines) == 1
        assert len(lines) == 3
        assert caught.value.field == "response_field"


def test_where_every_example_counts_only_the_first_bad_rows_are_read(
    data: Callable[..., DataChoice],
) -> None:
    with pytest.raises(InputError) as caught:
        load(data([{"id": "x"}] * 50))
    assert len(str(caught.value).splitlines()) == 1 + MOST_PROBLEMS
    assert "(and perhaps more)" in str(caught.value)


def test_file_in_which_no_row_can_be_read_is_one_error(data: Callable[..., DataChoice]) -> None:
    with pytest.raises(InputError) as caught:
        data([{"id": "x"}] * 50).survey()
    first, *lines = str(caught.value).splitlines()
    assert first.startswith("none of the 50 rows of ")
    assert (len(lines), caught.value.code) == (MOST_PROBLEMS, "bad-rows")


def test_survey_counts_rows_that_cannot_be_read_and_keeps_the_first(
    data: Callable[..., DataChoice],
) -> None:
    seen = data([row(1), *[{"id": "a", "source": "x"}] * 12, row(2)]).survey()
    assert (seen.examples, seen.rows, seen.unread.count) == (2, 14, 12)
    assert [each.where[-2:] for each in seen.unread.first] == [f"{n:2}" for n in range(2, 12)]


def test_row_that_cannot_be_read_is_part_of_the_digest(data: Callable[..., DataChoice]) -> None:
    bad = {"id": "a", "source": "x"}
    all_rows = (
        [row(1), row(2)],
        [row(1), bad, row(2)],
        [row(1), row(2), bad],
        [row(1), bad | {"source": "y"}, row(2)],
        [row(1), bad | {"response": "z"}, row(2)],
    )
    found = [data(rows).survey() for rows in all_rows]
    assert [each.examples for each in found] == [2, 2, 2, 2, 3]
    assert len({each.digest for each in found}) == 5
    renamed = data([row(1), bad, row(2)], name="other.jsonl").survey()
    assert renamed.digest == found[1].digest


def test_sample_is_of_the_rows_that_can_be_read(data: Callable[..., DataChoice]) -> None:
    rows = [each for n in range(20) for each in (row(n), {"id": f"bad{n}", "source": "x"})]
    choice = replace(data(rows), sample=5, seed=3)
    seen = choice.survey()
    again = [each.id for each in choice.read_again(seen)]
    assert again == [f"ex{n}" for n in range(20)]
    assert choice.chosen(seen) == frozenset(choose_positions(20, 5, seed=3))


def test_bad_rows_are_problems_in_the_stream(data: Callable[..., DataChoice]) -> None:
    choice = data([row(1), {"id": "a", "source": "x"}, row(2)])
    assert [isinstance(each, Problem) for each in choice.read()] == [False, True, False]


def test_data_without_examples_raises(data: Callable[..., DataChoice]) -> None:
    for look in (DataChoice.survey, load):
        with pytest.raises(InputError, match="has no examples"):
            look(data([]))
        split = replace(data([row(1)]), split="test")
        with pytest.raises(InputError, match="has no split 'test'; its splits: none") as caught:
            look(split)
        assert caught.value.field == "split"


def test_data_that_can_be_read_only_once_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="standard input can be read only once; save it to a file"):
        DataChoice("-").survey()
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match=r"pipe\.jsonl is not a file"):
        DataChoice(str(pipe)).survey()


def test_fields_and_language_are_the_users(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("article,text\nEs ist so.,So ist es.\n", encoding="utf-8")
    columns = Columns(source="article", response="text")
    (read,) = DataChoice(str(path), columns=columns, language="de").read()
    assert isinstance(read, Annotated)
    assert (read.example.source.text, read.example.language) == ("Es ist so.", "de")


def test_sample_is_the_same_for_the_same_seed_and_of_the_right_size() -> None:
    seen = Survey(1_000, "digest")
    chosen = DataChoice("qags", sample=10, seed=7).chosen(seen)
    assert chosen is not None
    assert len(chosen) == 10
    assert chosen == DataChoice("qags", sample=10, seed=7).chosen(seen)
    assert chosen != DataChoice("qags", sample=10, seed=8).chosen(seen)
    assert max(chosen) < 1_000
    zero = DataChoice("qags", sample=10, seed=0).chosen(seen)
    assert DataChoice("qags", sample=10).chosen(seen) == zero
    assert DataChoice("qags").chosen(seen) is DataChoice("qags", sample=1_000).chosen(seen) is None


def test_sample_is_that_of_earlier_versions() -> None:
    # random.Random(0).sample(range(10), 3) is [6, 9, 0]
    assert choose_positions(10, 3, seed=0) == [0, 6, 9]
    assert choose_positions(2, 3, seed=0) == [0, 1]


def converted(tmp_path: Path, *annotated: Annotated) -> str:
    path = str(tmp_path / "all.jsonl")
    convert(annotated, path, lambda each: ("", ""))
    return path


def example(number: int, split: str = "") -> Example:
    return Example(f"ex{number}", Source("A cat sat."), Response("It sat."), split=split)


def test_split_and_sample_are_loaded_and_all_entries_named(tmp_path: Path) -> None:
    path = converted(tmp_path, *(Annotated(example(n, "ab"[n % 2])) for n in range(10)))
    loaded = load(DataChoice(path, split="a", sample=3, seed=1))
    ids = [each.id for each in loaded.annotated]
    places = choose_positions(5, 3, seed=1)
    assert ids == [f"ex{2 * place}" for place in places]
    assert loaded.entries == tuple(ExampleEntry(f"ex{n}", "ab"[n % 2], "") for n in range(10))
    assert (loaded.repairs, loaded.card) == ("", None)


def test_examples_are_chosen_by_id(tmp_path: Path) -> None:
    path = converted(tmp_path, *(Annotated(example(n)) for n in range(5)))
    choice = DataChoice(path, ids=frozenset({"ex1", "ex3", "elsewhere"}))
    assert [each.id for each in choice.read() if isinstance(each, Annotated)] == ["ex1", "ex3"]
    assert choice.survey().examples == 2
    loaded = load(choice)
    assert [each.id for each in loaded.annotated] == ["ex1", "ex3"]
    assert [each.id for each in loaded.entries] == [f"ex{n}" for n in range(5)]


def test_loaded_corpus_has_its_card_and_repairs(tmp_path: Path) -> None:
    (tmp_path / "grayfacts").mkdir()
    line: dict[str, object] = {
        "topic": "t",
        "statement": "It sat.",
        "label": "AMBIG",
        "category": "c",
    }
    line |= {"reference_documents": ["A cat sat."], "additional_info": {"original_label": "S"}}
    (tmp_path / "grayfacts" / "grayfacts.jsonl").write_text(json.dumps(line))
    # Columns are for files: evaluation names one for the label, and a corpus does not need it.
    choice = DataChoice("grayfacts", str(tmp_path), Columns(label="label"))
    loaded = load(choice)
    assert loaded.card is load_corpus("grayfacts", tmp_path).card
    assert [each.id for each in loaded.annotated] == ["0"]
    assert len(list(choice.read())) == 1
    with pytest.raises(InputError, match="grayfacts is a corpus"):
        load(DataChoice("grayfacts", str(tmp_path), Columns(source="text")))


@pytest.mark.parametrize(
    ("target", "message", "code"),
    [
        ("ragtrut", "no such file or corpus 'ragtrut'. Did you mean 'ragtruth'?", "unknown-name"),
        (
            "ragtruth",
            "ragtruth is not at .*ragtruth: response.jsonl is missing",
            "corpus-not-served",
        ),
        ("qags", "qags is not at .*qags: mturk_cnndm.jsonl is missing", "corpus-missing"),
        (".", r"\. is a folder, not a file or the name of a corpus", "folder"),
    ],
)
def test_what_is_not_there_is_one_line_without_an_option(
    target: str, message: str, code: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        DataChoice(target, str(tmp_path)).survey()
    assert caught.value.code == code
    assert "--" not in str(caught.value)


def judged(number: int) -> Annotated:
    unit = Unit.response("It sat.")
    gold = opinion(unit, FAITHFUL)
    ann = opinion(unit, UNFAITHFUL, by=person("ann"))
    return annotate(example(number), [gold, ann, read_score(unit, 0.25, "nli")])


def test_chosen_items_keep_their_order_and_none_means_all() -> None:
    items = list("abcdefghi")
    chosen = choose(items, 4, 0)
    assert len(chosen) == 4
    assert chosen == sorted(chosen) == choose(items, 4, 0) != choose(items, 4, 1)
    assert choose(items, None, 0) == choose(items, 20, 0) == items


def test_gold_of_a_corpus_is_a_set_of_judgements(tmp_path: Path) -> None:
    path = converted(tmp_path, judged(1), judged(2))
    gold = corpus_judgements("gold", path)
    assert [(each.example, each.author.name) for each in gold] == [
        ("ex1", "gold"),
        ("ex1", "ann"),
        ("ex2", "gold"),
        ("ex2", "ann"),
    ]
    manifest = gold.manifest
    assert (gold.reference, manifest.author.name) == (f"gold:{path}", "gold")
    assert (manifest.unit_kind, manifest.taxonomy, manifest.dataset) == ("response", "binary", path)
    ann = corpus_judgements("gold", path, "ann")
    assert [each.verdicts[0].label for each in ann] == [UNFAITHFUL, UNFAITHFUL]
    assert ann.manifest.author == person("ann")


def test_recorded_detector_of_a_corpus_is_a_set_of_judgements(tmp_path: Path) -> None:
    path = converted(tmp_path, judged(1), judged(2))
    recorded = corpus_judgements("recorded", path, "nli")
    assert recorded.reference == f"recorded:nli@{path}"
    assert [each.verdicts[0].score for each in recorded] == [0.25, 0.25]
    assert list(recorded) == list(recorded)


def test_author_who_says_nothing_is_refused_with_those_who_do(tmp_path: Path) -> None:
    path = converted(tmp_path, judged(1))
    with pytest.raises(UnknownNameError, match=r"unknown recorded detector of .*'nlo'\. .*'nli'"):
        corpus_judgements("recorded", path, "nlo")
    with pytest.raises(UnknownNameError, match=r"unknown annotator of .* Choices: ann, gold"):
        corpus_judgements("gold", path, "bob")
    (tmp_path / "plain.jsonl").write_bytes(write_example(Annotated(example(1))) + b"\n")
    with pytest.raises(InputError, match="has no gold labels"):
        corpus_judgements("gold", str(tmp_path / "plain.jsonl"))
    with pytest.raises(InputError, match="has no recorded detectors"):
        corpus_judgements("recorded", str(tmp_path / "plain.jsonl"))


def test_label_column_of_a_file_is_gold(data: Callable[..., DataChoice]) -> None:
    choice = data([row(1, label=1), row(2, label=0)])
    gold = corpus_judgements("gold", choice.target, columns=Columns(label="label"))
    assert [str(each.verdicts[0].label) for each in gold] == ["faithful", "unfaithful"]


@pytest.mark.shared_data
def test_recorded_detector_of_a_released_corpus(shared_data: Path) -> None:
    recorded = corpus_judgements("recorded", "faithbench", "hhem-2.1", str(shared_data))
    assert (recorded.manifest.unit_kind, recorded.manifest.taxonomy) == ("response", "")
    assert sum(1 for _ in recorded) == 750


def write_qags(folder: Path) -> None:
    (folder / "qags").mkdir()
    for part in ("cnndm", "xsum"):
        said = {"sentence": "It sat.", "responses": [{"worker_id": 0, "response": "yes"}]}
        line = json.dumps({"article": f"Cat of {part}.", "summary_sentences": [said]})
        (folder / f"qags/mturk_{part}.jsonl").write_text(line, encoding="utf-8")


def test_only_examples_of_the_task_are_chosen(tmp_path: Path) -> None:
    write_qags(tmp_path)
    everything = load(DataChoice("qags", str(tmp_path)))
    loaded = load(DataChoice("qags", str(tmp_path), task="xsum"))
    assert {each.example.task for each in everything.annotated} == {"cnndm", "xsum"}
    assert [each.example.task for each in loaded.annotated] == ["xsum"]
    assert {each.task for each in loaded.entries} == {"cnndm", "xsum"}
    assert DataChoice("qags", str(tmp_path), task="xsum").survey().examples == 1


def test_unknown_task_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    write_qags(tmp_path)
    with pytest.raises(InputError, match="qags has no task 'news'; its tasks: cnndm, xsum") as told:
        load(DataChoice("qags", str(tmp_path), task="news"))
    assert told.value.field == "task"
