"""Checks by a service: rows become requests, and the lines of its answers results."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace

import msgspec

from assay.app.check import Row
from assay.app.rows import refusal_of
from assay.client.calls import ServiceCalls
from assay.core.codec import encode, is_end, read_end, read_judgement, verify, write_example
from assay.core.errors import AssayError, BudgetError, InputError, ServiceError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement, Manifest
from assay.core.problems import Problem
from assay.core.records import read_manifest_record
from assay.core.results import Result
from assay.core.wire import EndingRecord, EndRecord

AT_ONCE = 32  # examples in a request, unless they are long
CHARACTERS = 1_000_000  # in a request
ORIGIN = "the answer of the service"


class RemoteCheck:
    """A check of some rows by a service; the manifest is known once it has answered."""

    def __init__(self, calls: ServiceCalls, rows: Iterable[Row], detector: str | None) -> None:
        self._calls = calls
        self._rows = rows
        self._detector = detector
        self.manifest: Manifest | None = None

    async def results(self) -> AsyncIterator[Result]:
        """The results in order; what ends them early raises once those before it have come."""
        most = AT_ONCE
        for examples in together(self._rows):
            left = examples
            while left:
                try:
                    async for result in self._judged(left[:most]):
                        yield result
                except AssayError as error:  # a service may allow fewer; it begins none then
                    if error.code != "too-large" or len(left[:most]) == 1:
                        raise
                    most = len(left[:most]) // 2
                else:
                    left = left[most:]

    async def _judged(self, examples: Sequence[Example]) -> AsyncIterator[Result]:
        """Examples are numbered for the service, since a user's ids may appear twice."""
        waiting = {str(number): each for number, each in enumerate(examples, 1)}
        sent = [replace(each, id=number) for number, each in waiting.items()]
        end: EndRecord | None = None
        async for line in self._calls.lines("POST", "/v1/check", request(sent, self._detector)):
            if is_end(line):
                end = read_end(line, ORIGIN)
                break
            yield _result(read_judgement(line, ORIGIN), waiting)
        if end is None:
            raise self._calls.cut_off()
        self.manifest = read_manifest_record(end.manifest)
        require_complete(end.ending)
        if waiting:
            raise _left_out(next(iter(waiting.values())), end)


def request(examples: Sequence[Example], detector: str | None) -> bytes:
    """The body of a check."""
    rows = [msgspec.Raw(example_line(each)) for each in examples]
    return encode({"examples": rows, **({"detector": detector} if detector else {})})


def example_line(example: Example) -> bytes:
    """An example as it is sent: its texts and units, and nothing that people said of it."""
    return write_example(Annotated(replace(example, original="")))


def require_complete(ending: EndingRecord) -> None:
    """Raises where not everything was judged."""
    if ending.state != "complete":
        kind = BudgetError if ending.state == "budget" else ServiceError
        raise kind(f"the check is not complete: {ending.message or ending.state}")


def together(rows: Iterable[Row]) -> Iterator[list[Example]]:
    """The examples in the numbers in which they are sent; a row that cannot be read raises."""
    some, characters = list[Example](), 0
    for row in rows:
        if isinstance(row, Problem):
            if some:
                yield some
            raise refusal_of(row, "correct it, or leave it out")
        example = row.example if isinstance(row, Annotated) else row
        size = len(example.source.text) + len(example.response.text)
        if some and (len(some) == AT_ONCE or characters + size > CHARACTERS):
            yield some
            some, characters = [], 0
        some.append(example)
        characters += size
    if some:
        yield some


def matched(judgement: Judgement, example: Example) -> Judgement:
    """The judgement, if it is about these very texts."""
    try:
        return verify(judgement, example)
    except AssayError as error:
        raise ServiceError(f"{ORIGIN} does not fit the texts: {error}", code="mismatch") from None


def _result(judgement: Judgement, waiting: dict[str, Example]) -> Result:
    example = waiting.pop(judgement.example, None)
    if example is None:
        raise ServiceError(f"{ORIGIN} is about something that was not asked", code="mismatch")
    said = matched(judgement, replace(example, id=judgement.example))
    return Result(example, replace(said, example=example.id))


def _left_out(example: Example, end: EndRecord) -> InputError:
    """The error for an example that the service could not read; the first problem is its own."""
    why = end.problems[0].message if end.problems else "the service says nothing of it"
    return InputError(f"the example '{example.id}' was not judged: {why}", code="not-judged")
