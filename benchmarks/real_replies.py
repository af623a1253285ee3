"""Every method that asks a model, on twenty short examples of our own, against a real model.

    python benchmarks/real_replies.py --base-url http://127.0.0.1:8080/v1 --model local/qwen

A recorder stands between Assay and the server. It keeps every reply word for word and, unless
`--schemas` is given, leaves out the JSON schema of a request, as servers do that enforce none. The
table says for each method how many questions were read at the first asking, how many first replies
were cut off, unreadable, or to be corrected since they contradict themselves or lack something (the
last two are asked again, once), and what became of the units. `--examples 8` takes the first eight.

Detectors are methods by their names. `matcher` compares the errors that `localize-zero` names with
the gold ones, `explain-errors` asks all questions about what `localize-zero` misses and invents,
P(True) among them, and `votes` has the model vote on proposed revisions of the gold labels.
"""

import argparse
import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from aiohttp import ClientSession, ClientTimeout, web

import assay
from assay.app.audit.decisions import VerifyRequest, verify
from assay.app.errors import ExplainRequest, explain
from assay.app.judging import Asking
from assay.app.runs import RunRequest, run
from assay.app.targets import write_examples
from assay.audit.search import Searching, find_flags
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement, Judgements, Manifest
from assay.core.taxonomies import BINARY, FINAL4
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Attributes, Failure, Verdict
from assay.datasets.selection import DataChoice
from assay.detectors.registry import DetectorSpec
from assay.error_analysis.answers import annotate
from assay.error_analysis.explanations import Explained, Statement, today
from assay.llm.settings.options import Options

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
    "localize-zero:definitions",
    "localize-few",
    "localize-few:definitions",
    "localize-cot",
    "localize-cot:definitions",
    "localize-cot-hint",
    "localize-cot-hint:definitions",
    "localize-pipeline",
    "localize-pipeline:definitions",
    "localize-recall",
    "localize-recall:definitions",
    "localize-zero:two-step=self",
)
LOCALIZER = "localize-zero"  # whose findings are matched and explained
# Questions that are no detector's: each task asks some of these prompts.
TASKS = {
    "matcher": ("match-inconsistencies",),
    "explain-errors": (
        "explain-missed",
        "explain-invented",
        "write-question",
        "p-true",
        "propose-alternative",
    ),
    "votes": ("verify-revision",),
}
REPEAT = 10  # how often P(True) asks in each order of the answers
REPAIR = "I could not read your verdict"


def opening(prompt: str) -> str:
    """How a prompt begins; by this its questions are told from others."""
    [path] = Path(assay.__file__).parent.rglob(f"{prompt}.md")
    return path.read_text(encoding="utf-8").partition("# system\n")[2].splitlines()[0]


@dataclass(slots=True)
class Exchanges:
    """What a model replied to one method's or prompt's questions, in order; kept in a file too."""

    path: Path | None = None
    opening: str = ""  # of the prompt; empty: all questions belong here
    records: list[dict[str, Any]] = field(default_factory=list)

    def add(self, record: dict[str, Any]) -> None:
        """Keeps a reply, and writes it down at once."""
        self.records.append(record)
        if self.path:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(record, ensure_ascii=False)}\n")

    @property
    def questions(self) -> int:
        """How many questions there were."""
        return len(self.records) - self.again

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
        self.exchanges: Sequence[Exchanges] = ()
        self.examples: Sequence[Annotated] = ()
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
        begins = messages[0]["content"]
        belongs = [each for each in self.exchanges if begins.startswith(each.opening)]
        if not belongs:
            return
        choice, last = answer["choices"][0], messages[-1]["content"]
        is_second = any(each["role"] == "assistant" for each in messages)
        belongs[0].add(
            {
                "example": self._example(messages),
                "repair": is_second,
                "problem": last if is_second else "",
                "finish": choice.get("finish_reason"),
                "reply": choice["message"]["content"],
            }
        )

    def _example(self, messages: list[dict[str, str]]) -> str:
        """The id of the example whose response stands last in a question; empty if none does."""
        asked = "\n".join(each["content"] for each in messages if each["role"] == "user")
        places = {each.id: asked.rfind(each.example.response.text) for each in self.examples}
        last = max(places, key=places.__getitem__, default="")
        return last if places.get(last, -1) >= 0 else ""


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
        read = _share(self.questions - self.cut_off - self.unread, self.questions)
        reasons = ", ".join(f"{name} {count}" for name, count in self.failures.most_common())
        cells = (
            f"`{self.method}`",
            str(self.questions),
            read,
            str(self.cut_off),
            str(self.unread),
            str(self.incomplete),
            f"{_share(self.units - lost, self.units)} of {self.units}",
            reasons or "none",
            f"{self.seconds:.0f}",
        )
        return f"| {' | '.join(cells)} |"


