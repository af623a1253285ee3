"""Sentences that are looked up."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Self

import pytest

from assay.core.decision import Answers
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from assay.detectors.combinators.consultation import Consulting, consult, is_doubtful
from assay.detectors.protocol import Capabilities, judgement_of, stages_of
from assay.detectors.registry import DetectorSpec, open_detector
from assay.knowledge import FetchError, KnowledgePassage
from assay.llm.client import Request, Scripted
from tests.detectors.checking import check_with, only_failure, only_verdict
from tests.detectors.judges.scripts import load
from tests.judging import judge_all

SOURCE = "Nicklaus wore a green jacket six times."
SENTENCE = "Nicklaus won the Masters six times."
JACKET = KnowledgePassage(
    "The winner of the Masters gets a green jacket.", "Masters", "https://wiki.example/masters"
)

RULES = KnowledgePassage("Nicklaus played in the Masters 45 times and won six majors.", "Nicklaus")


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

    return consult(load("judge-gray7", Scripted(answer)), shelf)


def checked(detector: Consulting) -> Result:
    return check_with(detector, SOURCE, SENTENCE)


def verdict(detector: Consulting) -> Verdict:
    return only_verdict(checked(detector))


def test_sentence_that_source_and_passage_entail_together_is_out_dependent_and_cites_it() -> None:
    shelf = Shelf((JACKET,))
    found = verdict(judging({False: "fabricated", True: "implicitly-supported"}, shelf))
    assert found.label == GRAY7["out-dependent"]
    assert found.external == (JACKET.evidence,)
    assert found.answers is not None
    assert found.answers.entailed_with_knowledge is True
    assert shelf.queries == [SENTENCE]


def test_json_and_passages_from_elsewhere_are_shown_and_cited_apart() -> None:
    record = {"player": "Jack *Nicklaus*", "jackets": {"green": 6}, "majors": None}
    seen: list[str] = []

    def answer(request: Request) -> str:
        seen.append(str(request.messages[-1].content))
        with_passage = JACKET.text in seen[-1]
        evidence = ['"green": 6', *([JACKET.text] if with_passage else [])]
        label = "implicitly-supported" if with_passage else "fabricated"
        return json.dumps({"reason": "so", "evidence": evidence, "label": label})

    detector = consult(load("judge-gray7", Scripted(answer)), Shelf((JACKET,)))
    result = check_with(detector, record, SENTENCE)
    assert all(result.example.source.json in each for each in seen)
    assert len(seen) == 2
    found = only_verdict(result)
    assert (found.label, found.external) == (GRAY7["out-dependent"], (JACKET.evidence,))
    assert [span.text for span in found.evidence] == ["jackets > green: 6"]
    assert "not in the source" not in found.note


def test_sentence_that_nothing_supports_stays_fabricated_and_the_question_is_answered() -> None:
    found = verdict(judging({False: "fabricated", True: "fabricated"}, Shelf((JACKET, RULES))))
    assert found.label == GRAY7["fabricated"]
    assert found.answers is not None
    assert found.answers.entailed_with_knowledge is False
    assert found.note == "so What the shelf says does not support it."
    assert found.attributes.consulted == "the shelf"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((), "Nothing about it was found in the shelf."),
        ((JACKET,), "Too little about it was found in the shelf."),
        (
            (JACKET, KnowledgePassage("A jacket keeps one warm.")),
            "Too little about it was found in the shelf.",
        ),
    ],
)
def test_where_little_is_found_the_question_stays_open(
    found: tuple[KnowledgePassage, ...], said: str
) -> None:
    verdict_ = verdict(judging({False: "fabricated", True: "fabricated"}, Shelf(found)))
    assert verdict_.answers is not None
    assert verdict_.answers.entailed_with_knowledge is None
    assert verdict_.label == GRAY7["fabricated"]
    assert said in verdict_.note


def test_a_search_that_failed_leaves_the_sentence_without_a_verdict() -> None:
    detector = judging({False: "fabricated"}, Shelf(FetchError("timeout", "too slow")))
    failed = only_failure(checked(detector))
    assert failed.reason == "transport"
    assert "the shelf could not be searched: too slow" in failed.detail


def test_a_second_question_without_an_answer_leaves_it_without_a_verdict() -> None:
    detector = judging({False: "fabricated", True: "nonsense"}, Shelf((JACKET,)))
    failed = only_failure(checked(detector))
    assert failed.reason == "off_menu"
    assert "not judged together with what the shelf says" in failed.detail


def test_passages_that_contradict_a_sentence_are_cited_and_it_stays_fabricated() -> None:
    found = verdict(judging({False: "fabricated", True: "contradicting"}, Shelf((JACKET,))))
    assert found.label == GRAY7["fabricated"]
    assert found.external == (JACKET.evidence,)
    assert "What the shelf says seems to contradict it." in found.note


@pytest.mark.parametrize(
    ("second", "label"),
    [
        ("implicitly-supported", "out-dependent"),
        ("out-dependent", "out-dependent"),
        ("fabricated", "fabricated"),
    ],
)
def test_what_a_model_alone_calls_out_dependent_is_looked_up_too(second: str, label: str) -> None:
    found = verdict(judging({False: "out-dependent", True: second}, Shelf((JACKET, RULES))))
    assert str(found.label) == label
    assert bool(found.external) is (label == "out-dependent")
    assert ("By itself it is called out-dependent." in found.note) is (label == "fabricated")


def test_out_dependent_without_a_quote_from_what_was_found_leaves_the_question_open() -> None:
    def answer(request: Request) -> str:
        return '{"reason": "so", "evidence": [], "label": "out-dependent"}'

    found = verdict(consult(load("judge-gray7", Scripted(answer)), Shelf((JACKET,))))
    assert found.label == GRAY7["out-dependent"]
    assert found.external == ()
    assert "stays open" in found.note
    assert found.answers is None or found.answers.entailed_with_knowledge is None


@pytest.mark.parametrize("label", ["ambiguous", "no-fact"])
def test_a_second_verdict_that_is_neither_yes_nor_no_leaves_the_question_open(label: str) -> None:
    found = verdict(judging({False: "out-dependent", True: label}, Shelf((JACKET, RULES))))
    assert found.label == GRAY7["out-dependent"]
    assert found.answers is not None
    assert found.answers.entailed_with_knowledge is None
    assert f"Together with what the shelf says it is called {label}: whether" in found.note


OPTIONS = """---
name: options
version: 1
inputs: source, sentence
reply: choice
choices: A = explicitly-supported, D = fabricated, E = out-dependent
texts: plain
---
# user
[Document] $source [End] $sentence
"""


@pytest.mark.parametrize("second", ["A", "E"])
def test_form_without_quotes_cites_all_that_was_found(tmp_path: Path, second: str) -> None:
    (tmp_path / "p.md").write_text(OPTIONS)
    client = Scripted(["D", second])
    detector = consult(load(f"judge-gray7:prompt={tmp_path / 'p.md'}", client), Shelf((JACKET,)))
    found = verdict(detector)
    assert (str(found.label), found.external) == ("out-dependent", (JACKET.evidence,))
    assert "It quotes none of what was found, so all of it is cited." in found.note
    alone, beside = (request.messages[0].content for request in client.requests)
    assert alone == f"[Document] {SOURCE} [End] {SENTENCE}"
    assert beside.startswith(f"[Document] {SOURCE}\n\nThese passages were looked up elsewhere.")
    assert f"\n\n{JACKET.title}\n{JACKET.text} [End]" in beside


def test_a_judges_own_no_is_not_a_look_up() -> None:
    first = Verdict("s1", BAD, answers=Answers(True, False, False, None, False, False))
    assert is_doubtful(Finding(WHOLE, first))
    settled = replace(first, attributes=Attributes(consulted="the shelf"))
    assert not is_doubtful(Finding(WHOLE, settled))


def test_what_was_found_stands_apart_from_the_source_with_its_titles() -> None:
    prompts: list[str] = []

    def answer(request: Request) -> str:
        prompts.append(request.messages[-1].content)
        return '{"reason": "so", "evidence": [], "label": "fabricated"}'

    verdict(consult(load("judge-gray7", Scripted(answer)), Shelf((JACKET, RULES))))
    alone, beside = prompts
    assert JACKET.text not in alone
    assert "OUTSIDE KNOWLEDGE" not in alone
    source, outside = beside.split("<<<END SOURCE", 1)
    assert JACKET.text not in source
    inside = outside.split("<<<OUTSIDE KNOWLEDGE", 1)[1].split("<<<END OUTSIDE KNOWLEDGE", 1)[0]
    assert f"{JACKET.title}\n{JACKET.text}\n\n{RULES.title}\n{RULES.text}" in inside
    assert "not the source" in outside
    assert beside.startswith(source)
    assert alone.startswith(source)


def test_the_score_stays_that_of_the_source_alone() -> None:
    class Sure:
        """Scores a sentence .2 by its source, and .9 with what was found."""

        author = Author("sure")
        capabilities = Capabilities("sentence", GRAY7, consults=True)
        prompt_digests: Mapping[str, str] = {}
        stages = ()

        async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
            for example in examples:
                seen = bool(example.source.outside)
                label = GRAY7["implicitly-supported" if seen else "fabricated"]
                spoken = Verdict("s1", label, score=0.9 if seen else 0.2, confidence=0.7)
                yield judgement_of(example, self.author, [Finding(WHOLE, spoken)])

    found = verdict(consult(Sure(), Shelf((JACKET,))))
    assert (str(found.label), found.score, found.confidence) == ("out-dependent", 0.2, 0.7)


@pytest.mark.parametrize("name", ["embedded", "overlap", "discourse-offline", "judge-gray7"])
def test_without_a_source_of_knowledge_the_question_stays_open(name: str) -> None:
    said = '{"reason": "so", "evidence": [], "label": "fabricated"}'
    clients = [Scripted(lambda request: said)] if name.startswith("judge") else []
    detector = open_detector(DetectorSpec(name), clients)
    found = check_with(detector, SOURCE, "The lighthouse burned in 1911.").sentences[0].verdict
    assert found is not None
    assert found.label == "fabricated"
    assert found.answers is not None
    assert found.answers.entailed_with_knowledge is None
    assert found.attributes.consulted == ""
    assert "consulted" not in found.note


@pytest.mark.parametrize("name", ["embedded", "overlap", "discourse-offline"])
def test_once_it_is_looked_up_the_verdict_says_where(name: str) -> None:
    detector = consult(open_detector(DetectorSpec(name)), Shelf(()))
    found = check_with(detector, SOURCE, "The lighthouse burned in 1911.").sentences[0].verdict
    assert found is not None
    assert "Nothing about it was found in the shelf." in found.note
    assert found.attributes.consulted == "the shelf"


def test_it_says_who_it_is_and_asks_with_the_same_prompts() -> None:
    detector = judging({False: "fabricated", True: "fabricated"}, Shelf((JACKET,)))
    assert detector.author.name == "judge-gray7 scripted with the shelf"
    assert checked(detector).judgement.author == detector.author
    assert set(detector.prompt_digests) == {"judge-gray7"}
    assert detector.stages == stages_of(detector.detector)


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
    source, response = "The council paid for the ferry.", "The Osterholm ferry was built in 1986."
    example = Example("1", Source(source), Response(f"{source} {response}"))

    async def work() -> list[Judgement]:
        async with open_source(str(tmp_path / "corpus.sqlite")) as knowledge:
            detector = consult(open_detector(DetectorSpec("embedded")), knowledge)
            return [each async for each in detector.judge([example])]

    (judgement,) = asyncio.run(work())
    last = judgement.verdicts[1]
    assert str(last.label) == "out-dependent"
    assert "built in 1986" in last.external[0].quote


def test_many_examples_are_looked_up_each_for_itself() -> None:
    shelf = Shelf((JACKET,))
    detector = judging({False: "fabricated", True: "implicitly-supported"}, shelf)
    examples = [Example(str(n), Source(SOURCE), Response(f"He won {n}.")) for n in range(80)]
    found = judge_all(detector, examples)
    assert {str(each.verdicts[0].label) for each in found} == {"out-dependent"}
    assert sorted(shelf.queries) == sorted(f"He won {n}." for n in range(80))


@pytest.mark.parametrize("name", ["judge-simple", "judge-claims", "judge-fewshot"])
def test_detector_that_knowledge_cannot_change_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="sentences in gray7") as raised:
        consult(load(name, Scripted([])), Shelf(()))
    assert raised.value.field == "knowledge"


def test_what_is_asked_again_stays_short_however_many_sentences_are_looked_up() -> None:
    class Finds(Shelf):
        """A passage of its own for each query."""

        async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
            return (KnowledgePassage(f"PASSAGE {query}"),)

    shown: list[int] = []

    def answer(request: Request) -> str:
        shown.append(str(request.messages).count("PASSAGE"))
        return '{"reason": "so", "evidence": [], "label": "fabricated"}'

    detector = consult(load("judge-gray7", Scripted(answer)), Finds(()))
    response = " ".join(f"The lighthouse burned in {year}." for year in range(1900, 1920))
    result = check_with(detector, SOURCE, response)
    assert len(result.sentences) == 20
    assert not result.failures
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

    detector = consult(load("judge-gray7", Scripted(answer)), Scores(()))
    result = check_with(detector, SOURCE, f"{SENTENCE} He won it in Georgia.")
    assert [each.external for each in result.judgement.verdicts] == [(JACKET.evidence,)] * 2


WHOLE = Unit("s1", "sentence", SENTENCE)
BAD = GRAY7["fabricated"]
