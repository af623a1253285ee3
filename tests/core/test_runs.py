"""What is needed to repeat a run, and what changed between two."""

import json
from dataclasses import replace

import pytest

from assay.core import InputError, Run
from assay.core.runs import differences, read_run

RUN = Run(
    detector="judge-gray7:batch",
    version="1.0",
    dataset="a.jsonl",
    dataset_digest="aaaa",
    examples=10,
    model="openai/gpt-4o",
    parameters={"temperature": 0.0, "seed": None},
    prompt_digests={"judge-gray7": "1111", "repair": "2222"},
)


def test_run_is_read_back_as_it_was() -> None:
    assert read_run(json.loads(json.dumps(RUN.to_dict()))) == RUN


def test_run_of_a_later_version_is_not_read_by_halves() -> None:
    with pytest.raises(InputError, match="does not know: mood"):
        read_run({**RUN.to_dict(), "mood": "good"})
    with pytest.raises(InputError, match="damaged"):
        read_run({"detector": "overlap"})


def test_differences_name_what_changed_from_what_to_what() -> None:
    new = replace(
        RUN,
        dataset_digest="bbbb",
        sample=5,
        seed=1,
        parameters={"temperature": 0.7, "seed": None, "logprobs": True},
        prompt_digests={"judge-gray7": "3333", "repair": "2222"},
    )
    assert differences(RUN, new) == [
        "dataset digest: aaaa -> bbbb",
        "sample: none -> 5",
        "seed: none -> 1",
        "temperature: 0.0 -> 0.7",
        "logprobs: none -> True",
        "prompt judge-gray7: 1111 -> 3333",
    ]


def test_same_data_under_another_name_is_the_same_run() -> None:
    assert differences(RUN, replace(RUN, dataset="./a.jsonl")) == []


@pytest.mark.parametrize(("sample", "chosen"), [(None, 10), (3, 3), (99, 10)])
def test_chosen_is_the_sample_or_all(sample: int | None, chosen: int) -> None:
    assert replace(RUN, sample=sample).chosen == chosen
