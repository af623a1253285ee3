"""Word lists and phrases in text files: `[heading]` lines, lines below them, `#` for remarks."""

from pathlib import Path

_HERE = Path(__file__).parent


def read_lines(name: str) -> list[str]:
    """The lines of a file in this folder, without remarks."""
    lines = (_HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if not line.startswith("#")]


def read_sections(name: str) -> dict[str, list[str]]:
    """The lines below each heading, in order."""
    sections: dict[str, list[str]] = {}
    section: list[str] = []
    for line in filter(None, read_lines(name)):
        if line.startswith("[") and line.endswith("]"):
            section = sections.setdefault(line[1:-1], [])
        else:
            section.append(line)
    return sections
