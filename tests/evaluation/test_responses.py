"""What people say of a response, as boards count and show it."""

from assay.core.examples import Annotated, Example
from assay.core.folding import fold_judgement
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.spans import Span
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.evaluation.gathering import gold_judgement

TEXT = "Tea is hot. Tea is blue."
EXAMPLE = Example("a", Source("Tea is hot and green."), Response(TEXT, "m"))


def _marked(author: Author, start: int, label: str, note: str = "") -> Judgement:
    unit = Unit.at("span", Span.cut(TEXT, start, start + 3, "response"), "p1")
    evidence = (Span.cut(EXAMPLE.source.text, 0, 3, "source"),)
    verdict = Verdict("p1", FAITHBENCH[label], note=note, evidence=evidence)
    return Judgement("a", author, (unit,), (verdict,))


def test_people_are_shown_by_span_and_counted_by_response() -> None:
    ann, ben = (Author(name, "person") for name in ("ann", "ben"))
    people = (
        _marked(ann, 12, "unwanted", "It is green."),
        _marked(ben, 0, "benign"),
        _marked(GOLD, 12, "questionable"),
    )
    found = gold_judgement(Annotated(EXAMPLE, people))
    assert found
    whole, *parts = found.findings
    assert whole.unit == Unit.response(TEXT)
    assert fold_judgement(found) == whole.outcome
    assert [(part.text, str(part.label), part.note) for part in parts] == [
        ("Tea", "questionable", "gold"),  # the corpus's own label comes first
        ("Tea", "unwanted", "ann: It is green."),
        ("Tea", "benign", "ben"),
    ]
    assert all(part.evidence[0].text == "Tea" for part in parts)


def test_nobody_says_nothing() -> None:
    assert gold_judgement(Annotated(EXAMPLE)) is None
