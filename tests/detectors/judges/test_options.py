"""What stands after the colon of a judge's name."""

import pytest

from assay.core.errors import InputError, UnknownNameError
from assay.detectors.judges.options import Chosen, read_options


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
