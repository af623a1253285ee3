"""VeriGray, on a file in the form of its release."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.taxonomies import GRAY7
from assay.datasets.corpora.verigray import CARD, FIRST
from assay.datasets.corpus import Corpus, load_corpus
from assay.datasets.selection import DataChoice, load
from tests.datasets.corpora.opinions import gold_of

ANSWER = "Ann left. Bob stayed."


def write(folder: Path, *annotations: object, file: str = "release.jsonl", **more: Any) -> Corpus:
    texts = [("Ann left.", [0, 9]), ("Bob stayed.", [10, 21])]
    sentences = [
        {"text": text, "range": place, "annotation": said, **more}
        for (text, place), said in zip(texts, annotations, strict=False)
    ]
    row = {"question": "A text.", "answer": ANSWER, "generator": "m", "sentences": sentences}
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(json.dumps(row), encoding="utf-8")
    return Corpus(CARD, folder)


def label_of(annotated: Annotated) -> str:
    return str(gold_of(annotated)[0].label)


@pytest.mark.parametrize("name", GRAY7.names)
def test_a_label_is_read_in_any_case(name: str, tmp_path: Path) -> None:
    corpus = write(tmp_path, name.title())
    assert [label_of(annotated) for annotated in corpus] == [name]
    assert not corpus.repairs.counts


def test_sentences_are_units_where_they_stand(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, "Fabricated", "No-Fact", note="why", rationale="so")
    assert [(unit.kind, unit.start) for unit in annotated.example.units] == [
        ("sentence", 0),
        ("sentence", 10),
    ]
    assert [verdict.unit for verdict in gold_of(annotated)] == list(annotated.example.units)
    assert gold_of(annotated)[0].note == "why\nso"
    assert (annotated.example.response.model, annotated.example.source.text) == ("m", "A text.")


@pytest.mark.parametrize(
    ("older", "name"),
    [("Inconsistent", "contradicting"), ("Generally-Supported", "implicitly-supported")],
)
def test_an_older_name_is_read_and_counted(older: str, name: str, tmp_path: Path) -> None:
    corpus = write(tmp_path, older)
    assert [label_of(annotated) for annotated in corpus] == [name]
    assert corpus.repairs.counts == {"older-label": 1}


@pytest.mark.parametrize(
    "annotation",
    ["Contradicting / Explicitly-Supported", "Ambiguous (Contradicting / Explicitly-Supported)"],
)
def test_several_labels_are_readings_of_an_ambiguous_one(annotation: str, tmp_path: Path) -> None:
    [annotated] = write(tmp_path, annotation)
    assert label_of(annotated) == "ambiguous"
    readings = [str(each.label) for each in gold_of(annotated)[0].interpretations]
    assert readings == ["contradicting", "explicitly-supported"]


def test_the_same_label_twice_is_one_reading(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, "Fabricated / fabricated")
    assert (label_of(annotated), gold_of(annotated)[0].interpretations) == ("fabricated", ())


def test_not_sure_is_ambiguous(tmp_path: Path) -> None:
    corpus = write(tmp_path, "Not sure")
    assert [label_of(annotated) for annotated in corpus] == ["ambiguous"]
    assert corpus.repairs.counts == {"not-sure": 1}


def test_a_sentence_without_a_label_gives_no_verdict(tmp_path: Path) -> None:
    corpus = write(tmp_path, "", "Fabricated")
    [annotated] = corpus
    assert (len(annotated.example.units), len(gold_of(annotated))) == (2, 1)
    assert corpus.repairs.counts == {"sentence-without-label": 1}


def test_a_wrong_range_is_mended(tmp_path: Path) -> None:
    corpus = write(tmp_path, "Fabricated", range=[3, 9])
    [annotated] = corpus
    assert annotated.example.units[0].start == 0
    assert corpus.repairs.counts == {"quote-moved": 1}


def test_an_unknown_label_is_not_read_as_no_fact(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"release\.jsonl: unknown gray7 label 'Odd'"):
        list(write(tmp_path, "Odd"))


def test_a_folder_without_tables_raises(tmp_path: Path) -> None:
    (tmp_path / "confusions.json").write_text("{}")
    with pytest.raises(InputError, match=r"^verigray: nothing of it is at .*\.jsonl$") as caught:
        list(Corpus(CARD, tmp_path))
    assert (caught.value.code, caught.value.field) == ("corpus-not-served", "data")
    assert caught.value.subject == "verigray"


@pytest.mark.parametrize("older", ["20251007.jsonl", "veri-gray-20251007/data.jsonl", "old.jsonl"])
def test_of_two_versions_only_the_newest_is_read(older: str, tmp_path: Path) -> None:
    folder = tmp_path / "verigray"
    write(folder, "Fabricated", "Fabricated", file=older)
    write(folder, "Explicitly-Supported", "Fabricated", file="20251225.jsonl")
    loaded = load(DataChoice("verigray", str(tmp_path)))
    assert [label_of(annotated) for annotated in loaded.annotated] == ["explicitly-supported"]
    assert loaded.repairs == "older-version 1 x (a file of an older version is not read)"


def test_first_version_is_a_corpus_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "verigray"
    write(folder, "Fabricated", file="20251007.jsonl")
    write(folder, "Explicitly-Supported", file="20251225.jsonl")
    assert [label_of(each) for each in load_corpus(FIRST.name, tmp_path)] == ["fabricated"]


def test_first_version_that_is_not_there_is_missed_by_its_name(tmp_path: Path) -> None:
    write(tmp_path / "verigray", "Fabricated", file="20251225.jsonl")
    with pytest.raises(InputError, match=r"20251007\.jsonl is missing"):
        load_corpus(FIRST.name, tmp_path)


def test_files_without_a_date_that_have_the_same_summary_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "Fabricated", file="a.jsonl")
    with pytest.raises(InputError, match=r"a\.jsonl and b\.jsonl in .* have the same summaries"):
        list(write(tmp_path, "Fabricated", file="b.jsonl"))


def test_files_without_a_date_are_numbered_through(tmp_path: Path) -> None:
    for number, file in enumerate(("verigray/a.jsonl", "verigray/b.jsonl")):
        write(tmp_path, "Fabricated", file=file)
        text = (tmp_path / file).read_text().replace("A text.", f"Text {number}.")
        (tmp_path / file).write_text(text)
    loaded = load(DataChoice("verigray", str(tmp_path)))
    assert [(each.id, each.example.source.text) for each in loaded.annotated] == [
        ("0", "Text 0."),
        ("1", "Text 1."),
    ]


def test_a_list_of_labels_is_several_readings(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, ["Fabricated", "Out-Dependent"], ["Fabricated"])
    assert [str(each.label) for each in gold_of(annotated)] == ["ambiguous", "fabricated"]
    readings = [str(each.label) for each in gold_of(annotated)[0].interpretations]
    assert readings == ["fabricated", "out-dependent"]


@pytest.mark.parametrize("annotation", [7, [None], {"label": "Fabricated"}])
def test_an_annotation_that_is_no_text_is_refused(annotation: object, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"release\.jsonl: a list of str holds a"):
        list(write(tmp_path, annotation))
