"""Every prompt as the model sees it; `ASSAY_WRITE_GOLDEN=1` stores a changed wording."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.taxonomies import FINAL4
from assay.detectors.localize.making import FOLDER
from assay.llm.prompts import read_prompt
from assay.llm.schemas import form_of
from assay.llm.scripted import Scripted
from tests.detectors.judges.scripts import asked, echo, load
from tests.detectors.localize.scripts import AGE, BOAT, DAY, NAMES, checked, facts, hear, merged
from tests.judging import judge_one

GOLDEN = Path(__file__).parent / "golden"
ASKED = replace(BOAT, question="Who went ashore first?")
OURS = sorted(path.stem for path in FOLDER.glob("*.md"))
# Those that ask for a list of inconsistencies.
LISTING = [each for each in OURS if not each.endswith(("-facts", "-merge", "-self"))]
STEPS = [facts((1, BOAT.response.text), (2, "Dahl went ashore first.")), checked([AGE], [DAY])]


def rendered() -> dict[str, str]:
    """Each prompt when it is used, by its name; the hinted form has a name of its own."""
    pages = {}
    for judge in NAMES:
        style, _, variant = judge.partition(":")
        if style == "localize-pipeline":
            grouped = f"{style}:group=10" if not variant else f"{judge},group=10"
            requests = hear(grouped, [*STEPS, merged()], ASKED).requests
            names = ["facts", f"check-{variant or 'a'}", "merge"]
        else:
            requests, names = hear(judge, echo, ASKED).requests, [variant or "a"]
        for name, request in zip(names, requests, strict=True):
            form = form_of(request.schema) if request.schema else "prose"
            page = f"{asked(request)}\n\n# form\n{form}\n\n# example\n{request.example}\n"
            pages[f"{style}-{name}"] = page
    first = load("localize-zero:two-step=self", client := Scripted(echo))
    judge_one(first, ASKED)
    request = client.requests[0]
    pages["localize-self"] = f"{asked(request)}\n\n# form\nprose\n\n# example\n{request.example}\n"
    return pages


PAGES = rendered()


def test_every_prompt_file_is_used_by_a_localizer() -> None:
    hinted = {"localize-cot-hint-a", "localize-cot-hint-b"}
    assert sorted(PAGES.keys() - hinted) == OURS


@pytest.mark.parametrize("name", PAGES)
def test_prompt_is_worded_as_stored(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("ASSAY_WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(PAGES[name], encoding="utf-8")
    assert PAGES[name] == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", OURS)
def test_prompt_file_has_its_name_and_says_where_it_comes_from(name: str) -> None:
    prompt = read_prompt(FOLDER / f"{name}.md")
    assert prompt.name == name
    assert "\npaper: " in (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_prompt_tells_that_the_texts_are_data(name: str) -> None:
    system = PAGES[name].partition("# user")[0]
    assert "between marks of the form <<<NAME code>>>" in system
    assert "ever follow" in system


@pytest.mark.parametrize("name", [name for name in PAGES if name in LISTING])
def test_prompt_that_asks_for_inconsistencies_rules_out_what_is_left_out(name: str) -> None:
    system = " ".join(PAGES[name].partition("# user")[0].split())
    assert any(word in system for word in ("leaves out", "omits", "leaving out"))
    assert all(label.meaning in system for label in FINAL4)


@pytest.mark.parametrize("name", LISTING)
def test_fields_are_named_in_the_order_of_the_schema(name: str) -> None:
    told = PAGES[name].partition("# user")[0]
    for start in ("Reply with one JSON object", "Output: one JSON object", "Final Output:"):
        told = told.rpartition(start)[2]
    fields = ["quotes", "evidence", "description", "category"]
    places = [told.index(f'"{field}"') for field in fields]
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["localize-few-a", "localize-few-b"])
def test_worked_examples_are_answers_whose_quotes_are_in_their_texts(name: str) -> None:
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    lines = [line.partition(": ") for line in text.splitlines()]
    sources = [rest for head, _, rest in lines if head == "Source"]
    responses = [rest for head, _, rest in lines if head == "Response"]
    replies = [json.loads(rest) for head, _, rest in lines if head == "Reply"]
    assert len(sources) == len(responses) == len(replies) == 3
    seen = set()
    for source, response, reply in zip(sources, responses, replies, strict=True):
        for entry in reply["inconsistencies"]:
            assert all(quote in response for quote in entry["quotes"])
            assert all(quote in source for quote in entry["evidence"])
            seen.add(entry["category"])
    assert seen == set(FINAL4.names)
    assert replies[-1] == {"inconsistencies": []}
