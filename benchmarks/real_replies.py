"""Every method that asks a model, on twenty short examples of our own, against a real model.

    python benchmarks/real_replies.py --base-url http://127.0.0.1:8080/v1 --model local/qwen

A recorder stands between Assay and the server. It keeps every reply word for word and, unless
`--schemas` is given, leaves out the JSON schema of a request, as servers do that enforce none. The
table says for each method how many questions were read at the first asking, how many first replies
were cut off, unreadable, or to be corrected since they contradict themselves or lack something (the
last two are asked again, once), and what became of the units. `--examples 8` takes the first eight.
"""

import argparse
import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from aiohttp import ClientSession, ClientTimeout, web

import assay
from assay.app.run import RunRequest, run
from assay.core.codec import write_example
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement
from assay.core.spans import Span
from assay.core.taxonomies import BINARY
from assay.core.texts import Response, Source
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Verdict
from assay.datasets.selection import DataChoice
from assay.detectors.registry import DetectorSpec
from assay.llm.options import Options

EXAMPLES = Path(__file__).with_suffix(".jsonl")
METHODS = (
    "judge-gray7",
    "judge-gray7:batch",
    "judge-gray7:definitions",
    "judge-gray7:batch,definitions",
    "judge-fewshot",
    "judge-fewshot:definitions",
    "judge-finesure",
    "judge-finesure:definitions",
    "judge-simple",
    "judge-grounding",
    "judge-grounding:json",
    "judge-claims",
    "faithjudge",
    "faithjudge:ternary",
    "discourse",
    "localize-zero",
    "localize-few",
    "localize-cot",
    "localize-cot-hint",
    "localize-pipeline",
    "localize-recall",
)
MATCHER = "matcher"
MATCHED = "localize-zero"  # whose findings the matcher compares with the gold errors
REPAIR = "I could not read your verdict"
MATCHING = "Two people looked for errors"  # how the matcher's prompt begins


@dataclass(slots=True)
class Exchanges:
    """What was said about one method, in the order of the replies; also written to a file."""

    path: Path | None = None
    opening: str = ""  # of the prompts that count
    records: list[dict[str, Any]] = field(default_factory=list)

    def add(self, record: dict[str, Any]) -> None:
        """Keeps a reply, and writes it down at once."""
        self.records.append(record)
        if self.path:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(record, ensure_ascii=False)}\n")

    @property
    def again(self) -> int:
        """How many times the model was asked a second time."""
        return sum(record["repair"] for record in self.records)

    @property
    def unread(self) -> int:
        """How many of these because nothing could be read."""
        return sum(record["problem"].startswith(REPAIR) for record in self.records)

    @property
    def cut_off(self) -> int:
        """How many first replies ran into the limit of tokens."""
        return sum(r["finish"] == "length" and not r["repair"] for r in self.records)


