"""Names of people: what cannot be seen or told apart is refused."""

import unicodedata

import pytest

from assay.annotation.people.accounts import create_first
from assay.annotation.people.names import checked_name, skeleton
from assay.annotation.studio import Studio
from assay.core.errors import InputError
from tests.annotating import EXAMPLES, MakePerson, MakeProject
from tests.annotation.stories import detect

PASSWORD = "correct horse"


@pytest.mark.parametrize(
    "unseen", "\u00ad\u034f\u115f\u180e\u200d\u2800\u3164\ufe0f\uffa0\U000e0101"
)
def test_name_with_a_character_that_shows_nothing_is_refused(unseen: str) -> None:
    for name in (f"ann{unseen}", f"a{unseen}nn", unseen):
        with pytest.raises(InputError, match="cannot be seen"):
            checked_name(name)


@pytest.mark.parametrize(
    "name", ["\u0430nn", "Ann \u0418", "p\u03bfl", "\u0430\u03bb", "a\uff4e\u0435"]
)
def test_name_that_mixes_scripts_which_look_alike_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="mix letters"):
        checked_name(name)


@pytest.mark.parametrize(
    "name", ["Zoë O'Neil", "Иван Петров", "Ελένη", "山田 Taro", "Łukasz 2", "אבי", "अनु"]
)
def test_name_of_one_script_is_kept(name: str) -> None:
    assert checked_name(name) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(
    ("there", "other"),
    [
        ("ace", "\u0430\u0441\u0435"),
        ("\u0410\u0441\u0435", "ACE"),
        ("kova", "\u03ba\u03bf\u03bd\u03b1"),
    ],
)
def test_name_that_looks_like_another_is_taken(studio: Studio, there: str, other: str) -> None:
    assert skeleton(there) == skeleton(other)
    create_first(studio, there, PASSWORD)
    with pytest.raises(InputError, match="is taken"):
        create_first(studio, other, PASSWORD)


def test_name_of_a_detector_is_taken(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    make_project("demo", examples=EXAMPLES)
    detect(studio, "demo", 1, "overlap", 0.5)
    with pytest.raises(InputError, match="is taken"):
        make_person("overlap")
    make_person("another")
