"""Flags of a data set: by which rule, in which order, and what is on their lines."""

import pytest

from assay.audit.disagreement import Comparing
from assay.audit.forms import is_form
from assay.audit.notes import notes_on
from assay.audit.search import AskReasons, Searching, find_flags
from assay.core.errors import InputError
from assay.core.judgements import GOLD, Author, Judgements, Manifest
from assay.decisions.forms import NOBODY
from assay.metrics import Estimate, proportion
from tests.audit.ferries import NO, YES, detector, ferry, flagged

DATA = (ferry("a", "++-"), ferry("b", "++-"), ferry("c", "..."))


def test_severity_adds_up_and_the_most_severe_example_comes_first() -> None:
    found = flagged(*DATA, by=(detector("d", a="+++", b="-++"), detector("e", a="++-", b="-+-")))
    told = [(f.example, f.unit.id, f.suspicion.severity, f.compared) for f in found.flags]
    # b s1: both say unfaithful, 1 + 1; a s3 and b s3: only d says faithful.
    assert told == [("b", "s1", 2.0, 2), ("a", "s3", 1.0, 2), ("b", "s3", 1.0, 2)]
    assert [line.id for line in found.lines] == ["b", "a"]
    # c has no labels: six units are looked at, three of them flagged.
    assert (found.examples, found.units, found.share.value) == (2, 6, 0.5)
    counts = [(each.detector, each.agrees, each.disagrees) for each in found.detectors]
    assert counts == [("d", 3, 3), ("e", 5, 1)]
    assert found.ballots is None


@pytest.mark.parametrize(("rule", "expected"), [("any", 3), ("majority", 1), ("unanimous", 1)])
def test_rule_says_how_many_must_disagree(rule: str, expected: int) -> None:
    by = (detector("d", a="+++", b="-++"), detector("e", a="++-", b="-+-"))
    assert len(flagged(*DATA, by=by, rule=rule).flags) == expected


def test_detector_without_a_verdict_has_no_say_and_is_counted() -> None:
    found = flagged(DATA[0], by=(detector("d", a="-xx"), detector("e")), rule="unanimous")
    assert [(f.unit.id, f.compared) for f in found.flags] == [("s1", 1)]
    assert [dict(each.failures) for each in found.detectors] == [{"parse": 2}, {"missing": 3}]
    assert not found.is_complete


def test_line_has_the_gold_every_detector_and_a_form_for_people() -> None:
    (line,) = flagged(DATA[0], by=(detector("d", a="-++"), detector("e", a="-+-"))).lines
    authors = [each.author for each in line.judgements]
    notes = [Author("audit-flag d"), Author("audit-flag e")]
    assert authors == [GOLD, Author("d"), Author("e"), *notes, NOBODY]
    assert line.judgements[1].findings[0].note == "- of s1"  # the rationale
    form = line.judgements[-1]
    assert is_form(form)
    said = [(v.unit, v.label, v.attributes.decision) for v in form.verdicts]
    assert said == [("s1", YES, "open"), ("s3", NO, "open")]
    assert form.round == 2  # a key that no other judgement has


def test_flagging_again_does_not_take_forms_for_annotators() -> None:
    by = (detector("d", a="-++"),)
    (line,) = flagged(DATA[0], by=by).lines
    assert flagged(line, by=by).flags == flagged(DATA[0], by=by).flags


def test_labels_left_out_are_counted_by_name() -> None:
    searching = Searching(comparing=Comparing(left_out=frozenset({"unfaithful"})))
    found = find_flags("ferries", DATA, [detector("d", a="+++", b="-++")], searching)
    assert (found.units, dict(found.left_out)) == (4, {"unfaithful": 2})


def test_people_are_no_detectors_and_data_without_labels_has_no_flags() -> None:
    people = Judgements("gold:x", Manifest(GOLD), tuple)
    with pytest.raises(InputError, match="gold:x has labels of people"):
        flagged(DATA[0], by=(people,))
    with pytest.raises(InputError, match="no gold labels at sentence level"):
        flagged(DATA[2], by=(detector("d", c="+++"),))
    with pytest.raises(InputError, match="no detector"):
        flagged(DATA[0], by=())


