"""Flags of a file in the studio's audit, and its decisions as lines of the same form."""

import pytest

from assay.annotation.audit.audits import audit
from assay.annotation.audit.audits import find_flags as look_again
from assay.annotation.audit.decisions import Revision, decide_flag
from assay.annotation.audit.handover import decided_lines, hand_over
from assay.annotation.studio import Person, Studio
from assay.audit.adjudication import adjudicate
from assay.audit.forms import read_forms
from assay.audit.notes import Flagger, SearchNotes, notes_on, with_notes
from assay.audit.search import Searching, find_flags
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Judgement, Judgements, Manifest
from assay.core.rendering import read_source
from assay.core.taxonomies import BINARY, ERROR5, GRAY7
from assay.core.texts import Response
from assay.core.verdicts import Verdict
from assay.core.wire import SpanRecord
from assay.decisions.forms import FormLine
from assay.decisions.proposals import Proposal
from assay.text.sentences import find_sentences
from tests.annotating import MakePerson, on_both_databases

OK, WRONG = GRAY7["explicitly-supported"], GRAY7["contradicting"]
RESPONSE = "It sat. It slept."
UNITS = find_sentences(RESPONSE)


def example(id: str, *labels: object, author: Author = GOLD) -> Annotated:
    made = Example(id, read_source("The cat sat on the mat."), Response(RESPONSE), units=UNITS)
    outcomes = tuple(Verdict(u.id, label) for u, label in zip(UNITS, labels, strict=True))  # type: ignore[arg-type]
    return Annotated(made, (Judgement(id, author, UNITS, outcomes),))


def flags_of(*data: Annotated) -> tuple[list[Annotated], list[Proposal]]:
    """What a detector flags that finds the second sentence contradicting."""
    author = Author("d")
    said = [
        Judgement(each.id, author, UNITS, (Verdict("s1", OK), Verdict("s2", WRONG, note="No nap.")))
        for each in data
    ]
    found = find_flags(
        "x", data, [Judgements("d", Manifest(author), lambda: said)], Searching("sentence")
    )
    flags, wrong = read_forms(FormLine(line) for line in found.lines)
    assert wrong == []
    return list(found.lines), flags


@pytest.fixture
def root(make_person: MakePerson) -> Person:
    """An administrator."""
    return make_person("root", "administrator")


@on_both_databases
def test_flags_are_decided_in_the_studio_and_come_back(studio: Studio, root: Person) -> None:
    lines, flags = flags_of(example("a", OK, OK), example("b", OK, OK))
    done = hand_over(studio, root, "Second look", lines, flags)
    assert (done.project, done.items.added, done.added, done.known) == ("second-look", 2, 2, 0)
    first, second = audit(studio, root, "second-look").flags
    assert (first.unit, first.severity, first.reasons[0].note) == ("s2", 1.0, "No nap.")
    kind = "semantic-reframing.inference"
    revision = Revision("contradicting", (SpanRecord(0, 11, "The cat sat"),), error=kind)
    decide_flag(
        studio, root, "second-look", first.id, "incorrect", note="It sat.", revision=revision
    )
    back = decided_lines(studio, root, "second-look")
    found, wrong = read_forms(FormLine(line) for line in back)
    assert wrong == []
    states = {each.proposal.line.id: each for each in adjudicate(found).decided}
    assert [states[id].state for id in "ab"] == ["incorrect", "open"]
    decision = states["a"].decision
    assert decision is not None
    assert (decision.by, decision.verdict.label, decision.verdict.note) == (
        "root",
        WRONG,
        "It sat.",
    )
    assert [span.text for span in decision.verdict.evidence] == ["The cat sat"]
    assert decision.verdict.error == ERROR5[kind]
    assert states["a"].proposal.label == OK  # as it was before the audit
    assert second.decision == ""


def test_who_flagged_is_known_when_decisions_come_back(studio: Studio, root: Person) -> None:
    lines, flags = flags_of(example("a", OK, OK))
    hand_over(studio, root, "noted", lines, flags)
    hand_over(studio, root, "noted", lines, flags)
    back = decided_lines(studio, root, "noted")
    assert notes_on(back) == notes_on(lines) == SearchNotes((Flagger("d"),))
    assert [each.author.name for each in back[0].detected] == ["d"]


