"""FaithJudge: peers and judged responses."""

import json
from collections import Counter
from gzip import compress
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.labels import majority
from assay.datasets.corpora.faithjudge import JUDGED, PEERS, TASKS
from assay.datasets.corpora.ragtruth import read_grounding
from assay.datasets.corpora.raw_files import read_json_lines
from assay.datasets.corpus import Corpus
from tests.datasets.corpora.opinions import Said, gold_of, recorded_of

ANNOTATION = {
    "annotator": "a1",
    "label": ["Unwanted"],
    "note": "why",
    "summary_span": "cats",
    "summary_start": 8,
    "summary_end": 12,
}


def write_peers(folder: Path, *annotations: list[Any]) -> Corpus:
    (folder / "eval_data").mkdir()
    peers = [
        {
            "sample_id": f"1-{number}",
            "summary": "Ann has cats.",
            "annotations": given,
            "computed_ground_truth_label_majority": "Benign",
            "meta_model": "m",
        }
        for number, given in enumerate(annotations)
    ]
    rows: dict[str, Any] = {
        "faithbench_summary": {"source_id": "1-0", "source": "A text.", "summaries": peers}
    }
    for task in ("summary", "qa", "data2txt"):
        answer = {"response": "Ann is.", "model": "m", "labels": []}
        rows[f"ragtruth_{task}"] = {"source_id": 7, "source": "A text.", "responses": [answer]}
    for name, row in rows.items():
        (folder / f"eval_data/{name}.jsonl").write_text(json.dumps(row), encoding="utf-8")
    return Corpus(PEERS, folder)


def test_each_annotator_has_a_verdict_on_the_whole(tmp_path: Path) -> None:
    annotated = next(iter(write_peers(tmp_path, [[ANNOTATION], []])))
    assert [(str(each.label), each.unit.kind, each.author) for each in gold_of(annotated)] == [
        ("benign", "response", "gold"),
        ("unwanted", "response", "a1"),
        ("unwanted", "span", "a1"),
        ("consistent", "response", "annotator 2"),
    ]


def test_a_silent_annotator_is_known_by_the_place(tmp_path: Path) -> None:
    corpus = write_peers(tmp_path, [[ANNOTATION]], [[]])
    first, second, *_ = corpus
    assert [verdict.author for verdict in gold_of(second)] == ["gold", "a1"]
    assert first.example.source is second.example.source
    assert corpus.repairs.counts == {"annotator-by-place": 1}


def test_annotators_who_change_places_raise(tmp_path: Path) -> None:
    corpus = write_peers(tmp_path, [[ANNOTATION]], [[{**ANNOTATION, "annotator": "a2"}]])
    with pytest.raises(InputError, match="annotators change places"):
        list(corpus)


def write_judged(folder: Path, **row: Any) -> Corpus:
    (folder / "judged").mkdir()
    given = {"model": "m", "source_id": "7", "candidate_text": "Ann is.", "classification": "Odd"}
    sources = [{"task": task, "source_id": "7", "source": "A text."} for task in TASKS]
    lines = "\n".join(map(json.dumps, sources))
    (folder / "sources.jsonl.gz").write_bytes(compress(lines.encode()))
    for task in TASKS:
        line = json.dumps({**given, "evaluation_response": "Because.", **row})
        (folder / f"judged/{task}.jsonl.gz").write_bytes(compress(line.encode()))
    return Corpus(JUDGED, folder)


def test_the_judges_classification_is_recorded(tmp_path: Path) -> None:
    first, *others = write_judged(tmp_path, classification="Inconsistent")
    [said] = recorded_of(first)
    assert said.verdict
    assert (str(said.label), said.note, said.author) == (
        "unfaithful",
        "Because.",
        "faithjudge-o3-mini",
    )
    assert (first.gold, len(others)) == ((), 3)


def test_an_invalid_classification_is_a_failure(tmp_path: Path) -> None:
    first, *_ = write_judged(tmp_path, classification="Invalid")
    [said] = recorded_of(first)
    assert said.failure
    assert (said.reason, said.failure.raw) == ("invalid", "Because.")


def test_an_unknown_classification_is_off_the_menu(tmp_path: Path) -> None:
    first, *_ = write_judged(tmp_path, classification="Odd")
    [said] = recorded_of(first)
    assert said.failure
    assert (said.reason, said.failure.detail) == ("off_menu", "the judge said 'Odd'")


