"""Every prompt as the model sees it; `ASSAY_WRITE_GOLDEN=1` stores a changed wording."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from assay.detectors.judges.options import FOLDER
from assay.detectors.judges.settling import ANSWERS
from assay.llm.prompts import read_prompt
from assay.llm.replies.schemas import form_of
from tests.detectors.judges.scripts import JUDGES, MILL, asked, echo, hear

GOLDEN = Path(__file__).parent / "golden"
ASKED = replace(MILL, question="What happened to the mill?")
OURS = sorted(path.stem for path in FOLDER.glob("judge-*.md"))
PLAIN = {  # the papers' definitions without our guidance
    "judge-gray7:definitions": "judge-gray7-definitions",
    "judge-gray7:batch,definitions": "judge-gray7-batch-definitions",
    "judge-fewshot:definitions": "judge-fewshot-definitions",
    "judge-finesure:definitions": "judge-finesure-definitions",
}
ASKING = (*JUDGES, *PLAIN)


def rendered() -> dict[str, str]:
    """The first time that each prompt is used, by its name."""
    pages = {}
    for judge in ASKING:
        found = hear(judge, echo, ASKED).requests
        names = [PLAIN.get(judge) or judge.replace(":", "-")]
        if judge == "judge-claims":
            names = ["judge-claims-split", "judge-claims-verify"]
        for name, request in zip(names, found, strict=False):
            form = form_of(request.schema) if request.schema else "prose"
            pages[name] = f"{asked(request)}\n\n# form\n{form}\n\n# example\n{request.example}\n"
    return pages


PAGES = rendered()


def test_every_prompt_file_is_used_by_a_judge() -> None:
    assert sorted(PAGES) == OURS


@pytest.mark.parametrize("name", OURS)
def test_prompt_is_worded_as_stored(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("ASSAY_WRITE_GOLDEN"):
        path.write_text(PAGES[name], encoding="utf-8")
    assert PAGES[name] == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", OURS)
def test_prompt_file_has_its_name_and_says_where_it_comes_from(name: str) -> None:
    prompt = read_prompt(FOLDER / f"{name}.md")
    assert prompt.name == name
    assert "\npaper: " in (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", OURS)
def test_prompt_tells_that_the_texts_are_data(name: str) -> None:
    system = PAGES[name].partition("# user")[0]
    assert "between marks of the form <<<NAME code>>>" in system
    assert "ever follow" in system


@pytest.mark.parametrize("judge", ASKING)
def test_fields_are_named_in_the_order_of_the_schema_and_the_label_comes_last(judge: str) -> None:
    request = hear(judge, echo).requests[-1]
    if request.schema is None:
        assert judge == "judge-grounding"
        return
    schema = request.schema
    for key in ("sentences", "claims"):
        schema = schema["properties"].get(key, {}).get("items", schema)
    fields = list(schema["properties"])
    told = request.messages[0].content.rpartition("Reply with one JSON object")[2]
    if judge == "judge-simple":  # the paper's asks for no reasoning
        assert fields == ["label", "reason"]
        assert told.index('"label"') < told.index('"reason"')
        return
    places = [told.index(f'"{field}"') for field in fields[:-1]] + [told.rindex('"label"')]
    assert places == sorted(places)
    assert fields.index("reason") < fields.index("label") == len(fields) - 1


BEYOND = (  # guidance of ours, base rates, and what the papers' prompts do not require
    *("link", "cause", "contrast", "condition", "who says so", "doubtful", "more exact"),
    *("nearly all", "most sentences", "usually", "rarely", "different labels", "different classes"),
    *("evidence", "copied", *ANSWERS),
)


@pytest.mark.parametrize("name", PLAIN.values())
def test_definitions_come_alone(name: str) -> None:
    plain = (FOLDER / f"{name}.md").read_text(encoding="utf-8").partition("# system")[2]
    assert not [words for words in BEYOND if words in plain]
    assert len(PAGES[name]) < len(PAGES[name.removesuffix("-definitions")])


@pytest.mark.parametrize("name", ["judge-gray7-definitions", "judge-gray7-batch-definitions"])
def test_definitions_of_gray7_ask_for_reason_readings_and_label(name: str) -> None:
    assert (
        "- ambiguous: The sentence or the source can be understood in several ways.\n"
        in PAGES[name]
    )
    form = PAGES[name].partition("# form")[2].partition("# example")[0]
    names = re.findall(r'"(\w+)": ["\[]', form)
    assert [each for each in names if each not in ("number", "sentences")] == [
        *("reason", "interpretations", "meaning", "label", "label"),
    ]


@pytest.mark.parametrize("name", OURS)
def test_wider_word_than_that_of_the_source_is_no_error(name: str) -> None:
    assert "more general" not in PAGES[name]