def test_every_rule_says_what_it_would_flag_whichever_is_chosen() -> None:
    by = (detector("d", a="+++", b="-++"), detector("e", a="++-", b="-+-"))
    found = flagged(*DATA, by=by, rule="majority")
    told = [(r.rule, r.flagged.value, r.faithful, r.unfaithful, r.others) for r in found.rules]
    # Any: b s1 (gold faithful), a s3 and b s3 (gold unfaithful). Both disagree only on b s1.
    assert told == [
        ("any", 3 / 6, 1, 2, 0),
        ("majority", 1 / 6, 1, 0, 0),
        ("unanimous", 1 / 6, 1, 0, 0),
    ]
    assert found.share == found.rules[1].flagged
    assert [each["rule"] for each in found.to_dict()["rules"]] == ["any", "majority", "unanimous"]


def test_intervals_resample_sources_rather_than_sentences() -> None:
    # In every other source the detector is wrong about all three sentences: what is independent
    # are ten sources, not thirty sentences.
    data = [ferry(str(n), "+++") for n in range(10)]
    said = {each.id: "---" if n % 2 else "+++" for n, each in enumerate(data)}
    share = flagged(*data, by=(detector("d", **said),)).share
    assert (share.value, share.n) == (0.5, 30)
    width = _width(share)
    assert width == pytest.approx(_width(proportion(5, 10)), abs=0.15)
    assert width > 1.5 * _width(proportion(15, 30))


def _width(share: Estimate) -> float:
    assert share.low is not None
    assert share.high is not None
    return share.high - share.low


def test_newer_judgement_of_a_detector_supersedes_the_one_that_the_data_carries() -> None:
    older = next(iter(detector("d", a="++-")))
    newer = detector("d", a="-++")
    (line,) = flagged(DATA[0].with_judgements(older), by=(newer,)).lines
    assert [each.author.name for each in line.judgements if each.author.name == "d"] == ["d", "d"]
    (live,) = line.detected
    assert (live.round, live.supersedes, live.verdicts[0].label) == (2, "a/d/1", NO)


def asked_about(found: set[tuple[str, str]], *by: Judgements) -> AskReasons:
    """Says what these detectors say, and notes which units they are asked about."""

    def ask(places: frozenset[tuple[str, str]]) -> tuple[Judgements, ...]:
        found.update(places)
        return by

    return ask


def test_who_is_asked_for_reasons_sees_only_flagged_units_and_flags_nothing() -> None:
    asked: set[tuple[str, str]] = set()
    by, other = (detector("d", a="-+-", b="++-"),), detector("r", a="---")
    ask = asked_about(asked, other)
    found = find_flags("ferries", DATA, by, Searching("sentence"), ask)
    assert asked == {("a", "s1")}
    # r finds s2 of a unfaithful too, which nobody flagged.
    assert [(f.example, f.unit.id, f.suspicion.severity) for f in found.flags] == [("a", "s1", 1.0)]
    (reason,) = found.flags[0].rationales
    assert (reason.author, reason.label, reason.note) == ("r", "unfaithful", "- of s1")
    assert reason.strength == 0
    assert [(e.detector, e.units, dict(e.failures)) for e in found.rationale] == [("r", 1, {})]
    (line,) = found.lines
    assert [each.author.name for each in line.detected] == ["d", "r"]
    assert notes_on(found.lines).rationale == ("r",)
    assert found.to_dict()["flags"][0]["rationales"][0]["author"] == "r"


def test_missing_reasons_are_counted_and_nobody_is_asked_without_flags() -> None:
    asked: set[tuple[str, str]] = set()
    ask = asked_about(asked, detector("r", a="x+-"))
    found = find_flags("f", DATA, (detector("d", a="-+-", b="++-"),), Searching(), ask)
    assert [(e.units, dict(e.failures)) for e in found.rationale] == [(0, {"parse": 1})]
    assert not found.is_complete
    asked.clear()
    find_flags("f", DATA, (detector("d", a="++-", b="++-"),), Searching(), ask)
    assert asked == set()
