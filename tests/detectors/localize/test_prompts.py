"""Every prompt as the model sees it; `ASSAY_WRITE_GOLDEN=1` stores a changed wording."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.taxonomies import FINAL4
from assay.detectors.localize.making import FOLDER
from assay.llm.client import Request, Scripted
from assay.llm.prompts import read_prompt
from assay.llm.replies.forms import read_letters
from assay.llm.replies.lettered import LetteredEntry
from assay.llm.replies.schemas import form_of
from tests.detectors.judges.scripts import asked, echo, load
from tests.detectors.localize.scripts import (
    AGE,
    BOAT,
    DAY,
    NAMES,
    PLAIN_NAMES,
    checked,
    facts,
    hear,
    merged,
)
from tests.judging import judge_one

GOLDEN = Path(__file__).parent / "golden"
ASKED = replace(BOAT, question="Who went ashore first?")
OURS = sorted(path.stem for path in FOLDER.glob("*.md"))
# Those that ask for a list of inconsistencies with all that we want of them.
LISTING = [
    each for each in OURS if not each.endswith(("-facts", "-merge", "-self", "-definitions"))
]
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
    for judge in PLAIN_NAMES:
        style, variant = judge.partition(":")[0], "b" if ":b" in judge else "a"
        requests, names = hear(judge, echo, ASKED).requests, [variant]
        if style == "localize-pipeline":
            names = ["facts", "facts", "check-a", "check-a", "merge"]
        for name, request in zip(names, requests, strict=True):
            pages[f"{style}-{name}-definitions"] = prose(request)
    for name, more in (("localize-self", ""), ("localize-self-definitions", ",definitions")):
        first = load(f"localize-zero:two-step=self{more}", client := Scripted(echo))
        judge_one(first, ASKED)
        pages[name] = prose(client.requests[0])
    return pages


def prose(request: Request) -> str:
    """A prompt whose reply is no JSON, with an example of it."""
    return f"{asked(request)}\n\n# form\nprose\n\n# example\n{request.example}\n"


PAGES = rendered()


def test_every_prompt_file_is_used_by_a_localizer() -> None:
    hinted = {name for name in PAGES if "-hint-" in name}
    assert len(hinted) == 4
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


FOUND = re.compile(  # what the paper found models to miss, and our categories
    r"know|true|leaves? out|never report|missing from the response|categor|intrinsic|extrinsic|"
    r"other words|conclu|link|certain|sure\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("name", [name for name in PAGES if name.endswith("-definitions")])
def test_plain_prompt_has_definitions_and_nothing_that_the_paper_found(name: str) -> None:
    told = re.sub(r"^Source: .*", "", PAGES[name].partition("# user")[0], flags=re.MULTILINE)
    if name != "localize-pipeline-merge-definitions":  # which leaves out duplicates
        assert FOUND.findall(told) == []
    # Its zero-shot and few-shot prompts name omissions as mistakes of another kind.
    names_omissions = "omission" in told or "omits" in told
    assert names_omissions == name.startswith(("localize-zero", "localize-few"))


@pytest.mark.parametrize("name", LISTING)
def test_fields_are_named_in_the_order_of_the_schema(name: str) -> None:
    told = PAGES[name].partition("# user")[0]
    for start in ("Reply with one JSON object", "Output: one JSON object", "Final Output:"):
        told = told.rpartition(start)[2]
    fields = ["quotes", "evidence", "description", "category"]
    places = [told.index(f'"{field}"') for field in fields]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("name", "replies"),
    [("localize-few-a", "ABABN"), ("localize-few-b", "ABABN"), ("localize-recall-a", "ABAB")],
)
def test_plain_worked_examples_are_replies_in_the_form_that_is_read(
    name: str, replies: str
) -> None:
    text = (FOLDER / f"{name}-definitions.md").read_text(encoding="utf-8")
    shown = re.findall(r"Response: ([^\n]*)\nReply:\n(.*?)\n\n", text, re.DOTALL)
    form = read_prompt(FOLDER / f"{name}-definitions.md").form
    read = [(response, read_letters(reply, form)) for response, reply in shown]
    found = [each for _, entries in read for each in entries or (LetteredEntry("N", ""),)]
    assert "".join(each.letter for each in found) == replies
    assert all(each.fact in response for response, entries in read for each in entries)


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
