"""What stands after the colon of a judge's name; prompts: ours, and those that users bring."""

from pathlib import Path

import pytest

from assay.core.errors import InputError, UnknownNameError
from assay.core.taxonomies import GRAY7
from assay.detectors.judges.options import Chosen, load_prompt, read_options
from assay.llm.client import Scripted
from tests.detectors.judges.scripts import (
    JUDGES,
    RESPONSE,
    SOURCE,
    asked,
    echo,
    hear,
    load,
    opinion,
)


def read(argument: str) -> Chosen:
    settings = {"prompt": "FILE", "peers": "N"}
    return read_options("judge-x", argument, switches=["batch"], settings=settings)


def test_nothing_is_chosen_without_an_argument() -> None:
    chosen = read("")
    assert ("batch" in chosen, chosen["prompt"], chosen.count("peers", 9)) == (False, "", 9)


def test_switches_and_settings_in_any_order() -> None:
    chosen = read("prompt=my prompts/a=b.md, batch,peers=5")
    assert "batch" in chosen
    assert chosen["prompt"] == "my prompts/a=b.md"
    assert chosen.count("peers", 9) == 5


@pytest.mark.parametrize("argument", ["btach", "batch=1", "promt=x.md", "prompt"])
def test_unknown_option_names_the_choices(argument: str) -> None:
    choices = r"Choices: batch, peers=N, prompt=FILE\.$"
    with pytest.raises(
        UnknownNameError, match=f"unknown option of judge-x '{argument}'.*{choices}"
    ):
        read(argument)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("prompt=", "'prompt=' needs a value; write prompt=FILE"),
        ("batch,batch", "the option 'batch' is given twice"),
        ("peers=2,peers=3", "the option 'peers' is given twice"),
    ],
)
def test_options_that_make_no_sense_are_one_clear_line(argument: str, message: str) -> None:
    with pytest.raises(InputError, match=f"judge-x: {message}"):
        read(argument)


@pytest.mark.parametrize("value", ["many", "-1", "2.5", "٣"])
def test_count_is_a_whole_number(value: str) -> None:
    with pytest.raises(InputError, match="judge-x: peers is a whole number"):
        read(f"peers={value}").count("peers", 1)


OWN = """---
name: my-prompt
version: 3
inputs: {inputs}
---
# user
Grade this: {text} Pay $$5.
"""


def own_prompt(folder: Path, *inputs: str) -> Path:
    path = folder / "my prompt.md"
    text = " ".join(f"${name}" for name in inputs)
    path.write_text(OWN.format(inputs=", ".join(inputs), text=text), encoding="utf-8")
    return path


def test_prompt_of_the_user_takes_the_place_of_ours(tmp_path: Path) -> None:
    path = own_prompt(tmp_path, "source", "response", "sentence", "labels", "question")
    request = hear(f"judge-gray7:prompt={path}", lambda _: opinion("no-fact")).requests[0]
    assert asked(request).startswith("# user\nGrade this: <<<SOURCE")
    assert SOURCE in asked(request)
    assert RESPONSE in asked(request)
    assert GRAY7["fabricated"].meaning in asked(request)
    judge = load(f"judge-gray7:prompt={path}", Scripted(()))
    assert list(judge.prompt_digests) == ["my-prompt"]
    assert judge.author.name == "judge-gray7 [my-prompt] scripted"


def test_prompt_of_the_user_that_has_the_name_of_ours_is_told_by_its_file(tmp_path: Path) -> None:
    path = own_prompt(tmp_path, "source", "sentence")
    text = path.read_text(encoding="utf-8").replace("name: my-prompt", "name: judge-gray7")
    path.write_text(text, encoding="utf-8")
    judge = load(f"judge-gray7:prompt={path}", Scripted(()))
    assert judge.author.name == "judge-gray7 [my prompt] scripted"


def test_prompts_of_the_user_for_several_questions_are_all_named(tmp_path: Path) -> None:
    path = own_prompt(tmp_path, "sentences")
    judge = load(f"judge-claims:split={path}", Scripted(()))
    assert judge.author.name == "judge-claims [my-prompt] scripted"