def _share(count: int, n: int) -> str:
    return f"{count / n:.0%}" if n else "–"


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
        self._recorder, self._folder = recorder, folder
        self._examples = recorder.examples = read_examples(count)
        self._data = folder / "examples.jsonl"
        write_examples(str(self._data), self._examples)
        self._asking = Asking((model,), options, runs=str(folder / "runs"))

    def run(self, method: str) -> list[Row]:
        """One method on all examples: a row for each kind of question that it asks."""
        prompts = TASKS.get(method, (method,))
        exchanges = [self._exchanges(each, method in TASKS) for each in prompts]
        self._recorder.exchanges = exchanges
        begin = monotonic()
        outcomes = {
            "matcher": self._matched,
            "explain-errors": self._explained,
            "votes": self._voted,
        }.get(method, lambda: {method: self._judged(method)})()
        return [
            Row(
                prompt,
                each.questions,
                each.cut_off,
                each.unread,
                each.again - each.unread,
                len(outcomes[prompt]),
                Counter(filter(None, outcomes[prompt])),
                monotonic() - begin,
            )
            for prompt, each in zip(prompts, exchanges, strict=True)
        ]

    def _exchanges(self, name: str, is_prompt: bool) -> Exchanges:
        path = self._folder / f"{name.replace(':', '-').replace(',', '-').replace('=', '-')}.jsonl"
        path.unlink(missing_ok=True)
        return Exchanges(path, opening(name) if is_prompt else "")

    def _judged(self, method: str) -> list[str]:
        """Why each unit has no verdict; empty for those that have one."""
        spec = DetectorSpec(method, self._asking.models, options=self._asking.options)
        request = RunRequest(DataChoice(str(self._data)), spec)
        outcome = run(request, silently, runs=self._asking.runs, resume=None)
        return [
            finding.failure.reason if finding.failure else ""
            for result in outcome.results()
            for finding in result.judgement.findings
        ]

    def _matched(self) -> dict[str, list[str]]:
        """The same for the matcher: an example is a unit."""
        measured = assay.localize(
            LOCALIZER,
            str(self._data),
            matcher="llm",
            model=self._asking.models,
            options=self._asking.options,
            runs=self._asking.runs,
        )
        cases = [case for report in measured.reports for case in report.localization.cases]
        lost = [
            name
            for report in measured.reports
            for name in report.localization.matcher_failures.elements()
        ]
        return {"match-inconsistencies": [*lost, *[""] * (len(cases) - len(lost))]}

    def _explained(self) -> dict[str, list[str]]:
        """The same for questions about errors: an error, or a detail of one, is a unit.

        Then a person calls every missed error a true addition, so that all of them are asked about.
        """
        request = ExplainRequest(LOCALIZER, DataChoice(str(self._data)), self._asking)
        report, _ = explain(request, nothing)
        answers = self._folder / "answers.jsonl"
        decided = [
            _called_addition(each) for each in report.explained if each.item.side == "missed"
        ]
        write_examples(str(answers), annotate(decided, report.author))
        request = replace(request, answers=str(answers), repeat=REPEAT, counterfactual=True)
        further, _ = explain(request, nothing)
        details = [each for each in further.explained if each.is_missed_addition]
        test = further.counterfactual
        return {
            **{
                f"explain-{each.side}": _padded(each.failures.elements(), each.errors)
                for each in report.distributions
            },
            "write-question": [
                "" if each.question else _reason(each.belief and each.belief.outcome)
                for each in details
            ],
            "p-true": [
                _reason(each.belief and each.belief.outcome) for each in details if each.question
            ],
            "propose-alternative": _padded(
                test.proposal_failures.elements() if test else (), test.targets if test else 0
            ),
        }

    def _voted(self) -> dict[str, list[str]]:
        """The same for votes on revisions: of each example, that its gold label be the other."""
        flags = self._folder / "flags.jsonl"
        write_examples(str(flags), [_revised(each) for each in self._examples])
        request = VerifyRequest((str(flags),), self._asking, enough=1)
        found, _ = verify(request, nothing)
        votes = [vote.outcome for each in found.ruled for vote in each.votes]
        return {"verify-revision": [_reason(each) for each in votes]}


def _padded(failures: Iterator[str] | tuple[str, ...], count: int) -> list[str]:
    lost = list(failures)
    return [*lost, *[""] * (count - len(lost))]


def _reason(outcome: object) -> str:
    return outcome.reason if isinstance(outcome, Failure) else ""


def _called_addition(missed: Explained) -> Explained:
    """A missed error of which a person says that it adds something true."""
    verdict = Verdict(missed.item.unit.id, FINAL4["extrinsic-correct"])
    return replace(missed, answer=Statement(Author("reviewer", "person"), verdict, today()))


def _revised(annotated: Annotated) -> Annotated:
    """An example with a flag on its response, and a person who proposes the other label."""
    [gold] = annotated.gold
    whole, said = gold.units[0], gold.outcomes[0]
    label = BINARY["faithful" if said.label == "unfaithful" else "unfaithful"]
    detector = Author("detector")
    against = Judgement(annotated.id, detector, (whole,), (Verdict(whole.id, label),))
    disagreeing = Judgements("detector", Manifest(detector), lambda: [against])
    [line] = find_flags("examples", [annotated], [disagreeing], Searching("response")).lines
    form = line.gold[-1]
    source = annotated.example.source.text
    evidence = Span.cut(source, 0, source.index(".") + 1, "source")
    verdict = Verdict(
        whole.id,
        label,
        note="The first sentence of the source shows that this label is the right one.",
        evidence=(evidence,),
        attributes=Attributes(decision="incorrect"),
    )
    decided = replace(form, author=Author("reviewer", "person"), outcomes=(verdict,))
    return replace(line, judgements=(*line.judgements[:-1], decided))


@contextmanager
def nothing() -> Iterator[Callable[[], None]]:
    """Counts nothing."""
    yield lambda: None


def main() -> None:
    """Runs the methods that were named, or all, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", default=[*METHODS, *TASKS])
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", default="local/model", help="provider/model")
    parser.add_argument("--schemas", action="store_true", help="let the server enforce schemas")
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--max-tokens", type=int, default=1500)
    parser.add_argument("--temperature", type=float, help="0 by default, as in Assay")
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
                temperature=given.temperature,
                concurrency=given.concurrency,
                timeout=1800,
                deadline=3600,
            )
            trial = Trial(recorder, options, given.model, folder, given.examples)
            print(HEADER)
            for method in given.methods:
                for row in trial.run(method):
                    print(row, flush=True)


if __name__ == "__main__":
    main()
