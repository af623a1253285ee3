"""From the logits of tokens to marked words in the response."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.detectors.combinators.cascade import cascade
from assay.detectors.combinators.fold import fold
from assay.detectors.combinators.vote import vote
from assay.detectors.discourse.offline import OfflineDiscourse
from assay.detectors.embedded.detector import EmbeddedDetector
from assay.detectors.embedded.marking import Marker, token_logits
from assay.detectors.embedded.reading import SENTENCE_TOKENS, SentenceRow
from assay.detectors.embedded.tokens import FIRST_WORD, Tokenizer, lay_out
from assay.detectors.overlap import OverlapDetector
from assay.detectors.registry import DetectorSpec, detector_facts, open_detector
from tests.detectors.embedded.conftest import WIDTH, TinyModel
from tests.judging import judge_one

BYTES = Tokenizer([bytes([number]) for number in range(256)])  # a token is a byte
MARKER = Marker(cut=0.5, join=2)


def marked(text: str, words: Sequence[str], marker: Marker = MARKER) -> list[str]:
    """The marks of a sentence if the last byte of some words is sure to be unsupported."""
    unit = Unit.at("sentence", Span.cut(f"So. {text}", 4, 4 + len(text), "response"), "s2")
    logits = np.full(len(text.encode()), -3.0, dtype=np.float32)
    for word in words:
        last = text.index(word) + len(word)
        logits[len(text[:last].encode()) - 1] = 3.0
    starts = BYTES.starts(text, BYTES.encode(text))
    spans = marker.marks(unit, starts, logits)
    for span in spans:
        span.verify(f"So. {text}")
    return [span.text for span in spans]


@pytest.mark.parametrize(
    ("text", "words", "marks"),
    [
        ("It opened in 1986.", ["1986"], ["1986"]),
        ("It opened in 1986.", ["8"], ["1986"]),  # never a part of a word
        ("It opened (twice), they say.", ["twice"], ["twice"]),
        ("It opened (twice), they say.", [","], []),  # the punctuation around words is none
        ("It cost $5.20 more.", ["$5.20"], ["$5.20"]),
        ("Élan 😀 sails to Añada daily.", ["Élan", "Añada"], ["Élan", "Añada"]),
        ("1. It opened.", ["1"], []),  # the marker of a list
        ("It opened in May 1986 in Rome.", ["May", "1986"], ["May 1986"]),
        ("It was paid in the cash of a bank.", ["paid", "cash"], ["paid in the cash"]),
        ("It was paid quite in cash.", ["paid", "cash"], ["paid", "cash"]),  # quite says something
        ("It was paid as it is by him.", ["paid", "him"], ["paid", "him"]),  # too far apart
        ("It opened.", [], []),
    ],
)
def test_words_are_marked_whole_and_neighbours_together(
    text: str, words: list[str], marks: list[str]
) -> None:
    assert marked(text, words) == marks


def test_join_says_how_many_function_words_lie_between() -> None:
    text = "It was paid in the cash of a bank."
    assert marked(text, ["paid", "cash"], Marker(0.5, join=1)) == ["paid", "cash"]
    assert marked(text, ["paid", "cash", "bank"], Marker(0.5, join=2)) == [
        "paid in the cash of a bank"
    ]


def test_cut_is_a_chance() -> None:
    # A logit of 3 is a chance of 0.953.
    assert marked("It opened in 1986.", ["1986"], Marker(0.95)) == ["1986"]
    assert marked("It opened in 1986.", ["1986"], Marker(0.96)) == []


def test_unit_of_several_places_is_marked_at_each_of_them() -> None:
    response = "The pier, they say,\n  and the quay opened."
    spans = tuple(
        Span.cut(response, response.index(part), response.index(part) + len(part), "response")
        for part in ("The pier,", "and the quay opened.")
    )
    text = "The pier, and the quay opened."
    unit = Unit("s1", "sentence", text, spans)
    logits = np.full(len(text), 3.0, dtype=np.float32)
    marks = MARKER.marks(unit, BYTES.starts(text, BYTES.encode(text)), logits)
    assert [mark.verify(response).text for mark in marks] == ["The pier,", "and the quay opened"]


def test_unit_in_other_words_than_the_response_has_no_marks() -> None:
    text = "The quay opened."
    logits = np.full(len(text), 3.0, dtype=np.float32)
    starts = BYTES.starts(text, BYTES.encode(text))
    said = Span.cut("So it opened.", 0, 13, "response")
    for spans in ((), (said,)):
        assert MARKER.marks(Unit("s1.c1", "claim", text, spans), starts, logits) == ()


def test_lines_that_were_wrapped_are_marked_where_they_stand() -> None:
    response = "The quay\n    opened twice."
    unit = Unit(
        "s1", "sentence", "The quay opened twice.", (Span.cut(response, 0, 26, "response"),)
    )
    logits = np.full(len(unit.text), 3.0, dtype=np.float32)
    (mark,) = MARKER.marks(unit, BYTES.starts(unit.text, BYTES.encode(unit.text)), logits)
    assert mark.verify(response).text == "The quay\n    opened twice"


@given(st.text(max_size=40), st.lists(st.floats(-5, 5, width=32), min_size=1))
def test_marks_are_in_order_apart_and_quote_the_response(text: str, values: list[float]) -> None:
    response = f"¿{text}"
    unit = Unit.at("sentence", Span.cut(response, 1, len(response), "response"), "s1")
    tokens = BYTES.encode(text)
    logits = np.resize(np.array(values, dtype=np.float32), len(tokens))
    marks = MARKER.marks(unit, BYTES.starts(text, tokens), logits)
    ends = [0]
    for mark in marks:
        assert mark.verify(response).text.strip() == mark.text != ""
        assert mark.start > ends[-1]
        ends.append(mark.end)


def test_tokens_of_a_row_are_those_of_its_sentences() -> None:
    sentences = [BYTES.encode(text) for text in ("One.", "", "Three.")]
    row = lay_out(BYTES.encode("Q?"), BYTES.encode("Source."), sentences)
    words = row.tokens[row.source.stop + 1 :].astype(np.float32)  # as if the logit were the token
    found = list(token_logits(SentenceRow(row, (0, 1, 2), np.arange(7)), words))
    assert [number for number, _ in found] == [0, 1, 2]
    assert [logits.tolist() for _, logits in found] == [each.tolist() for each in sentences]
    assert min(map(min, (logits for _, logits in found if len(logits)))) >= FIRST_WORD


@pytest.mark.parametrize("card", [{}, {"cut": 0}, {"cut": 1.5}, {"cut": 0.5, "join": -1}])
def test_card_that_marks_nothing_is_refused(card: dict[str, float]) -> None:
    with pytest.raises((KeyError, ValueError)):
        Marker.read(card)


SOURCE = "The quay of Otranto opened in 1986."
ALL_WORDS = np.zeros((3, WIDTH), dtype=np.float32)  # every logit is 0, a chance of 0.5: the cut


def judge(tiny_model: TinyModel, bias: Sequence[float], response: str) -> tuple[Finding, ...]:
    detector = EmbeddedDetector(str(tiny_model(tuple(bias), words=ALL_WORDS)))
    return judge_one(detector, Example("1", Source(SOURCE), Response(response))).findings


def test_doubted_sentences_have_marks_where_they_stand(tiny_model: TinyModel) -> None:
    response = "Hello there! The quay opened in 1987.\n\nÉlan 😀 sails (twice) to Albania.\n"
    findings = judge(tiny_model, (-9, 9, 0), response)
    assert [[mark.verify(response).text for mark in each.marks] for each in findings] == [
        [],  # states no fact
        ["The quay opened in 1987"],
        ["Élan 😀 sails (twice) to Albania"],
    ]


def test_faithful_sentences_have_no_marks(tiny_model: TinyModel) -> None:
    (finding,) = judge(tiny_model, (9, -9, -9), "The quay opened in 1986.")
    assert (finding.coarse, finding.marks) == ("faithful", ())


def test_sentence_that_is_read_in_pieces_is_marked_in_all_of_them(tiny_model: TinyModel) -> None:
    text = "The harbour " + " ".join(f"and pier {n}" for n in range(60)) + " opened in 1986"
    assert len(text) > 2 * SENTENCE_TOKENS  # the tiny model has hardly more than letters
    (finding,) = judge(tiny_model, (-9, 9, 0), f"{text}.")
    assert [mark.text for mark in finding.marks] == [text]


@pytest.mark.parametrize("words", [None, ALL_WORDS])
def test_model_marks_only_if_weights_and_card_say_how(
    tiny_model: TinyModel, words: np.ndarray | None
) -> None:
    folder = tiny_model((-9, 9, 0), words=words)
    card = folder / "model.json"
    kept = {k: v for k, v in json.loads(card.read_text()).items() if k != "marks"}
    given = kept | ({"marks": {"cut": 0.5}} if words is None else {})
    card.write_text(json.dumps(given))
    example = Example("1", Source(SOURCE), Response("The quay opened in 1987."))
    detector = EmbeddedDetector(str(folder))
    (finding,) = judge_one(detector, example).findings
    assert (finding.coarse, finding.marks) == ("unfaithful", ())
    assert not detector.capabilities.marks


def test_manifest_says_that_a_detector_marks_also_where_it_marks_nothing(
    tiny_model: TinyModel,
) -> None:
    folder = tiny_model((9, -9, -9), words=ALL_WORDS)
    checked = assay.check(SOURCE, "The quay opened in 1986.", detector=f"embedded:{folder}")
    assert not any(each.marks for each in checked.sentences)
    assert checked.manifest.parameters["marks"] is True
    inner = EmbeddedDetector(str(folder))
    assert vote(inner, inner, inner).capabilities.marks
    assert cascade(OverlapDetector(), inner).capabilities.marks
    assert not fold(inner).capabilities.marks  # one verdict without words


def test_facts_of_a_folder_are_those_of_its_model(tiny_model: TinyModel) -> None:
    facts = detector_facts(f"embedded:{tiny_model(words=ALL_WORDS)}")
    assert facts["model"].startswith("tiny: 2 layers")
    assert "from a chance of 0.50 on" in facts["marks"]
    assert facts["licence"] == "that of the folder"


def test_facts_of_a_folder_without_a_model_say_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"model\.json cannot be read"):
        detector_facts(f"embedded:{tmp_path}")


def test_card_with_marks_that_make_no_sense_is_damaged(tiny_model: TinyModel) -> None:
    folder = tiny_model(words=ALL_WORDS)
    card = folder / "model.json"
    card.write_text(json.dumps(json.loads(card.read_text()) | {"marks": {"cut": 3}}))
    with pytest.raises(InputError, match=r"model\.json is damaged"):
        EmbeddedDetector(str(folder))


@pytest.mark.parametrize(
    ("response", "mark"),
    [
        ("- The **quay** opened in 1987.", "The **quay** opened in 1987"),
        ("<p>The quay opened&nbsp;in <i>1987</i>.</p>", "The quay opened&nbsp;in <i>1987"),
    ],
)
def test_marks_point_into_markdown_and_html_as_written(
    tiny_model: TinyModel, response: str, mark: str
) -> None:
    folder = tiny_model((-9, 9, 0), words=ALL_WORDS)
    detector = open_detector(DetectorSpec(f"embedded:{folder}"))
    example = Example("1", Source(SOURCE), Response(response))
    (finding,) = judge_one(detector, example).findings
    assert [each.verify(response).text for each in finding.marks] == [mark]


def test_parts_of_a_sentence_have_no_marks_of_their_own(tiny_model: TinyModel) -> None:
    folder = tiny_model((-9, 9, 0), words=ALL_WORDS)
    response = "The quay opened in 1987 because the mayor wanted it."
    example = Example("1", Source(SOURCE), Response(response))
    judgement = judge_one(OfflineDiscourse(str(folder)), example)
    assert {each.kind: bool(each.marks) for each in judgement.findings} == {
        "sentence": True,
        "claim": False,
        "relation": False,
    }
