"""What the page of an evaluation does in a real browser."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from assay.app.evaluate import Evaluated
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.evaluation.comparison import EvaluationReport
from tests.report.tabs import Tabs

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
Join = Callable[[Sequence[str]], tuple[str, list[Unit]]]
Evaluate = Callable[..., EvaluationReport]


# The colour of a text and the colour behind it, painted so that any notation becomes numbers.
COLOURS = """element => {
  let ground = element;
  const behind = (node) => getComputedStyle(node).backgroundColor;
  while (/^rgba\\(0, 0, 0, 0\\)$/.test(behind(ground))) ground = ground.parentElement;
  const painter = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  return [getComputedStyle(element).color, behind(ground)].map((colour) => {
    painter.fillStyle = colour;
    painter.fillRect(0, 0, 1, 1);
    return [...painter.getImageData(0, 0, 1, 1).data].slice(0, 3);
  });
}"""


# Folds everything again, as it is when the page is loaded.
CLOSE = """() => {
  if (!document.querySelector("#sheet").hidden) document.querySelector("#close").click();
  for (const each of document.querySelectorAll("details")) {
    each.open = location.hash === `#${each.id}`;
  }
  document.activeElement?.blur();
  scrollTo(0, 0);
}"""


def numbered_example(number: int, join: Join) -> Annotated:
    """Seven sentences, one of each class; detectors err in turn and one of them fails in turn."""
    texts = [f"Sentence {at} of {number}." for at in range(7)]
    whole, units = join(texts)
    example = Example(
        f"example-{number}",
        Source("Text. " * (number + 1), id=f"source-{number // 2}"),
        Response(whole, "model-x"),
    )
    people, labels, scores = [], [], []
    for at, (unit, label) in enumerate(zip(units, GRAY7, strict=True)):
        wrong = GRAY7.labels[6 - at] if (at + number) % 5 == 0 else label
        people.append(Verdict(unit.id, label))
        labels.append(Verdict(unit.id, wrong, wrong.rank / 6, note="Why."))
        score = Verdict(unit.id, score=(at + number % 3) / 8)
        failed = Failure(unit.id, "refused", "No.")
        scores.append(failed if (at + number) % 6 == 0 else score)
    said: dict[Author, Sequence[Outcome]] = {
        GOLD: people,
        Author("labels"): labels,
        Author("scores"): scores,
    }
    return Annotated(
        example,
        tuple(
            Judgement(example.id, author, tuple(units), tuple(outcomes))
            for author, outcomes in said.items()
        ),
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, join: Join, report_of: Evaluate) -> str:
    """A page of 1,750 sentences: 250 of each class, so that lists are cut at 200."""
    path: Path = tmp_path_factory.mktemp("page") / "page.html"
    examples = [numbered_example(number, join) for number in range(250)]
    Evaluated(report_of(examples)).to_html(str(path))
    return path.as_uri()


@pytest.fixture(scope="module")
def tabs(browser: Browser) -> Iterator[Tabs]:
    tabs = Tabs(browser, lambda page, _: page.evaluate(CLOSE), 800)
    yield tabs
    tabs.close()


@pytest.fixture
def open_page(tabs: Tabs, address: str) -> Iterator[Open]:
    """Opens the page; see `Tabs`."""
    with tabs.of_one_test():
        yield partial(tabs.open, address)


def contrast(first: list[int], second: list[int]) -> float:
    """WCAG 2: (L1 + 0.05) / (L2 + 0.05) with the lighter one first."""

    def luminance(colour: list[int]) -> float:
        shares = [channel / 255 for channel in colour]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def detector(page: Page, name: str) -> Locator:
    """The part of the page about one detector, unfolded."""
    found = page.locator(".detector").filter(has=page.locator("summary", has_text=name))
    found.evaluate("element => { element.open = true; }")
    return found


def wrong_cell(page: Page) -> Locator:
    """The number of the first wrong cell of a confusion matrix."""
    return detector(page, "labels").locator(".cell.wrong .number").first


def listed(page: Page) -> list[str]:
    return page.locator(".list tbody tr").all_inner_texts()


def order(page: Page) -> list[str]:
    return page.locator(".board tbody th a").all_inner_texts()


def test_page_makes_no_request(browser: Browser, address: str) -> None:
    page, asked = browser.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    wrong_cell(page).click()
    page.wait_for_load_state("networkidle")
    page.close()
    assert asked == [address]


def test_number_opens_its_examples(open_page: Open) -> None:
    page = open_page()
    number = wrong_cell(page)
    count = int(number.inner_text())
    number.click()
    assert page.locator("#sheet").is_visible()
    assert len(listed(page)) == count
    heading = page.locator("#sheet-heading").inner_text()
    named = re.fullmatch(r"labels: gold (\S+), predicted (\S+)", heading)
    assert named
    for row in listed(page):
        assert all(w in row for w in (*named.groups(), "wrong", "model-x", "Why.", "Sentence"))
    assert page.locator("#sheet-count").inner_text() == f"{count} listed, the surest first"


def test_long_list_tells_how_many_more_there_are(open_page: Open) -> None:
    page = open_page()
    page.locator("#gold .counts .number").first.click()
    assert len(listed(page)) == 200
    assert page.locator("#sheet-count").inner_text() == "200 listed and 50 more"


def test_list_of_gold_labels_has_no_predictions(open_page: Open) -> None:
    page = open_page()
    page.locator("#gold .counts .number").first.click()
    assert page.locator(".list th:visible").first.inner_text() == "Example"
    assert page.locator(".list thead th:visible").all_inner_texts() == [
        "Example",
        "Model",
        "Gold",
        "Text",
    ]


def test_failures_open_their_reasons(open_page: Open) -> None:
    page = open_page()
    page.locator(".board .failure .number").first.click()
    assert "no verdict: refused" in page.locator("#sheet-heading").inner_text()
    assert all("No." in row for row in listed(page))


@pytest.mark.parametrize("key", ["Enter", " "])
def test_keys_open_and_escape_returns_to_the_number(key: str, open_page: Open) -> None:
    page = open_page()
    number = wrong_cell(page)
    number.focus()
    page.keyboard.press(key)
    assert page.evaluate("document.activeElement.id") == "sheet-heading"
    assert number.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Escape")
    assert page.locator("#sheet").is_hidden()
    assert number.get_attribute("aria-expanded") == "false"
    assert number.evaluate("element => element === document.activeElement")


def test_tab_leads_from_the_list_to_its_button(open_page: Open) -> None:
    page = open_page()
    wrong_cell(page).click()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "close"
    page.keyboard.press("Enter")
    assert page.locator("#sheet").is_hidden()


def test_another_number_replaces_the_list_and_the_same_closes_it(open_page: Open) -> None:
    page = open_page()
    numbers = detector(page, "labels").locator(".matrix .number")
    numbers.nth(0).click()
    first = page.locator("#sheet-heading").inner_text()
    numbers.nth(1).click()
    assert page.locator("#sheet-heading").inner_text() != first
    assert page.locator('[aria-expanded="true"]').count() == 1
    numbers.nth(1).click()
    assert page.locator("#sheet").is_hidden()


def test_list_does_not_hide_the_number_it_belongs_to(open_page: Open) -> None:
    page = open_page()
    for number in detector(page, "labels").locator(".matrix .sum .number").all():
        number.click()
        assert number.evaluate(
            "element => { const { left, top } = element.getBoundingClientRect();"
            " return document.elementFromPoint(left + 3, top + 3) === element; }"
        )


def test_arrow_keys_move_through_a_matrix(open_page: Open) -> None:
    page = open_page()
    row = detector(page, "labels").locator(".matrix tbody tr").first
    row.locator(".number").first.focus()
    page.keyboard.press("ArrowRight")
    assert row.locator(".number").nth(1).evaluate("element => element === document.activeElement")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert row.locator(".number").first.evaluate("element => element === document.activeElement")


def test_table_is_sorted_by_click_and_by_key(open_page: Open) -> None:
    page = open_page(is_changed=True)
    assert page.locator("[aria-sort=descending]").inner_text().startswith("balanced accuracy")
    before = order(page)
    page.locator(".sort", has_text="balanced accuracy").click()
    assert order(page) == before[::-1]
    assert page.locator("[aria-sort=ascending]").count() == 1
    page.locator(".sort", has_text="Detector").focus()
    page.keyboard.press("Enter")
    assert order(page) == ["labels", "scores"]
    page.keyboard.press("Enter")
    assert order(page) == ["scores", "labels"]


def test_first_click_brings_the_best_to_the_top(open_page: Open) -> None:
    page = open_page(is_changed=True)
    for name, is_higher in (("precision", True), ("ranking loss", False)):
        page.locator(".sort", has_text=name).click()
        column = page.locator("[aria-sort]:not([aria-sort=none])").evaluate("th => th.cellIndex")
        cells = page.locator(f".board tbody tr > :nth-child({column + 1})").all()
        values = [float(cell.get_attribute("data-value") or "nan") for cell in cells]
        assert values == sorted(values, reverse=is_higher)


def test_link_of_a_detector_unfolds_it_again_and_again(open_page: Open) -> None:
    page = open_page(is_changed=True)
    last = page.locator(".detector").last
    assert last.get_attribute("open") is None
    for _ in range(2):
        page.locator(".board tbody a").last.click()
        assert last.locator(".matrix").is_visible()
        last.evaluate("element => { element.open = false; }")


def test_address_unfolds_its_detector(open_page: Open) -> None:
    assert open_page(hash="#d1", is_changed=True).locator("#d1 .matrix").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_readable(scheme: str, open_page: Open) -> None:
    page = open_page(scheme=scheme)
    detector(page, "scores")
    wrong_cell(page).click()
    for kind in (".number", ".share-of", ".moves b", ".chip", ".quiet", ".small", ".sort", ".flag"):
        found = page.locator(f"{kind}:visible")
        pairs = found.evaluate_all(f"all => all.map({COLOURS})")
        assert pairs
        assert min(contrast(text, ground) for text, ground in pairs) >= 4.5


def test_dark_scheme_is_dark(open_page: Open) -> None:
    grounds = [open_page(scheme=s).locator("h1").evaluate(COLOURS)[1] for s in ("light", "dark")]
    assert contrast(*grounds) > 10


@pytest.mark.parametrize("width", [320, 400, 800, 1440])
def test_page_is_never_wider_than_the_window(width: int, open_page: Open) -> None:
    page = open_page(width=width)
    page.locator("details").evaluate_all("all => all.forEach((each) => { each.open = true; })")
    wrong_cell(page).click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_narrow_list_leaves_out_the_model(open_page: Open) -> None:
    for width, is_shown in ((1440, True), (400, False)):
        page = open_page(width=width)
        wrong_cell(page).click()
        assert page.locator(".list tbody [data-field=model]").first.is_visible() is is_shown
        assert page.locator(".list tbody [data-field=text]").first.is_visible()


def test_plots_have_names_and_tables(open_page: Open) -> None:
    part = detector(open_page(), "scores")
    assert part.get_by_role("img", name="Risk and coverage of scores").is_visible()
    assert part.get_by_role("img", name="Reliability of scores").is_visible()
    part.locator("figure summary").first.click()
    assert part.locator(".numbers tbody tr:visible").count() >= 5


def test_page_without_scripts_shows_all_figures(open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator(".board").is_visible()
    assert page.locator(".detector .matrix").first.is_visible()
    assert page.locator("noscript p").is_visible()
    assert page.locator("#sheet").is_hidden()
