"""A shorter story: two people mark spans, one of them none, and how far they agree."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from assay.annotation.exchange.imports import import_file
from assay.annotation.people.members import add_member
from assay.annotation.projects import create_project
from assay.annotation.settings import ProjectSettings
from assay.annotation.team.batches import BatchRequest, give_out
from assay.core.wire import UnitRecord
from tests.studio.browsing import Visitor, submit, visiting
from tests.studio.serving import Served
from tests.studio.story_data import write

pytestmark = [pytest.mark.browser, pytest.mark.slow]
HOME = "/projects/harvest"
SOURCE = "The mill 🌾 on the Aln grinds wheat and oats.\r\nIt opened in 1790 and closed in 1938."
RESPONSE = "The mill 🌾 grinds\nrye and 🚜 barley daily. It opened in 1790."
# Where the texts of two places lie on the screen: the first letter of one, the last of the other.
PLACES = """([side, from, to]) => {
  const nodes = [...document.querySelectorAll(`#${side} .words p`)].map((p) => p.firstChild);
  const box = (words, isEnd) => {
    const node = nodes.find((each) => each?.data.includes(words));
    const range = new Range();
    const start = node.data.indexOf(words);
    const at = isEnd ? start + words.length : start;
    const size = isEnd ? [...words].at(-1).length : [...words][0].length;
    range.setStart(node, isEnd ? at - size : at);
    range.setEnd(node, isEnd ? at : at + size);
    return range.getClientRects()[0].toJSON();
  };
  return [box(from, false), box(to, true)];
}"""


@pytest.fixture
def annotators(chromium: Browser, server: Served, tmp_path: Path) -> Iterator[list[Visitor]]:
    """Two annotators of three items, and an administrator, signed in."""
    root = server.add("root", "administrator")
    people = [server.add("anna"), server.add("ben"), root]
    settings = ProjectSettings(mode="spans", k=2)
    slug = create_project(server.studio, root, "Harvest", settings).slug
    rows = [{"id": name, "source": SOURCE, "response": RESPONSE} for name in "abc"]
    import_file(server.studio, root, slug, write(tmp_path / "items.jsonl", *rows))
    for each in people[:2]:
        add_member(server.studio, root, slug, each.name)
    give_out(server.studio, root, slug, BatchRequest(3))
    with (
        visiting(chromium, server.url, "anna") as anna,
        visiting(chromium, server.url, "ben") as ben,
        visiting(chromium, server.url, "root") as admin,
    ):
        made = [anna, ben, admin]
        for visitor, who in zip(made, people, strict=True):
            visitor.context.add_cookies([server.cookie(who)])  # type: ignore[list-item]
        yield made


def test_story_of_spans(annotators: list[Visitor]) -> None:
    anna, ben, root = annotators
    mark_across_lines(anna)
    for position in (1, 2):  # ben marks nothing in these
        ben.go(f"{HOME}/items/{position}")
        submit(ben)
    anna.go(f"{HOME}/items/2")
    submit(anna)
    mark_word(anna, "daily", "5")  # benign
    mark_word(ben, "rye", "3")  # unwanted, extrinsic
    agree(root)


def mark_across_lines(anna: Visitor) -> None:
    """A mark over a line break and an emoji, one nested in it with two labels, and a link."""
    page = anna.go(f"{HOME}/items/1")
    drag(page, "response", "grinds", "🚜")
    page.keyboard.press("2")
    drag(page, "source", "grinds", "oats")
    page.keyboard.press("e")
    drag(page, "response", "rye", "rye")
    page.keyboard.press("4")
    page.keyboard.press("5")
    page.keyboard.press("w")
    page.keyboard.type("Rye is not mentioned.")
    page.keyboard.press("Escape")
    expect(page.locator("#marks-list li")).to_have_count(2)
    expect(page.locator("#saved")).to_have_text("Saved")
    outer, inner = units(anna, 1)
    assert outer.text == "grinds\nrye and 🚜"
    assert RESPONSE[outer.start : outer.end] == outer.text
    assert outer.verdict is not None
    assert inner.verdict is not None
    assert [span.text for span in outer.verdict.evidence] == ["grinds wheat and oats"]
    link = outer.verdict.evidence[0]
    assert SOURCE[link.start : link.end] == link.text
    assert (inner.text, inner.parent, inner.verdict.label) == ("rye", outer.id, "questionable")
    assert [each.label for each in inner.verdict.interpretations] == ["questionable", "benign"]
    submit(anna)


def mark_word(who: Visitor, word: str, key: str) -> None:
    page = who.go(f"{HOME}/items/3")
    drag(page, "response", word, word)
    page.keyboard.press(key)
    page.keyboard.press("w")
    page.keyboard.type("Not in the source.")
    page.keyboard.press("Escape")
    expect(page.locator("#saved")).to_have_text("Saved")
    submit(who)


def agree(root: Visitor) -> None:
    """Three responses, the worst class of each by each person.

        a: unwanted, consistent    b: consistent, consistent    c: benign, unwanted

    Four classes: 3 consistent, 2 unwanted, 1 benign; two pairs of three differ.
        alpha = 1 - (2/3) / (1 - (3·2 + 2·1 + 1·0) / (6·5)) = 1 - (2/3) / (22/30) = 1/11
    In their order, the distance of two classes is the ratings between them and half of their own:
    consistent to unwanted 3.5, benign to unwanted 1.5, consistent to benign 2.
        alpha = 1 - (2·(3.5² + 1.5²) / 6) / (2·(3·2·3.5² + 1·2·1.5² + 3·1·2²) / (6·5))
              = 1 - (29/6) / 6 = 7/36
    Consistent against unwanted: c has one rating only, so 3 consistent and 1 unwanted are left.
        alpha = 1 - (1/2) / (1 - (3·2 + 1·0) / (4·3)) = 1 - (1/2) / (1/2) = 0
    Consistent, benign, unwanted: nobody said questionable, so it is as with four, 1/11.
    Benign with consistent: 4 and 2 unwanted.
        alpha = 1 - (2/3) / (1 - (4·3 + 2·1) / (6·5)) = 1 - (2/3) / (16/30) = -1/4
    """
    figures = root.json(f"/api{HOME}/board")["figures"]["agreement"]
    first = {each["reading"]: each["alpha"] for each in figures if each["round"] == "first"}
    expected = {
        "four classes": 1 / 11,
        "four classes in order": 7 / 36,
        "consistent / unwanted": 0,
        "consistent / benign / unwanted": 1 / 11,
        "consistent + benign / questionable / unwanted": -1 / 4,
    }
    assert {name: each["value"] for name, each in first.items()} == pytest.approx(expected)
    assert first["consistent / unwanted"]["n"] == 2
    page = root.go(f"{HOME}/board")
    row = page.get_by_role("row").filter(has_text="four classes responses, nominal")
    expect(row.filter(has_text="blind")).to_contain_text("0.091")


def drag(page: Page, side: str, start: str, end: str) -> None:
    """Selects from the first letter of some words to the last of others with the mouse."""
    first, last = page.evaluate(PLACES, [side, start, end])
    page.mouse.move(first["left"] + 1, first["top"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["right"] - 0.5, last["top"] + last["height"] / 2, steps=6)
    page.mouse.up()


def units(who: Visitor, position: int) -> list[UnitRecord]:
    """The marks as the server has them."""
    found = who.json(f"/api{HOME}/items/{position}")["work"]["units"]
    return msgspec.convert(found, list[UnitRecord])
