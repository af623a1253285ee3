"""What a filter kept and dropped, by reason and model."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from assay.bench.filtered import Filtered
from assay.core.totals import count_of
from assay.report.tables import spelled_out, table_view

_NOBODY = "(no model named)"


def filtered_view(found: Filtered) -> Iterator[RenderableType]:
    """A row for each LLM with a column for each rule that dropped something, and the files."""
    rules = [rule for rule, _ in found.rules.most_common()]
    rows = [
        (model or _NOBODY, *(f"{counts.get(each, 0):,}" for each in ("kept", *rules)))
        for model, counts in sorted(found.models.items())
    ]
    if len(rows) > 1:
        rows.append(("all", f"{found.kept:,}", *(f"{found.rules[rule]:,}" for rule in rules)))
    title = (
        f"kept {found.kept:,} of {count_of(found.responses, 'response')}, "
        f"to {found.kept_sources:,} of {count_of(found.sources, 'source')}"
    )
    yield table_view(title, ("model", "kept", *rules), rows)
    for line in _files(found):
        yield Text(spelled_out(line))


def _files(found: Filtered) -> Iterator[str]:
    if found.file:
        yield f"kept: {found.file}"
    if found.dropped_file:
        yield f"dropped, each with its reason: {found.dropped_file}"
    if found.proposed is not None:
        where = count_of(found.proposed_sources, "source")
        what = f"{count_of(found.proposed, 'sentence')} of {where}"
        yield f"{what} may contradict the rest, for you to read: {found.proposals_file}"
