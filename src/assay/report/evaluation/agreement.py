"""Agreement of annotators: in the terminal, and as CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import RenderableType

from assay.evaluation.agreement.agreement import (
    Agreed,
    AgreementFigures,
    Measured,
    PublishedAlpha,
)
from assay.report.tables import (
    COUNT,
    ESTIMATE_PARTS,
    WORDS,
    Column,
    Format,
    Table,
    csv_text,
    facts_view,
    table_view,
)

MOST_PAIRS = 20


def agreement_view(found: Agreed) -> Iterator[RenderableType]:
    """The tables one after the other, and how missing ratings were taken."""
    figures, people = found.figures, found.annotators
    facts = [("data", found.target), (f"{len(people):,} annotators", ", ".join(people))]
    if found.blank:
        given = found.rows - found.blank
        facts.append(("labels", f"{given:,} of {found.rows:,}; {found.blank:,} are blank"))
    yield facts_view(facts)
    for kind, menu in dict.fromkeys((each.kind, each.taxonomy) for each in figures):
        own = [each for each in figures if (each.kind, each.taxonomy) == (kind, menu)]
        yield _figures(f"agreement on {kind}s, {menu} labels, with 95% intervals", own)
    if any(each.pairs for each in figures):
        yield _pairs(figures)
    if found.published:
        yield _published(found.published)
    yield facts_view([("handling", "\n".join(found.handling))])


def _figures(title: str, figures: Sequence[AgreementFigures]) -> RenderableType:
    batches = max((each.batches for each in figures), default=0)
    alpha = f"mean alpha of {batches} batches" if batches > 1 else "alpha"
    columns: tuple[Column[AgreementFigures], ...] = (
        Column("reading", lambda each: each.reading, WORDS),
        Column("round", lambda each: each.round, WORDS),
        Column(alpha, lambda each: each.alpha, MEASURED),
        Column("raw agreement", lambda each: each.raw, MEASURED),
        Column("n", lambda each: each.alpha, COVERED),
        Column("Fleiss' kappa", lambda each: each.fleiss, MEASURED),
        Column("n, raters", _raters),
        Column("ratings", lambda each: each.ratings, COUNT),
    )
    return table_view(Table(title, "", columns, figures))


def _raters(each: AgreementFigures) -> str:
    return f"{each.fleiss.n:,} by {each.raters}" if each.raters else "0"


def _figure(each: Measured) -> str:
    if each.value is None:
        return "undefined"
    if each.low is None or each.high is None:
        return f"{each.value:.3f}"
    return f"{each.value:.3f} [{each.low:.2f}, {each.high:.2f}]"


def _covered(each: Measured) -> str:
    return f"{each.n:,}" if each.n == each.of else f"{each.n:,} of {each.of:,}"


MEASURED = Format("measured", _figure)
COVERED = Format("covered", _covered)


@dataclass(frozen=True, slots=True)
class _Measure:
    """One figure of a reading; that of a pair names its annotators."""

    about: AgreementFigures
    name: str
    found: Measured


_PAIRS: tuple[Column[_Measure], ...] = (
    Column("annotators", lambda each: each.name, WORDS),
    Column("reading", lambda each: each.about.reading, WORDS),
    Column("round", lambda each: each.about.round, WORDS),
    Column("Cohen's kappa", lambda each: each.found, MEASURED),
    Column("n", lambda each: each.found, COVERED),
)


def _pairs(figures: Sequence[AgreementFigures]) -> RenderableType:
    rows = [
        _Measure(each, f"{pair.first}, {pair.second}", pair.kappa)
        for each in figures
        if each.level != "ordinal"  # the same classes in order have the same kappas
        for pair in each.pairs
    ]
    rest = len(rows) - MOST_PAIRS
    more = f"... and {rest:,} more, which JSON and CSV list" if rest > 0 else ""
    return table_view(Table("each pair of annotators", "", _PAIRS, rows[:MOST_PAIRS], more=more))


_ALPHA = Format("alpha", "{:.3f}".format, missing="undefined")
_PUBLISHED: tuple[Column[PublishedAlpha], ...] = (
    Column("reading", lambda each: each.reading, WORDS),
    Column("published", lambda each: each.published, _ALPHA),
    Column("ours", lambda each: each.ours, _ALPHA),
    Column(
        "difference", lambda each: "" if each.ours is None else f"{each.ours - each.published:+.3f}"
    ),
    Column("n", lambda each: each.n, COUNT),
    Column(
        "ours, in the authors' way",
        lambda each: each.authors_way,
        Format("alpha", "{:.3f}".format),
    ),
)


def _published(published: Sequence[PublishedAlpha]) -> RenderableType:
    title = "FaithBench's alphas (section 3.1) beside ours"
    return table_view(Table(title, "", _PUBLISHED, published))


_LINES: tuple[Column[_Measure], ...] = (
    Column("round", lambda each: each.about.round),
    Column("unit", lambda each: each.about.kind),
    Column("taxonomy", lambda each: each.about.taxonomy),
    Column("reading", lambda each: each.about.reading),
    Column("level", lambda each: each.about.level),
    Column("measure", lambda each: each.name),
    Column("annotators", lambda each: each.about.annotators),
    Column("ratings", lambda each: each.about.ratings),
    Column("value", lambda each: each.found, parts={**ESTIMATE_PARTS, "of": "of"}),
)


def agreement_csv(figures: Sequence[AgreementFigures]) -> str:
    """A row for each figure; the measure of a pair names its annotators."""
    return csv_text(_LINES, (measure for each in figures for measure in _measures(each)))


def _measures(each: AgreementFigures) -> Iterator[_Measure]:
    yield _Measure(each, "alpha", each.alpha)
    yield _Measure(each, "fleiss_kappa", each.fleiss)
    yield _Measure(each, "raw_agreement", each.raw)
    for pair in each.pairs:
        yield _Measure(each, f"cohen_kappa {pair.first}, {pair.second}", pair.kappa)
