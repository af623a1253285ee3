"""A control sample: drawn by a seed, not to be told apart, and what it says of all other labels."""

import csv
import io
import random
from typing import Any

import pytest

from assay import Annotated, InputError
from assay.audit.adjudication import adjudicate
from assay.audit.controls import ControlKey, control_outcome
from assay.audit.flags import Flagging
from assay.audit.forms import forms_of, read_forms
from assay.audit.notes import notes_on
from assay.audit.outcomes import AuditReport, report_on
from assay.audit.revisions import Application, apply_revisions
from assay.audit.search import Searching, find_flags
from assay.audit.verification import rule_on
from assay.decisions.proposals import Decided
from assay.evaluation.evaluate import Settings
from assay.evaluation.policy import GoldPolicy
from assay.metrics import proportion
from assay.report.audit.tables import control_table, csv_report
from tests.audit.ferries import Edit, detector, ferry, filled, incorrect, stands

# d flags s1 of a; e carries verdicts that have nothing to do with it.
D, E = detector("d", a="-+-", b="++-", c="++-"), detector("e", a="++-", b="++-", c="---")
DATA = tuple(ferry(id).with_judgements(*E.by_example()[id]) for id in "abc")


def drawn(control: int, seed: int = 0) -> Flagging:
    return find_flags("ferries", DATA, (D,), Searching(control=control, seed=seed))


def key_of(found: Flagging) -> ControlKey:
    assert found.key is not None
    return found.key


def test_sample_is_of_labels_that_nobody_flagged_and_a_seed_draws_it_again() -> None:
    key = key_of(drawn(4, seed=3))
    assert (len(key.controls), key.not_flagged, key.seed) == (4, 8, 3)
    assert ("a", "s1") not in key.controls
    assert key_of(drawn(4, seed=3)) == key
    assert key_of(drawn(4, seed=4)).controls != key.controls
    assert len(key_of(drawn(99)).controls) == 8
    assert drawn(0).key is None


def test_nothing_on_the_lines_tells_controls_from_flags() -> None:
    lines = drawn(8).lines
    assert [line.id for line in lines] == ["a", "b", "c"]  # as in the data, not by severity
    assert all(not line.detected for line in lines)
    notes = [[j.author for j in line.judgements if j.author.kind == "detector"] for line in lines]
    assert notes[0] == notes[1] == notes[2]
    forms = [form for line in lines for form in forms_of(line)]
    assert len({verdict.attributes for form in forms for verdict in form.verdicts}) == 1
    assert all(not verdict.note for form in forms for verdict in form.verdicts)


def decide(found: Flagging, **letters: str) -> tuple[Decided, ...]:
    """What ann decides about the sentences of each example: `!` is wrong, `=` stands, `?` open."""

    def edit(line: Annotated) -> Edit:
        def edit_unit(unit: dict[str, Any]) -> None:
            letter = letters[line.id][int(unit["id"][1:]) - 1]
            if letter == "!":
                was = unit["verdict"]["label"]
                incorrect("unfaithful" if was == "faithful" else "faithful")(unit)
            elif letter == "=":
                stands("ambiguous")(unit)

        return edit_unit

    flags, problems = read_forms([filled(line, edit(line)) for line in found.lines])
    assert problems == []
    return adjudicate(flags).decided


def report(found: Flagging, **letters: str) -> AuditReport:
    settled = decide(found, **letters)
    ruled = {each.key: each for each in rule_on(settled)}
    made = Application(settled, ruled, True, notes_on(found.lines), found.key)
    after = list(apply_revisions(DATA, made))
    return report_on("ferries", DATA, after, made, [D, E], Settings(GoldPolicy("sentence")))


def test_rate_of_controls_stands_beside_that_of_flags_and_is_carried_over() -> None:
    told = report(drawn(8), a="!==", b="=!=", c="===").control
    assert told is not None
    # One flag of one is changed; of the eight labels that were not flagged, all are controls.
    assert (told.flagged_decided, told.flagged_changed, told.flagged_rate.value) == (1, 1, 1.0)
    assert (told.drawn, told.decided, told.changed, told.open) == (8, 8, 1, 0)
    assert told.rate == proportion(1, 8)
    assert told.missed.value == pytest.approx(1 / 8 * 8)
    assert told.rate.high is not None
    assert told.missed.high == pytest.approx(told.rate.high * 8)


def test_open_controls_count_neither_way_and_the_audit_waits_for_them() -> None:
    found = report(drawn(8), a="=?=", b="!=?", c="===")
    told = found.control
    assert told is not None
    assert (told.drawn, told.decided, told.changed, told.open) == (8, 6, 1, 2)
    assert told.missed.value == pytest.approx(1 / 6 * 8)
    assert found.open == 2
    assert not found.is_complete


def test_controls_are_no_flags_in_the_tally_and_their_revisions_count() -> None:
    (tally,) = report(drawn(8), a="!==", b="!!=", c="===").tallies
    assert (tally.flagged, tally.incorrect, tally.revised) == (1, 1, 3)
    assert tally.rate.value == pytest.approx(3 / 9)


def test_table_and_csv_have_each_figure_under_its_name() -> None:
    found = report(drawn(8), a="===", b="!!?", c="==?")
    assert found.control is not None
    table = control_table(found.control)
    assert table.heads == ["labels", "drawn", "decided", "changed by people", "share"]
    shown = [[cell.partition(" [")[0].partition(" n=")[0] for cell in row] for row in table.texts()]
    assert shown == [
        ["flagged", "all", "1", "0", "0.000"],
        ["controls, which nobody flagged", "8", "6", "2", "0.333"],
    ]
    assert "Of the 8 labels that nobody flagged, an estimated 2.7 [" in table.note  # 2 / 6 x 8
    rows = csv.DictReader(io.StringIO(csv_report(found)))
    given = {(r["row"], r["figure"]): float(r["value"]) for r in rows if "control" in r["table"]}
    assert given == pytest.approx(
        {
            ("flagged", "changed by people"): 0,
            ("not flagged", "changed by people"): 1 / 3,
            ("not flagged", "estimated to be changed"): 8 / 3,
        }
    )


def test_key_of_other_flags_is_refused() -> None:
    settled = decide(drawn(2), a="===", b="===", c="===")
    other = ControlKey("ferries", 0, 8, frozenset({("z", "s1")}))
    with pytest.raises(InputError, match="unit s1 of 'z', that is not among the flags"):
        control_outcome(other, settled)


def test_interval_covers_the_errors_that_there_are_as_often_as_it_says() -> None:
    # 60 of 1,000 labels that were not flagged are wrong; samples of 100 are drawn 400 times.
    wrong, drawn_at = [n < 60 for n in range(1000)], random.Random(5)
    covered = 0
    for _ in range(400):
        rate = proportion(sum(drawn_at.sample(wrong, 100)), 100)
        assert rate.low is not None
        assert rate.high is not None
        covered += rate.low * 1000 <= 60 <= rate.high * 1000
    assert 0.93 <= covered / 400 <= 0.99
