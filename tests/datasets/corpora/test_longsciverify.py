"""LongSciVerify: reviewers, blank cells, ids that a spreadsheet has changed."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.datasets.corpora.longsciverify import CARD, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of

SYSTEMS = ("gencomparesumabs", "dancersum", "section_conditional")
CELLS = [f"model_{m}_sent_{s}_factuality" for m in (1, 2, 3) for s in (1, 2, 3)]


def write_review(path: Path, id: str, cells: str) -> None:
    """A file of one reviewer whose nine cells are the characters given; `-` is blank."""
    row = {"id": id, **dict.fromkeys(SYSTEMS, "A cat sat.")}
    row |= dict(zip(CELLS, cells.replace("-", " "), strict=True))
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow({name: "" if cell == " " else cell for name, cell in row.items()})


def read(
    folder: Path, repairs: Repairs, *reviews: str, id: str = "0806.10", paper: str = "0806.10"
) -> list[Annotated]:
    articles = [{"article_id": paper, "article_text": ["the cat .", "it sat ."]}]
    for file in CARD.files:
        path = folder / file.path
        path.parent.mkdir(exist_ok=True)
        if path.suffix == ".json":
            path.write_text(json.dumps(articles), encoding="utf-8")
        else:
            write_review(path, id, reviews[int(path.stem[-1]) - 1])
    return list(load(folder, repairs))


@pytest.mark.shared_data
def test_papers_reviewers_and_repairs_are_the_stated_ones(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    assert Counter(annotated.example.task for annotated in examples) == {"arxiv": 45, "pubmed": 45}
    assert len({annotated.example.source.id for annotated in examples}) == 30
    assert Counter(annotated.example.response.model for annotated in examples) == dict.fromkeys(
        SYSTEMS, 30
    )
    judged = [
        (annotated.example.task, verdict)
        for annotated in examples
        for verdict in gold_of(annotated)
    ]
    cells = Counter((task, str(each.label)) for task, each in judged if each.author != "gold")
    # Ones and zeros: 149 and 250 in arXiv, where six are blank; 196 and 209 in PubMed.
    assert cells == {
        ("arxiv", "faithful"): 149,
        ("arxiv", "unfaithful"): 250,
        ("pubmed", "faithful"): 196,
        ("pubmed", "unfaithful"): 209,
    }
    assert Counter(each.author for _, each in judged) == {
        "gold": 90 + 268,
        "reviewer 1": 268,
        "reviewer 2": 268,
        "reviewer 3": 268,
    }
    assert corpus.repairs.counts == {"blank-cell": 6, "id-space": 3, "id-zero": 2}


def test_the_summary_has_the_share_of_factual_judgements(tmp_path: Path) -> None:
    first, *_ = read(tmp_path, Repairs(), "110000000", "100000000", "110000000")
    share, *sentences = gold_of(first)
    # Of nine judgements of the first model 2 + 1 + 2 are 1.
    assert (share.label, share.score) == (None, 5 / 9)
    majorities = [str(each.label) for each in sentences if each.author == "gold"]
    assert majorities == ["faithful", "faithful", "unfaithful"]
    assert len(sentences) == 3 * 4


def test_the_sampled_sentences_are_three_units_without_a_place(tmp_path: Path) -> None:
    first, *_ = read(tmp_path, Repairs(), *["1" * 9] * 3)
    units = {verdict.unit for verdict in gold_of(first) if verdict.unit.kind == "sentence"}
    assert len(units) == 3
    assert not any(unit.spans for unit in units)
    assert first.example.units == ()


def test_a_blank_cell_has_no_verdict(tmp_path: Path) -> None:
    repairs = Repairs()
    first, *_ = read(tmp_path, repairs, "11-111111", "11-111111", "11-111111")
    assert gold_of(first)[0].score == 1
    assert len(gold_of(first)) == 1 + 2 * 4
    assert repairs.counts == {"blank-cell": 6}


@pytest.mark.parametrize(
    ("id", "counts"),
    [
        ("0806.10\xa0", {"id-space": 2}),
        ("806.10", {"id-zero": 2}),
        ("0806.1", {"id-zero": 2}),
        (" 806.1", {"id-space": 2, "id-zero": 2}),
    ],
)
def test_ids_that_a_spreadsheet_changed_are_mended(
    id: str, counts: dict[str, int], tmp_path: Path
) -> None:
    repairs = Repairs()
    examples = read(tmp_path, repairs, *["1" * 9] * 3, id=id)
    assert {annotated.example.source.id for annotated in examples} == {"0806.10"}
    assert repairs.counts == counts


def test_a_paper_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"arxiv_reviewer_1\.csv: there is no paper .* '42'"):
        read(tmp_path, Repairs(), *["1" * 9] * 3, id="42")


def test_reviewers_must_have_the_same_papers(tmp_path: Path) -> None:
    read(tmp_path, Repairs(), *["1" * 9] * 3)
    path = tmp_path / "human_eval_results/arxiv_reviewer_2.csv"
    write_review(path, "0806.11", "1" * 9)
    with pytest.raises(InputError, match="differ in their papers"):
        list(load(tmp_path, Repairs()))


def test_a_cell_that_is_neither_one_nor_zero_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'2' is not one of '1', '0'"):
        read(tmp_path, Repairs(), "211111111", "1" * 9, "1" * 9)
