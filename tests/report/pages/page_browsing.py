"""What tests see and do on the page of a check in a browser."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.verdicts import Outcome, Verdict

Write = Callable[..., Path]


Open = Callable[..., Page]


# The colour of a text, and every colour that lies directly behind it.
COLOURS = """element => {
  const style = (node) => getComputedStyle(node);
  let ground = element;
  while (style(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
  const grounds = style(ground).backgroundColor + style(ground).backgroundImage;
  return [style(element).color, ...grounds.match(/rgba?\\([^)]*\\)/g)];
}"""


def lit(page: Page) -> list[str]:
    return page.locator(".segment.lit").all_text_contents()


def chosen(page: Page) -> str:
    """The response that is shown, with the number of the unit chosen."""
    unit = page.locator(".unit[aria-pressed='true']")
    number = unit.first.get_attribute("data-unit") if unit.count() else "0"
    return f"{page.locator('#shown-id').inner_text()}/{number}"


def expect_chosen(page: Page, place: str) -> None:
    """Waits for a response and a unit of it, as `chosen` names them."""
    id, _, number = place.rpartition("/")
    expect(page.locator("#shown-id")).to_have_text(id)
    pressed = page.locator(".unit[aria-pressed='true']").first
    expect(pressed).to_have_attribute("data-unit", number)


def rows(page: Page) -> list[str]:
    """The ids in the index, as far as they are drawn."""
    return page.locator(".row .id").all_inner_texts()


def named(result: Result, id: str, **changes: Any) -> Result:
    """The same result under another id."""
    return Result(replace(result.example, id=id, **changes), result.judgement)


def scored(result: Result, id: str, score: float | None, model: str = "") -> Result:
    """A response with one sentence that has a verdict, by some model."""
    outcome = Verdict("s2", GRAY7["explicitly-supported"], score)
    response = replace(result.example.response, model=model)
    return only(named(result, id, response=response), outcome)


def quotes(result: Result, number: int) -> str:
    """The evidence of a sentence, joined in the order of the source."""
    return "".join(span.text for span in sorted(result.sentences[number - 1].evidence))


def only(result: Result, *outcomes: Outcome) -> Result:
    """The same result with these outcomes and no others."""
    return Result(result.example, replace(result.judgement, outcomes=outcomes))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def luminance(colour: str) -> float:
    channels = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """WCAG 2: (L1 + 0.05) / (L2 + 0.05) with the lighter one first."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)
