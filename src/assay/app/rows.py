"""Texts and rows that a program gives to a check; rows that cannot be read are kept, or raise."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Literal

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement, utc_now
from assay.core.problems import Problem
from assay.core.rendering import read_source
from assay.core.results import Result
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Failure
from assay.datasets.fields import Columns
from assay.datasets.rows import PartReader, check_language, check_source, check_text, problem_of
from assay.datasets.shapes import plain_answer, plain_source
from assay.datasets.tables import read_rows as read_table
from assay.engine.kept_checks import Row
from assay.text.sentences import find_sentences, sentence_units

OnError = Literal["raise", "keep"]

_USUAL = 40  # characters of a short sentence


def make_rows(
    source: object,
    response: object,
    question: str,
    columns: Columns | None,
    language: str | None,
    on_error: OnError,
) -> Iterable[Row]:
    """The rows of a check: a pair of texts, or whatever holds many."""
    if response is not None:
        return [_pair(source, response, question, check_language(language), on_error)]
    if isinstance(source, str):
        raise InputError("the response is missing: check(source, response)", field="response")
    return read_rows(source, columns, language)


def read_rows(data: object, columns: Columns | None, language: str | None) -> Iterable[Row]:
    """The rows of a list, a data frame or a data set."""
    return read_table(data, columns, check_language(language))


def _pair(
    source: object, response: object, question: str, language: str | None, on_error: OnError
) -> Row:
    parts = PartReader()
    example = _text_example(source, response, question, language, parts)
    if parts.error is None:
        return example
    if on_error == "raise":
        raise parts.error
    return problem_of(parts.error, "the texts", example)


def text_example(source: object, response: object, question: str, language: str | None) -> Example:
    """The example of two texts; the source may also be a list or a JSON object."""
    parts = PartReader()
    example = _text_example(source, response, question, language, parts)
    if parts.error:
        raise parts.error
    return example


def _text_example(
    source: object, response: object, question: str, language: str | None, parts: PartReader
) -> Example:
    stated = check_language(language)
    return Example(
        id="1",
        source=parts.read(lambda: check_source(read_source(plain_source(source))), Source("")),
        response=parts.read(
            lambda: Response(check_text(plain_answer(response), "response")), Response("")
        ),
        question=parts.read(lambda: check_text(question, "question") if question else "", ""),
        language=stated or "en",
        is_english_stated=stated == "en",
    )


class GivenRows:
    """The rows that can be judged; what cannot be read is kept at its place, or ends them.

    Where it ends them, the rows before it are still judged, and the error comes after their
    results; if rows cost money, `free` is False, and it is raised before any is asked about.

    An iterator goes on where the one before it stopped: with `pauses`, after each row that is kept.
    """

    def __init__(
        self, rows: Iterable[Row], on_error: OnError, *, free: bool = True, pauses: bool = False
    ) -> None:
        if on_error not in ("raise", "keep"):
            raise InputError(
                f"on_error must be 'raise' or 'keep', not {on_error!r}", field="on_error"
            )
        self._rows = enumerate(rows)
        self._keeps = on_error == "keep"
        self._free = free
        self._pauses = pauses
        self._kept: dict[int, Problem] = {}
        self._error: InputError | None = None
        self._ended = False

    def __iter__(self) -> Iterator[Row]:
        for place, row in self._rows:
            if self._can_judge(place, row):
                yield row
            elif self._error:
                break
            elif self._pauses:
                return
        self._ended = True

    def take(self, count: int) -> list[Row]:
        """Those that can be judged of the next so many rows."""
        some = list(islice(self._rows, count)) if self._error is None else []
        self._ended = len(some) < count
        found: list[Row] = []
        for place, row in some:
            if self._can_judge(place, row):
                found.append(row)
            elif self._error:
                self._ended = True
                break
        return found

    def _can_judge(self, place: int, row: Row) -> bool:
        if not isinstance(row, Problem):
            return True
        if self._keeps:
            self._kept[place] = row
        elif self._free:
            self._error = refusal_of(row)
        else:
            raise refusal_of(row)
        return False

    def complete(self, judge: Callable[[], Iterable[Result]], author: Author) -> Iterator[Result]:
        """One result for each row, in the order of the rows; then the error that ended them.

        The rows are judged in rounds, until they end; what is kept comes with its own round.
        """
        place = 0
        while True:
            for result in judge():
                # The rows before the one of a result were read before it was judged.
                while place in self._kept:
                    yield unread(self._kept.pop(place), author, place)
                    place += 1
                yield result
                place += 1
            for kept in sorted(self._kept):
                yield unread(self._kept.pop(kept), author, kept)
                place = kept + 1
            if self._ended:
                break
        if self._error:
            raise self._error


def limited(rows: Iterable[Row], *, characters: int, sentences: int | None = None) -> Iterator[Row]:
    """The rows, where those with a longer text, or with more sentences to judge, are problems."""
    for number, row in enumerate(rows, 1):
        if isinstance(row, Problem):
            yield row
            continue
        example = row.example if isinstance(row, Annotated) else row
        name, message = _excess(example, characters, sentences)
        where = f"row {number}"
        yield Problem(where, message, name, example, "too-large") if message else row


def _excess(example: Example, characters: int, sentences: int | None) -> tuple[str, str]:
    """The text that is too long, and what to say about it."""
    texts = {
        "source": example.source.text,
        "response": example.response.text,
        "question": example.question,
        "id": example.id,
    }
    for name, text in texts.items():
        if len(text) > characters:
            return name, f"the {name} has {len(text):,} characters; up to {characters:,} are read"
    if sentences is not None and _has_more(example, sentences):
        return "response", f"the response has more than {sentences:,} sentences to judge"
    return "", ""


def _has_more(example: Example, sentences: int) -> bool:
    """True if there are more sentences; of a very long text, mostly the beginning tells it."""
    if example.units:
        return len(sentence_units(example)) > sentences
    text = example.response.text
    lengths = (length for length in (_USUAL * sentences, len(text)) if length <= len(text))
    # The shortest sentence has a letter and a full stop.
    return len(text) > 2 * sentences and any(
        len(find_sentences(text[:length], example.language)) > sentences for length in lengths
    )


def error_of(problem: Problem) -> InputError:
    """The error for a row that cannot be read."""
    return InputError(str(problem), code=problem.code, field=problem.field)


def refuse(problem: Problem) -> None:
    """Raises for a row that cannot be read."""
    raise error_of(problem)


def refusal_of(
    problem: Problem, advice: str = "on_error='keep' goes on with the other rows"
) -> InputError:
    """The same for whoever gave several rows: the others can be judged all the same."""
    if not problem.where.startswith("row "):  # two texts
        return error_of(problem)
    said = f"{problem}; {advice}"
    return InputError(said, code=problem.code, field=problem.field)


def unread(problem: Problem, author: Author, place: int) -> Result:
    """The result of a row that cannot be read: a failure, and never a label or a score."""
    example = problem.example or Example(str(place + 1), Source(""), Response(""))
    unit = Unit.response(example.response.text)
    failure = Failure(unit.id, "unreadable", str(problem))
    said = Judgement(example.id, author, (unit,), (failure,), at=utc_now())
    return Result(example, said, problem)
