"""What each person says of a unit stands beside the label that counts."""

from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from assay.evaluation.responses import gold_judgement
from assay.report.pages.badges import UNSURE
from assay.report.site.records import Recorder, SourcePlace, shared_opinions

TEXT = "Tea is hot. Tea is blue."
EXAMPLE = Example("a", Source("Tea is hot and green."), Response(TEXT, "m"))
ANN, BEN = Author("ann", "person"), Author("ben", "person")


def _marked(author: Author, start: int, label: str, note: str = "") -> Judgement:
    unit = Unit.at("span", Span.cut(TEXT, start, start + 3, "response"), "p1")
    evidence = (Span.cut(EXAMPLE.source.text, 0, 3, "source"),)
    verdict = Verdict("p1", FAITHBENCH[label], note=note, evidence=evidence)
    return Judgement("a", author, (unit,), (verdict,))


def _gold(*people: Judgement) -> Judgement:
    found = gold_judgement(Annotated(EXAMPLE, people))
    assert found
    return found


def test_people_stand_beside_the_label_of_the_corpus() -> None:
    people = (
        _marked(ANN, 12, "unwanted", "It is green."),
        _marked(BEN, 12, "benign"),
        _marked(GOLD, 12, "questionable"),
    )
    whole, part = shared_opinions(_gold(*people), people)
    assert (whole.finding.unit, whole.others) == (Unit.response(TEXT), ())
    assert (str(part.finding.label), part.who, part.finding.note) == ("questionable", "", "")
    assert [(who, str(each.label), each.note) for who, each in part.others] == [
        ("ann", "unwanted", "It is green."),
        ("ben", "benign", ""),
    ]


def test_marks_of_several_people_are_told_apart() -> None:
    people = (_marked(ANN, 12, "unwanted"), _marked(BEN, 0, "benign"))
    _, *parts = shared_opinions(_gold(*people), people)
    assert [(each.who, each.others) for each in parts] == [("ann", ()), ("ben", ())]


def test_reasons_for_the_whole_response_stand_with_their_authors() -> None:
    unit = Unit.response(TEXT)

    def says(author: Author, label: str, note: str) -> Judgement:
        return Judgement("a", author, (unit,), (Verdict("response", FAITHBENCH[label], note=note),))

    people = (says(ANN, "unwanted", "Blue?"), says(BEN, "benign", "Close."))
    gold = _gold(*people)
    assert gold.verdicts[0].note == "ann: Blue?\nben: Close."
    (whole,) = shared_opinions(gold, people)
    assert whole.finding.note == ""
    assert [(who, each.note) for who, each in whole.others] == [
        ("ann", "Blue?"),
        ("ben", "Close."),
    ]


def test_record_has_no_name_for_a_reason_and_no_reason_twice() -> None:
    people = (
        _marked(GOLD, 12, "unwanted", "It is green."),
        _marked(ANN, 12, "unwanted", "It is green."),
        _marked(BEN, 12, "benign"),
    )
    recorder = Recorder()
    row = recorder.row(EXAMPLE, [_gold(*people)], people, SourcePlace(0, 0), ())
    whole, part = row["said"][0]["units"]
    assert "note" not in whole
    assert (part["note"], "who" in part) == ("It is green.", False)
    badges = [each.name for each in recorder.badges]
    assert [(each["who"], badges[each["badge"]], each.get("note")) for each in part["people"]] == [
        ("ann", "unwanted", None),
        ("ben", "benign", None),
    ]


def test_score_that_its_judge_is_not_sure_of_is_shown_as_that() -> None:
    verdict = Verdict("response", score=0.5, attributes=Attributes(unsure=True))
    judgement = Judgement("a", Author("s"), (Unit.response(TEXT),), (verdict,))
    recorder = Recorder()
    badge = recorder.label(judgement)
    assert [each.name for each in recorder.badges][badge - 1] == UNSURE.name
