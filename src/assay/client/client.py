"""A service as Python objects: what `check` gives here, worked out there."""

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypedDict, Unpack

import msgspec

from assay.app.check import Row
from assay.app.results import Report
from assay.app.rows import make_rows, read_rows
from assay.client.calls import ServiceCalls
from assay.client.checks import RemoteCheck
from assay.client.jobs import RemoteJob, by_id, read_answer, submit
from assay.core.errors import AssayError, InputError
from assay.core.results import Result
from assay.core.system import bridge
from assay.datasets.fields import Columns


@dataclass(frozen=True, slots=True)
class RemoteDetector:
    """A detector that a service offers; its labels are in their order from low to high."""

    name: str
    default: bool
    unit: str
    taxonomy: str
    labels: tuple[str, ...]
    summary: str = ""


class RemoteArguments(TypedDict, total=False):
    """The detector, one that the service offers, and how rows are read."""

    detector: str | None
    columns: Columns | None
    language: str | None


class _Offered(msgspec.Struct):
    detectors: list[RemoteDetector]


class Client:
    """Checks by a service of Assay: reports and results as `check` and `check_each` give them.

    Each method has a twin to be awaited, whose name begins with an `a`. Inside `with` or `async
    with`, connections are kept from one call to the next. `timeout` is the number of seconds in
    which the service may stay silent. Rows are read here, as `check` reads them.
    """

    def __init__(self, url: str, key: str | None = None, *, timeout: float = 300.0) -> None:
        self._calls = ServiceCalls(url, key, timeout)

    def __repr__(self) -> str:
        return f"<Client of {self._calls.url}>"

    def check(
        self,
        source: object,
        response: object = None,
        question: str = "",
        **how: Unpack[RemoteArguments],
    ) -> Report:
        """The report on a response, or on many rows, by a detector that the service offers."""
        return bridge.run(self._check(*_texts("check", source, response, question, how)))

    async def acheck(
        self,
        source: object,
        response: object = None,
        question: str = "",
        **how: Unpack[RemoteArguments],
    ) -> Report:
        """`check`, awaited."""
        given = _texts("acheck", source, response, question, how)
        return await bridge.run_async(self._check(*given))

    def check_each(self, rows: object, **how: Unpack[RemoteArguments]) -> Iterator[Result]:
        """The results of many rows, as the service has them; it is sent some at a time."""
        return bridge.iterate(RemoteCheck(self._calls, *_rows("check_each", rows, how)).results())

    def acheck_each(self, rows: object, **how: Unpack[RemoteArguments]) -> AsyncIterator[Result]:
        """`check_each`, awaited."""
        checking = RemoteCheck(self._calls, *_rows("acheck_each", rows, how))
        return bridge.iterate_async(checking.results())

    def submit(self, rows: object, **how: Unpack[RemoteArguments]) -> RemoteJob:
        """A long check as a job; the ids of its rows have to differ."""
        return bridge.run(submit(self._calls, *_rows("submit", rows, how)))

    async def asubmit(self, rows: object, **how: Unpack[RemoteArguments]) -> RemoteJob:
        """`submit`, awaited."""
        return await bridge.run_async(submit(self._calls, *_rows("asubmit", rows, how)))

    def job(self, id: str, rows: object = (), *, columns: Columns | None = None) -> RemoteJob:
        """A job that was submitted earlier; its rows are needed for results with texts."""
        return RemoteJob(self._calls, id, by_id(read_rows(rows, columns, None)))

    def detectors(self) -> tuple[RemoteDetector, ...]:
        """The detectors that the service offers, its default first."""
        return bridge.run(self._detectors())

    async def adetectors(self) -> tuple[RemoteDetector, ...]:
        """`detectors`, awaited."""
        return await bridge.run_async(self._detectors())

    def __enter__(self) -> Self:
        bridge.run(self._calls.open())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        bridge.run(self._calls.close())

    async def __aenter__(self) -> Self:
        await bridge.run_async(self._calls.open())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await bridge.run_async(self._calls.close())

    async def _check(self, rows: Iterable[Row], detector: str | None) -> Report:
        checking = RemoteCheck(self._calls, rows, detector)
        results: list[Result] = []
        try:
            async for result in checking.results():
                results.append(result)
        except AssayError as error:
            error.results = tuple(results)
            raise
        if checking.manifest is None:
            raise InputError("there are no rows to check", code="no-examples")
        return Report(checking.manifest, tuple(results))

    async def _detectors(self) -> tuple[RemoteDetector, ...]:
        answer = await self._calls.read("GET", "/v1/detectors")
        return tuple(read_answer(answer, _Offered).detectors)


def _texts(
    method: str, source: object, response: object, question: str, how: RemoteArguments
) -> tuple[Iterable[Row], str | None]:
    """The rows of two texts, or those of what holds many, and who judges them."""
    columns, language, detector = _chosen(method, how)
    return make_rows(source, response, question, columns, language, "raise"), detector


def _rows(method: str, rows: object, how: RemoteArguments) -> tuple[Iterable[Row], str | None]:
    columns, language, detector = _chosen(method, how)
    return read_rows(rows, columns, language), detector


def _chosen(method: str, how: RemoteArguments) -> tuple[Columns | None, str | None, str | None]:
    """The columns, the language and the detector; an argument of another name raises."""
    for name in how:
        if name not in RemoteArguments.__annotations__:
            menu = ", ".join(RemoteArguments.__annotations__)
            raise TypeError(
                f"Client.{method}() got an unexpected keyword argument '{name}'; "
                f"a service is asked with {menu}"
            )
    return how.get("columns"), how.get("language"), how.get("detector")
