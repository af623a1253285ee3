"""Options, declared once: beside a field stands what a user is told about it.

A field of a request is an option if its type is `Annotated` with an `Option`. A field whose type is
another dataclass is a group, and its options are those of the request too. The command line makes
its parameters from these, and Python functions their requests, both by the names of the options.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from functools import cache
from inspect import signature
from os import PathLike
from types import UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

from assay.core.errors import InputError, UnknownNameError

REQUIRED: Any = object()  # the default of a field that has none

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Option:
    """The words for a field that users may set, and the way a text becomes its value.

    `name` is what the option is called, if not as the field. Of a field with several values, one is
    given at a time, or all in one text with `commas`; `single` allows only one, and `several` makes
    `reads` take all of them. `choices` are the names that the field may have, beside none.
    """

    help: str = ""
    metavar: str = ""
    panel: str = ""
    name: str = ""
    commas: bool = False
    single: bool = False
    several: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    reads: Callable[[Any], object] | None = None
    turns_off: bool = False  # a flag whose field is true without it
    default: object = REQUIRED  # where a request has another than the group

    is_argument: ClassVar[bool] = False


class Argument(Option):
    """The same for what is given by its place rather than its name, such as the data."""

    is_argument = True


class Takes:
    """Beside a group: which of its options a request goes without, and those it words anew."""

    def __init__(self, without: str = "", **other: Option) -> None:
        self.without = frozenset(without.split())
        self.other = other


@dataclass(frozen=True, slots=True)
class Declared:
    """An option of a request: its name, its field with the groups around it, type and default.

    `words` is the name as users type it. One that `is_several` has any number of values.
    """

    name: str
    words: str
    fields: tuple[str, ...]
    type: Any
    default: Any
    option: Option
    is_several: bool


@dataclass(frozen=True, slots=True)
class _Member:
    """A field of a dataclass, or a parameter of a function."""

    name: str
    type: Any
    default: Any
    option: Option | None
    takes: tuple[Takes, ...]
    is_group: bool


def declared(owner: Any, takes: tuple[Takes, ...] = ()) -> tuple[Declared, ...]:
    """The options of a request, or of a function, with those of its groups."""
    found: list[Declared] = []
    for each in _members(owner):
        if each.is_group:
            for one in declared(each.type, (*takes, *each.takes)):
                found.append(replace(one, fields=(each.name, *one.fields)))
        elif (option := _worded(each, takes)) is not None:
            name, kind = option.name, each.type
            default = each.default if option.default is REQUIRED else option.default
            several = option.several or (get_origin(kind) is tuple and not option.single)
            words = name.replace("_", "-")
            found.append(Declared(name, words, (each.name,), kind, default, option, several))
    return tuple(found)


def build(
    owner: Callable[..., T],
    values: Mapping[str, Any],
    known: Mapping[str, Any] | None = None,
    takes: tuple[Takes, ...] = (),
) -> T:
    """A request from the values of its options, by their names; what is not there is left out.

    A value may be a whole group, by the name of its field. `known` are values of fields that are no
    options.
    """
    given = {}
    for each in _members(owner):
        if each.is_group:
            whole = values.get(each.name)
            inner = (*takes, *each.takes)
            is_whole = isinstance(whole, each.type)
            given[each.name] = whole if is_whole else build(each.type, values, known, inner)
        elif (option := _worded(each, takes)) is None:
            if known and each.name in known:
                given[each.name] = known[each.name]
        elif values.get(option.name) is not None:
            given[each.name] = _value(values[option.name], each, option)
    return owner(**given)


def require_choices(request: Any) -> None:
    """Raises for the first field of a request whose value is none of its choices."""
    kind: Any = type(request)
    for each in _members(kind):
        value = getattr(request, each.name)
        for one in value if isinstance(value, tuple) else (value,):
            if each.option and each.option.choices and one and one not in each.option.choices:
                raise UnknownNameError(each.name, one, each.option.choices, field=each.name)


def split(text: str) -> tuple[str, ...]:
    """The names in a text that separates them by commas."""
    return tuple(filter(None, map(str.strip, text.split(","))))


def _value(value: Any, member: _Member, option: Option) -> Any:
    if option.turns_off:
        return not value
    if option.reads and isinstance(value, (str, PathLike, tuple)) and value != member.default:
        try:
            return option.reads(value)
        except InputError as error:
            if error.field:
                raise
            raise InputError(error.message, field=option.name, code=error.code) from None
    if get_origin(member.type) is not tuple:
        return value
    if isinstance(value, str):
        return split(value) if option.commas else (value,) if value else ()
    return tuple(value)


def _worded(member: _Member, takes: tuple[Takes, ...]) -> Option | None:
    """The option of a field in the words of the request, if it has one there."""
    if member.option is None:
        return None
    name = member.option.name or member.name
    if any(name in each.without for each in takes):
        return None
    option = next((each.other[name] for each in takes if name in each.other), member.option)
    return replace(option, name=name)


@cache
def _members(owner: Any) -> tuple[_Member, ...]:
    if is_dataclass(owner):
        return tuple(_member(each.name, each.type, _default(each)) for each in fields(owner))
    parameters = signature(owner).parameters.items()
    return tuple(
        _member(name, each.annotation, REQUIRED if each.default is each.empty else each.default)
        for name, each in parameters
    )


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory
    return REQUIRED if field.default is MISSING else field.default


def _member(name: str, annotation: Any, default: Any) -> _Member:
    more: list[Any] = []
    if get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
    if get_origin(annotation) in (UnionType, Union):
        annotation = next(each for each in get_args(annotation) if each is not type(None))
    option = next((each for each in more if isinstance(each, Option)), None)
    takes = tuple(each for each in more if isinstance(each, Takes))
    is_group = option is None and is_dataclass(annotation) and bool(declared(annotation))
    return _Member(name, annotation, default, option, takes, is_group)
