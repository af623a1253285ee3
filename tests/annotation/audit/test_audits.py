"""Flags where detectors disagree with settled labels, and what is decided about them."""

from collections.abc import Collection
from typing import Any, Literal

import pytest
from sqlalchemy import Connection, insert, select

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.audit import labels
from assay.annotation.audit.audits import audit, find_flags
from assay.annotation.audit.decisions import Revision, decide_flag
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.annotation.team import adjudication
from assay.annotation.team.batches import BatchRequest, give_out
from assay.core.codec import read_example, write_judgement
from assay.core.errors import InputError
from assay.core.judgements import Author, Finding, Judgement
from assay.core.labels import Label
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7, NLI
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.core.wire import ExternalRecord, InterpretationRecord, SpanRecord
from assay.store.annotation.finals import Final, final
from assay.store.annotation.tables import events, items, judgements
from assay.text.sentences import sentence_units
from tests.annotating import MadeProject, MakePerson, MakeProject, on_both_databases
from tests.annotation.acting import annotate, do

OK, WRONG = "explicitly-supported", "contradicting"
EVIDENCE = (SpanRecord(0, 11, "The cat sat"),)


@pytest.fixture
def root(make_person: MakePerson) -> Person:
    """An administrator."""
    return make_person("root", "administrator")


def detect(
    studio: Studio,
    position: int,
    author: str,
    *labels: Label,
    kind: Literal["person", "detector"] = "detector",
) -> None:
    """Lets a detector have said something of all sentences, or of the whole response."""
    with studio.write() as connection:
        real = (items.c.position == position, items.c.purpose == "real")
        item = connection.execute(select(items).where(*real)).one()
        example = read_example(item.record).example
        units = sentence_units(example)
        if len(labels) != len(units):
            units = (Unit.response(example.response.text),)
        pairs = zip(units, labels, strict=True)
        outcomes = tuple(Verdict(unit.id, label, note=f"{author} says so") for unit, label in pairs)
        judgement = Judgement(example.id, Author(author, kind), units, outcomes)
        connection.execute(
            insert(judgements).values(
                project=item.project,
                item=item.id,
                author=author,
                kind=kind,
                stage="imported",
                round=1,
                is_current=True,
                at="",
                record=write_judgement(judgement).decode(),
            )
        )


def finding_of(settled: Final, unit: str) -> Finding:
    """What a project settled on about a unit."""
    found = settled.judgement.finding(unit)
    assert found is not None
    return found


@pytest.fixture
def project(
    studio: Studio, root: Person, make_person: MakePerson, make_project: MakeProject
) -> MadeProject:
    """Items 1 and 2 are finished, item 3 is still annotated; ann is the only annotator."""
    ann = make_person("ann")
    made = make_project("demo", ProjectSettings(), members=[ann])
    give_out(studio, root, "demo", BatchRequest(10))
    annotate(studio, ann, "demo", 1, [OK, OK])
    annotate(studio, ann, "demo", 2, [OK, WRONG])
    return made


@on_both_databases
def test_flags_are_ranked_by_how_many_disagree_and_how_strongly(
    studio: Studio, root: Person, project: MadeProject
) -> None:
    detect(studio, 1, "nli", NLI["entailment"], NLI["contradiction"])
    detect(studio, 1, "judge", GRAY7[OK], GRAY7["fabricated"])
    detect(studio, 2, "judge", GRAY7["implicitly-supported"], GRAY7[WRONG])
    detect(studio, 3, "nli", NLI["contradiction"])  # not finished, so nobody is told
    found = find_flags(studio, root, "demo")
    told = [(each.position, each.unit, each.severity) for each in found.flags]
    # Two say unfaithful of item 1, s2; explicitly and implicitly are 1 of 6 steps apart.
    assert told == [(1, "s2", 2.0), (2, "s1", round(1 / 6, 4))]
    first = found.flags[0]
    assert (first.text, first.label, first.taxonomy) == ("It slept.", OK, "gray7")
    assert [(each.author, each.label, each.note) for each in first.reasons] == [
        ("nli", "contradiction", "nli says so"),
        ("judge", "fabricated", "judge says so"),
    ]
    assert (found.items, found.units, found.counts["open"]) == (2, 4, 2)
    assert audit(studio, root, "demo") == found


def test_looking_again_keeps_decisions_and_forgets_what_is_no_longer_one(
    studio: Studio, root: Person, project: MadeProject
) -> None:
    detect(studio, 1, "nli", NLI["contradiction"], NLI["contradiction"])
    first, second = find_flags(studio, root, "demo").flags
    decide_flag(studio, root, "demo", first.id, "system-error", note="it did sit")
    with studio.write() as connection:
        connection.execute(judgements.delete().where(judgements.c.author == "nli"))
    (kept,) = find_flags(studio, root, "demo").flags
    assert (kept.id, kept.decision, kept.note, kept.by) == (
        first.id,
        "system-error",
        "it did sit",
        "root",
    )
    assert second.decision == ""


