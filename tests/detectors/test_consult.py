"""Sentences that are looked up."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

import pytest

from assay.checking import check
from assay.core import Example, Failure, InputError, Judgement, Response, Source, Unit, Verdict
from assay.core.decision import NOT_CONSULTED
from assay.core.taxonomies import ERROR5, GRAY7
from assay.detectors import load_detector
from assay.detectors.consult import Consulting, consult
from assay.detectors.judges.protocol import Judge
from assay.detectors.looked_up import LookedUp
from assay.detectors.replay import Replay
from assay.knowledge import FetchError, KnowledgePassage
from assay.llm.client import Request
from assay.llm.scripted import Scripted

SOURCE = "Nicklaus wore a green jacket six times."
SENTENCE = "Nicklaus won the Masters six times."
JACKET = KnowledgePassage(
    "The winner of the Masters gets a green jacket.", "Masters", "https://wiki.example/masters"
)


class Shelf:
    """A place with the same passages for every query, or with an error."""

    name = "the shelf"
    digest = ""

    def __init__(self, found: tuple[KnowledgePassage, ...] | FetchError) -> None:
        self.found = found
        self.queries: list[str] = []

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        self.queries.append(query)
        if isinstance(self.found, FetchError):
            raise self.found
        return self.found[:most]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        return None


def judging(labels: Mapping[bool, str], shelf: Shelf) -> Consulting:
    """A judge that says one label without the passage, and another with it."""

    def answer(request: Request) -> str:
        with_passage = JACKET.text in str(request.messages)
        label = labels[with_passage]
        evidence = f'"{JACKET.text}"' if with_passage else ""
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
    assert found.note == "so What the shelf says does not support it."


def test_nothing_found_is_an_answer() -> None:
    nothing = verdict(judging({False: "fabricated"}, Shelf(())))
    assert nothing.answers is not None
    assert nothing.answers.entailed_with_knowledge is False
    assert nothing.label == GRAY7["fabricated"]


def test_a_search_that_failed_leaves_the_sentence_without_a_verdict() -> None:
    detector = judging({False: "fabricated"}, Shelf(FetchError("timeout", "too slow")))
    failed = check(SOURCE, SENTENCE, detector=detector).sentences[0]
    assert isinstance(failed, Failure)
    assert failed.reason == "transport"
    assert "the shelf could not be asked: too slow" in failed.detail


def test_a_second_question_without_an_answer_leaves_it_without_a_verdict() -> None:
    detector = judging({False: "fabricated", True: "nonsense"}, Shelf((JACKET,)))
    failed = check(SOURCE, SENTENCE, detector=detector).sentences[0]
    assert isinstance(failed, Failure)
    assert failed.reason == "off_menu"
    assert "not judged together with what the shelf says" in failed.detail


def test_passages_that_contradict_a_sentence_are_cited_and_it_stays_fabricated() -> None:
    found = verdict(judging({False: "fabricated", True: "contradicting"}, Shelf((JACKET,))))
    assert found.label == GRAY7["fabricated"]
    assert found.external == (JACKET.evidence,)
    assert "What the shelf says seems to contradict it." in found.note


@pytest.mark.parametrize(
    ("second", "label"),
    [("implicitly-supported", "out-dependent"), ("out-dependent", "fabricated")],
)
def test_what_a_model_alone_calls_out_dependent_is_looked_up_too(second: str, label: str) -> None:
    found = verdict(judging({False: "out-dependent", True: second}, Shelf((JACKET,))))
    assert str(found.label) == label
    assert bool(found.external) is (label == "out-dependent")
    assert ("By itself it is called out-dependent." in found.note) is (label == "fabricated")


@pytest.mark.parametrize("name", ["embedded", "overlap", "discourse-offline", "judge-gray7"])
def test_without_a_source_of_knowledge_the_question_stays_open_and_the_note_says_so(
    name: str,
) -> None:
    told = '{"reason": "so", "evidence": [], "label": "fabricated"}'
    client = Scripted(lambda request: told) if name.startswith("judge") else None
    detector = load_detector(name, client)
    found = check(SOURCE, "The lighthouse burned in 1911.", detector=detector).sentences[0]
    assert isinstance(found, Verdict)
    assert found.label == GRAY7["fabricated"]
    assert found.answers is None or found.answers.entailed_with_knowledge is None
    assert NOT_CONSULTED in found.note


@pytest.mark.parametrize("name", ["embedded", "overlap", "discourse-offline"])
def test_once_it_is_asked_no_note_says_that_it_was_not(name: str) -> None:
    detector = consult(load_detector(name), Shelf(()))
    found = check(SOURCE, "The lighthouse burned in 1911.", detector=detector).sentences[0]
    assert isinstance(found, Verdict)
    assert NOT_CONSULTED not in found.note
    assert "Nothing about it was found in the shelf." in found.note


def test_a_judge_that_looks_things_up_is_a_judge() -> None:
    detector = judging({False: "fabricated", True: "fabricated"}, Shelf((JACKET,)))
    assert isinstance(detector, Judge)
    assert set(detector.prompt_digests) == {"judge-gray7"}


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
    from assay.knowledge.corpora.indexing import index_corpus

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


def test_what_is_asked_again_stays_short_however_many_sentences_are_looked_up() -> None:
    class Finds(Shelf):
        """A passage of its own for each query."""

        async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
            return (KnowledgePassage(f"PASSAGE {query}"),)

    shown: list[int] = []

    def answer(request: Request) -> str:
        shown.append(str(request.messages).count("PASSAGE"))
        return '{"reason": "so", "evidence": [], "label": "fabricated"}'

    detector = consult(load_detector("judge-gray7", Scripted(answer)), Finds(()))
    response = " ".join(f"The lighthouse burned in {year}." for year in range(1900, 1920))
    report = check(SOURCE, response, detector=detector)
    assert len(report.sentences) == 20
    assert not report.failures
    assert (len(shown), max(shown)) == (40, 8)


def test_a_passage_that_fits_two_sentences_is_shown_and_cited_once() -> None:
    class Scores(Shelf):
        """The same passage for each query, with a score of its own."""

        async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
            return (JACKET.scored(len(query)),)

    def answer(request: Request) -> str:
        times = str(request.messages).count(JACKET.text)
        label = ("fabricated", "implicitly-supported")[times]
        return f'{{"reason": "so", "evidence": ["{JACKET.text}"], "label": "{label}"}}'

    detector = consult(load_detector("judge-gray7", Scripted(answer)), Scores(()))
    report = check(SOURCE, f"{SENTENCE} He won it in Georgia.", detector=detector)
    cited = [each.external for each in report.sentences if isinstance(each, Verdict)]
    assert cited == [(JACKET.evidence,)] * 2


def test_a_detector_that_only_replays_is_refused() -> None:
    replay = Replay("run a", GRAY7, "sentence", "a", {})
    with pytest.raises(InputError, match="cannot judge anew"):
        consult(replay, Shelf(()))


def test_an_out_dependent_sentence_has_no_kind_of_error() -> None:
    unit = Unit("sentence", SENTENCE)
    example = Example("1", Source(SOURCE), Response(SENTENCE))
    error = ERROR5["fabricated-link"]
    first = Judgement(example, (Verdict(unit, GRAY7["fabricated"], error=error),), len(SOURCE))
    again = Judgement(example, (Verdict(unit, GRAY7["implicitly-supported"]),), len(SOURCE))
    (found,) = LookedUp(first, {unit: (JACKET,)}, "the shelf").settle([again]).outcomes
    assert isinstance(found, Verdict)
    assert (found.label, found.error) == (GRAY7["out-dependent"], None)
    assert found.external == (JACKET.evidence,)


PART = Unit("claim", "Nicklaus won the Masters.")
TAGGED = f"The source does not say so. {NOT_CONSULTED} [by hand]"


def looked_up(*again: Verdict, found: tuple[KnowledgePassage, ...] = (JACKET,)) -> list[Verdict]:
    """A fabricated sentence and its claim, after the sentence was looked up."""
    example = Example("1", Source(SOURCE), Response(SENTENCE))
    unit = Unit("sentence", SENTENCE)
    bad = GRAY7["fabricated"]
    first = Judgement(
        example, (Verdict(unit, bad, note=TAGGED), Verdict(PART, bad, note=TAGGED)), 9
    )
    said = (Verdict(unit, GRAY7["implicitly-supported"]), *again)
    second = [Judgement(example, said, 9)] if found else []
    settled = LookedUp(first, {unit: found}, "the shelf").settle(second)
    return [each for each in settled.outcomes if isinstance(each, Verdict)]


def test_claims_of_a_sentence_that_was_looked_up_are_settled_with_it() -> None:
    sentence, claim = looked_up(Verdict(PART, GRAY7["explicitly-supported"]))
    assert (str(sentence.label), str(claim.label)) == ("out-dependent", "out-dependent")
    assert claim.external == (JACKET.evidence,)
    sentence, claim = looked_up(Verdict(PART, GRAY7["fabricated"]))
    assert (str(sentence.label), str(claim.label)) == ("out-dependent", "fabricated")
    assert "What the shelf says does not support it." in claim.note
    nothing = looked_up(found=())
    assert all("Nothing about it was found in the shelf." in each.note for each in nothing)


def test_claim_that_the_second_answer_does_not_have_says_that_only_its_sentence_was_asked() -> None:
    _, claim = looked_up()
    assert claim.label == GRAY7["fabricated"]
    assert "Only its sentence was looked up in the shelf." in claim.note
    assert NOT_CONSULTED not in claim.note


def test_a_note_still_ends_with_how_it_was_judged() -> None:
    notes = [each.note for each in (*looked_up(), *looked_up(found=()))]
    assert all(note.endswith(" [by hand]") and note.count("[by hand]") == 1 for note in notes)


def test_a_verdict_that_quotes_nothing_cites_all_that_was_found_and_says_so() -> None:
    sentence, _ = looked_up()
    assert sentence.external == (JACKET.evidence,)
    assert "It quotes none of what was found, so all of it is cited." in sentence.note
