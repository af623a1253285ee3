"""Baselines: what is known is known whatever moves, and nothing worse hides behind it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.app.baseline import SCHEMA, Baseline, coarse_of, read_baseline
from assay.app.gate import Gate, make_gate
from assay.app.known import KnownFindings
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict

AUTHOR = Author("embedded", version="1")
RULE = ("unfaithful", "not-sure")
NOT_SURE = Attributes(unsure=True)


def result(id: str, *said: tuple[str, str]) -> Result:
    """A result with sentences and their labels; `?` is not sure, and none is a failure."""
    units = tuple(Unit(f"s{n}", "sentence", text) for n, (text, _) in enumerate(said, 1))
    outcomes = tuple(_outcome(unit.id, label) for unit, (_, label) in zip(units, said, strict=True))
    return Result(Example(id, Source("x"), Response("y")), Judgement(id, AUTHOR, units, outcomes))


def _outcome(unit: str, label: str) -> Outcome:
    if not label:
        return Failure(unit, "parse")
    if label == "?":
        return Verdict(unit, GRAY7["fabricated"], attributes=NOT_SURE)
    return Verdict(unit, GRAY7[label])


def gate_of(baseline: Baseline, *, updates: bool = False) -> Gate:
    gate = make_gate(None, RULE, GRAY7)
    gate.known = KnownFindings(baseline, None, updates)
    return gate


def written(path: Path, *results: Result) -> Path:
    """A baseline of what these results are."""
    baseline = Baseline(str(path))
    gate = gate_of(baseline, updates=True)
    for each in results:
        gate.add(each)
    baseline.write(AUTHOR, RULE)
    return path


def standings(path: Path, *results: Result) -> dict[str, int]:
    gate = gate_of(read_baseline(str(path)))
    for each in results:
        gate.add(each)
    return dict(gate.standings)


OLD = (
    result("a", ("One.", "fabricated"), ("Two.", "explicitly-supported"), ("Three.", "?")),
    result("b", ("One.", "contradicting")),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "main.jsonl", *OLD)


def test_same_findings_in_another_order_are_known(path: Path) -> None:
    assert standings(path, *reversed(OLD)) == {"known": 3}


def test_sentences_before_it_and_white_space_and_label_do_not_make_a_finding_new(
    path: Path,
) -> None:
    moved = result("a", ("Zero.", "no-fact"), ("One.\n", "contradicting"), ("Three.", "?"))
    assert standings(path, moved) == {"known": 2}


def test_another_example_and_another_sentence_are_new(path: Path) -> None:
    assert standings(path, result("c", ("One.", "fabricated"))) == {"new": 1}
    assert standings(path, result("a", ("Four.", "fabricated"))) == {"new": 1}


def test_what_was_not_sure_and_is_unfaithful_now_is_new_and_the_reverse_is_not(path: Path) -> None:
    assert standings(path, result("a", ("Three.", "fabricated"))) == {"new": 1}
    assert standings(path, result("a", ("One.", "?"))) == {"known": 1}


def test_the_same_sentence_once_more_is_new(path: Path) -> None:
    twice = result("a", ("One.", "fabricated"), ("One.", "fabricated"))
    assert standings(path, twice) == {"known": 1, "new": 1}


def test_gate_fails_by_what_is_new_alone(path: Path) -> None:
    gate = gate_of(read_baseline(str(path)))
    gate.add(OLD[0])
    assert (gate.failed, str(gate)) == (False, "2 known before")
    gate.add(result("c", ("One.", "fabricated")))
    assert gate.failed
    assert str(gate) == "1 sentence labelled fabricated and not known before; 2 known before"


def test_findings_that_no_longer_appear_are_counted(path: Path) -> None:
    baseline = read_baseline(str(path))
    gate_of(baseline).add(result("a", ("One.", "explicitly-supported"), ("Three.", "?")))
    assert baseline.gone(RULE) == 2  # the first of a, and that of b


def test_nothing_is_gone_where_there_is_no_verdict_or_another_rule(path: Path) -> None:
    baseline = read_baseline(str(path))
    gate_of(baseline).add(result("a", ("One.", "")))
    assert baseline.gone(RULE) == 1  # that of b
    assert baseline.gone(("unfaithful",)) == 0


def test_file_is_sorted_and_for_people_too(path: Path) -> None:
    head, *entries = map(json.loads, path.read_text().splitlines())
    assert head == {
        "schema": SCHEMA,
        "detector": "embedded",
        "version": "1",
        "fail_on": list(RULE),
    }
    said = [(e["example"], e["sentence"], e["coarse"], e["count"]) for e in entries]
    assert said == [
        ("a", "One.", "unfaithful", 1),
        ("a", "Three.", "not-sure", 1),
        ("b", "One.", "unfaithful", 1),
    ]
    other = written(path.with_name("other.jsonl"), *reversed(OLD))
    assert other.read_text() == path.read_text()


def test_update_says_what_changed_and_keeps_what_was_not_judged(path: Path) -> None:
    baseline = read_baseline(str(path))
    gate = gate_of(baseline, updates=True)
    gate.add(result("a", ("One.", ""), ("Four.", "fabricated"), ("Four.", "fabricated")))
    assert not gate.failed
    # Of a, the two old ones are kept since it has no full verdict; that of b is gone.
    assert str(baseline.write(AUTHOR, RULE)) == "2 added, 1 removed, 2 kept"
    again = read_baseline(str(path))
    assert [(each.sentence, each.count) for each in again.entries] == [
        ("Four.", 2),
        ("One.", 1),
        ("Three.", 1),
    ]


def test_another_detector_and_another_rule_are_said(path: Path) -> None:
    baseline = read_baseline(str(path))
    assert list(baseline.differences(AUTHOR, RULE)) == []
    other = replace(AUTHOR, version="2")
    assert list(baseline.differences(other, ("unfaithful",))) == [
        "was made with embedded 1, and this check with embedded 2: findings may differ",
        "was made with the rule 'unfaithful, not-sure', and this check with 'unfaithful': "
        "findings may differ",
    ]


HEAD = f'{{"schema":"{SCHEMA}","detector":"d","version":"1","fail_on":["unfaithful"]}}\n'
ENTRY = '{"fingerprint":"f","example":"a","coarse":"unfaithful","count":1,"sentence":"s"}\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is not a baseline of Assay"),
        ("fingerprint,example\n", "is not a baseline of Assay"),
        ('{"schema":"assay-judgements/1"}\n', "is not a baseline of Assay"),
        ('["assay-baseline/1"]\n', "is not a baseline of Assay"),
        (HEAD.replace("/1", "/2"), "is of a newer Assay"),
        (HEAD.replace("detector", "author"), "line 1 is damaged"),
        (HEAD + "<<<<<<< main\n" + ENTRY, "line 2 is damaged"),
        (HEAD + ENTRY.replace("unfaithful", "bad"), "line 2 is damaged"),
        (HEAD + ENTRY.replace("1,", '"1",'), "line 2 is damaged"),
        (HEAD + ENTRY.replace("1,", "0,"), "line 2 is damaged"),
        (HEAD + ENTRY + "\n" + ENTRY, "line 3 is damaged"),
        (HEAD + ENTRY[:30], "line 2 is damaged"),
        (HEAD + ENTRY + ENTRY, "names a finding twice"),
    ],
)
def test_what_is_no_baseline_is_told_in_one_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "main.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=said) as caught:
        read_baseline(str(path))
    assert "\n" not in str(caught.value)


def test_missing_baseline_has_a_hint(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no baseline") as caught:
        read_baseline(str(tmp_path / "none.jsonl"))
    assert caught.value.code == "no-baseline"


def test_finding_without_a_reading_counts_as_the_worst() -> None:
    (finding,) = result("a", ("One.", "")).units
    assert coarse_of(finding) == "unfaithful"


def test_half_a_character_can_be_written_and_read(tmp_path: Path) -> None:
    broken = result("a", ("One \ud800.", "fabricated"))
    path = written(tmp_path / "main.jsonl", broken)
    assert standings(path, broken) == {"known": 1}