def test_flags_come_in_pages_with_the_open_ones_first(
    studio: Studio, root: Person, project: MadeProject
) -> None:
    detect(studio, 1, "nli", NLI["contradiction"], NLI["contradiction"])
    detect(studio, 2, "nli", NLI["contradiction"], NLI["contradiction"])
    whole = find_flags(studio, root, "demo")
    assert (len(whole.flags), whole.skip) == (3, None)
    decide_flag(studio, root, "demo", whole.flags[0].id, "ambiguous", note="?")
    pages = [audit(studio, root, "demo", skip=skip, most=2) for skip in (0, 2, 4)]
    assert [[bool(flag.decision) for flag in each.flags] for each in pages] == [
        [False, False],
        [True],
        [],
    ]
    assert [each.skip for each in pages] == [2, None, None]
    assert {each.counts["open"] for each in pages} == {2}  # of all pages
    assert {(each.items, each.units) for each in pages} == {(2, 4)}


def test_labels_are_counted_anew_only_of_items_about_which_something_was_said(
    studio: Studio, root: Person, project: MadeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[set[int]] = []

    def reading(connection: Connection, project: int, numbers: Collection[int]) -> list[Final]:
        read.append(set(numbers))
        return final(connection, project, numbers)

    monkeypatch.setattr(labels, "final", reading)
    assert audit(studio, root, "demo").units == 4
    do(studio, root, adjudication.take(studio, root, "demo", 2).work, [OK, OK])
    found = audit(studio, root, "demo")
    assert (found.items, found.units) == (2, 4)
    assert read == [{1, 2}, {2}]


def test_an_incorrect_label_is_revised_by_a_judgement_that_supersedes(
    studio: Studio, root: Person, project: MadeProject
) -> None:
    detect(studio, 1, "nli", NLI["entailment"], NLI["contradiction"])
    (flag,) = find_flags(studio, root, "demo").flags
    revision = Revision(WRONG, EVIDENCE)
    after = decide_flag(
        studio, root, "demo", flag.id, "incorrect", note="It sat.", revision=revision
    )
    (told,) = after.flags
    assert (told.decision, told.revised, told.label, told.note) == (
        "incorrect",
        WRONG,
        WRONG,
        "It sat.",
    )
    assert after.counts == {"open": 0, "incorrect": 1, "ambiguous": 0, "system-error": 0}
    assert after.rate == 1 / 4
    with studio.read() as connection:
        settled = final(connection, project.id)[0]
        rows = connection.execute(select(judgements).where(judgements.c.item == 1)).all()
        noted = connection.execute(select(events).where(events.c.kind == "audit")).one()
    assert (settled.origin, settled.judgement.round) == ("audit", 2)
    assert settled.judgement.supersedes == "a/gold/1"
    verdict = finding_of(settled, "s2").verdict
    assert verdict is not None
    assert (str(verdict.label), verdict.note, verdict.attributes.decision) == (
        WRONG,
        "It sat.",
        "incorrect",
    )
    assert verdict.evidence[0].text == "The cat sat"
    assert sorted(row.stage for row in rows) == ["annotate", "audit", "imported"]  # all stay
    assert noted.person == root.id


def test_a_decision_may_be_changed_and_the_label_comes_back(
    studio: Studio, root: Person, project: MadeProject
) -> None:
    detect(studio, 1, "nli", NLI["entailment"], NLI["contradiction"])
    (flag,) = find_flags(studio, root, "demo").flags
    revision = Revision("fabricated", nothing_found=True)
    decide_flag(studio, root, "demo", flag.id, "incorrect", note="?", revision=revision)
    (told,) = decide_flag(studio, root, "demo", flag.id, "ambiguous", note="both hold").flags
    assert (told.decision, told.label, told.revised) == ("ambiguous", OK, "")
    with studio.read() as connection:
        settled = final(connection, project.id)[0]
    assert settled.judgement.round == 3
    assert finding_of(settled, "s2").label == OK


def test_a_later_adjudication_replaces_a_revision(
    studio: Studio, root: Person, project: MadeProject
) -> None:
    detect(studio, 1, "nli", NLI["entailment"], NLI["contradiction"])
    (flag,) = find_flags(studio, root, "demo").flags
    decide_flag(
        studio, root, "demo", flag.id, "incorrect", note="?", revision=Revision(WRONG, EVIDENCE)
    )
    do(studio, root, adjudication.take(studio, root, "demo", 1).work, [OK, "fabricated"])
    with studio.read() as connection:
        settled = final(connection, project.id)[0]
    assert settled.origin == "adjudication"
    assert finding_of(settled, "s2").label == "fabricated"


def test_recorded_gold_that_disagrees_is_a_reason_too(
    studio: Studio, root: Person, project: MadeProject
) -> None:
    detect(studio, 1, "gold", GRAY7[OK], GRAY7["fabricated"], kind="person")
    (flag,) = find_flags(studio, root, "demo").flags
    assert [(each.author, each.kind) for each in flag.reasons] == [("gold", "person")]
    revision = Revision("fabricated", nothing_found=True)
    decide_flag(studio, root, "demo", flag.id, "incorrect", note="?", revision=revision)
    assert find_flags(studio, root, "demo").flags[0].label == "fabricated"


def test_a_verdict_on_the_whole_is_compared_with_the_worst_sentence(
    studio: Studio, root: Person, project: MadeProject
) -> None:
    detect(studio, 1, "halves", BINARY["faithful"])
    detect(studio, 2, "halves", BINARY["faithful"])
    (flag,) = find_flags(studio, root, "demo").flags
    assert (flag.position, flag.unit, flag.label) == (2, "response", WRONG)
    assert (flag.start, flag.end) == (0, len("The dog ran. It was 6."))


def test_spans_are_audited_by_the_class_of_the_response(
    studio: Studio, root: Person, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann = make_person("ann")
    made = make_project("demo", ProjectSettings("spans"), members=[ann])
    give_out(studio, root, "demo", BatchRequest(10))
    annotate(studio, ann, "demo", 1, {})
    detect(studio, 1, "judge", FAITHBENCH["unwanted"])
    (flag,) = find_flags(studio, root, "demo").flags
    assert (flag.unit, flag.label) == ("response", "consistent")
    revision = Revision("unwanted", EVIDENCE)
    (told,) = decide_flag(
        studio, root, "demo", flag.id, "incorrect", note="It slept?", revision=revision
    ).flags
    assert told.label == "unwanted"
    with studio.read() as connection:
        assert finding_of(final(connection, made.id)[0], "response").label == "unwanted"


WITHOUT = {"decision": "incorrect", "note": "why", "revision": None}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (WITHOUT, "revision"),
        ({**WITHOUT, "decision": "ambiguous", "revision": Revision(WRONG)}, "revision"),
        ({**WITHOUT, "decision": "agree"}, "decision"),
        ({**WITHOUT, "note": "  ", "revision": Revision(WRONG, EVIDENCE)}, "note"),
        ({**WITHOUT, "revision": Revision(OK, EVIDENCE)}, "label"),
        ({**WITHOUT, "revision": Revision(WRONG)}, "evidence"),
        ({**WITHOUT, "revision": Revision("out-dependent", EVIDENCE)}, "external"),
        ({**WITHOUT, "revision": Revision("ambiguous", EVIDENCE)}, "interpretations"),
        ({**WITHOUT, "revision": Revision("benign", EVIDENCE)}, ""),
        ({**WITHOUT, "revision": Revision(WRONG, (SpanRecord(0, 3, "dog"),))}, ""),
    ],
)
def test_a_decision_that_lacks_something_is_refused(
    studio: Studio, root: Person, project: MadeProject, given: dict[str, Any], field: str
) -> None:
    detect(studio, 1, "nli", NLI["entailment"], NLI["contradiction"])
    (flag,) = find_flags(studio, root, "demo").flags
    with pytest.raises(InputError) as error:
        decide_flag(studio, root, "demo", flag.id, **given)
    assert error.value.field == field
    assert audit(studio, root, "demo").counts["open"] == 1


