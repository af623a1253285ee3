"""What a check gives back."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from assay import check
from assay.checking import Checked, Report
from assay.core import (
    Example,
    Failure,
    Judgement,
    Outcome,
    Relation,
    Response,
    Source,
    Span,
    Unit,
    Verdict,
)
from assay.core.taxonomies import GRAY7
from assay.detectors import Detector

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "check.schema.json").read_text("utf-8")
)
TEXT = st.text(min_size=1).filter(lambda text: text.strip() and "\x00" not in text)


def sentence(text: str, start: int = 0) -> Unit:
    return Unit.at("sentence", Span("response", start, start + len(text), text))


def checked(*outcomes: Outcome) -> Checked:
    example = Example("1", Source("The cat sat."), Response("It sat. It ate."))
    return Checked(Judgement(example, outcomes, characters_read=5))


GOOD = Verdict(sentence("It sat."), GRAY7["explicitly-supported"], 0.9, 0.8, "as it says")
BAD = Verdict(sentence("It ate.", 8), GRAY7["fabricated"], 0.1)
FAILED = Failure(sentence("It ate.", 8), "parse", "no JSON", raw="???")


def test_response_is_as_bad_as_its_worst_sentence() -> None:
    found = checked(GOOD, BAD)
    assert isinstance(found.response, Verdict)
    assert (str(found.response.label), found.score) == ("fabricated", 0.1)
    assert found.coverage == 1


def test_coverage_is_the_share_of_units_with_a_verdict() -> None:
    found = checked(GOOD, FAILED)
    assert found.coverage == 0.5
    assert found.failures == (FAILED,)


def test_response_that_was_judged_in_part_has_a_label_only_if_it_is_bad_anyway() -> None:
    assert isinstance(checked(GOOD, FAILED).response, Failure)
    assert checked(GOOD, FAILED).score is None
    assert str(getattr(checked(BAD, FAILED).response, "label", "")) == "fabricated"


def test_response_without_a_verdict_has_neither_label_nor_score() -> None:
    found = checked(FAILED)
    assert isinstance(found.response, Failure)
    assert found.to_dict()["response"] == {"label": None, "score": None, "coverage": 0.0}


def test_example_without_units_has_no_coverage() -> None:
    assert checked().coverage == 0


def test_document_has_exactly_the_promised_fields() -> None:
    record = checked(GOOD, FAILED).to_dict()
    assert record == {
        "id": "1",
        "response": {"label": None, "score": None, "coverage": 0.5},
        "sentences": [
            {
                "text": "It sat.",
                "start": 0,
                "end": 7,
                "label": "explicitly-supported",
                "score": 0.9,
                "confidence": 0.8,
                "note": "as it says",
                "evidence": [],
                "answers": None,
            },
            {
                "text": "It ate.",
                "start": 8,
                "end": 15,
                "label": None,
                "score": None,
                "confidence": None,
                "note": "",
                "evidence": [],
                "answers": None,
            },
        ],
        "failures": [
            {
                "unit": {"kind": "sentence", "text": "It ate.", "start": 8, "end": 15},
                "reason": "parse",
                "detail": "no JSON",
                "raw": "???",
            }
        ],
        "source": {"characters": 12, "characters_read": 5},
    }


def test_report_names_its_detector_and_its_taxonomy() -> None:
    document = Report("mine", "gray7", (checked(GOOD), checked(BAD))).to_dict()
    assert list(document) == ["detector", "taxonomy", "unit_kind", "examples", "problems"]
    assert (document["detector"], document["taxonomy"]) == ("mine", "gray7")
    assert len(document["examples"]) == 2
    assert document["problems"] == []


@given(TEXT, TEXT)
def test_document_fits_the_published_schema(source: str, response: str) -> None:
    document = json.loads(check(source, response).to_json())
    jsonschema.validate(document, SCHEMA)


def test_document_with_failures_fits_the_published_schema() -> None:
    jsonschema.validate(Report("mine", "gray7", (checked(GOOD, FAILED),)).to_dict(), SCHEMA)


def test_report_is_a_sequence_of_its_examples() -> None:
    first, second = checked(GOOD), checked(BAD, FAILED)
    report = Report("mine", "gray7", (first, second))
    assert (len(report), report[1], list(report)) == (2, second, [first, second])
    assert report.sentences == (GOOD, BAD, FAILED)
    assert report.failures == (FAILED,)


def test_report_reads_as_one_line_a_sentence() -> None:
    lines = str(Report("mine", "gray7", (checked(GOOD, FAILED),))).splitlines()
    assert lines == [
        "explicitly-supported   0.90 It sat.",
        "no verdict             It ate. (parse)",
    ]


def test_verdict_on_the_whole_response_is_the_responses(
    make_example: Callable[..., Example], scripted: Callable[..., Detector]
) -> None:
    judge = scripted(lambda unit: Verdict(unit, GRAY7["fabricated"], 0.25), unit_kind="response")
    report = check([make_example()], detector=judge)
    (found,) = report.to_dict()["examples"]
    assert (report.unit_kind, found["sentences"]) == ("response", [])
    assert found["response"] == {"label": "fabricated", "score": 0.25, "coverage": 1.0}
    (unit,) = found["units"]
    assert (unit["kind"], unit["text"], unit["label"]) == ("response", "It sat.", "fabricated")
    assert str(report).endswith("It sat.")


def test_units_of_every_kind_fit_the_published_schema() -> None:
    claim = Unit("claim", "The cat sat", (sentence("It sat.").spans[0],))
    link = Relation("relation", "sat, then ate", (), "sequence", claim, claim, claim.spans[0])
    outcomes = (
        Verdict(claim, GRAY7["fabricated"]),
        Verdict(Unit("claim", "There is a cat"), score=0.5),
        Failure(link, "refused", "it would not say", raw="No."),
        GOOD,
    )
    document = Report("mine", "gray7", (checked(*outcomes),), "claim").to_dict()
    jsonschema.validate(document, SCHEMA)
    record = document["examples"][0]
    assert [each["kind"] for each in record["units"]] == ["claim", "claim", "relation"]
    assert record["units"][0]["spans"] == [{"start": 0, "end": 7, "text": "It sat."}]
    assert record["failures"][0]["raw"] == "No."


def test_parts_stand_behind_their_sentences_and_do_not_count_again() -> None:
    part = Failure(Unit("claim", "It sat."), "parse")
    found = checked(GOOD, part, BAD)
    assert found.grouped == [[GOOD, part], [BAD]]
    assert (found.counted, found.parts, found.coverage) == ((GOOD, BAD), (part,), 1)
    claims = checked(part, part)
    assert (claims.grouped, claims.parts) == ([[part], [part]], ())


def test_response_that_was_judged_itself_counts_and_not_its_parts() -> None:
    whole = Verdict(Unit("response", "It sat. It ate."), GRAY7["explicitly-supported"])
    invented = Failure(Unit("claim", "It slept."), "parse")
    found = checked(whole, invented)
    assert (found.response.unit.kind, found.coverage) == ("response", 1)
    assert isinstance(found.response, Verdict)
    assert (found.grouped, found.counted) == ([[whole], [invented]], (whole,))
    failed = Failure(whole.unit, "parse", "1 fact was not checked")
    assert isinstance(checked(failed, invented).response, Failure)
