"""The data of a run, looked at before anything is spent."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import TypeVar

import pytest

from assay.core import Example, InputError, Response, Source, Span, Unit, Verdict
from assay.core.texts import Passage
from assay.datasets import Columns
from assay.evaluate.runs.data import MOST_PROBLEMS, DataChoice, Survey, content, survey

T = TypeVar("T")
Rows = Iterable[dict[str, object]]


@pytest.fixture
def data(tmp_path: Path) -> Callable[..., DataChoice]:
    """Writes rows to a file and names it."""

    def write(rows: Rows, *, name: str = "data.jsonl", more: str = "") -> DataChoice:
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows) + more, encoding="utf-8")
        return DataChoice(str(path))

    return write


def row(number: int, **more: object) -> dict[str, object]:
    return {"id": f"ex{number}", "source": f"Cat {number} sat.", "response": "It sat.", **more}


def test_survey_counts_and_gives_the_same_digest_for_the_same_content(
    data: Callable[..., DataChoice],
) -> None:
    first = survey(data([row(1), row(2)]))
    again = survey(data([{**row(1), "unread": 5}, row(2)], name="other.jsonl"))
    assert first == again
    assert first.examples == 2


@pytest.mark.parametrize(
    "changed",
    [{"response": "It ran."}, {"id": "ex9"}, {"source": "Dog."}, {"question": "Who?"}],
    ids=lambda each: next(iter(each)),
)
def test_digest_changes_with_all_that_a_detector_sees(
    changed: dict[str, object], data: Callable[..., DataChoice]
) -> None:
    assert survey(data([row(1)])).digest != survey(data([{**row(1), **changed}])).digest


def changed_ones(example: Example) -> Iterator[tuple[str, Example]]:
    """The example with one field changed at a time, below too, and which that is."""
    source, response = example.source, example.response
    (passage,) = source.passages
    for each in fields(Passage):
        name = f"passage {each.name}"
        changed = replace(source, passages=(other(passage, each.name),))
        yield name, replace(example, source=changed)
    for each in fields(Source):
        yield f"source {each.name}", replace(example, source=other(source, each.name))
    for each in fields(Response):
        yield f"response {each.name}", replace(example, response=other(response, each.name))
    for each in fields(Example):
        if each.name not in ("source", "response"):
            yield each.name, other(example, each.name)


def other(value: T, name: str) -> T:
    """The value with something else in one field; a kind of field that is new here raises."""
    new: object
    match getattr(value, name):
        case str(text):
            new = f"{text}x"
        case int(number):
            new = number + 1
        case tuple():
            new = ()
        case unknown:
            raise NotImplementedError(f"{name}: {unknown!r}")
    return replace(value, **{name: new})  # type: ignore[type-var]


def test_digest_has_every_field_but_what_others_said_of_the_example() -> None:
    text = "It sat."
    unit = Unit.at("sentence", Span.cut(text, 0, len(text), "response"))
    verdict = Verdict(unit, score=1.0)
    source = Source("A cat sat.", (Passage("one", 0, 10),), "s")
    example = Example(
        "a", source, Response(text), units=(unit,), gold=(verdict,), recorded=(verdict,)
    )
    whole = content(example)
    left_out = {name for name, changed in changed_ones(example) if content(changed) == whole}
    assert left_out == {"gold", "recorded"}


def test_order_is_part_of_the_content(data: Callable[..., DataChoice]) -> None:
    assert survey(data([row(1), row(2)])).digest != survey(data([row(2), row(1)])).digest


def test_rows_that_cannot_be_used_are_told_together(data: Callable[..., DataChoice]) -> None:
    rows = [row(1), {"id": "a", "source": "x"}, row(1), row(2)]
    with pytest.raises(InputError) as caught:
        survey(data(rows, more="{broken\n"))
    lines = str(caught.value).splitlines()
    assert lines[0] == "mend these rows or take them out, then run again:"
    assert "data.jsonl line 2: no response" in lines[1]
    assert lines[2] == "  the id 'ex1' appears twice; an outcome is kept by its id"
    assert "line 5: not valid JSON" in lines[3]
    assert len(lines) == 4


def test_of_many_bad_rows_only_the_first_are_read(data: Callable[..., DataChoice]) -> None:
    with pytest.raises(InputError) as caught:
        survey(data([{"id": "x"}] * 50))
    assert len(str(caught.value).splitlines()) == 1 + MOST_PROBLEMS
    assert "(and perhaps more)" in str(caught.value)


def test_data_without_examples_raises(data: Callable[..., DataChoice]) -> None:
    with pytest.raises(InputError, match="has no examples"):
        survey(data([]))
    split = DataChoice(data([row(1)]).target, split="test")
    with pytest.raises(InputError, match="has no split 'test'; its splits: none"):
        survey(split)


def test_data_that_can_be_read_only_once_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="save standard input to a file"):
        survey(DataChoice("-"))
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match=r"pipe\.jsonl is not a file"):
        survey(DataChoice(str(pipe)))


def test_fields_and_language_are_the_users(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("article,text\nEs ist so.,So ist es.\n", encoding="utf-8")
    columns = Columns(source="article", response="text")
    (example,) = DataChoice(str(path), columns=columns, language="de").read()
    assert isinstance(example, Example)
    assert (example.source.text, example.language) == ("Es ist so.", "de")


def test_sample_is_the_same_for_the_same_seed_and_of_the_right_size() -> None:
    seen = Survey(1_000, "digest")
    chosen = seen.choose(10, seed=7)
    assert chosen is not None
    assert len(chosen) == 10
    assert chosen == seen.choose(10, seed=7) != seen.choose(10, seed=8)
    assert max(chosen) < 1_000
    assert seen.choose(None, seed=7) is seen.choose(1_000, seed=7) is None
