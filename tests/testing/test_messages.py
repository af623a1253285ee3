"""The words of a failed assertion."""

import pytest

from assay import assert_faithful
from assay.testing import ALLOWED
from assay.testing.assertions import Names
from assay.testing.messages import MOST

SOURCE = "The ferry runs."


def message(response: object, source: object = SOURCE, *, allow: Names = ALLOWED) -> list[str]:
    """The lines of an assertion that fails."""
    with pytest.raises(AssertionError) as caught:
        assert_faithful(response, source, detector="spoken", allow=allow)
    return str(caught.value).splitlines()


@pytest.mark.usefixtures("spoken")
class TestMessage:
    def test_sentence_stands_beside_the_source_with_label_figures_and_reason(self) -> None:
        assert message("Fine, explicitly-supported. It sank: contradicting.") == [
            "not faithful to the source: 1 sentence labelled contradicting",
            "  judged by spoken 7",
            "  s1 explicitly-supported: Fine, explicitly-supported.",
            "- s2 response: It sank: contradicting.",
            "+    source:   The ferry runs.",
            "     contradicting, score 0.00, confidence 0.90",
            "     because of contradicting",
        ]

    def test_unsure_one_is_told_apart_with_what_it_leans_to(self) -> None:
        lines = message("It is fabricated. Perhaps fabricated?.")
        assert lines[0].endswith(
            "1 sentence labelled fabricated; "
            "1 sentence not counted, because the detector is not sure"
        )
        assert "? s2 response: Perhaps fabricated?." in lines
        assert "     not sure, leans to fabricated, score 0.40, confidence 0.50" in lines

    def test_unsure_one_that_breaks_a_rule_has_its_sign(self) -> None:
        lines = message("Perhaps fabricated?.", allow=())
        assert lines[0] == "not faithful to the source: 1 sentence labelled not sure"
        assert "- s1 response: Perhaps fabricated?." in lines

    def test_failure_says_why_there_is_no_verdict(self) -> None:
        assert message("It is unjudged. It is no-fact.") == [
            "no verdict on 1 sentence of 2, so this is no pass",
            "  judged by spoken 7",
            "! s1 response: It is unjudged.",
            "     no verdict",
            "     refused: it would not say",
            "  s2 no-fact: It is no-fact.",
        ]

    def test_failure_beside_a_broken_rule_is_counted_and_shown(self) -> None:
        lines = message("It is unjudged. It is fabricated.")
        assert lines[0].endswith("1 sentence labelled fabricated; 1 without a verdict")
        assert "! s1 response: It is unjudged." in lines

    def test_many_faithful_sentences_in_a_row_are_counted(self) -> None:
        lines = message("It is no-fact. " * 9 + "It is fabricated.")
        assert lines[2:4] == [
            "  … 9 sentences without a complaint",
            "- s10 response: It is fabricated.",
        ]

    def test_many_unfaithful_sentences_are_cut_off_and_counted(self) -> None:
        lines = message("It is fabricated. " * (MOST + 5))
        assert lines[0].endswith("25 sentences labelled fabricated")
        assert sum(line.startswith("- s") for line in lines) == MOST
        assert lines[-1] == "- … 5 more"

    def test_of_many_responses_those_with_something_to_see_are_named(self) -> None:
        words = ["no-fact", "fabricated", "no-fact", "contradicting"]
        rows = [{"source": SOURCE, "response": f"It is {word}.", "id": word} for word in words]
        lines = message(rows, None)
        heads = [line for line in lines if line.startswith("  response ")]
        assert heads == ["  response fabricated:", "  response contradicting:"]
        assert lines[-1] == "  … 2 responses without a complaint"

    def test_many_responses_are_cut_off_and_counted(self) -> None:
        rows = [{"source": SOURCE, "response": "It is fabricated."}] * (MOST + 30)
        lines = message(rows, None)
        assert sum(line.startswith("- s") for line in lines) == MOST
        assert lines[-1] == "  … 30 more like these in other responses"

    def test_long_texts_are_shortened_and_nothing_steers_the_terminal(self) -> None:
        long = "ferry " * 9_000
        lines = message(f"{long}\x1b[31m fabricated.", f"{SOURCE}\n\x1b[2J{long}")
        assert max(map(len, lines)) < 450
        assert "\x1b" not in "".join(lines)
        assert any("\\x1b[2J" in line for line in lines)

    def test_evidence_in_html_is_shown_as_it_is_seen(self) -> None:
        lines = message(
            "It is fabricated.", "<html><body><p>The <b>ferry</b> runs.</p></body></html>"
        )
        assert "+    source:   The ferry runs." in lines
