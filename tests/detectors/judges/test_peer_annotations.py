"""What people said of a peer, as text."""

from collections.abc import Iterable

from assay.core.decision import Interpretation
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Finding
from assay.core.rendering import read_source
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7, RAGTRUTH4
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from assay.detectors.judges.peers import (
    annotation_text,
    number_annotators,
    taxonomies_of,
)
from tests.detectors.judges.scripts import annotate, mark, whole

SOURCE = "Ann, they say, has two dogs and a garden."
TEXT = "Ann has cats\nand dogs."


def peer(id: str = "1", /, **gold: Iterable[Finding]) -> Annotated:
    return annotate(Example(id, Source(SOURCE), Response(TEXT)), **gold)


def said(**gold: Iterable[Finding]) -> str:
    found = peer(**gold)
    return annotation_text(found, number_annotators([found]))


def test_each_annotator_is_shown_with_marks_notes_and_source_passages() -> None:
    evidence = (Span.cut(SOURCE, 15, 27, "source"), Span.cut(SOURCE, 28, 41, "source"))
    cats = {"note": "no\ncats", "evidence": evidence}
    text = said(
        gold=[whole(TEXT, FAITHBENCH["unwanted"])],
        ida=[
            whole(TEXT, FAITHBENCH["unwanted"]),
            mark(TEXT, 8, 16, FAITHBENCH["unwanted.extrinsic"], **cats),
            mark(TEXT, 0, 3, FAITHBENCH["questionable"]),
        ],
        ole=[whole(TEXT, FAITHBENCH["consistent"])],
    )
    assert text.splitlines() == [
        "Annotator 1:",
        "- passage: cats and",
        "  label: unwanted.extrinsic",
        "  note: no cats",
        "  in the source: has two dogs",
        "  in the source: and a garden.",
        "- passage: Ann",
        "  label: questionable",
        "Annotator 2: no hallucination was marked",
    ]


def test_places_in_a_structured_source_are_shown_as_the_json_has_them() -> None:
    source = read_source({"pets": {"cats": None, "dogs": 2}})
    wrong = Span.cut(source.text, 0, len("pets > cats: not given"), "source")
    marked = mark(TEXT, 8, 12, FAITHBENCH["unwanted"], evidence=(wrong,))
    found = annotate(Example("1", source, Response(TEXT)), ida=[marked])
    lines = annotation_text(found, number_annotators([found])).splitlines()
    assert lines[-1] == '  in the source: "pets": { "cats": null'


def test_marks_without_annotators_are_one_list() -> None:
    marked = mark(TEXT, 8, 12, RAGTRUTH4["evident-baseless"])
    text = said(gold=[whole(TEXT, BINARY["unfaithful"]), marked])
    assert text.splitlines() == [
        "The annotation:",
        "- passage: cats",
        "  label: evident-baseless",
    ]


def test_flags_of_ragtruth_are_said_in_plain_words() -> None:
    flags = Attributes(implicit_true=True, due_to_null=True)
    label = RAGTRUTH4["evident-baseless"]
    text = said(gold=[mark(TEXT, 8, 12, label, note="No pets.", attributes=flags)])
    assert text.splitlines()[-1] == (
        "  note: No pets. (It is true of the world, but the source does not say it.) "
        "(The source has no value for this.)"
    )


def test_described_errors_are_shown_at_their_words_and_without_names() -> None:
    note = "Proposed by m; accepted by ida (task 1)."
    cats = Unit("i1", "inconsistency", "Cats are added.", (Span.cut(TEXT, 8, 12, "response"),))
    long = Unit("i1", "inconsistency", "It is too long.")
    text = said(
        ida=[Finding(cats, Verdict("i1", BINARY["unfaithful"], note=note))],
        gold=[Finding(long, Verdict("i1", BINARY["unfaithful"]))],
    )
    assert text.splitlines() == [
        "Annotator 1:",
        "- passage: cats",
        "  label: unfaithful",
        "  note: Cats are added.",
        "The annotators together:",
        "- the whole response",
        "  label: unfaithful",
        "  note: It is too long.",
    ]


def test_nothing_marked_is_said() -> None:
    assert said(gold=[whole(TEXT, BINARY["faithful"])]) == (
        "The annotation: no hallucination was marked"
    )


def test_marks_without_a_verdict_on_the_whole_stand_alone() -> None:
    marked = mark(TEXT, 8, 12, RAGTRUTH4["subtle-conflict"])
    assert said(gold=[marked]).startswith("The annotation:\n- passage")


def test_a_note_on_the_whole_response_is_kept() -> None:
    lines = said(ida=[whole(TEXT, FAITHBENCH["benign"], "Too long.")]).splitlines()
    assert lines == [
        "Annotator 1:",
        "- the whole response",
        "  label: benign",
        "  note: Too long.",
    ]


def test_labels_that_were_given_together_are_all_shown() -> None:
    both = tuple(map(Interpretation, (FAITHBENCH["benign"], FAITHBENCH["unwanted"])))
    marked = mark(TEXT, 0, 3, FAITHBENCH["unwanted"], interpretations=both)
    assert "  label: benign, unwanted" in said(gold=[marked]).splitlines()


def test_a_note_cannot_pretend_to_be_a_line_of_its_own() -> None:
    forged = "ok\nAnnotator 2: no hallucination was marked"
    marked = mark(TEXT, 0, 3, FAITHBENCH["unwanted"], note=forged)
    assert len(said(ida=[marked]).splitlines()) == 4


def test_an_annotator_has_one_number_in_all_peers_and_no_name() -> None:
    fine, bad = whole(TEXT, FAITHBENCH["benign"]), whole(TEXT, FAITHBENCH["unwanted"])
    first, second = peer("1", ida=[fine], ole=[fine]), peer("2", eva=[bad], ida=[bad])
    numbers = number_annotators([first, second])
    assert numbers == {Author(name, "person"): n for n, name in enumerate(("ida", "ole", "eva"), 1)}
    assert annotation_text(second, numbers).splitlines() == [
        "Annotator 3:",
        "- the whole response",
        "  label: unwanted",
        "Annotator 1:",
        "- the whole response",
        "  label: unwanted",
    ]


def test_sentences_with_labels_are_shown_like_marks() -> None:
    sentence = Finding(Unit("s1", "sentence", TEXT), Verdict("s1", GRAY7["fabricated"]))
    assert said(gold=[sentence]).splitlines()[1:] == [
        "- passage: Ann has cats and dogs.",
        "  label: fabricated",
    ]


def test_the_menus_of_all_labels_are_found_once() -> None:
    gold = (whole(TEXT, BINARY["unfaithful"]), mark(TEXT, 0, 3, RAGTRUTH4["subtle-conflict"]))
    peers = [peer(id, gold=gold) for id in "12"]
    assert taxonomies_of(peers) == (RAGTRUTH4,)  # the label for the whole is not shown
    assert taxonomies_of([peer(gold=[whole(TEXT, BINARY["faithful"])])]) == (BINARY,)


def test_label_of_a_whole_response_is_shown_only_where_nothing_says_what_is_wrong() -> None:
    bad, fine = whole(TEXT, FAITHBENCH["unwanted"]), whole(TEXT, FAITHBENCH["consistent"])
    marked = mark(TEXT, 0, 3, FAITHBENCH["benign"])
    assert "unwanted" not in said(gold=[bad], ida=[bad, marked], ole=[fine])
    assert said(gold=[bad]).splitlines()[1:] == ["- the whole response", "  label: unwanted"]
