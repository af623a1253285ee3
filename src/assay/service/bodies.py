"""The bodies of requests: JSON, lines of JSON or a form, read into rows."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, Any
from urllib.parse import parse_qsl

from assay.app.check import Row
from assay.app.rows import read_rows
from assay.core.codec import loads, read_example_object
from assay.core.errors import AssayError, InputError
from assay.core.examples import Annotated, Example
from assay.core.problems import Problem
from assay.core.system.lines import MIB, TooLong, has_more_values, limited_lines, why_not_json
from assay.core.wire import EXAMPLE_SCHEMA

JSON = "application/json"
LINES = "application/x-ndjson"
FORM = "application/x-www-form-urlencoded"
Limit = Callable[[Iterable[Row]], Iterable[Row]]


class MediaTypeError(AssayError):
    """A body of a kind that is not read."""

    code = "media-type"


@dataclass(frozen=True, slots=True)
class CheckBody:
    """The rows of a request, and what it says of all of them."""

    rows: Sequence[Row]
    detector: str = ""

    @property
    def examples(self) -> list[Example]:
        """Those that can be judged."""
        read = (each for each in self.rows if not isinstance(each, Problem))
        return [each.example if isinstance(each, Annotated) else each for each in read]

    @property
    def problems(self) -> list[Problem]:
        """Those that cannot be read."""
        return [each for each in self.rows if isinstance(each, Problem)]


def blaming(problem: Problem) -> Problem:
    """The same with its field, where none is named: the one text that could not be read."""
    read = problem.example
    if problem.field or read is None:
        return problem
    texts = {"source": read.source.text, "response": read.response.text}
    unread = [name for name, text in texts.items() if not text]
    return replace(problem, field=unread[0]) if len(unread) == 1 else problem


def require_type(content_type: str, encoding: str, *allowed: str) -> str:
    """The kind of a body, if it is one of those allowed; anything else raises."""
    kind, _, parameters = content_type.partition(";")
    kind, charset = kind.strip().lower(), parameters.strip().lower()
    if kind not in allowed:
        named = f", not {kind!r}" if kind else ""
        raise MediaTypeError(f"the body must be of the type {' or '.join(allowed)}{named}")
    if charset.startswith("charset=") and charset[8:].strip('"') not in ("utf-8", "utf8"):
        raise MediaTypeError(f"the body must be UTF-8, not {charset[8:]!r}")
    if encoding.strip().lower() not in ("", "identity"):
        raise MediaTypeError(f"the body must not be compressed, and it is: {encoding!r}")
    return kind


def read_body(body: bytes, limit: Limit) -> CheckBody:
    """The rows of a JSON body: one example, or `examples`; `limit` goes over them."""
    document = read_json(body)
    if not isinstance(document, dict):
        kind = type(document).__name__
        raise InputError(f"the body must be a JSON object, not {kind}", code="unreadable")
    detector = _word(document.pop("detector", ""), "detector")
    if "examples" not in document:
        return CheckBody(list(limit(read_rows(_own([document]), None, None))), detector)
    given = document.pop("examples")
    language = _word(document.pop("language", ""), "language")
    if not isinstance(given, list):
        kind = type(given).__name__
        raise InputError(f"examples must be a list, not {kind}", field="examples")
    if document:
        other = next(iter(document))
        raise InputError(
            f"beside examples stands {other[:100]!r}, which is a field of each of them",
            field="examples",
        )
    return CheckBody(list(limit(read_rows(_own(given), None, language))), detector)


def read_lines(lines: Iterable[bytes | TooLong], language: str) -> Iterable[Row]:
    """The rows of lines of JSON; a line that is none is a problem."""
    return read_rows(_own(_objects(lines)), None, language)


def split_lines(file: IO[bytes], limit: int) -> Iterator[bytes | TooLong]:
    """The lines of a body; of one over the limit, in MiB, no more than that is ever held."""
    return limited_lines(file, limit * MIB)  # type: ignore[arg-type]


def _objects(lines: Iterable[bytes | TooLong]) -> Iterator[object]:
    given = (each for each in lines if isinstance(each, TooLong) or each.strip())
    for number, line in enumerate(given, 1):
        try:
            yield _line(line)
        except InputError as error:
            yield Problem(f"row {number}", error.message, code=error.code)


def _own(rows: Iterable[object]) -> Iterator[object]:
    """The rows, of which those in the form of our own examples are read as such."""
    for number, row in enumerate(rows, 1):
        if isinstance(row, dict) and row.get("schema") == EXAMPLE_SCHEMA:
            try:
                yield read_example_object(row, "the example")
            except InputError as error:
                yield Problem(f"row {number}", error.message, code="unreadable")
        else:
            yield row


def _line(line: bytes | TooLong) -> object:
    if isinstance(line, TooLong):
        message = f"the line is longer than {line.limit // MIB:,} MiB"
        raise InputError(message, code="too-large")
    return read_json(line, "the line")


def read_form(body: bytes) -> dict[str, str]:
    """The fields of a form."""
    try:
        fields = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, strict_parsing=True, max_num_fields=20
        )
    except ValueError as error:
        raise InputError(f"the form cannot be read: {error}", code="unreadable") from None
    return dict(fields)


def read_json(body: bytes, what: str = "the body") -> Any:
    """The value of some JSON; a name that an object has twice is refused, as both may be meant."""
    try:
        text = body.decode("utf-8-sig")
        if has_more_values(text, _CROWDED):
            raise InputError(f"{what} has more values than are read", code="too-large")
        return loads(text, pairs=_object)
    except UnicodeDecodeError:
        raise InputError(f"{what} is not UTF-8", code="unreadable") from None
    except (ValueError, RecursionError) as error:
        text = f"{what} is not JSON: {why_not_json(error)}"
        raise InputError(text, code="unreadable") from None


_CROWDED = 8 * MIB  # in which half a million values have room


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise ValueError(f"an object has the name {twice[:100]!r} twice")
    return made


def _word(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, not {type(value).__name__}", field=name)
    return value
