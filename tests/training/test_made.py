"""Items made from texts, and the written files: a guard for those that are added."""

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from assay.core.rendering import read_source
from assay.datasets.overlaps import h80
from training import corpora, made
from training.items import CONTRADICTED, ENTAILED, NEUTRAL, Sentence
from training.splits import is_development

pytestmark = pytest.mark.soak

FILES = sorted(made.WRITTEN.glob("*.jsonl"))
SOURCE = " ".join(
    f"The {place} has kept {number} boats in its old harbour since the war."
    for number, place in enumerate(("town", "village", "island", "city", "port", "bay", "camp"), 2)
)


def read_records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_records(folder: Path, *places: Mapping[str, object]) -> None:
    sentences = [
        {"faithful": f"Right {n}.", "unfaithful": f"Wrong {n}.", "label": label}
        for n, label in enumerate(("neutral", "contradicted", "neutral"))
    ]
    rows = [json.dumps({"source": place, "sentences": sentences}) for place in places]
    (folder / "news.jsonl").write_text("\n".join(rows))


def test_both_versions_of_each_sentence_are_dealt_out_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_records(tmp_path, {"text": "It happened."})
    monkeypatch.setattr(made, "WRITTEN", tmp_path)
    items = list(made.written({}, Random(1)))
    assert [item.group for item in items] == ["written-news"] * 4 + ["whole-news"] * 2
    *items, whole, nearly = items
    assert {sentence.target for sentence in whole.sentences} == {ENTAILED}
    assert sum(sentence.target != ENTAILED for sentence in nearly.sentences) == 1
    targets = (NEUTRAL, CONTRADICTED, NEUTRAL)
    for place, target in enumerate(targets):
        dealt = [item.sentences[place] for item in items]
        assert dealt.count(Sentence(f"Right {place}.", ENTAILED)) == 2
        wrong = Sentence(f"Wrong {place}.", target, ((0, 5),))
        assert dealt.count(wrong) == 2
        assert dealt[0] != dealt[1]
        assert dealt[2] != dealt[3]


def test_source_named_by_a_hash_is_found_and_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, unknown = ({"h80": name, "characters": 11} for name in ("abc", "xyz"))
    write_records(tmp_path, known, unknown)
    monkeypatch.setattr(made, "WRITTEN", tmp_path)
    items = list(made.written({"abc": "It happened. And more."}, Random(1)))
    assert [item.source for item in items] == ["It happened"] * 6


def test_record_written_in_json_is_read_as_the_detector_reads_it() -> None:
    assert made.as_record('{"name": "Finn"}') == {"name": "Finn"}
    assert made.as_record("{not json}") == "{not json}"
    assert made.as_record("Plain.") == "Plain."


def test_copied_sentence_is_neutral_where_the_source_no_longer_has_it() -> None:
    seen = set()
    for seed in range(80):
        item = made.copied(SOURCE, Random(seed))
        assert item is not None
        for sentence in item.sentences:
            if sentence.text in SOURCE:
                known = sentence.text in item.source
                assert sentence.target == (ENTAILED if known else NEUTRAL)
            seen.add(sentence.target)
    assert seen == {ENTAILED, NEUTRAL, CONTRADICTED}


def test_nothing_is_copied_from_a_source_of_few_sentences() -> None:
    assert made.copied("One sentence that is long enough to be taken. " * 4, Random(1)) is None


def test_true_sentences_stay_entailed_unless_an_edit_breaks_them() -> None:
    truths = [f"The harbour has {number} boats." for number in range(10, 19)]
    item = made.altered(SOURCE, truths, Random(1), question="How many?")
    assert item is not None
    assert len(item.sentences) == made.MOST
    assert item.question == "How many?"
    for sentence, truth in zip(item.sentences, truths, strict=False):
        assert sentence.target == ENTAILED or sentence.text != truth


def test_corpus_marks_are_taken_out() -> None:
    assert made.unmarked("<t> It rained . </t> <t> It poured . </t>") == "It rained .  It poured ."


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_written_file_is_valid(path: Path) -> None:
    for record in read_records(path):
        place, name = record["source"], record["id"]
        assert name.startswith(path.stem)
        assert set(record) <= {"id", "source", "question", "sentences"}, name
        assert set(place) in ({"text"}, {"corpus", "h80", "characters"}), name
        assert place.get("text", "text").strip(), name
        assert place.get("characters", 1) > 0, name
        assert record["sentences"], name
        for each in record["sentences"]:
            assert each["label"] in ("neutral", "contradicted"), name
            assert each["faithful"].strip(), name
            assert each["unfaithful"].strip(), name
            assert each["faithful"] != each["unfaithful"], name


def test_written_records_have_names_of_their_own() -> None:
    names = [record["id"] for path in FILES for record in read_records(path)]
    assert len(names) > 2_000
    assert len(set(names)) == len(names)


def test_written_source_in_json_is_whole() -> None:
    for path in FILES:
        for record in read_records(path):
            text = record["source"].get("text", "")
            if text.startswith("{"):
                assert isinstance(made.as_record(text), dict), record["id"]
            assert not text or read_source(made.as_record(text)).text.strip()


@pytest.mark.shared_data
def test_every_written_source_is_found_in_its_corpus(shared_data: Path) -> None:
    bump, fib, ragtruth = (
        [each.example for each in corpora.corpus(name, shared_data)]
        for name in ("bump", "fib", "ragtruth")
    )
    ours = [*bump, *fib, *(example for example in ragtruth if not is_development(example))]
    texts = [example.source.text for example in ours]
    texts += [item.source for item in corpora.defacto(shared_data, Random(1))]
    texts += [item.source for item in corpora.factcg(shared_data)]
    known = {h80(text) for text in texts}
    for path in FILES:
        for record in read_records(path):
            place = record["source"]
            assert "text" in place or place["h80"] in known, record["id"]
