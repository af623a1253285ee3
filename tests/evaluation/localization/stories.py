"""Small responses with errors, and inconsistencies in few words."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Judgement, Judgements, Manifest
from assay.core.taxonomies import BINARY, FINAL4
from assay.core.texts import Response, Source, Span
from assay.core.units import RESPONSE, Unit, unit_id
from assay.core.verdicts import Failure, FailureReason, Outcome, Verdict
from assay.evaluation.localization.inconsistencies import Inconsistency
from assay.text.sentences import response_unit

JUDGE = Author("j")
WRECK = Example(
    "wreck",
    Source("Guards have driven away divers who searched a wreck. One guard was hurt.", id="s"),
    Response(
        "Guards in Vardia have driven divers away from a silver wreck off the southern coast."
    ),
)


def unit(
    description: str, *words: str, response: str = WRECK.response.text, id: str = "i1"
) -> Unit:
    """An inconsistency about these words of a response."""
    spans = []
    for each in words:
        start = response.index(each)
        spans.append(Span.cut(response, start, start + len(each), "response"))
    return Unit(id, "inconsistency", description, tuple(spans))


def error(description: str, *words: str, category: str = "", kind: str = "") -> Inconsistency:
    """A gold or predicted error."""
    label = FINAL4[category] if category else None
    return Inconsistency(unit(description, *words), label, kind)


def numbered(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Units with the ids that they have as those of one judgement."""
    return tuple(
        replace(each, id=unit_id(each.kind, number)) for number, each in enumerate(units, 1)
    )


def said(
    example: Example, units: Iterable[Unit], outcomes: Iterable[Outcome], author: Author = JUDGE
) -> Judgement:
    """What an author said of an example."""
    characters = len(example.source.text)
    return Judgement(example.id, author, tuple(units), tuple(outcomes), characters, characters)


def gold(example: Example, *units: Unit, category: str = "intrinsic-alteration") -> Annotated:
    """The example with these gold errors, in our own form."""
    return Annotated(example, (_listed(example, units, category, GOLD),))


def judged(
    annotated: Annotated | Example,
    found: Sequence[Unit],
    *failures: tuple[Unit, Failure],
    category: str = "extrinsic-wrong",
) -> Judgement:
    """What a localizer said."""
    example = annotated.example if isinstance(annotated, Annotated) else annotated
    listed = _listed(example, found, category, JUDGE)
    units = (*listed.units, *(unit for unit, _ in failures))
    return replace(listed, units=units, outcomes=(*listed.outcomes, *(f for _, f in failures)))


def failed(annotated: Annotated | Example, reason: FailureReason = "parse") -> Judgement:
    """A response that a localizer could not judge."""
    example = annotated.example if isinstance(annotated, Annotated) else annotated
    return said(example, [response_unit(example)], [Failure(RESPONSE, reason)])


def predictions(*judgements: Judgement, detector: str = "j", **manifest: object) -> Judgements:
    """The judgements as those of one run."""
    about = Manifest(JUDGE, detector=detector, **manifest)  # type: ignore[arg-type]
    return Judgements(f"run:{detector}", about, lambda: judgements)


def _listed(example: Example, errors: Iterable[Unit], category: str, author: Author) -> Judgement:
    units = numbered(errors)
    label = BINARY["unfaithful" if units else "faithful"]
    verdicts = (Verdict(each.id, BINARY["unfaithful"], error=FINAL4[category]) for each in units)
    whole = response_unit(example)
    return said(example, (whole, *units), (Verdict(RESPONSE, label), *verdicts), author)
