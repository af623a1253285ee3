"""Forms that people fill in: what they decided, and everything that can be wrong with it."""

from typing import Any

import pytest

from assay.audit.forms import NO_EVIDENCE, read_forms, with_evidence, without_forms
from assay.audit.grounds import Grounds, locate, locate_cited, missing_grounds
from assay.core.taxonomies import FAITHBENCH, GRAY7
from tests.audit.ferries import (
    NO,
    SOURCE,
    YES,
    Edit,
    detector,
    ferry,
    filled,
    flagged,
    incorrect,
    stands,
)

(LINE,) = flagged(ferry("a", "-+-"), by=(detector("d", a="++-"),)).lines


def problems(edit: Edit, by: str = "ann") -> list[str]:
    """What is wrong with the form after an edit."""
    return [str(each) for each in read_forms([filled(LINE, edit, by)])[1]]


def test_open_form_is_no_decision_and_nothing_is_wrong_with_it() -> None:
    found, wrong = read_forms([filled(LINE, lambda unit: None)])
    assert wrong == []
    assert [(each.unit.id, each.label, each.decisions) for each in found] == [("s1", NO, ())]


def test_incorrect_label_has_its_reason_and_the_place_of_its_evidence() -> None:
    line = filled(LINE, incorrect(cited="ferry crosses twice a   day"))
    ((flag,), wrong) = read_forms([line])
    assert wrong == []
    (decision,) = flag.decisions
    assert (decision.by, decision.state, decision.verdict.label) == ("ann", "incorrect", YES)
    (span,) = decision.verdict.evidence
    assert (span.start, span.end, span.text) == (4, 29, "ferry crosses twice\na day")
    assert SOURCE[4:29] == "ferry crosses twice\na day"


def test_evidence_is_written_into_the_form_as_spans() -> None:
    line = filled(LINE, incorrect())
    flags, _ = read_forms([line])
    (told,) = with_evidence([line.annotated], flags)
    (verdict,) = told.judgements[-1].verdicts
    assert [span.text for span in verdict.evidence] == ["crosses twice\na day"]
    assert verdict.attributes.cited == ""
    assert without_forms(told) == without_forms(LINE)


@pytest.mark.parametrize("state", ["ambiguous", "system-error"])
def test_label_may_stand(state: str) -> None:
    ((flag,), wrong) = read_forms([filled(LINE, stands(state))])
    assert wrong == []
    assert flag.decisions[0].content == (state, None)


def renamed(unit: dict[str, Any]) -> None:
    stands("ambiguous")(unit)
    unit["id"] = "s9"


def emptied(unit: dict[str, Any]) -> None:
    unit["verdict"] = None


def noted(unit: dict[str, Any]) -> None:
    unit["verdict"]["note"] = "Hm."


def gray(unit: dict[str, Any]) -> None:
    incorrect()(unit)
    unit["verdict"]["label"] = {"taxonomy": "gray7", "label": "fabricated"}


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (stands("incorect"), "the decision is one of open, incorrect, ambiguous, system-error"),
        (stands("ambiguous", note=" "), "a decision needs a reason; write it as the note"),
        (
            incorrect("unfaithful"),
            "the label is unfaithful already; an incorrect one needs another",
        ),
        (incorrect(cited=""), "faithful needs a passage of the source"),
        (incorrect(cited="thrice a day"), "the evidence 'thrice a day' is not in the source"),
        (incorrect(attributes={"decision": "ambiguous"}), "so the label stays unfaithful"),
        (renamed, "unit s9: unknown unit; the gold has s1, s2, s3, response"),
        (emptied, "it has no verdict with a label"),
        (noted, "something is written there, but its decision is open"),
        (
            incorrect(cited="", attributes={"nothing_found": True}),
            "faithful needs a passage of the source; that the source has nothing on it is no",
        ),
        (incorrect(cited="a"), "the evidence 'a' says nothing; quote three words or more"),
        (incorrect(cited="It"), "the evidence 'It' says nothing"),
        (gray, "the gold is of binary, and fabricated is not; choose of unfaithful, faithful"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(edit: Edit, message: str) -> None:
    (told,) = problems(edit)
    assert told.startswith("f.jsonl line 1: example 'a', unit s")
    assert message in told


def test_decision_needs_a_name_which_is_not_that_of_the_corpus() -> None:
    for name in ("", "  "):
        assert "its author has no name" in problems(stands("ambiguous"), by=name)[0]
    ((flag,), _) = read_forms([filled(LINE, stands("ambiguous"), " ann ")])
    assert flag.decisions[0].by == "ann"
    assert "'gold' is the name of the corpus" in problems(stands("ambiguous"), by="gold")[0]


def test_unknown_unit_hides_nothing_else_that_is_wrong() -> None:
    def edit(unit: dict[str, Any]) -> None:
        stands("maybe", note="")(unit)
        unit["id"] = "s9"

    unit, decision, reason = problems(edit)
    assert "unit s9: unknown unit" in unit
    assert "the decision is one of open" in decision
    assert "a decision needs a reason" in reason


@pytest.mark.parametrize("label", ["explicitly-supported", "implicitly-supported"])
def test_nothing_in_the_source_supports_no_faithful_label(label: str) -> None:
    given = Grounds(nothing_found=True)
    assert missing_grounds(GRAY7[label], given) is not None
    assert missing_grounds(GRAY7[label], Grounds(source=True)) is None
    assert missing_grounds(GRAY7["fabricated"], given) is None
    assert missing_grounds(FAITHBENCH["benign"], given) is None


def test_flags_are_walked_once_for_all_lines() -> None:
    others = [flagged(ferry(id, "-+-"), by=(detector("d", **{id: "++-"}),)).lines for id in "bc"]
    lines = [filled(LINE, incorrect()), *(filled(line, incorrect()) for (line,) in others)]
    flags, _ = read_forms(lines)
    told = with_evidence([each.annotated for each in lines], iter(flags))
    assert [len(each.judgements[-1].verdicts[0].evidence) for each in told] == [1, 1, 1]


def test_revision_without_evidence_keeps_its_refusal() -> None:
    ((flag,), (problem,)) = read_forms([filled(LINE, incorrect(cited="thrice a day"))])
    assert problem.code == NO_EVIDENCE
    assert "not in the source word for word" in flag.decisions[0].refusal


def test_every_problem_of_a_file_is_told_and_the_rest_is_read() -> None:
    (other,) = flagged(ferry("b", "-+-"), by=(detector("d", b="++-"),)).lines
    lines = [
        filled(LINE, stands("maybe")),
        filled(other, stands("ambiguous"), where="f.jsonl line 2"),
        filled(other, stands("ambiguous"), where="f.jsonl line 3"),
    ]
    found, wrong = read_forms(lines)
    assert [each.where for each in wrong] == ["f.jsonl line 1", "f.jsonl line 3"]
    assert "stands on another line already, f.jsonl line 2" in wrong[1].message
    assert [len(each.decisions) for each in found] == [0, 1]


def test_quote_is_found_as_whole_words_only_white_space_may_differ() -> None:
    found = locate(SOURCE, "twice a day. It")
    assert found is not None
    assert found.text == "twice\na day. It"
    assert locate(SOURCE, "Twice a day") is None
    assert locate(SOURCE, "tim") is None
    assert locate(SOURCE, "  ") is None


def test_several_quotes_stand_on_lines_of_their_own() -> None:
    spans, lost = locate_cited(SOURCE, "twice a day\n48 people\n84 people")
    assert [span.text for span in spans] == ["twice\na day", "48 people"]
    assert lost == ("84 people",)
