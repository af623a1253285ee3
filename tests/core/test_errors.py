"""The error tree."""

import pytest

from assay.core import errors


@pytest.mark.parametrize("name", ["UnknownNameError", "SpanError", "UndecidedError"])
def test_whatever_is_wrong_with_the_input_is_an_input_error(name: str) -> None:
    assert issubclass(getattr(errors, name), errors.InputError)


def test_every_error_is_an_assay_error() -> None:
    found = [each for each in vars(errors).values() if isinstance(each, type)]
    raised = [each for each in found if issubclass(each, Exception)]
    assert len(raised) >= 6
    assert all(issubclass(each, errors.AssayError) for each in raised)


def test_missing_extra_says_what_to_install() -> None:
    error = errors.MissingExtraError("reading Parquet", "parquet")
    assert str(error) == (
        "reading Parquet needs an optional package: pip install 'assay-faith[parquet]'"
    )


def test_menu_names_each_choice_once_in_order() -> None:
    error = errors.UnknownNameError("colour", "rad", ["red", "blue", "red"])
    assert str(error) == "unknown colour 'rad'. Did you mean 'red'? Choices: blue, red."


def test_error_carries_a_code_and_a_field_for_programs() -> None:
    plain = errors.InputError("no")
    assert (str(plain), plain.message, plain.code, plain.field) == ("no", "no", "input", "")
    told = errors.InputError("no", code="no-key", field="model")
    assert (told.code, told.field) == ("no-key", "model")
    unknown = errors.UnknownNameError("colour", "rad", ["red"], field="colour")
    assert (unknown.code, unknown.field) == ("unknown-name", "colour")
