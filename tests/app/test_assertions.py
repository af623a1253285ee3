"""Assertions about responses: what passes, what fails, and what the message shows."""

import pytest

from assay import assert_faithful
from assay.core.errors import InputError, UnknownNameError

SOURCE = "Ada was born in 1815 in London. She wrote about the engine of Charles Babbage."
RIGHT, WRONG = "Ada was born in 1815.", "Ada was born in 1852."


def message(response: str, **how: object) -> str:
    with pytest.raises(AssertionError) as raised:
        assert_faithful(response, SOURCE, detector="embedded", **how)  # type: ignore[arg-type]
    return str(raised.value)


def test_faithful_response_passes_and_gives_its_report() -> None:
    report = assert_faithful(RIGHT, SOURCE, detector="embedded")
    assert report.coarse == "faithful"


def test_failure_shows_sentence_label_reason_and_evidence_alone() -> None:
    said = message(f"{RIGHT} {WRONG}").splitlines()
    assert said[0] == "1 of 2 sentences not faithful to the source, by embedded"
    assert said[1] == f"  - {WRONG}"
    assert said[2].strip().startswith("contradicting, score 0.")
    assert "1815 where the response says 1852" in said[3]
    assert "  + Ada was born in 1815 in London." in said[4:]
    assert not any(RIGHT in line for line in said)


@pytest.mark.parametrize("allow", ["contradicting", "unfaithful", ("unfaithful", "not-sure")])
def test_what_is_allowed_passes(allow: str) -> None:
    assert_faithful(WRONG, SOURCE, detector="embedded", allow=allow)


def test_other_labels_of_an_allowed_ones_reading_still_fail() -> None:
    assert WRONG in message(WRONG, allow="fabricated")


def test_not_sure_passes_unless_nothing_is_allowed() -> None:
    unsure = "Ada worked with Babbage."
    assert assert_faithful(unsure, SOURCE, detector="embedded").coarse == "not-sure"
    assert "not sure, rather fabricated" in message(unsure, allow=())


def test_sentence_without_a_verdict_never_passes() -> None:
    said = message(f"{RIGHT} It cost {'7' * 5_000} pounds.", allow=("unfaithful", "not-sure"))
    assert "no verdict (too_long)" in said
    assert len(said) < 1_000


def test_unknown_label_is_named_with_the_choices() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown label 'wrong'.*contradicting"):
        assert_faithful(RIGHT, SOURCE, detector="embedded", allow="wrong")


def test_empty_source_is_refused() -> None:
    with pytest.raises(InputError, match="source"):
        assert_faithful(RIGHT, "", detector="embedded")
