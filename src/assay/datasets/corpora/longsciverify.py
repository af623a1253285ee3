"""LongSciVerify: summaries of long papers, three sentences of each judged by three reviewers."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    join,
    opinion,
    person,
    place_unit,
    with_majority,
)
from assay.datasets.corpora.raw_files import RawRow, read_rows
from assay.datasets.corpus import Card, File, Repairs

_REVIEWS = {
    "arxiv_reviewer_1": "b0759b9bafc401a229e07b7882a064b8d3c7d0f5f0756026090375c11c6b06f2",
    "arxiv_reviewer_2": "97c249a295c62eadd7ea3b5c7a10046a819f7dc20c1e4246c9038136aaca68cc",
    "arxiv_reviewer_3": "6e17e020741f8e4fc8159be34b8df76668f83a229bd69ef8c425488fa166ed6c",
    "pubmed_reviewer_1": "f9fad0ecc6a520d7ee3980411754d203ff4ec6881d33774ec69ac7448473448f",
    "pubmed_reviewer_2": "328fe00bdd56ed46763e3a9295da33fdde5c95e2fb96e63a5cb375a9a4b63559",
    "pubmed_reviewer_3": "98f76bb192c7bb5b395ad7e4aaa22e2984040494857e7b86e559a0a20dfdd9ec",
}
_PAPERS = {
    "arxiv_test": "d2b515fc1fa6e2de56d7eea231132b128e2e6b90c8cd72d32c632261d1f1aa87",
    "pubmed_test": "63a29856fb23982ccbcef90f724eb6f102377ee21927779b486aece630d7a936",
}

CARD = Card(
    name="longsciverify",
    title="LongSciVerify: factuality of summaries of long papers",
    origin="https://github.com/jbshp/LongDocFACTScore",
    revision="62e441d9558eb94a8b32b5dd5f9b18b33ef3e082",
    licence="MIT",
    taxonomy="binary",
    unit_kind="response",
    folder="longsciverify",
    files=(
        *(
            File(
                f"human_eval_results/{name}.csv",
                pin,
                upstream=f"data/human_eval_results/LongSciVerify/{name}.csv",
            )
            for name, pin in _REVIEWS.items()
        ),
        *(
            File(f"raw_data/{name}.json", pin, upstream=f"data/raw_data/LongSciVerify/{name}.json")
            for name, pin in _PAPERS.items()
        ),
    ),
    loader="assay.datasets.corpora.longsciverify:load",
    paper="LongDocFACTScore: Evaluating the Factuality of Long Document Abstractive Summarisation "
    "(LREC-COLING 2024)",
    labels="1 is faithful, 0 is unfaithful, for each of three sampled sentences, by three "
    "reviewers and by majority. The release does not say which sentences they are, so these units "
    "have no span and no wording. The verdict on the summary has no label but a score: the share "
    "of the judgements that are 1, with which the paper correlates metrics.",
    defects=(
        "the three sentences of a summary that were judged are not named",
        "5 ids of papers have white space at the end or lost a zero in a spreadsheet",
        "6 cells are blank: two sentences that nobody judged",
        "the ranks for coherence and fluency are not read",
    ),
    may_train=True,
)

_SYSTEMS = ("gencomparesumabs", "dancersum", "section_conditional")
_LABELS = {"1": FAITHFUL, "0": UNFAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries of the arXiv papers, then those of the PubMed papers."""
    for part in ("arxiv", "pubmed"):
        papers = _papers(folder / f"raw_data/{part}_test.json")
        paths = [folder / f"human_eval_results/{part}_reviewer_{n}.csv" for n in (1, 2, 3)]
        reviews = [list(read_rows(path)) for path in paths]
        if len({tuple(row["id"] for row in review) for review in reviews}) > 1:
            raise InputError(f"{paths[0]} and the other reviewers' files differ in their papers")
        for rows in zip(*reviews, strict=True):
            paper = papers[_paper_id(rows[0]["id"], papers, paths[0], repairs)]
            for number, system in enumerate(_SYSTEMS, start=1):
                text = rows[0][system]
                example = Example(
                    id=f"{part}-{paper.id}-{system}",
                    source=paper,
                    response=Response(text, model=system),
                    task=part,
                )
                yield annotate(example, _opinions(text, number, rows, repairs))


def _papers(path: Path) -> dict[str, Source]:
    return {
        (id := row.text("article_id")): join(row.items_of(str, "article_text"), "sentence", id=id)
        for row in read_rows(path)
    }


def _paper_id(given: str, papers: dict[str, Source], path: Path, repairs: Repairs) -> str:
    """The id of the paper that a row is about, which may have lost a zero on either side."""
    id = given.strip()
    if id != given:
        repairs.note("id-space", "white space around the id of a paper is removed")
    if id in papers:
        return id
    found = [each for each in papers if each.strip("0") == id.strip("0")]
    if len(found) != 1:
        raise InputError(f"{path}: there is no paper with the id {given!r}")
    repairs.note("id-zero", "the id of a paper that lost a zero is completed")
    return found[0]


def _opinions(
    text: str, model: int, rows: tuple[RawRow, ...], repairs: Repairs
) -> Iterator[Opinion]:
    """The share of sentences found factual, then the majority and the reviewers by sentence."""
    judged = []
    for sentence in (1, 2, 3):
        unit = place_unit("sentence", sentence, f"[sampled sentence {sentence}]")
        votes = []
        for reviewer, row in enumerate(rows, start=1):
            cell = row[f"model_{model}_sent_{sentence}_factuality"]
            if cell == "":
                repairs.note("blank-cell", "a sentence that a reviewer left blank has no verdict")
                continue
            author = person(f"reviewer {reviewer}")
            votes.append(opinion(unit, row.pick(_LABELS, cell), by=author))
        judged.append(votes)
    labels = [finding.label for votes in judged for _, finding in votes]
    if labels:
        yield opinion(Unit.response(text), score=labels.count(FAITHFUL) / len(labels))
    for votes in judged:
        if votes:
            yield from with_majority(votes, repairs)
