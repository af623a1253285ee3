"""The prompts of the tasks as models see them, and which source gets which."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.bench.collection import TASKS, assign, open_task
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response, Source

DOOR = {"name": "Blue Door", "hours": {"Mon": "9-5", "Tue": None}}
SHOWN = {
    "summarize": Example("a", Source("The ferry sank in May."), Response("")),
    "answer": Example(
        "b", Source("The bridge is blue."), Response(""), question="What colour is the bridge?"
    ),
    "overview": Example("c", read_source(DOOR), Response("")),
}


@pytest.mark.parametrize("name", TASKS)
def test_prompt_is_worded_as_stored(name: str) -> None:
    request = open_task(name).request(SHOWN[name])
    page = "\n\n".join(f"# {each.role}\n{each.content}" for each in request.messages)
    page += f"\n\n# tokens\n{request.reply_tokens}\n"
    path = Path(__file__).parent / "golden" / f"{name}.txt"
    if os.environ.get("ASSAY_WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(page, encoding="utf-8")
    assert page == path.read_text(encoding="utf-8")


def test_sources_get_the_task_that_they_name_or_that_fits_them() -> None:
    assert [each.task for each in assign(SHOWN.values())] == ["summarize", "answer", "overview"]
    named = Example("d", Source("x"), Response(""), question="Why?", task="summarize")
    assert assign([named])[0].task == "summarize"
    assert assign([named], "answer")[0].task == "answer"
    foreign = Example("e", Source("x"), Response(""), task="data2txt")
    assert assign([foreign])[0].task == "summarize"


def test_json_in_a_text_becomes_a_record_for_an_overview() -> None:
    text = Example("a", Source('{"name": "Blue Door", "stars": 4}', id="a"), Response(""))
    (found,) = assign([text], "overview")
    assert found.source.text == "name: Blue Door\nstars: 4"
    assert found.source.id == "a"


@pytest.mark.parametrize("text", ["The ferry sank.", "{}", "{not json", "[1, 2]", '"x"'])
def test_what_is_no_object_gets_no_overview(text: str) -> None:
    with pytest.raises(InputError, match="'a' is not a JSON object"):
        assign([Example("a", Source(text), Response(""))], "overview")


@given(st.text(min_size=1, max_size=200))
def test_nothing_in_a_source_ends_its_part_of_the_prompt(text: str) -> None:
    request = open_task("summarize").request(Example("a", Source(text), Response("")))
    content = request.messages[-1].content
    mark = content.partition("\n")[0]
    end = mark.replace("<<<", "<<<END ")
    assert content.count(mark) == content.count(end) == 1
    assert content.partition(mark)[2].partition(end)[0] == f"\n{text}\n"


@pytest.mark.parametrize(
    ("inputs", "body", "problem"),
    [
        ("source, response", "$source $response", "\\$response is unknown"),
        ("", "Write!", "\\$source is missing"),
    ],
)
def test_prompt_that_does_not_fit_its_task_is_refused(
    tmp_path: Path, inputs: str, body: str, problem: str
) -> None:
    path = tmp_path / "p.md"
    header = f"---\nname: p\nversion: 1\ninputs: {inputs}\n---\n"
    path.write_text(f"{header}# user\n{body}\n", encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        open_task("summarize", str(path))


def test_texts_are_plain_for_a_prompt_that_wants_that(tmp_path: Path) -> None:
    path = tmp_path / "p.md"
    header = "---\nname: p\nversion: 1\ninputs: source\ntexts: plain\n---\n"
    path.write_text(f"{header}# user\nShorten: $source\n", encoding="utf-8")
    request = open_task("summarize", str(path)).request(SHOWN["summarize"])
    assert request.messages[-1].content == "Shorten: The ferry sank in May."
