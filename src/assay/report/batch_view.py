"""Batches of annotation as tables in the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType

from assay.bench.plans import Plan
from assay.report.tables import facts_view, table_view

_HEADERS = ("annotators", "batch", "items", "sources")


def plan_view(plan: Plan) -> Iterator[RenderableType]:
    """The batches of a plan, and how much everybody has."""
    rows = (
        (", ".join(names), f"{number:,}", f"{items:,}", f"{sources:,}")
        for number, (items, sources, names) in plan.batches().items()
    )
    yield table_view(f"batches of about {plan.rule.size:,}, seed {plan.rule.seed}", _HEADERS, rows)
    loads = ", ".join(f"{name} {count:,}" for name, count in plan.loads.items())
    same = ", the same for all of a batch" if plan.rule.per_batch else ""
    facts = [("items for each annotator", loads), ("annotators of an item", f"{plan.rule.k}{same}")]
    yield facts_view(facts)


def given_view(project: str, batches: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """The batches of a project in the studio, and how far they are."""
    rows = (
        (
            ", ".join(
                f"{each['name']} {each['submitted']}/{each['given']}" for each in one["annotators"]
            ),
            f"{one['number']:,}",
            f"{one['items']:,}",
            f"{one['sources']:,}",
        )
        for one in batches
    )
    yield table_view(f"batches of '{project}': submitted / given", _HEADERS, rows)
