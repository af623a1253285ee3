"""The map of the code: the drawing shows the packages and their layers, and every path exists."""

import re
import runpy
from pathlib import Path

from tests.test_layers import LAYERS

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
_PATH = re.compile(r"`((?:[a-z_]+/)+[a-z_]*(?:\.[a-z]+)?)`")
HOUSE = runpy.run_path(str(IMAGES / "house.py"))
FLOORS = HOUSE["read_floors"]((IMAGES / "house.txt").read_text(encoding="utf-8"))


def test_drawing_is_made_from_its_text() -> None:
    """`make drawing` draws it again."""
    assert (IMAGES / "house.svg").read_text(encoding="utf-8") == HOUSE["draw"](FLOORS)


def test_every_package_is_a_room() -> None:
    assert sorted(name for _, rooms in FLOORS for name, _ in rooms) == sorted(LAYERS)


def test_no_room_imports_from_a_floor_above() -> None:
    floor = {name: number for number, (_, rooms) in enumerate(FLOORS) for name, _ in rooms}
    above = {
        (name, other)
        for name, others in LAYERS.items()
        for other in others
        if floor[other] < floor[name]
    }
    assert above == set()


def test_text_of_a_room_may_have_commas() -> None:
    assert HOUSE["read_floors"]("# no\nfloor: a = x, y, b = z") == [
        ("floor", [("a", "x, y"), ("b", "z")])
    ]


def test_every_path_on_the_map_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    paths = _PATH.findall(page)
    homes = (ROOT / "src" / "assay", ROOT)
    assert len(paths) > 30
    assert [path for path in paths if not any((home / path).exists() for home in homes)] == []
