"""How labels follow each other in a corpus, as tables for the terminal."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from assay.core.pooling import Pool
from assay.evaluation.label_chains import ChainStats, Transitions
from assay.metrics import Estimate
from assay.report.tables import table_view

MOST_POSITIONS = 10
_POOLED: dict[Pool, str] = {
    "corpus": "the worst by any annotator",
    "any": "the worst by any annotator",
    "majority": "that of most annotators (ties count as unfaithful)",
    "all": "the best by all annotators",
}


def chains_view(chains: ChainStats, pool: Pool = "corpus") -> Iterator[RenderableType]:
    """Transitions between the labels of sentences, and where responses first go wrong."""
    about = f"{chains.responses:,} responses, {chains.sentences:,} sentences, "
    about += f"{chains.unlabelled:,} of them without a label"
    if chains.unplaced:
        about += f"; {chains.unplaced:,} responses left out, whose sentences have no known place"
    basis = "as the corpus gives them"
    if chains.basis == "pooled":
        basis = f"{_POOLED[pool]} of the sentence or a span in it; unmarked is faithful"
    yield Text(f"\nsentence labels: {basis}; {about}")
    if chains.responses:
        yield _steps("chances of what follows, by reading", chains.by_reading)
        if len(chains.plain.before) > len(chains.by_reading[0].before):
            yield _steps("chances of what follows, by label", chains.by_label)
            yield _steps("chances of the next label", (chains.plain,))
        if chains.by_model:
            yield _by_model(chains)
        yield _first_errors(chains)


def _steps(title: str, tables: Sequence[Transitions]) -> RenderableType:
    rows = (
        (before, f"{each.steps}", f"{chances[0].n:,}", *map(short_share, chances))
        for each in tables
        for before, chances in zip(each.before, each.chances, strict=True)
    )
    headers = ("after", "steps", "n", *tables[0].after)
    return table_view(f"{title}, % with 95% interval", headers, rows)


def _by_model(chains: ChainStats) -> RenderableType:
    rows = (
        (model or "(not named)", before, f"{chances[0].n:,}", *map(short_share, chances))
        for model, each in chains.by_model.items()
        for before, chances in zip(each.before, each.chances, strict=True)
        if chances[0].n
    )
    headers = ("LLM", "after", "n", *chains.by_label[0].after)
    title = "chances of what follows next, by LLM, % with 95% interval"
    return table_view(title, headers, rows, words=2)


def _first_errors(chains: ChainStats) -> RenderableType:
    errors = chains.first_errors
    rows = [
        (f"{place}", f"{count:,}", short_share(share), short_share(hazard))
        for place, (count, share, hazard) in enumerate(
            zip(errors.counts, errors.shares, errors.hazards, strict=True), start=1
        )
        if place <= MOST_POSITIONS
    ]
    if later := sum(errors.counts[MOST_POSITIONS:]):
        rows.append(("later", f"{later:,}", "", ""))
    headers = ("sentence", "first errors", "share of them", "of those without one so far")
    return table_view(f"where responses first go wrong ({errors.clean:,} never do)", headers, rows)


def short_share(share: Estimate) -> str:
    """A share and its interval in percent, in few characters."""
    if share.value is None or share.low is None or share.high is None:
        return "-"
    return f"{100 * share.value:.1f} [{100 * share.low:.0f}-{100 * share.high:.0f}]"
