"""The names that people have for the fields of a row, and the user's own choice of them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from assay.core.errors import InputError
from assay.core.options import Option
from assay.core.problems import NO_ANSWER
from assay.core.taxonomies import BINARY

# The options that name the fields of a file.
COLUMNS = "source_field response_field question_field label_field label_taxonomy"
DATA = "The data"  # the options that say what is read, and how
ALIASES: dict[str, tuple[str, ...]] = {
    "source": (
        "source",
        "document",
        "doc",
        "context",
        "contexts",
        "retrieved_contexts",
        "retrieval_context",
        "passages",
    ),
    "response": ("response", "answer", "output", "actual_output", "summary", "generated_answer"),
    "question": ("question", "query", "input", "user_input"),
    "id": ("id", "example_id"),
    "source_id": ("source_id",),
    "model": ("model", "generator"),
    "language": ("language", "lang"),
}
# Names that count only where a row has none of the usual ones: LangChain's and LlamaIndex's.
FALLBACKS = {"source": ("source_documents", "source_nodes"), "response": ("result",)}
# DeepEval has both: what was retrieved is what the answer must be faithful to; the other is ideal.
_OVERRULED = {"context": "retrieval_context"}
CONVERSATIONS = ("messages", "turns", "user_input")  # where they hold a list of messages

NOT_TEXT = re.compile("[\x00\ud800-\udfff]")


def empty_error(field: str, where: str = "") -> InputError:
    """The error for a text without any words; of a response, programs are told by its code."""
    code = NO_ANSWER if field == "response" else ""
    return InputError(f"the {field} is empty{where}", code=code)


@dataclass(frozen=True, slots=True)
class Columns:
    """The user's own names for the fields; an empty name means: look for the usual ones.

    A label is read only where its field is named, as a label of `taxonomy`. `required` are the
    fields that every row must have; a row without a response may be a source to respond to.
    With `keeps_all`, an example has everything that its row says: a field `label` is read where
    there is one, and fields that have no place in an example are kept as its `original`.
    """

    source: Annotated[
        str, Option("Your name for the source field of a file.", "NAME", DATA, "source_field")
    ] = ""
    response: Annotated[
        str, Option("Your name for the response field of a file.", "NAME", DATA, "response_field")
    ] = ""
    question: Annotated[
        str, Option("Your name for the question field of a file.", "NAME", DATA, "question_field")
    ] = ""
    label: Annotated[
        str, Option("Field of a file with the label of a response.", "NAME", DATA, "label_field")
    ] = ""
    taxonomy: Annotated[
        str, Option("Taxonomy of these labels.", "NAME", DATA, "label_taxonomy")
    ] = BINARY.name
    required: tuple[str, ...] = ("source", "response")
    keeps_all: bool = False
    judgements: bool = True

    @property
    def is_usual(self) -> bool:
        """True if no field is named but perhaps that of the labels, which a corpus has anyway."""
        named = (self.source, self.response, self.question)
        return not any(named) and self.required == ("source", "response")

    def find(self, field: str, row: Mapping[str, object]) -> object:
        """The row's value for a field, or None; two usual names at once are not guessed about."""
        chosen, header = getattr(self, field, ""), tuple(row)
        names = _names(chosen, field, header)
        if len(names) == 1 and is_given(only := row[names[0]]):
            return only
        found = {name: value for name in names if is_given(value := row[name])}
        if len(found) > 1:
            found = _without_overruled(found)
        if len(found) > 1 and hasattr(self, field):
            first, second, *_ = found
            raise InputError(
                f"both '{first}' and '{second}' could be the {field}; name the one to read",
                code="two-columns",
                field=f"{field}_field",
            )
        if not found:
            others = _fallbacks(chosen, field, header)
            found = {name: value for name in others if is_given(value := row[name])}
        return next(iter(found.values()), None)

    def require(self, field: str, row: Mapping[str, object]) -> object:
        """Like `find`, but a missing field raises, and an empty one too."""
        value = self.find(field, row)
        if value is not None:
            return value
        empty = self._names(field, row)
        if empty:
            raise empty_error(field, f" (field '{empty[0]}')")
        raise InputError(
            f"no {field}: none of {', '.join(ALIASES[field])} among the fields {_listing(row)}; "
            f"name the one to read{_hint(row)}",
            field=f"{field}_field",
        )

    def rest(self, row: Mapping[str, object]) -> dict[str, object]:
        """The fields with a value that have no place in an example."""
        names = tuple(row)
        used = set(conversations(names))
        for field in (*ALIASES, *(("label",) if self.label else ())):
            used.update(self._names(field, row), _fallbacks(getattr(self, field, ""), field, names))
        return {name: row[name] for name in names if name not in used and is_given(row[name])}

    def require_names(self, header: Sequence[str]) -> None:
        """Raises where rows with these names lack what is required, whatever they say."""
        self.refuse_twice(header)
        if conversations(tuple(header)):
            return
        row = dict.fromkeys(header)
        for field in self.required:
            if not self._names(field, row) and not _fallbacks(
                getattr(self, field), field, tuple(row)
            ):
                self.require(field, row)

    def refuse_twice(self, header: Iterable[object]) -> None:
        """Raises where several columns have one name, and a field would be read from them."""
        counts = Counter(map(str, header))
        for name in (name for name, count in counts.items() if count > 1):
            for field in ("source", "response", "question", "label"):
                chosen = getattr(self, field)
                if name == chosen or (chosen not in counts and _key(name) in self._wanted(field)):
                    raise InputError(
                        f"{counts[name]} columns are called '{name}'; keep the one that is the "
                        f"{field}, and rename the others",
                        code="two-columns",
                        field=f"{field}_field",
                    )

    def among(self, header: Sequence[str]) -> list[str] | None:
        """Those names whose values are read, of a file of columns; None means all of them.

        Where a field is missing, all are: the message about it lists them.
        """
        names = tuple(header)
        row = dict.fromkeys(names)
        used = set(conversations(names))
        if self.keeps_all or used or len(row) < len(names):
            return None
        for field in (*ALIASES, *(("label",) if self.label else ())):
            try:
                found = {*self._names(field, row)}
            except InputError:  # the one that was chosen is not there
                return None
            found.update(_fallbacks(getattr(self, field, ""), field, names))
            if field in self.required and not found:
                return None
            used |= found
        return [name for name in names if name in used]

    def known(self, header: Sequence[str]) -> int:
        """The number of fields among these names."""
        written = _written(tuple(header))
        return sum(any(name in written for name in self._wanted(field)) for field in ALIASES)

    def _wanted(self, field: str) -> tuple[str, ...]:
        chosen = _key(getattr(self, field, ""))
        return (chosen,) if chosen else (*ALIASES.get(field, ()), *FALLBACKS.get(field, ()))

    def _names(self, field: str, row: Mapping[str, object]) -> list[str]:
        """The names in the row that could be the field: the chosen one, or the usual ones."""
        return _names(getattr(self, field, ""), field, tuple(row))


