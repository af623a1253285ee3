"""What was collected, in words: a row for each model, and what is lacking."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from assay.bench.standing import Collected, ModelLine
from assay.core.totals import count_of
from assay.report.tables import table_view

_HEADERS = ("model", "responses", "refused", "empty", "cut off", "lacking")
_SHOWN = 3


def collected_view(found: Collected) -> RenderableType:
    """How many responses there are of each model, and of which kind."""
    where = f" in {found.file}" if found.file else ""
    title = f"responses to {count_of(found.sources, 'source')}{where}"
    return table_view(title, _HEADERS, map(_row, found.models))


def lacking_lines(found: Collected) -> Iterator[str]:
    """Which responses are lacking and why, a line for each model."""
    for each in found.models:
        if each.lacking:
            ids = _some(each.lacking)
            why = f" ({each.problem})" if each.problem else ""
            count = f"{len(each.lacking):,} of {count_of(each.sources, 'source')}"
            yield f"{each.model} has no response to {count}: {ids}{why}"


def _row(line: ModelLine) -> Sequence[str]:
    numbers = (line.responses, line.refused, line.empty, line.truncated, len(line.lacking))
    return (line.model, *(f"{each:,}" for each in numbers))


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN:,} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more
