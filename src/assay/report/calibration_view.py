"""What a calibration changes, as a table."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.text import Text

from assay.metrics import Estimate
from assay.report.tables import spelled_out, table_view


def calibration_view(
    about: str,
    settings: Sequence[tuple[str, str, str]],
    before: Mapping[str, Estimate],
    after: Mapping[str, Estimate],
) -> Iterator[RenderableType]:
    """The settings and the figures before and after; those after are cross-validated."""
    yield Text(spelled_out(about))
    yield table_view("how scores are read", ("", "before", "after"), settings)
    figures = [
        row
        for name, each in after.items()
        for row in ((name, "before", str(before[name])), ("", "after", str(each)))
    ]
    title = "figures; those after are of sources that it was fitted without"
    yield table_view(title, ("figure", "when", "value"), figures, words=2)