def is_given(value: object) -> bool:
    """True if a cell has a value; None, NaN, pandas' NA and NaT, and empty cells do not."""
    if isinstance(value, str):
        return bool(value.strip())
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return False
    if isinstance(value, float) and value != value:
        return False
    return not hasattr(value, "__len__") or len(value) > 0


@lru_cache(maxsize=256)  # the rows of a file have the same names
def _names(chosen: str, field: str, names: tuple[str, ...]) -> list[str]:
    written = _written(names)
    if not chosen:
        return [name for alias in ALIASES[field] for name in written.get(alias, ())]
    if chosen in names:
        return [chosen]
    if _key(chosen) in written:
        return written[_key(chosen)]
    raise InputError(
        f"no field '{chosen}'; the fields are: {_listing(names)}", field=f"{field}_field"
    )


@lru_cache(maxsize=256)
def _fallbacks(chosen: str, field: str, names: tuple[str, ...]) -> list[str]:
    written = {} if chosen else _written(names)
    return [name for alias in FALLBACKS.get(field, ()) for name in written.get(alias, ())]


def _without_overruled(found: dict[str, object]) -> dict[str, object]:
    keys = {_key(name) for name in found}
    weaker = {weak for weak, strong in _OVERRULED.items() if strong in keys}
    return {name: value for name, value in found.items() if _key(name) not in weaker}


@lru_cache(maxsize=256)
def conversations(names: tuple[str, ...]) -> list[str]:
    """The names that may hold a conversation, as they are written."""
    written = _written(names)
    return [name for each in CONVERSATIONS for name in written.get(each, ())]


def _written(names: tuple[str, ...]) -> dict[str, list[str]]:
    """The names as they are written, by how they are compared."""
    written: dict[str, list[str]] = {}
    for name in names:
        written.setdefault(_key(name), []).append(name)
    return written


def _key(name: object) -> str:
    """A name as it is compared: without case, and without the spaces around it."""
    return str(name).strip().casefold()


def _hint(row: Iterable[object]) -> str:
    if {"role", "content"} <= set(row):
        return "; a conversation is one row, as in {'messages': [...], 'context': '...'}"
    return ""


def _listing(row: Iterable[object]) -> str:
    return NOT_TEXT.sub("\ufffd", ", ".join(map(str, row))) or "(none)"
