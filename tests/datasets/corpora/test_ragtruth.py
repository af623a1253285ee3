"""RAGTruth."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.datasets.corpora.ragtruth import CARD, read_grounding
from assay.datasets.corpus import Corpus
from tests.datasets.corpora.opinions import gold_of

QA = {"question": "who?", "passages": "passage 1:Ann did.\n\npassage 2:Bob did not.\n\n"}
TUESDAY = "Original: Tuesday Generative: Monday"
MARK = {"start": 4, "end": 7, "text": "was", "meta": "why", "label_type": "Evident Baseless Info"}


def write(folder: Path, source: Any, *labels: Any) -> Corpus:
    about = {"source_id": "s", "task_type": "QA", "source_info": source}
    row = {"id": "s-0", "source_id": "s", "model": "m", "split": "test", "response": "Ann was it."}
    (folder / "source_info.jsonl").write_text(json.dumps(about), encoding="utf-8")
    line = json.dumps({**row, "labels": list(labels)})
    (folder / "response.jsonl").write_text(line, encoding="utf-8")
    return Corpus(CARD, folder)


def test_passages_are_parts_of_the_text_as_it_is(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, QA)
    source = annotated.example.source
    assert (source.text, source.id, annotated.example.question) == (QA["passages"], "s", "who?")
    assert [passage.name for passage in source.passages] == ["passage 1", "passage 2"]
    texts = [source.text[passage.start : passage.end] for passage in source.passages]
    assert texts == ["Ann did.", "Bob did not."]


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_passages_never_overlap(pieces: list[str]) -> None:
    text = "\n\n".join(f"passage {n}:{piece}" for n, piece in enumerate(pieces, start=1))
    source, _ = read_grounding({"question": "?", "passages": text}, 1)
    assert source.text == text
    ends = [place for each in source.passages for place in (each.start, each.end)]
    assert ends == sorted(ends)


def test_passages_without_headings_are_one_text() -> None:
    source, question = read_grounding({"question": "?", "passages": "Just text."}, 1)
    assert (source.text, source.passages, question) == ("Just text.", (), "?")


def test_an_object_is_rendered_field_by_field() -> None:
    source, question = read_grounding({"name": "Blue Door", "hours": {"Mon": "9-5"}}, 7)
    assert (source.text, source.id, question) == ("name: Blue Door\nhours > Mon: 9-5", "7", "")


def test_a_response_without_marks_is_faithful(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, "A text.")
    assert [(each.unit.kind, str(each.label)) for each in gold_of(annotated)] == [
        ("response", "faithful")
    ]


def test_a_mark_makes_a_response_unfaithful(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, "A text.", {**MARK, "implicit_true": True, "due_to_null": False})
    whole, span = gold_of(annotated)
    assert (str(whole.label), whole.unit.text) == ("unfaithful", "Ann was it.")
    assert (str(span.label), span.unit.kind, span.unit.text) == ("evident-baseless", "span", "was")
    assert (span.id, span.note) == ("p1", "why")
    assert (span.attributes.implicit_true, span.attributes.due_to_null) == (True, False)


@pytest.mark.parametrize(
    ("note", "explanation"),
    [
        ("EVIDENT CONFLICT\nOriginal: Tuesday\nGenerative: Monday", TUESDAY),
        ("High introduction of new information:\n\nNot in the  source.", "Not in the source."),
        ("LOW INTRO OF NEW INFO", ""),
        ("unsupported", ""),
        ("", ""),
    ],
)
def test_the_explanation_is_what_the_annotator_wrote_below_the_heading(
    note: str, explanation: str, tmp_path: Path
) -> None:
    [annotated] = write(tmp_path, "A text.", {**MARK, "meta": note})
    span = gold_of(annotated)[1]
    assert (span.note, span.attributes.explanation) == (note, explanation)


def test_many_separators_after_a_heading_take_no_time(tmp_path: Path) -> None:
    note = "conflict" + " :|" * 100_000 + "x"
    [annotated] = write(tmp_path, "A text.", {**MARK, "meta": note})
    assert gold_of(annotated)[1].attributes.explanation.endswith("x")


def test_a_mark_that_is_not_in_the_response_has_no_place(tmp_path: Path) -> None:
    corpus = write(tmp_path, "A text.", {**MARK, "text": "is not"})
    [annotated] = corpus
    assert gold_of(annotated)[1].unit.start is None
    assert corpus.repairs.counts == {"quote-unlocated": 1}


def test_an_unknown_source_raises(tmp_path: Path) -> None:
    corpus = write(tmp_path, "A text.")
    (tmp_path / "source_info.jsonl").write_text(
        '{"source_id": "t", "task_type": "QA", "source_info": ""}'
    )
    with pytest.raises(InputError, match="source 's' is not in source_info"):
        list(corpus)


@pytest.fixture(scope="module")
def examples(corpora_root: Path) -> list[Annotated]:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    assert not corpus.repairs.counts
    return examples


@pytest.mark.shared_data
def test_the_release_has_the_published_counts(examples: list[Annotated]) -> None:
    assert len(examples) == 1_577
    sources = {annotated.example.source.id: annotated.example.task for annotated in examples}
    assert Counter(sources.values()) == {"summary": 86, "qa": 86, "data2txt": 93}
    assert len({annotated.example.response.model for annotated in examples}) == 6
    whole = Counter(str(gold_of(annotated)[0].label) for annotated in examples)
    assert whole == {"unfaithful": 669, "faithful": 908}


@pytest.mark.shared_data
def test_spans_have_the_four_types(examples: list[Annotated]) -> None:
    spans = [
        each for annotated in examples for each in gold_of(annotated) if each.unit.kind == "span"
    ]
    assert Counter(str(verdict.label) for verdict in spans) == {
        "evident-baseless": 536,
        "evident-conflict": 406,
        "subtle-baseless": 127,
        "subtle-conflict": 12,
    }
    assert sum(bool(each.attributes.implicit_true) for each in spans) == 89
    assert sum(bool(each.attributes.due_to_null) for each in spans) == 131


@pytest.mark.shared_data
def test_every_question_has_three_passages(examples: list[Annotated]) -> None:
    asked = [annotated for annotated in examples if annotated.example.task == "qa"]
    assert all(annotated.example.question for annotated in asked)
    assert {len(annotated.example.source.passages) for annotated in asked} == {3}
    structured = [annotated for annotated in examples if annotated.example.task == "data2txt"]
    assert all(annotated.example.source.passages[0].name == "name" for annotated in structured)


@pytest.mark.shared_data
def test_models_read_every_released_object_as_faithjudge_sends_it(
    examples: list[Annotated], corpora_root: Path
) -> None:
    lines = (corpora_root / CARD.folder / "source_info.jsonl").read_text().splitlines()
    released = {row["source_id"]: row["source_info"] for row in map(json.loads, lines)}
    shown = {each.example.source.id: each.example.source.prompt_text for each in examples}
    objects = {id: value for id, value in released.items() if "business_stars" in value}
    sent = {id: json.dumps(each, indent=4, ensure_ascii=False) for id, each in objects.items()}
    assert sum(shown[id] == text for id, text in sent.items()) == len(sent) == 93