def test_an_unknown_source_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="source '8' is not in sources"):
        list(write_judged(tmp_path, source_id="8"))


@pytest.fixture(scope="module")
def peers(corpora_root: Path) -> Corpus:
    return Corpus(PEERS, corpora_root / PEERS.folder)


@pytest.fixture(scope="module")
def examples(peers: Corpus) -> list[Annotated]:
    return list(peers)


@pytest.mark.shared_data
def test_the_peers_have_the_published_counts(peers: Corpus, examples: list[Annotated]) -> None:
    # 72 sources x 10, and the 1,577 responses of RAGTruth
    assert Counter(annotated.example.task for annotated in examples) == {
        "faithbench-summary": 720,
        "ragtruth-summary": 516,
        "ragtruth-qa": 503,
        "ragtruth-data2txt": 558,
    }
    labels = Counter(
        str(gold_of(each)[0].label) for each in examples if each.example.task == TASKS[0]
    )
    assert labels == {"unwanted": 379, "consistent": 196, "benign": 83, "questionable": 62}
    assert peers.repairs.counts == {
        "annotator-by-place": 566,
        "misspelt-label": 700,
        "mixed-classes": 47,
        "sub-label-without-parent": 14,
        "annotation-without-label": 6,
        "annotation-without-span": 2,
    }


@pytest.mark.shared_data
def test_all_annotators_of_a_summary_are_heard(examples: list[Annotated]) -> None:
    heard: Counter[int] = Counter()
    agree = 0
    for annotated in examples[:720]:
        votes: dict[str, list[Said]] = {}
        for verdict in gold_of(annotated)[1:]:
            votes.setdefault(verdict.author, []).append(verdict)
        heard[len(votes)] += 1
        pooled = majority(given[0].label for given in votes.values() if given[0].label)
        agree += pooled == gold_of(annotated)[0].label
    assert heard == {2: 490, 3: 230}
    assert agree == 719  # the release has one label that its annotators do not give
    assert (
        len({verdict.author for annotated in examples[:720] for verdict in gold_of(annotated)})
        == 38
    )


@pytest.mark.shared_data
def test_the_judged_responses_have_the_published_counts(corpora_root: Path) -> None:
    corpus = Corpus(JUDGED, corpora_root / JUDGED.folder)
    examples = list(corpus)
    assert len(examples) == len({annotated.id for annotated in examples}) == 23_506
    assert len({annotated.example.response.model for annotated in examples}) == 46
    assert (
        len({(annotated.example.task, annotated.example.source.id) for annotated in examples})
        == 511
    )
    said = Counter(
        outcome.reason if outcome.failure else str(outcome.label)
        for annotated in examples
        for outcome in recorded_of(annotated)
    )
    assert said == {"faithful": 17_873, "unfaithful": 5_630, "invalid": 3}
    assert not corpus.repairs.counts


@pytest.mark.shared_data
def test_the_leaderboards_counts_come_out(corpora_root: Path) -> None:
    published = json.loads((corpora_root / "faithjudge/leaderboard_published.json").read_text())
    counts: Counter[tuple[str, str]] = Counter()
    for annotated in Corpus(JUDGED, corpora_root / JUDGED.folder):
        [said] = recorded_of(annotated)
        bad = said.verdict is None or str(said.label) == "unfaithful"
        counts[annotated.example.task, annotated.example.response.model.split("/")[-1]] += bad
    for task in TASKS:
        ours = sorted(count for (name, _), count in counts.items() if name == task)
        assert ours == sorted(row[task]["hallucinated"] for row in published)


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("file", "count"), [("sources.jsonl.gz", 150), ("eval_data/ragtruth_data2txt.jsonl", 93)]
)
def test_models_read_every_object_as_faithjudge_sends_it(
    file: str, count: int, corpora_root: Path
) -> None:
    rows = read_json_lines(corpora_root / JUDGED.folder / file)
    objects = [row["source"] for row in rows if "business_stars" in row["source"]]
    shown = [read_grounding(each, 1)[0].prompt_text for each in objects]
    sent = [json.dumps(each, indent=4, ensure_ascii=False) for each in objects]
    assert sum(a == b for a, b in zip(shown, sent, strict=True)) == len(sent) == count
