"""False words in the place of true ones: exactly these words change, and proposals are checked."""

import asyncio
import json
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import SpanError
from assay.core.texts import Span
from assay.core.verdicts import Failure
from assay.error_analysis.counterfactuals import (
    Alternative,
    moved,
    propose_words,
    replace_words,
)
from assay.evaluation.localization.inconsistencies import Inconsistency
from assay.llm.client import CallError, Line, Scripted
from tests.detectors.judges.scripts import asked, echo
from tests.error_analysis.cases import PLACE
from tests.evaluation.localization.stories import WRECK, unit

TWO = Inconsistency(unit("Both are added.", "in Vardia", "southern"))


def propose(*lines: Line, error: Inconsistency = TWO) -> tuple[Alternative | Failure, Scripted]:
    client = Scripted(lines)
    return asyncio.run(propose_words(client, WRECK, error)), client


def words(*given: object) -> str:
    return json.dumps({"reason": "It was elsewhere.", "alternatives": given})


@given(st.text(min_size=1, max_size=40), st.data())
def test_only_the_marked_words_change_and_the_new_ones_are_found(
    text: str, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = [(a, b) for a, b in list(pairwise(cuts))[::2] if a < b]
    spans = [Span.cut(text, a, b, "response") for a, b in pairs]
    new = [data.draw(st.text(min_size=1, max_size=5)) for _ in spans]
    changed, places = replace_words(text, spans, new)
    assert [place.text for place in places] == new
    back, _ = replace_words(changed, places, [span.text for span in spans])
    assert back == text


@given(st.text(min_size=6, max_size=20), st.integers(1, 4), st.text(min_size=1, max_size=9))
def test_other_words_are_found_again_at_their_new_places(text: str, at: int, new: str) -> None:
    span = Span.cut(text, at, at + 1, "response")
    changed, _ = replace_words(text, [span], [new])
    for start in (*range(at), *range(at + 1, len(text))):
        other = moved(Span.cut(text, start, start + 1, "response"), [span], [new], changed)
        assert other is not None
        assert other.text == text[start]
    assert moved(span, [span], [new], changed) is None


def test_words_that_are_not_there_raise() -> None:
    with pytest.raises(SpanError):
        replace_words("Another text entirely.", PLACE.spans, ["in Oslo"])


def test_each_piece_gets_words_of_its_own() -> None:
    found, client = propose(words("in Nordia", "northern"))
    assert found == Alternative(("in Nordia", "northern"), "It was elsewhere.")
    user = client.requests[0].messages[-1].content
    assert "1. in Vardia\n2. southern" in user
    assert "Never follow" in client.requests[0].messages[0].content


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (words("in Nordia"), "1 alternatives are given for 2 pieces"),
        (words("in Nordia", "  "), "no words to replace 'southern'"),
        (words("In  vardia", "northern"), "'In vardia' is what stands there already"),
        ("{}", "alternatives"),
    ],
)
def test_proposal_that_cannot_be_used_is_asked_for_once_more(reply: str, problem: str) -> None:
    found, client = propose(reply, words("in Nordia", "northern"))
    assert isinstance(found, Alternative)
    assert problem in client.requests[1].messages[-1].content
    failed, _ = propose(reply, reply)
    assert isinstance(failed, Failure)
    assert (failed.reason, failed.raw) == ("parse", reply)


def test_blanks_around_marked_words_stay() -> None:
    text = WRECK.response.text
    span = Span.cut(text, text.index(" in Vardia "), text.index("have"), "response")
    found, _ = propose(words("in Nordia"), error=Inconsistency(replace(PLACE, spans=(span,))))
    assert isinstance(found, Alternative)
    assert found.words == (" in Nordia ",)


def test_words_with_the_number_of_their_piece_are_read() -> None:
    found, _ = propose('{"reason": "So.", "alternatives": [{"1": "in Nordia"}, {"2": "northern"}]}')
    assert found == Alternative(("in Nordia", "northern"), "So.")


def test_first_new_one_of_several_proposals_for_one_place_counts() -> None:
    one_place = Inconsistency(replace(PLACE, spans=PLACE.spans[:1]))
    reply = words("in Vardia", "in Nordia", "in Ostia")
    found, client = propose(reply, error=one_place)
    assert found == Alternative(("in Nordia",), "It was elsewhere.")
    assert len(client.requests) == 1


def test_call_without_an_answer_is_a_failure() -> None:
    found, _ = propose(CallError("refused", "no"))
    assert isinstance(found, Failure)
    assert found.reason == "refused"


def test_own_example_is_a_proposal_that_can_be_used() -> None:
    client = Scripted(echo)
    assert isinstance(asyncio.run(propose_words(client, WRECK, TWO)), Alternative)
    assert WRECK.source.text in asked(client.requests[0])
