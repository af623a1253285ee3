"""Draws docs/images/house.svg, the nouns and the layers, from house.txt: `make drawing`.

python docs/images/house.py [FILE.svg]
"""

import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
WIDTH, MARGIN, GAP = 980, 20, 10
ROOM, NOUN = 54, 46  # heights
LABEL = 110  # width of the names of floors
# The nouns from left to right; an arrow leads from each to the next.
NOUNS = (
    ("Source, Response", "two texts"),
    ("Example", "with its units"),
    ("Author", "detector or annotator"),
    ("Judgement", "verdicts, failures"),
    ("Judgements", "run, file, gold, studio"),
    ("Views", "page, figures, board"),
)
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1c2733 }
.small { font-size: 11px; fill: #51606e }
.room { fill: #eef3f8; stroke: #8aa0b4 }
.noun { fill: #fff6e0; stroke: #c9a24a }
.head { font-weight: 600 }
.middle { text-anchor: middle }
path { stroke: #6b7a88; fill: none }
"""


def read_floors(text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The floors of the house with their rooms, from the roof down."""
    floors = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            floor, _, rooms = line.partition(": ")
            floors.append((floor, _rooms(rooms)))
    return floors


def _rooms(line: str) -> list[tuple[str, str]]:
    rooms: list[tuple[str, str]] = []
    for part in line.split(", "):
        name, equals, holds = part.partition(" = ")
        if equals:
            rooms.append((name, holds))
        else:  # a comma within what the last room holds
            last, before = rooms[-1]
            rooms[-1] = last, f"{before}, {part}"
    return rooms


def draw(floors: list[tuple[str, list[tuple[str, str]]]]) -> str:
    """The drawing as SVG: the nouns above, the house below."""
    parts = []
    top = MARGIN + 20
    parts.append(_text(MARGIN, MARGIN + 8, "The nouns: who says what of which part", "head"))
    wide = (WIDTH - 2 * MARGIN - GAP * 2 * (len(NOUNS) - 1)) / len(NOUNS)
    for number, (name, holds) in enumerate(NOUNS):
        left = MARGIN + number * (wide + 2 * GAP)
        parts += _box((left, top, wide, NOUN), "noun", name, holds)
        if number:
            start = f"{left - 2 * GAP + 2:.0f} {top + NOUN / 2:.0f}"
            parts.append(f'<path d="M{start}h{2 * GAP - 5}" marker-end="url(#to)"/>')
    top += NOUN + 40
    parts.append(
        _text(MARGIN, top - 12, "The house: a room imports only from floors below", "head")
    )
    for floor, rooms in floors:
        parts.append(_text(MARGIN, top + ROOM / 2 + 4, floor, "small"))
        wide = (WIDTH - 2 * MARGIN - LABEL - GAP * (len(rooms) - 1)) / len(rooms)
        for number, (name, holds) in enumerate(rooms):
            left = MARGIN + LABEL + number * (wide + GAP)
            parts += _box((left, top, wide, ROOM), "room", name, holds)
        top += ROOM + GAP
    height = top + MARGIN - GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="The nouns and the layers of Assay">\n'
        f"<style>{STYLE}</style>\n"
        '<defs><marker id="to" markerWidth="8" markerHeight="8" refX="6" refY="4" orient="auto">'
        '<path d="M0 0L7 4L0 8"/></marker></defs>\n'
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _box(place: tuple[float, float, float, float], kind: str, name: str, holds: str) -> list[str]:
    left, top, wide, high = place
    middle = left + wide / 2
    lines = _wrapped(holds, int(wide / 5.6))
    first = top + high / 2 - 5.5 * len(lines) + 3
    size = f'x="{left:.0f}" y="{top:.0f}" width="{wide:.0f}" height="{high:.0f}"'
    return [
        f'<rect class="{kind}" {size} rx="5"/>',
        _text(middle, first, name, "head middle"),
        *(
            _text(middle, first + 13 * (n + 1), line, "small middle")
            for n, line in enumerate(lines)
        ),
    ]


def _wrapped(text: str, most: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _text(left: float, top: float, text: str, kind: str) -> str:
    return f'<text x="{left:.0f}" y="{top:.0f}" class="{kind}">{escape(text)}</text>'


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "house.svg"
    floors = read_floors((HERE / "house.txt").read_text(encoding="utf-8"))
    target.write_text(draw(floors), encoding="utf-8")
