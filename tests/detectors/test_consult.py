"""Sentences that are looked up."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.checking import check
from assay.core import InputError, Verdict
from assay.core.taxonomies import GRAY7
from assay.detectors import load_detector
from assay.detectors.consult import Consulting, consult
from assay.knowledge import FetchError, KnowledgePassage
from assay.llm.requests import Request
from assay.llm.scripted import Scripted

SOURCE = "Nicklaus wore a green jacket six times."
SENTENCE = "Nicklaus won the Masters six times."
JACKET = KnowledgePassage(
    "The winner of the Masters gets a green jacket.", "Masters", "https://wiki.example/masters"
)


class Shelf:
    """A place with the same passages for every query, or with an error."""

    name = "the shelf"

    def __init__(self, found: tuple[KnowledgePassage, ...] | FetchError) -> None:
        self.found = found
        self.queries: list[str] = []

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        self.queries.append(query)
        if isinstance(self.found, FetchError):
            raise self.found
        return self.found[:most]

    async def __aenter__(self) -> "Shelf":
        return self

    async def __aexit__(self, *error: object) -> None:
        return None


def judging(labels: Mapping[bool, str], shelf: Shelf) -> Consulting:
    """A judge that says one label without the passage, and another with it."""

    def answer(request: Request) -> str:
        label = labels[JACKET.text in request.messages[-1].content]
        evidence = f'"{JACKET.text}"' if label.endswith("supported") else ""
        return f'{{"reason": "so", "evidence": [{evidence}], "label": "{label}"}}'

    return consult(load_detector("judge-gray7", Scripted(answer)), shelf)


def verdict(detector: Consulting) -> Verdict:
    found = check(SOURCE, SENTENCE, detector=detector).sentences[0]
    assert isinstance(found, Verdict)
    return found


def test_sentence_that_source_and_passage_entail_together_is_out_dependent_and_cites_it() -> None:
    shelf = Shelf((JACKET,))
    found = verdict(judging({False: "fabricated", True: "implicitly-supported"}, shelf))
    assert found.label == GRAY7["out-dependent"]
    assert found.external == (JACKET.evidence,)
    assert found.answers is not None
    assert found.answers.entailed_with_knowledge is True
    assert shelf.queries == [SENTENCE]


def test_sentence_that_nothing_supports_stays_fabricated_and_the_question_is_answered() -> None:
    found = verdict(judging({False: "fabricated", True: "fabricated"}, Shelf((JACKET,))))
    assert found.label == GRAY7["fabricated"]
    assert found.answers is not None
    assert found.answers.entailed_with_knowledge is False
    assert "does not support it either" in found.note


def test_nothing_found_is_an_answer_and_a_search_that_failed_is_none() -> None:
    nothing = verdict(judging({False: "fabricated"}, Shelf(())))
    assert nothing.answers is not None
    assert nothing.answers.entailed_with_knowledge is False
    failed = verdict(judging({False: "fabricated"}, Shelf(FetchError("timeout", "too slow"))))
    assert failed.label == GRAY7["fabricated"]
    assert failed.answers is None
    assert "could not be asked: too slow" in failed.note


@pytest.mark.parametrize("label", ["contradicting", "explicitly-supported", "no-fact"])
def test_other_sentences_are_not_looked_up(label: str) -> None:
    shelf = Shelf((JACKET,))
    assert str(verdict(judging({False: label}, shelf)).label) == label
    assert shelf.queries == []


def test_evidence_in_the_source_stays_where_it_was() -> None:
    found = verdict(judging({False: "fabricated", True: "implicitly-supported"}, Shelf((JACKET,))))
    assert all(span.end <= len(SOURCE) for span in found.evidence)


def test_embedded_detector_looks_things_up_offline(tmp_path: Path) -> None:
    from assay.knowledge import open_source
    from assay.knowledge.indexing import index_corpus

    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("The Osterholm ferry was built in 1986 in the Lindmoor yard.")
    index_corpus(folder, tmp_path / "corpus.sqlite")
    detector = consult(load_detector("embedded"), open_source(str(tmp_path / "corpus.sqlite")))
    report = check(
        "The council paid for the ferry.",
        "The council paid for the ferry. The Osterholm ferry was built in 1986.",
        detector=detector,
    )
    labels = [str(each.label) for each in report.sentences if isinstance(each, Verdict)]
    assert labels[1] == "out-dependent"
    last = report.sentences[1]
    assert isinstance(last, Verdict)
    assert "built in 1986" in last.external[0].quote


def test_detector_of_other_units_is_refused() -> None:
    with pytest.raises(InputError, match="sentences in gray7"):
        consult(load_detector("judge-simple", Scripted([])), Shelf(()))
