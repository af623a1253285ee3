"""Any example, with whatever may be said about it, for property tests of the codec."""

from dataclasses import fields
from itertools import pairwise
from typing import Any, get_args

from hypothesis import strategies as st

from assay.core.decision import Answers, Interpretation, Sense
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement
from assay.core.labels import Label
from assay.core.taxonomies import TAXONOMIES
from assay.core.texts import Passage, Response, Side, Source, Span
from assay.core.units import Link, Unit, UnitKind
from assay.core.verdicts import Attributes, ExternalEvidence, Failure, FailureReason, Verdict
from assay.core.wire import LARGEST

KINDS: tuple[UnitKind, ...] = get_args(UnitKind)
REASONS: tuple[FailureReason, ...] = get_args(FailureReason)
LABELS: list[Label] = [label for menu in TAXONOMIES.values() for label in menu]


def joins_halves(text: str) -> bool:
    """Whether two halves of a character stand together: JSON has no form for them but the whole."""
    return any("\ud800" <= a <= "\udbff" and "\udc00" <= b <= "\udfff" for a, b in pairwise(text))


# Any code point, so also NUL, halves of characters, and what JSON escapes.
CHARACTER = st.characters(exclude_categories=()) | st.sampled_from('\ud83d\ude00\x00"\\ 😀')
TEXT = st.text(CHARACTER, max_size=12).filter(lambda text: not joins_halves(text))
SHARE = st.none() | st.floats(0, 1)
ANSWER = st.sampled_from([True, False, None])
PLAIN_ANSWERS = st.builds(Answers, *[ANSWER] * 6)
SENSES = st.lists(st.builds(Sense, TEXT, PLAIN_ANSWERS), max_size=2).map(tuple)
ANSWERS = st.builds(Answers, *[ANSWER] * 6, SENSES)
LABEL = st.sampled_from(LABELS)
FLAG = st.none() | st.booleans()
OTHERS = {
    **dict.fromkeys(
        ("implicit_true", "due_to_null", "nothing_found", "unsure", "from_marks"), FLAG
    ),
    "peers": st.none() | st.integers(0, 99),
}
ATTRIBUTES = st.builds(
    Attributes, **{each.name: OTHERS.get(each.name, TEXT) for each in fields(Attributes)}
)
AUTHOR = st.builds(Author, TEXT, st.sampled_from(["person", "detector"]), TEXT)


def some(items: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, max_size=2).map(tuple)


@st.composite
def spans(draw: st.DrawFn, text: str, side: Side) -> Span:
    end = draw(st.integers(0, len(text)))
    return Span.cut(text, draw(st.integers(0, end)), end, side)


@st.composite
def units(draw: st.DrawFn, id: str, response: str, known: list[str]) -> Unit:
    kind = draw(st.sampled_from(KINDS))
    parent = draw(st.sampled_from(["", *known]))
    if draw(st.booleans()):
        return Unit.at(kind, draw(spans(response, "response")), id, parent)
    link = None
    if kind == "relation":
        cue = draw(st.none() | spans(response, "response"))
        ends = st.sampled_from([id, *known])
        link = Link(draw(TEXT), draw(ends), draw(ends), cue)
    return Unit(id, kind, draw(TEXT), draw(some(spans(response, "response"))), parent, link)


@st.composite
def verdicts(draw: st.DrawFn, unit: str, example: Example) -> Verdict:
    label = draw(st.none() | LABEL)
    return Verdict(
        unit,
        label,
        draw(SHARE if label else st.floats(0, 1)),
        draw(SHARE),
        draw(TEXT),
        draw(some(spans(example.source.text, "source"))),
        draw(some(st.builds(ExternalEvidence, *[TEXT] * 5))),
        draw(st.none() | ANSWERS),
        draw(some(st.builds(Interpretation, LABEL, TEXT))),
        draw(st.none() | LABEL),
        draw(ATTRIBUTES),
        draw(some(spans(example.response.text, "response"))),
    )


@st.composite
def judgements(draw: st.DrawFn, example: Example) -> Judgement:
    made: list[Unit] = []
    for id in draw(st.lists(TEXT.filter(bool), max_size=4, unique=True)):
        made.append(draw(units(id, example.response.text, [unit.id for unit in made])))
    outcomes = []
    for unit in made:
        failure = st.builds(Failure, st.just(unit.id), st.sampled_from(REASONS), TEXT, TEXT)
        outcome = draw(st.none() | failure | verdicts(unit.id, example))
        outcomes += [outcome] if outcome else []
    count = st.integers(0, LARGEST)
    return Judgement(
        example.id,
        draw(AUTHOR),
        tuple(made),
        tuple(outcomes),
        *(draw(count), draw(count), draw(TEXT), draw(st.integers(1, LARGEST)), draw(TEXT)),
    )


@st.composite
def examples(draw: st.DrawFn) -> Annotated:
    source, response = draw(TEXT), draw(TEXT)
    passages = [
        Passage(draw(TEXT), each.start, each.end) for each in draw(some(spans(source, "source")))
    ]
    ids = draw(st.lists(TEXT.filter(bool), max_size=2, unique=True))
    language = draw(TEXT | st.just("en"))
    example = Example(
        id=draw(TEXT),
        source=Source(source, tuple(passages), draw(TEXT)),
        response=Response(response, draw(TEXT)),
        question=draw(TEXT),
        language=language,
        units=tuple(draw(units(id, response, [])) for id in ids),
        split=draw(TEXT),
        task=draw(TEXT),
        is_english_stated=language == "en" and draw(st.booleans()),
        original=draw(TEXT),
    )
    return Annotated(example, draw(some(judgements(example))))
