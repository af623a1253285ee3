"""Options declared beside fields, and requests built from their values."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import pytest

from assay.core.errors import InputError, UnknownNameError
from assay.core.options import Argument, Option, Takes, build, declared, require_choices


def read_number(text: str) -> int:
    if not text.isdigit():
        raise InputError(f"'{text}' is no number")
    return int(text)


@dataclass(frozen=True)
class Place:
    target: Annotated[str, Option("The data.", "NAME", name="dataset")]
    seed: Annotated[int | None, Option("Seed of the sample.")] = None
    hidden: int = 7


@dataclass(frozen=True)
class Wish:
    data: Annotated[Place, Takes("seed", dataset=Argument("A file.", "FILE"))]
    names: Annotated[tuple[str, ...], Option("Names.", commas=True)] = ()
    seed: Annotated[int, Option("Seed of the draws.")] = 0
    number: Annotated[int | None, Option("A number.", reads=read_number)] = None
    strict: Annotated[bool, Option("Be lenient.", name="lenient", turns_off=True)] = True
    rule: Annotated[str, Option("A rule.", choices=("any", "all"))] = "any"
    watch: str = "nobody"
    made: list[int] = field(default_factory=list)


def test_options_of_a_group_are_the_request_s_too_in_its_words() -> None:
    found = {each.name: each for each in declared(Wish)}
    assert list(found) == ["dataset", "names", "seed", "number", "lenient", "rule"]
    assert found["dataset"].fields == ("data", "target")
    assert found["dataset"].option.is_argument
    assert found["dataset"].option.help == "A file."
    assert found["seed"].fields == ("seed",)  # the group's own is left out


def test_request_may_have_another_default_than_its_group() -> None:
    @dataclass(frozen=True)
    class Drawn:
        data: Annotated[Place, Takes(seed=Option("Seed of the sample.", default=9))]

    assert [each.default for each in declared(Drawn) if each.name == "seed"] == [9]


def test_request_is_built_by_the_names_of_options() -> None:
    values = {"dataset": "x", "names": "a, b,", "seed": 3, "number": "12", "lenient": True}
    assert build(Wish, values, {"watch": "me"}) == Wish(
        Place("x"), ("a", "b"), 3, 12, False, "any", "me"
    )


def test_group_may_be_given_as_a_whole_and_none_is_as_good_as_nothing() -> None:
    place = Place("x", 5)
    assert build(Wish, {"data": place, "names": ["a"], "number": None}) == Wish(place, ("a",))


def test_what_cannot_be_read_names_its_option() -> None:
    with pytest.raises(InputError, match="'x' is no number") as error:
        build(Wish, {"dataset": "x", "number": "x"})
    assert error.value.field == "number"


def test_choices_are_looked_at_where_a_name_is_given() -> None:
    require_choices(Wish(Place("x"), rule=""))
    with pytest.raises(UnknownNameError, match="unknown rule 'some'") as error:
        require_choices(Wish(Place("x"), rule="some"))
    assert error.value.field == "rule"


def test_options_of_a_function_are_those_that_it_takes() -> None:
    def ask(
        wish: Annotated[Wish, Takes("number")],
        kind: Annotated[Literal["a", "b"], Option("A kind.")] = "a",
        path: Annotated[str | Path, Option("A file.")] = "",
    ) -> tuple[Wish, str]:
        return wish, kind

    assert [each.name for each in declared(ask)][-2:] == ["kind", "path"]
    assert "number" not in {each.name for each in declared(ask)}
    assert build(ask, {"dataset": "x", "kind": "b"}) == (Wish(Place("x")), "b")
