"""Agreement of annotators: in the terminal, and as CSV."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Protocol

from rich.console import RenderableType

from assay.core.formulas import guard
from assay.evaluation.agreement import AgreementFigures, Measured
from assay.report.tables import facts_view, table_view

COLUMNS = (
    "round",
    "unit",
    "taxonomy",
    "reading",
    "level",
    "measure",
    "annotators",
    "ratings",
    "value",
    "low",
    "high",
    "n",
    "of",
)
MOST_PAIRS = 20


class PublishedFigure(Protocol):
    """A published alpha beside ours."""

    @property
    def reading(self) -> str: ...
    @property
    def published(self) -> float: ...
    @property
    def ours(self) -> float | None: ...
    @property
    def authors_way(self) -> float | None: ...
    @property
    def n(self) -> int: ...


class Agreement(Protocol):
    """Agreement in every reading, and how it is to be read."""

    @property
    def target(self) -> str: ...
    @property
    def annotators(self) -> Sequence[str]: ...
    @property
    def figures(self) -> Sequence[AgreementFigures]: ...
    @property
    def published(self) -> Sequence[PublishedFigure]: ...
    @property
    def handling(self) -> Sequence[str]: ...
    @property
    def rows(self) -> int: ...
    @property
    def blank(self) -> int: ...


def agreement_view(found: Agreement) -> Iterator[RenderableType]:
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
    rows = (
        (
            each.reading,
            str(each.round),
            _figure(each.alpha),
            _figure(each.raw),
            _coverage(each.alpha),
            _figure(each.fleiss),
            f"{each.fleiss.n:,} by {each.raters}" if each.raters else "0",
            f"{each.ratings:,}",
        )
        for each in figures
    )
    batches = max((each.batches for each in figures), default=0)
    headers = (
        "reading",
        "round",
        f"mean alpha of {batches} batches" if batches > 1 else "alpha",
        "raw agreement",
        "n",
        "Fleiss' kappa",
        "n, raters",
        "ratings",
    )
    return table_view(title, headers, rows, words=2)


def _figure(each: Measured) -> str:
    if each.value is None:
        return "undefined"
    if each.low is None or each.high is None:
        return f"{each.value:.3f}"
    return f"{each.value:.3f} [{each.low:.2f}, {each.high:.2f}]"


def _coverage(each: Measured) -> str:
    return f"{each.n:,}" if each.n == each.of else f"{each.n:,} of {each.of:,}"


def _pairs(figures: Sequence[AgreementFigures]) -> RenderableType:
    rows = [
        (
            f"{pair.first}, {pair.second}",
            each.reading,
            str(each.round),
            _figure(pair.kappa),
            _coverage(pair.kappa),
        )
        for each in figures
        if each.level != "ordinal"  # the same classes in order have the same kappas
        for pair in each.pairs
    ]
    if len(rows) > MOST_PAIRS:
        more = f"... and {len(rows) - MOST_PAIRS:,} more, which JSON and CSV list"
        rows = [*rows[:MOST_PAIRS], (more, "", "", "", "")]
    headers = ("annotators", "reading", "round", "Cohen's kappa", "n")
    return table_view("each pair of annotators", headers, rows, words=3)


def _published(published: Sequence[PublishedFigure]) -> RenderableType:
    rows = (
        (
            each.reading,
            f"{each.published:.3f}",
            "undefined" if each.ours is None else f"{each.ours:.3f}",
            "" if each.ours is None else f"{each.ours - each.published:+.3f}",
            f"{each.n:,}",
            "-" if each.authors_way is None else f"{each.authors_way:.3f}",
        )
        for each in published
    )
    headers = ("reading", "published", "ours", "difference", "n", "ours, in the authors' way")
    return table_view("FaithBench's alphas (section 3.1) beside ours", headers, rows)


def agreement_csv(figures: Sequence[AgreementFigures]) -> str:
    """A row for each figure; the measure of a pair names its annotators."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for each in figures:
        about = (each.round, each.kind, each.taxonomy, each.reading, each.level)
        size = (each.annotators, each.ratings)
        for name, figure in _measures(each):
            row = (*about, name, *size, figure.value, figure.low, figure.high, figure.n, figure.of)
            writer.writerow(["" if cell is None else guard(cell) for cell in row])
    return out.getvalue()


def _measures(each: AgreementFigures) -> Iterator[tuple[str, Measured]]:
    yield "alpha", each.alpha
    yield "fleiss_kappa", each.fleiss
    yield "raw_agreement", each.raw
    for pair in each.pairs:
        yield f"cohen_kappa {pair.first}, {pair.second}", pair.kappa