def test_prompt_of_the_user_may_leave_out_what_it_does_not_need(tmp_path: Path) -> None:
    path = own_prompt(tmp_path, "source", "sentences")
    heard = hear(f"judge-gray7:batch,prompt={path}", echo)
    assert heard.labels == ["explicitly-supported"] * 3
    assert GRAY7["fabricated"].meaning not in asked(heard.requests[0])


def test_other_wording_has_another_digest(tmp_path: Path) -> None:
    needs = ("source", "sentence")
    ours = load_prompt("judge-gray7", needs=needs, labels=GRAY7)
    theirs = load_prompt("judge-gray7", str(own_prompt(tmp_path, *needs)), needs=needs)
    assert ours.digest != theirs.digest


def test_unknown_gap_is_one_line_before_anything_is_asked(tmp_path: Path) -> None:
    path = own_prompt(tmp_path, "source", "sentence", "document")
    with pytest.raises(InputError, match=r"\$document is unknown; .* \$labels, \$question"):
        load(f"judge-gray7:prompt={path}", Scripted(()))


@pytest.mark.parametrize(
    ("judge", "inputs", "told"),
    [
        ("judge-gray7:", ("source", "sentences"), r"\$sentences is for judge-gray7:batch$"),
        ("judge-gray7:", ("source", "sentence", "count"), r"\$count is for judge-gray7:batch$"),
        ("judge-gray7:batch,", ("source", "sentence"), r"\$sentence is for judge-gray7$"),
    ],
)
def test_prompt_for_the_other_way_of_asking_says_so(
    tmp_path: Path, judge: str, inputs: tuple[str, ...], told: str
) -> None:
    path = own_prompt(tmp_path, *inputs)
    with pytest.raises(InputError, match=f"my prompt.md: a prompt with {told}"):
        load(f"{judge}prompt={path}", Scripted(()))


@pytest.mark.parametrize("judge", JUDGES)
def test_prompt_without_the_source_or_the_unit_is_refused(judge: str, tmp_path: Path) -> None:
    path = own_prompt(tmp_path, "question")
    joint = "," if ":" in judge else ":"
    with pytest.raises(InputError, match=r"\$source is missing; the judge fills in"):
        load(f"{judge}{joint}prompt={path}", Scripted(()))


def test_both_calls_of_claims_have_their_own_prompt(tmp_path: Path) -> None:
    path = own_prompt(tmp_path, "sentences")
    heard = hear(f"judge-claims:split={path}", echo)
    assert asked(heard.requests[0]).startswith("# user\nGrade this:")
    assert asked(heard.requests[1]).startswith("# system\nYou check claims")


def test_file_that_is_no_prompt_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Judge this!", encoding="utf-8")
    with pytest.raises(InputError, match="is not a prompt"):
        load(f"judge-simple:prompt={tmp_path / 'a.md'}", Scripted(()))
    with pytest.raises(InputError, match="cannot read the prompt"):
        load(f"judge-simple:prompt={tmp_path / 'b.md'}", Scripted(()))


@pytest.mark.parametrize(
    ("judge", "prompt"),
    [
        ("judge-gray7:definitions", "judge-gray7-definitions"),
        ("judge-gray7:batch,definitions", "judge-gray7-batch-definitions"),
        ("judge-fewshot:definitions", "judge-fewshot-definitions"),
        ("judge-finesure:definitions", "judge-finesure-definitions"),
    ],
)
def test_definitions_alone_are_a_prompt_of_their_own(judge: str, prompt: str) -> None:
    detector = load(judge, Scripted(()))
    assert list(detector.prompt_digests) == [prompt]
    assert detector.author.name == f"{judge} scripted"
    assert not [label for label in hear(judge, echo).labels if "failed" in label]


def test_definitions_and_a_prompt_of_ones_own_are_one_too_many(tmp_path: Path) -> None:
    path = own_prompt(tmp_path, "source", "sentence")
    with pytest.raises(InputError, match="judge-gray7: 'definitions' is a prompt of ours"):
        load(f"judge-gray7:definitions,prompt={path}", Scripted(()))