class Recorder:
    """A server on loopback that passes requests on and writes down what comes back."""

    def __init__(self, upstream: str, *, schemas: bool) -> None:
        self.exchanges = Exchanges()
        self.url = ""
        self._upstream = upstream.rstrip("/")
        self._schemas = schemas

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serves in a thread of its own."""
        loop, ready = asyncio.new_event_loop(), threading.Event()
        thread = threading.Thread(target=self._serve, args=(loop, ready), daemon=True)
        thread.start()
        ready.wait()
        try:
            yield
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    def _serve(self, loop: asyncio.AbstractEventLoop, ready: threading.Event) -> None:
        asyncio.set_event_loop(loop)
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._pass_on)
        runner = web.AppRunner(app)
        loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", 0)
        loop.run_until_complete(site.start())
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        ready.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())

    async def _pass_on(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if not self._schemas:
            asked.pop("response_format", None)
        timeout = ClientTimeout(total=3600)
        async with (
            ClientSession(timeout=timeout) as session,
            session.post(f"{self._upstream}/chat/completions", json=asked) as answer,
        ):
            body = await answer.read()
        if answer.status == 200:
            self._record(asked["messages"], json.loads(body))
        return web.Response(body=body, status=answer.status, content_type="application/json")

    def _record(self, messages: list[dict[str, str]], answer: dict[str, Any]) -> None:
        opening = self.exchanges.opening
        if not messages[0]["content"].startswith(opening):
            return
        choice, last = answer["choices"][0], messages[-1]["content"]
        is_second = any(each["role"] == "assistant" for each in messages)
        self.exchanges.add(
            {
                "repair": is_second,
                "problem": last if is_second else "",
                "finish": choice.get("finish_reason"),
                "reply": choice["message"]["content"],
            }
        )


def read_examples(count: int | None = None) -> list[Annotated]:
    """The first of the twenty examples, or all, with their errors as one annotator found them."""
    lines = EXAMPLES.read_text(encoding="utf-8").splitlines()
    return [_annotated(json.loads(line)) for line in lines[:count]]


def _annotated(record: dict[str, Any]) -> Annotated:
    response, errors = record["response"], record["errors"]
    example = Example(
        record["id"],
        Source(record["source"]),
        Response(response),
        record.get("question", ""),
        task=record["task"],
    )
    whole = Unit.response(response)
    units, outcomes = [whole], [Verdict(whole.id, BINARY["unfaithful" if errors else "faithful"])]
    for number, error in enumerate(errors, 1):
        start = response.index(error["words"])
        span = Span.cut(response, start, start + len(error["words"]), "response")
        unit = Unit(
            unit_id("inconsistency", number), "inconsistency", error["description"], (span,)
        )
        units.append(unit)
        outcomes.append(Verdict(unit.id, BINARY["unfaithful"]))
    author = Author("annotator", "person")
    return Annotated(example, (Judgement(example.id, author, tuple(units), tuple(outcomes)),))


@dataclass(frozen=True, slots=True)
class Row:
    """What came out for one method."""

    method: str
    questions: int
    cut_off: int
    unread: int
    incomplete: int
    units: int
    failures: Counter[str]
    seconds: float

    def __str__(self) -> str:
        lost = sum(self.failures.values())
        read = 1 - (self.cut_off + self.unread) / self.questions if self.questions else 0.0
        coverage = 1 - lost / self.units if self.units else 0.0
        reasons = ", ".join(f"{name} {count}" for name, count in self.failures.most_common())
        cells = (
            f"`{self.method}`",
            str(self.questions),
            f"{read:.0%}",
            str(self.cut_off),
            str(self.unread),
            str(self.incomplete),
            f"{coverage:.0%} of {self.units}",
            reasons or "none",
            f"{self.seconds:.0f}",
        )
        return f"| {' | '.join(cells)} |"


HEADER = (
    "| method | questions | read at once | cut off | unreadable | to be corrected "
    "| coverage | failures | seconds |\n|---|---|---|---|---|---|---|---|---|"
)


def silently(session: object) -> AbstractContextManager[Callable[[], None]]:
    """Shows no progress."""
    return nullcontext(lambda: None)


class Trial:
    """The methods one after the other, all through one recorder."""

    def __init__(
        self,
        recorder: Recorder,
        options: Options,
        model: str,
        folder: Path,
        count: int | None = None,
    ) -> None:
        self._recorder, self._options, self._model = recorder, options, model
        self._folder = folder
        self._data = folder / "examples.jsonl"
        self._data.write_bytes(b"\n".join(map(write_example, read_examples(count))) + b"\n")

    def run(self, method: str) -> Row:
        """One method on all examples."""
        path = self._folder / f"{method.replace(':', '-').replace(',', '-')}.jsonl"
        path.unlink(missing_ok=True)
        self._recorder.exchanges = Exchanges(path, MATCHING if method == MATCHER else "")
        begin = monotonic()
        outcomes = self._matched() if method == MATCHER else self._judged(method)
        exchanges = self._recorder.exchanges
        return Row(
            method,
            len(exchanges.records) - exchanges.again,
            exchanges.cut_off,
            exchanges.unread,
            exchanges.again - exchanges.unread,
            len(outcomes),
            Counter(filter(None, outcomes)),
            monotonic() - begin,
        )

    def _judged(self, method: str) -> list[str]:
        """Why each unit has no verdict; empty for those that have one."""
        spec = DetectorSpec(method, (self._model,), options=self._options)
        request = RunRequest(DataChoice(str(self._data)), spec)
        outcome = run(request, silently, runs=str(self._folder / "runs"), resume=None)
        return [
            finding.failure.reason if finding.failure else ""
            for result in outcome.results()
            for finding in result.judgement.findings
        ]

    def _matched(self) -> list[str]:
        """The same for the matcher: an example is a unit."""
        measured = assay.localize(
            MATCHED,
            str(self._data),
            matcher="llm",
            model=self._model,
            options=self._options,
            runs=str(self._folder / "runs"),
        )
        cases = [case for report in measured.reports for case in report.localization.cases]
        lost = [
            name
            for report in measured.reports
            for name in report.localization.matcher_failures.elements()
        ]
        return [*lost, *[""] * (len(cases) - len(lost))]


def main() -> None:
    """Runs the methods that were named, or all, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", default=[*METHODS, MATCHER])
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", default="local/model", help="provider/model")
    parser.add_argument("--schemas", action="store_true", help="let the server enforce schemas")
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--max-tokens", type=int, default=1500)
    parser.add_argument("--examples", type=int, help="how many; all by default")
    parser.add_argument("--out", type=Path, help="folder for the replies")
    given = parser.parse_args()
    with TemporaryDirectory() as scratch:
        folder = given.out or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        recorder = Recorder(given.base_url, schemas=given.schemas)
        with recorder.serving():
            options = Options(
                base_url=recorder.url,
                max_tokens=given.max_tokens,
                concurrency=given.concurrency,
                timeout=1800,
                deadline=3600,
            )
            trial = Trial(recorder, options, given.model, folder, given.examples)
            print(HEADER)
            for method in given.methods:
                print(trial.run(method), flush=True)


if __name__ == "__main__":
    main()
