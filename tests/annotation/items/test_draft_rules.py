"""Limits of drafts, and the judgements that follow from drafts."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from assay.annotation.items import work
from assay.annotation.items.drafts import UnitEdit
from assay.annotation.studio import Person, Studio, open_studio
from assay.core.errors import InputError
from assay.core.wire import AttributesRecord, ExternalRecord, UnitRecord, VerdictRecord
from tests.annotating import EXAMPLES
from tests.annotation.items.conftest import begun, kept, said
from tests.annotation.working import (
    SUPPORTED,
    labelled,
    mine,
    quote,
    span,
    take,
    verdict,
)

TEXT = EXAMPLES[0].response.text  # "It sat. It slept."


def test_sentences_do_not_overlap(sqlite_studio: tuple[Studio, Person, int]) -> None:
    studio, ann, work_id = sqlite_studio
    whole = UnitRecord("s1", "sentence", TEXT, start=0, end=len(TEXT))
    with pytest.raises(InputError, match="overlap at character 8"):
        work.change(studio, ann, work_id, 0, "merge", [UnitEdit("s1", whole)])
    saved = work.change(studio, ann, work_id, 0, "merge", [UnitEdit("s1", whole), UnitEdit("s2")])
    assert saved.version == 1


def test_a_draft_has_limits(sqlite_studio: tuple[Studio, Person, int]) -> None:
    studio, ann, work_id = sqlite_studio
    with pytest.raises(InputError) as caught:
        work.change(studio, ann, work_id, 0, "edit", [UnitEdit(f"s{n}") for n in range(501)])
    assert caught.value.code == "too-large"


def test_words_that_are_in_no_sentence_keep_it_from_being_submitted(
    sqlite_studio: tuple[Studio, Person, int],
) -> None:
    studio, ann, work_id = sqlite_studio
    first = UnitRecord("s1", "sentence", "It sat.", start=0, end=7, verdict=verdict(SUPPORTED))
    work.change(studio, ann, work_id, 0, "merge", [UnitEdit("s1", first), UnitEdit("s2")])
    with pytest.raises(work.Incomplete) as caught:
        work.submit(studio, ann, work_id, 1)
    (problem,) = caught.value.details["problems"]["response"]
    assert (problem.message, problem.missing) == ("'It slept.' is in no sentence", "sentence")


def test_spans_give_the_response_its_worst_class(tmp_path_factory: pytest.TempPathFactory) -> None:
    studio = open_studio(str(tmp_path_factory.mktemp("studio") / "studio.sqlite"))
    ann, work_id = begun(studio, "spans")
    edits = [
        span(TEXT, "slept", "p1", "unwanted.extrinsic", "benign", note="nobody says so"),
        span(TEXT, "It slept", "p2", "questionable", note="?"),
    ]
    work.change(studio, ann, work_id, 0, "edit", edits)
    work.submit(studio, ann, work_id, 1)
    (judgement,) = said(studio, "ann")
    labels = {each.unit: str(each.label) for each in judgement.verdicts}
    assert labels == {"p2": "questionable", "p1": "unwanted.extrinsic", "response": "unwanted"}
    first = next(each for each in judgement.verdicts if each.unit == "p1")
    assert [str(each.label) for each in first.interpretations] == ["unwanted.extrinsic", "benign"]


def test_nothing_marked_is_consistent(tmp_path_factory: pytest.TempPathFactory) -> None:
    studio = open_studio(str(tmp_path_factory.mktemp("studio") / "studio.sqlite"))
    ann, work_id = begun(studio, "spans")
    work.submit(studio, ann, work_id, 0)
    (judgement,) = said(studio, "ann")
    assert [(each.unit, str(each.label)) for each in judgement.verdicts] == [
        ("response", "consistent")
    ]


def test_both_sets_of_units_are_one_judgement(tmp_path_factory: pytest.TempPathFactory) -> None:
    studio = open_studio(str(tmp_path_factory.mktemp("studio") / "studio.sqlite"))
    ann, work_id = begun(studio, "both")
    units = kept(studio, work_id)[1]
    edits = [*(labelled(unit, SUPPORTED) for unit in units), span(TEXT, "slept", "p1", "benign")]
    work.change(studio, ann, work_id, 0, "edit", edits)
    work.submit(studio, ann, work_id, 1)
    (judgement,) = said(studio, "ann")
    assert [(each.unit, each.label and each.label.taxonomy) for each in judgement.verdicts] == [
        ("s1", "gray7"),
        ("s2", "gray7"),
        ("p1", "faithbench"),
        ("response", "faithbench"),
    ]
    assert judgement.finding("response").label == "benign"  # type: ignore[union-attr]


LABELS = st.sampled_from([SUPPORTED, "no-fact", "fabricated", None])


STEPS = st.lists(
    st.tuples(st.sampled_from(["label", "split", "merge", "span", "unspan", "undo"]), LABELS),
    max_size=12,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_draft_is_what_folding_the_history_gives(
    steps: list[tuple[str, str | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    studio = open_studio(str(tmp_path_factory.mktemp("studio") / "studio.sqlite"))
    ann, work_id = begun(studio, "both")
    past: list[list[UnitEdit]] = []  # what takes each change back
    for action, label in steps:
        version, units, _ = kept(studio, work_id)
        edits = past.pop() if action == "undo" and past else edits_of(action, label, units)
        if not edits:
            continue
        if action != "undo":
            known = {unit.id: unit for unit in units}
            past.append([UnitEdit(each.id, known.get(each.id)) for each in edits])
        kind = action if action in ("split", "merge", "undo") else "edit"
        assert work.change(studio, ann, work_id, version, kind, edits).version == version + 1  # type: ignore[arg-type]
        _, draft, folded = kept(studio, work_id)
        assert draft == folded
    while past:
        version = kept(studio, work_id)[0]
        work.change(studio, ann, work_id, version, "undo", past.pop())
    _, draft, folded = kept(studio, work_id)
    assert [(unit.id, unit.text, unit.verdict) for unit in draft] == [
        ("s1", "It sat.", None),
        ("s2", "It slept.", None),
    ]
    assert draft == folded
    studio.close()


def edits_of(action: str, label: str | None, units: list[UnitRecord]) -> list[UnitEdit]:
    """Edits of a kind that are possible now, if any."""
    sentences = [unit for unit in units if unit.kind == "sentence"]
    said = VerdictRecord(label=label) if label else None
    first = sentences[0]
    if action == "label":
        return [UnitEdit(each.id, replace(each, verdict=said)) for each in sentences[-1:]]
    if action == "split" and (cut := first.text.find(" ")) > 0 and len(sentences) < 3:
        start = first.start or 0
        one = replace(first, text=first.text[:cut], end=start + cut)
        other = UnitRecord("s9", "sentence", first.text[cut + 1 :], start + cut + 1, first.end)
        return [UnitEdit(first.id, one), UnitEdit("s9", other)]
    if action == "merge" and len(sentences) > 1:
        last = sentences[1]
        start, end = first.start or 0, last.end or 0
        return [
            UnitEdit(first.id, replace(first, text=TEXT[start:end], end=end)),
            UnitEdit(last.id),
        ]
    if action == "span":
        return [span(TEXT, "It", f"p{len(units)}", "benign")]
    if action == "unspan":
        return [UnitEdit(each.id) for each in units if each.kind == "span"][:1]
    return []


def test_evidence_and_links_are_kept(sqlite_studio: tuple[Studio, Person, int]) -> None:
    studio, ann, work_id = sqlite_studio
    source = EXAMPLES[0].source.text
    said_of = replace(
        verdict("contradicting", note="it stood"),
        evidence=[quote(source, "sat on the mat")],
        external=[ExternalRecord("https://example.org/a", title="A", digest="0" * 64)],
    )
    unit = UnitRecord("s1", "sentence", "It sat.", start=0, end=7, verdict=said_of)
    assert work.change(studio, ann, work_id, 0, "edit", [UnitEdit("s1", unit)]).problems == {
        "s1": ()
    }
    assert kept(studio, work_id)[1][0] == unit


@pytest.mark.parametrize(
    "said", [{"explanation": "x" * 500_000}, {"decision": "incorrect"}, {"original": "y"}]
)
def test_people_do_not_say_what_programs_note(
    studio: Studio, ann: Person, said: dict[str, str]
) -> None:
    taken = mine(take(studio, ann))
    edit = labelled(taken.units[0], SUPPORTED, nothing=True)
    assert edit.unit is not None
    assert edit.unit.verdict is not None
    forged = replace(edit.unit.verdict, attributes=AttributesRecord(**said))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="gives only nothing_found"):
        work.change(
            studio,
            ann,
            taken.id,
            0,
            "edit",
            [UnitEdit(edit.id, replace(edit.unit, verdict=forged))],
        )
    assert work.change(studio, ann, taken.id, 0, "edit", [edit]).version == 1
