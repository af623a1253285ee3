"""Relations that cannot be: to oneself, told twice, to nowhere, or in a circle."""

from collections.abc import Container, Mapping
from dataclasses import dataclass

from assay.text.discourse.relations import KINDS


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two numbered claims."""

    name: str
    first: int
    second: int

    def __str__(self) -> str:
        return f"{self.name} ({self.first}, {self.second})"

    @property
    def same(self) -> tuple[str, int, int]:
        """Equal for relations that say the same; of a mutual one the order does not count."""
        if KINDS[self.name].is_mutual and self.first > self.second:
            return self.name, self.second, self.first
        return self.name, self.first, self.second


@dataclass(frozen=True, slots=True)
class Wrong:
    """Why a relation cannot be; one that `hides_link` may stand for a link that nobody checks."""

    why: str
    hides_link: bool = False


def find_wrong(edges: Mapping[int, Edge], usable: Container[int]) -> dict[int, Wrong]:
    """What is wrong with the relations that cannot be, by their numbers.

    `usable` has the numbers of the claims that stand in the response.
    """
    flaws: dict[int, Wrong] = {}
    met: dict[tuple[str, int, int], int] = {}
    for place, edge in edges.items():
        missing = [each for each in (edge.first, edge.second) if each not in usable]
        if missing:
            flaws[place] = Wrong(f"there is no usable claim {missing[0]}", hides_link=True)
        elif edge.first == edge.second:
            flaws[place] = Wrong(f"it links claim {edge.first} to itself")
        elif edge.same in met:
            flaws[place] = Wrong(f"it says the same as relation {met[edge.same]}")
        else:
            met[edge.same] = place
    sound = {place: edge for place, edge in edges.items() if place not in flaws}
    return {**flaws, **_circles(sound)}


def _circles(edges: Mapping[int, Edge]) -> dict[int, Wrong]:
    """The relations that run forward and yet lead back to where they begin."""
    forward = {place: edge for place, edge in edges.items() if KINDS[edge.name].runs_forward}
    after: dict[int, set[int]] = {}
    for edge in forward.values():
        after.setdefault(edge.first, set()).add(edge.second)
    return {
        place: Wrong(
            f"it runs in a circle: claim {edge.second} leads back to claim {edge.first}",
            hides_link=True,
        )
        for place, edge in forward.items()
        if _leads(after, edge.second, edge.first)
    }


def _leads(after: Mapping[int, set[int]], start: int, goal: int) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        for each in after.get(waiting.pop(), ()):
            if each == goal:
                return True
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return False
