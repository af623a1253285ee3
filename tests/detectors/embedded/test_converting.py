"""Values in other forms than the source's: how they are read, marked and told."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.examples import Example
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.converting import with_conversions
from assay.detectors.embedded.detector import EmbeddedDetector
from assay.detectors.embedded.marking import Marker, original_logits
from assay.detectors.embedded.tokens import Tokenizer
from assay.detectors.embedded.verdicts import Assessment
from assay.text.quantities.restating import Restated, Rewording, SourceForms
from tests.detectors.checking import check_with, only_verdict
from tests.detectors.embedded.conftest import TinyModel

SOURCE = "The ferry to Otranto leaves at 14:30. Sales were $1,248 million."
FORMS = SourceForms(SOURCE)
BYTES = Tokenizer([bytes([number]) for number in range(256)])  # a token is a byte
CALIBRATION = Calibration(1, 0, 0.5, (0.3, 0.7))
FOUND = Assessment(0.9, 0.08, 0.02, (), len(SOURCE))


def test_marks_on_a_value_that_was_read_in_another_form_are_its_own_characters() -> None:
    text = "Sales were $1.248 billion there."
    read = FORMS.restate(text)
    unit = Unit.at("sentence", Span.cut(f"So. {text}", 4, 4 + len(text), "response"), "s2")
    tokens = BYTES.encode(read.text)
    for word, own in (("1,248", "$1.248 billion"), ("there", "there"), ("Sales", "Sales")):
        logits = np.full(len(tokens), -3.0, dtype=np.float32)
        logits[read.text.index(word) + len(word) - 1] = 3.0
        (mark,) = Marker(0.5).marks(unit, BYTES.starts(read.text, tokens), logits, read)
        mark.verify(f"So. {text}")
        assert mark.text == own


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(1, 6))
def test_every_character_of_the_original_has_the_logit_of_what_it_was_read_as(
    widths: list[int], written: int
) -> None:
    original = "".join("a" + "1" * width for width in widths)
    changes, at = [], 0
    for width in widths:
        changes.append(Rewording(at + 1, at + 1 + width, "x" * written, True))
        at += 1 + width
    read = Restated(original, tuple(changes))
    logits = np.arange(len(read.text), dtype=np.float32)
    found = original_logits(read, logits)
    assert len(found) == len(original)
    for place, logit in enumerate(found.tolist()):
        is_own = original[place] == "a"
        assert read.text[int(logit)] == ("a" if is_own else "x")


def test_conversion_is_told() -> None:
    found = with_conversions(FOUND, FORMS.restate("It leaves at 2:30 pm."), CALIBRATION)
    assert found == replace(FOUND, conversions="“2:30 pm” is “14:30”.")


def test_wrong_conversion_contradicts_and_is_not_sure_against_the_model() -> None:
    found = with_conversions(FOUND, FORMS.restate("It leaves at 4:30 pm."), CALIBRATION)
    assert found.conversions == "“4:30 pm” looks like a wrong conversion of “14:30”."
    assert not CALIBRATION.is_faithful(found.entailed)
    assert CALIBRATION.is_unsure(found.entailed)
    assert found.contradicted > found.neutral
    assert found.entailed + found.neutral + found.contradicted == pytest.approx(1)


def test_wrong_conversion_leaves_a_model_sure_that_is_so_already() -> None:
    sure = replace(FOUND, entailed=0.1, neutral=0.7, contradicted=0.2)
    found = with_conversions(sure, FORMS.restate("It leaves at 4:30 pm."), CALIBRATION)
    assert found.entailed == sure.entailed
    assert found.contradicted > found.neutral


def test_sentence_in_the_forms_of_the_source_keeps_its_opinion() -> None:
    assert with_conversions(FOUND, FORMS.restate("It leaves at 14:30."), CALIBRATION) is FOUND


def test_note_tells_the_conversion(tiny_model: TinyModel) -> None:
    detector = EmbeddedDetector(str(tiny_model((9.0, 0.0, 0.0))))
    verdict = only_verdict(check_with(detector, SOURCE, "The ferry leaves at 2:30 pm."))
    assert "“2:30 pm” is “14:30”." in (verdict.note or "")
    assert verdict.label == "implicitly-supported"


def test_converted_value_is_read_as_the_source_writes_it(tiny_model: TinyModel) -> None:
    detector = EmbeddedDetector(str(tiny_model()))
    same, own = (
        only_verdict(check_with(detector, SOURCE, f"The ferry leaves at {time}."))
        for time in ("2:30 pm", "14:30")
    )
    assert (same.score or 0) >= (own.score or 0)


def test_doubts_about_a_value_that_the_source_has_are_overruled(tiny_model: TinyModel) -> None:
    detector = EmbeddedDetector(str(tiny_model((0.0, 9.0, 0.0))))
    verdict = only_verdict(check_with(detector, SOURCE, "The ferry leaves at 2:30 pm."))
    assert verdict.leaning == "faithful"
    assert "“2:30 pm” is “14:30”." in (verdict.note or "")


def test_words_look_at_the_source_from_their_own_places(tiny_model: TinyModel) -> None:
    response = "Sales were $1.248 billion there."
    looks = EmbeddedDetector(str(tiny_model())).look(
        Example("x", Source(SOURCE), Response(response))
    )
    found = {response[word.start : word.end].strip() for word in looks.words}
    assert found == {"Sales", "were", "$1.248 billion", "there."}
