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
    figures = [(name, str(before[name]), str(each)) for name, each in after.items()]
    yield table_view("on sources it was fitted without", ("", "before", "after"), figures)
