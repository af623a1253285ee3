"""Accepted findings: by whom and why, and what becomes of them."""

import tomllib
from datetime import date
from pathlib import Path

import pytest

from assay.app.baseline import Baseline
from assay.app.gate import make_gate
from assay.app.known import KnownFindings, entry_lines, read_accepted
from assay.core.complaints import AcceptedFinding
from assay.core.errors import InputError
from assay.core.taxonomies import GRAY7
from tests.report.findings import AUTHOR, complaints, found, mark

RESULT = found("fabricated")
MARK = mark(RESULT)


def entry(**fields: str) -> str:
    given = {"fingerprint": f'"{MARK}"', "who": '"Ann"', "why": '"It is right."', **fields}
    return "[[accepted]]\n" + "".join(f"{k} = {v}\n" for k, v in given.items() if v)


def accepted_in(tmp_path: Path, *entries: str) -> KnownFindings:
    path = tmp_path / "accepted.toml"
    path.write_text("".join(entries), encoding="utf-8")
    return KnownFindings(accepted=read_accepted(str(path)))


def test_accepted_finding_breaks_no_rule_and_is_told(tmp_path: Path) -> None:
    gate = make_gate(None, ["unfaithful"], GRAY7)
    gate.known = accepted_in(tmp_path, entry(when="2026-01-31"))
    (complaint,) = gate.add(RESULT)
    assert complaint.acceptance == AcceptedFinding(MARK, "Ann", "It is right.", "2026-01-31")
    assert (gate.failed, str(gate)) == (False, "1 accepted")


def test_acceptance_holds_whatever_the_label(tmp_path: Path) -> None:
    gate = make_gate(None, ["unfaithful"], GRAY7)
    gate.known = accepted_in(tmp_path, entry())
    gate.add(found("contradicting"))
    assert not gate.failed


def test_entries_that_no_finding_has_are_stale(tmp_path: Path) -> None:
    known = accepted_in(tmp_path, entry(), entry(fingerprint='"0"'))
    gate = make_gate(None, ["unfaithful"], GRAY7)
    gate.known = known
    gate.add(RESULT)
    assert known.accepted is not None
    assert [each.fingerprint for each in known.accepted.stale] == ["0"]


def test_accepted_finding_stays_out_of_a_baseline(tmp_path: Path) -> None:
    known = accepted_in(tmp_path, entry())
    known.baseline, known.updates = Baseline(str(tmp_path / "main.jsonl")), True
    gate = make_gate(None, ["unfaithful"], GRAY7)
    gate.known = known
    gate.add(RESULT)
    assert known.baseline.write(AUTHOR, ("unfaithful",)).added == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (entry(who=""), f"entry 1 ({MARK}) does not say who accepted it"),
        (entry(who='"  "'), "does not say who accepted it"),
        (entry() + entry(fingerprint='"b"', why='""'), "entry 2 (b) does not say why"),
        (entry(fingerprint=""), "entry 1 has no fingerprint"),
        (entry(fingerprint="12"), "fingerprint must be text, not 12"),
        (entry() + entry(), f"accepts {MARK} twice"),
        ("[[acepted]]\n", "has 'acepted'; each entry begins with [[accepted]]"),
        ('accepted = "all"\n', "each entry begins with [[accepted]]"),
        ('accepted = ["all"]\n', "entry 1 is no table"),
        ("fingerprint = ", "is not valid TOML"),
    ],
)
def test_what_is_wrong_with_an_entry_is_told_in_one_line(
    tmp_path: Path, content: str, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        accepted_in(tmp_path, content)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_lines_to_paste_are_an_entry_once_they_are_filled_in(tmp_path: Path) -> None:
    result = found("fabricated", text='Say "no" \\ \u202e\x1b[31m é\ud800', id='a"b')
    (complaint,) = complaints(result)
    lines = "\n".join(entry_lines(complaint, result.id, date(2026, 1, 31)))
    with pytest.raises(InputError, match="does not say who"):
        accepted_in(tmp_path, lines)
    filled = lines.replace('who = ""', 'who = "Ann"').replace('why = ""', 'why = "Right."')
    known = accepted_in(tmp_path, filled)
    assert known.accepted is not None
    assert known.accepted.entries == {
        mark(result): AcceptedFinding(mark(result), "Ann", "Right.", "2026-01-31")
    }
    assert tomllib.loads(filled)["accepted"][0]["example"] == 'a"b'
