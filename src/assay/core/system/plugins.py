"""Detectors, corpora, providers and taxonomies of other packages, found through entry points.

A package offers one in its metadata, under the group `assay.detectors`, `assay.corpora`,
`assay.providers` or `assay.taxonomies`. Nothing is imported before it is asked for by name.
"""

from functools import cache
from typing import TYPE_CHECKING, Literal, TypeVar

from assay.core.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Group = Literal["assay.detectors", "assay.corpora", "assay.providers", "assay.taxonomies"]

T = TypeVar("T")


@cache
def find_plugins(group: Group) -> "dict[str, EntryPoint]":
    """The entry points of a group by name; of two with the same name the first found counts."""
    from importlib.metadata import entry_points  # slow to import, and most commands need none

    found: dict[str, EntryPoint] = {}
    for each in entry_points(group=group):
        found.setdefault(each.name, each)
    return found


def load_plugin(group: Group, name: str, kind: type[T]) -> T:
    """Load the entry point of that name, if it is of the right kind."""
    point = find_plugins(group)[name]
    package = point.dist.name if point.dist else point.value
    try:
        loaded: object = point.load()
    except Exception as error:
        raise InputError(
            f"the plugin '{name}' of {package} cannot be loaded: {error!r}", code="plugin"
        ) from error
    if not isinstance(loaded, kind):
        raise InputError(
            f"the plugin '{name}' of {package} is not a {kind.__name__}, but of type "
            f"{type(loaded).__name__}",
            code="plugin",
        )
    return loaded