@pytest.mark.parametrize(
    "revision",
    [
        Revision("no-fact"),
        Revision("out-dependent", external=(ExternalRecord("https://example.org/"),)),
        Revision(
            "ambiguous",
            EVIDENCE,
            interpretations=(
                InterpretationRecord("fabricated", "one way"),
                InterpretationRecord(OK, "another"),
            ),
        ),
    ],
)
def test_labels_with_other_grounds_can_be_given(
    studio: Studio, root: Person, project: MadeProject, revision: Revision
) -> None:
    detect(studio, 1, "nli", NLI["entailment"], NLI["contradiction"])
    (flag,) = find_flags(studio, root, "demo").flags
    (told,) = decide_flag(
        studio, root, "demo", flag.id, "incorrect", note="so", revision=revision
    ).flags
    assert told.label == revision.label


def test_annotators_do_not_audit_and_unknown_flags_do_not_exist(
    studio: Studio, root: Person, project: MadeProject, make_person: MakePerson
) -> None:
    ann = make_person("eve")
    with pytest.raises(NotFoundError):
        find_flags(studio, ann, "demo")
    with pytest.raises(NotFoundError, match="no flag 77"):
        decide_flag(studio, root, "demo", 77, "ambiguous", note="x")
    with studio.write() as connection:
        from assay.store.annotation.tables import members

        connection.execute(insert(members).values(project=project.id, person=ann.id, at=""))
    for function in (find_flags, audit):
        with pytest.raises(ForbiddenError):
            function(studio, ann, "demo")
