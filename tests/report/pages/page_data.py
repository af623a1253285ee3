"""What stands on a page of a check, read without a browser."""

import json
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from assay.core.decision import Answers
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Outcome, Verdict

Write = Callable[..., Path]


MANIFEST = Manifest(Author("d", version="3"), version="0.1.0", taxonomy="gray7")


NASTY = "</script><script>alert(1)</script> \"'&amp; {{ 7 * 7 }} {% raw %} <img src=x>"


class Element:
    """An element with its attributes and all text inside it."""

    def __init__(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tag = tag
        self.attributes = {name: value or "" for name, value in attributes}
        self.text = ""

    def __contains__(self, name: str) -> bool:
        return name in self.attributes.get("class", "").split()

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]


class Reader(HTMLParser):
    """Reads a page into a flat list of its elements."""

    def __init__(self, page: Path | None = None) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        if page:
            self.feed(page.read_text(encoding="utf-8"))

    @classmethod
    def of(cls, html: str) -> "Reader":
        reader = cls()
        reader.feed(html)
        return reader

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, attrs))
        if tag not in ("meta", "link", "input"):
            self._open.append(self.elements[-1])

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def by_class(self, *names: str) -> list[Element]:
        return [each for each in self.elements if all(name in each for name in names)]

    def by_tag(self, tag: str) -> list[Element]:
        return [each for each in self.elements if each.tag == tag]

    def by_id(self, name: str) -> Element:
        return next(each for each in self.elements if each.attributes.get("id") == name)


def judged(source: str, response: str, *outcomes: Outcome, units: Sequence[Unit] = ()) -> Result:
    """The result of a response that is one sentence, `s1`, and perhaps of more units."""
    example = Example("x", Source(source), Response(response))
    sentence = Unit.at("sentence", Span.cut(response, 0, len(response), "response"), "s1")
    judgement = Judgement("x", MANIFEST.author, (sentence, *units), outcomes, 0, len(source))
    return Result(example, judgement)


def squeeze(text: str) -> str:
    return " ".join(text.split())


class Data:
    """What the script of a page reads."""

    def __init__(self, page: Path | str) -> None:
        html = page if isinstance(page, str) else page.read_text(encoding="utf-8")
        scripts = [each for each in Reader.of(html).by_tag("script") if "type" in each.attributes]
        read = {each["id"]: json.loads(each.text) for each in scripts}
        self.about: dict[str, Any] = read.pop("about")
        names, *rows = read.pop("index")
        self.index: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for row in rows]
        self.blocks: list[Any] = list(read.values())
        self.responses = [each for block in self.blocks for each in block]
        self.shown = [each["shown"] for each in self.responses if "shown" in each]
        self.sources = [each["text"] for each in self.shown]

    def unit(self, number: int, response: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = self.responses[response]["units"][number - 1]
        return found

    def badge(self, number: int) -> str:
        return str(self.about["badges"][number]["name"])

    def tone(self, number: int) -> str:
        return str(self.about["badges"][number]["tone"])

    def text(self, response: int = 0) -> str:
        return str(self.responses[response]["text"])

    def runs(self, number: int, response: int = 0) -> list[str]:
        """The words of a unit: every other run, from the second on, is underlined."""
        unit = self.unit(number, response)
        words = unit.get("text") or cut(self.text(response), *unit["places"][0])
        ends = [0, *accumulate(unit.get("runs", [utf16(words)]))]
        return [cut(words, start, end) for start, end in pairwise(ends)]

    def evidence(self, unit: int, rank: int, response: int = 0) -> str:
        """The passage of the source that is the evidence of that rank for a unit."""
        record = self.responses[response]
        return cut(self.sources[record["source"]], *record["units"][unit - 1]["quotes"][rank]["at"])


def utf16(text: str) -> int:
    """How long a browser finds a text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, start: int, end: int) -> str:
    """A range of a text, as a browser counts."""
    cells = text.encode("utf-16-le", "surrogatepass")
    return cells[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


OPEN = Answers(states_fact=True, entailed=False, contradicted=False)


def quoting(source: str, response: str, label: str, *passages: str) -> Result:
    """A response of one sentence, and passages of the source as its evidence, as written."""
    places = [(source.index(each), source.index(each) + len(each)) for each in passages]
    evidence = tuple(Span.cut(source, *place, "source") for place in places)
    return judged(source, response, Verdict("s1", GRAY7[label], evidence=evidence))