def test_reasons_alone_add_nothing_to_the_severity(studio: Studio, root: Person) -> None:
    lines, _ = flags_of(example("a", OK, OK))
    noted = [with_notes(line, SearchNotes((Flagger("other"),), ("d",))) for line in lines]
    flags, _ = read_forms(FormLine(line) for line in noted)
    hand_over(studio, root, "reasons", noted, flags)
    (flag,) = audit(studio, root, "reasons").flags
    assert (flag.severity, flag.reasons[0].note, flag.reasons[0].strength) == (0, "No nap.", 0)


def test_studio_does_not_tell_controls_from_flags(studio: Studio, root: Person) -> None:
    data = [example("a", OK, OK), example("b", OK, OK)]
    said = [
        Judgement(each.id, Author("d"), UNITS, (Verdict("s1", OK), Verdict("s2", WRONG)))
        for each in data
    ]
    by = [Judgements("d", Manifest(Author("d")), lambda: said)]
    found = find_flags("x", data, by, Searching("sentence", control=2))
    flags, _ = read_forms(FormLine(line) for line in found.lines)
    hand_over(studio, root, "blind", found.lines, flags)
    told = audit(studio, root, "blind").flags
    assert [(each.severity, each.reasons, each.said and each.said.id) for each in told] == [
        (0, (), unit) for unit in ("s1", "s2", "s1", "s2")
    ]
    with pytest.raises(InputError, match="there is a control sample among the flags"):
        look_again(studio, root, "blind")
    assert len(audit(studio, root, "blind").flags) == 4
    assert notes_on(decided_lines(studio, root, "blind")).has_controls


def test_handing_over_again_adds_nothing_and_keeps_decisions(studio: Studio, root: Person) -> None:
    lines, flags = flags_of(example("a", OK, OK))
    hand_over(studio, root, "again", lines, flags)
    (flag,) = audit(studio, root, "again").flags
    decide_flag(studio, root, "again", flag.id, "ambiguous", note="Who knows.")
    done = hand_over(studio, root, "again", lines, flags)
    assert (done.items.known, done.added, done.known) == (1, 0, 1)
    (kept,) = audit(studio, root, "again").flags
    assert (kept.decision, kept.note) == ("ambiguous", "Who knows.")


def test_decision_about_an_imported_label_may_be_changed(studio: Studio, root: Person) -> None:
    hand_over(studio, root, "change", *flags_of(example("a", OK, OK)))
    (flag,) = audit(studio, root, "change").flags
    revision = Revision("fabricated", nothing_found=True)
    decide_flag(studio, root, "change", flag.id, "incorrect", note="?", revision=revision)
    (told,) = decide_flag(studio, root, "change", flag.id, "ambiguous", note="Both hold.").flags
    assert (told.decision, told.label) == ("ambiguous", "explicitly-supported")


def test_project_is_extended_by_further_flags(studio: Studio, root: Person) -> None:
    hand_over(studio, root, "more", *flags_of(example("a", OK, OK)))
    done = hand_over(studio, root, "more", *flags_of(example("b", OK, OK)))
    assert (done.items.added, done.added) == (1, 1)
    assert len(audit(studio, root, "more").flags) == 2


def test_labels_of_annotators_become_the_gold_of_the_project(studio: Studio, root: Person) -> None:
    alone = example("a", OK, OK, author=Author("ann", "person"))
    also = example("a", OK, OK, author=Author("bo", "person")).judgements
    hand_over(studio, root, "people", *flags_of(alone.with_judgements(*also)))
    (flag,) = audit(studio, root, "people").flags
    assert (flag.label, flag.example) == ("explicitly-supported", "a")


def test_labels_that_the_studio_does_not_have_are_refused(studio: Studio, root: Person) -> None:
    lines, flags = flags_of(example("a", BINARY["faithful"], BINARY["faithful"]))
    with pytest.raises(
        InputError, match="'a' has a binary label of a sentence: decide in the file"
    ):
        hand_over(studio, root, "no", lines, flags)
