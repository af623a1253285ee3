"""Collecting: every model is asked for a response to every source, and nothing is paid twice.

The replies are in a journal, and the responses in a file that is written whole however the work
ends. The same command goes on, and with more models it asks only these.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Annotated as With

from assay.app.judging import Asking
from assay.app.questions import Asked, Questions, open_questions
from assay.app.targets import require_targets
from assay.bench.collection import (
    AskedModel,
    Collected,
    Collection,
    ModelLine,
    Task,
    Wanted,
    asked_models,
    assign,
    collect,
    open_task,
    require_names,
)
from assay.bench.responses import (
    Found,
    GivenReplies,
    Provenance,
    adapted,
    earlier_responses,
    provenance_of,
    read_given,
    require_same_way,
    settings_of,
)
from assay.core.errors import BudgetError, InputError
from assay.core.examples import Annotated, Example
from assay.core.options import Argument, Option, Takes
from assay.core.system import bridge
from assay.core.system.notices import notify
from assay.datasets.example_files import require_example_file, write_example_file
from assay.datasets.fields import DATA
from assay.datasets.selection import DataChoice
from assay.datasets.sources import load_sources
from assay.detectors.protocol import no_progress
from assay.engine.estimate import RunEstimate
from assay.engine.session import RunProgress, State, interrupted_state
from assay.evaluation.corpora.label_counts import response_label
from assay.llm.connection import connect_dry
from assay.llm.settings.options import MODEL
from assay.store.runs import make_name

__all__ = ["Collected"]


@dataclass(frozen=True, slots=True)
class CollectRequest:
    """Sources, the models that respond to them, and where the responses go.

    `asking` names models that are asked with the same settings, and `models` is a file of those
    with settings of their own. `replies` are responses made elsewhere. `prompt` is a file that
    takes the place of our prompt for the one `task`; `name` is that of the journal.
    """

    sources: With[
        DataChoice,
        Takes(
            "language task response_field label_field label_taxonomy",
            dataset=Argument(
                "A file of rows with a source, a folder of .txt, .md and .json documents, or a "
                "corpus, whose sources are taken.",
                "SOURCES",
            ),
            sample=Option("Use only K sources, drawn with the seed.", "K", DATA),
        ),
    ]
    out: With[
        str,
        Option("Write the responses there (.jsonl, .parquet or .arrow).", "FILE", default=""),
    ]
    asking: With[
        Asking,
        Takes(
            "peers device threshold batch_size calibration engine workers worker_cpus",
            model=Option(
                "Model to ask, as in openai/gpt-4o; give any number of them.", "MODEL", MODEL
            ),
        ),
    ] = field(default_factory=Asking)
    models: With[
        str,
        Option(
            "Models with settings of their own, a [[model]] table for each.", "FILE.toml", MODEL
        ),
    ] = ""
    replies: With[
        tuple[GivenReplies, ...],
        Option(
            "Responses of a model that were made elsewhere: rows with the id of the source and a "
            "response.",
            "NAME=FILE",
            MODEL,
            reads=lambda given: tuple(map(GivenReplies.parse, given)),
        ),
    ] = ()
    task: With[
        str,
        Option(
            "What is asked for: summarize, answer or overview; by default what a source says of "
            "itself, or what fits it.",
            "TASK",
        ),
    ] = ""
    prompt: With[str, Option("Another prompt for the task than ours.", "FILE")] = ""
    name: With[str, Option("Name of the journal; by default made from the sources.", "NAME")] = ""
    part: With[str, Option("Use only this task of a corpus, as in qa.", "TASK")] = ""

    def __post_init__(self) -> None:
        if not (self.asking.models or self.models or self.replies):
            raise InputError(
                "no model is named, and no replies made elsewhere are given", code="no-model"
            )
        if self.prompt and not self.task:
            raise InputError(
                "a prompt of your own is for one task; name the task as well", field="prompt"
            )
        if not self.out:
            raise InputError("no file is named for the responses", field="out")
        require_example_file(self.out, "out")
        files = (each.file for each in self.replies)
        inputs = (self.sources.target, self.models, self.prompt, *files)
        require_targets({"out": self.out}, *inputs)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The state of things before anybody is asked."""

    sources: Sequence[Example]
    tasks: dict[str, Task]
    models: Sequence[AskedModel]
    given: Found
    earlier: Found
    names: tuple[str, ...]

    def wanted(self, model: str) -> list[Example]:
        """The sources to which a model has no response yet."""
        return [each for each in self.sources if (each.id, model) not in self.earlier]


def collect_responses(request: CollectRequest) -> Collected:
    """Asks for all responses that are not there yet, and writes all that are."""
    plan = _plan(request)
    asked = [Asked(each.name, (each.model,), each.options) for each in plan.models]
    target = request.sources.target
    name = request.name or make_name(target, "collecting")
    with open_questions("collecting", target, asked, request.asking, name) as questions:
        _require_same(request.out, plan, questions)
        collection, detail = Collection(), ""
        state: State = "complete"
        try:
            _ask(plan, questions, collection, request.asking)
        except KeyboardInterrupt as error:
            state = interrupted_state(error)
        except BudgetError as error:
            state, detail = "budget", str(error)
        finally:  # whatever else it is: what is there is written before it is told
            told = {each.name: questions.adaptations(each.name) for each in plan.models}
            found = _merged(plan, collection, told)
            if found:
                write_example_file(found.values(), request.out, response_label)
    return Collected(
        request.out if found else "",
        len(plan.sources),
        tuple(_line(each, plan, found, collection) for each in plan.names),
        state,
        detail,
        tuple(f"{name}: {error}" for name, error in collection.stopped.items()),
        tuple(f"{name}: {each}" for name, some in told.items() for each in some),
    )


def estimate(request: CollectRequest) -> dict[str, RunEstimate]:
    """The cost of the missing responses, by model; nothing is sent."""
    plan = _plan(request)
    found = {}
    for each in plan.models:
        dry = connect_dry(each.model, each.options)
        sources = plan.wanted(each.name)
        bridge.run(
            collect([Wanted(each.name, dry, sources)], plan.tasks, Collection(), no_progress)
        )
        found[each.name] = RunEstimate(len(sources), {dry.model: dry.estimate})
    return found


def _plan(request: CollectRequest) -> _Plan:
    models = asked_models(request.asking.models, request.models, request.asking.options)
    names = (*(each.name for each in models), *(each.model for each in request.replies))
    require_names(names)
    loaded = load_sources(replace(request.sources, task=request.part or request.sources.task))
    for notice in loaded.notices:
        notify(notice)
    sources = assign(loaded.chosen, request.task)
    tasks = {name: open_task(name, request.prompt) for name in {each.task for each in sources}}
    given = {
        (source, each.model): found
        for each in request.replies
        for source, found in read_given(each, sources).items()
    }
    return _Plan(
        sources, tasks, models, given, earlier_responses(request.out, sources, names), names
    )


def _require_same(out: str, plan: _Plan, questions: Questions) -> None:
    ways = {}
    for model in plan.models:
        for client in questions.clients(model.name):
            for name, task in plan.tasks.items():
                about = {"digest": task.prompt.digest}
                made = Provenance(name, "", about, settings_of(client.describe()))
                ways[name, model.name] = made
    require_same_way(out, plan.earlier, ways)


def _ask(plan: _Plan, questions: Questions, collection: Collection, asking: Asking) -> None:
    wanted = [
        Wanted(each.name, client, plan.wanted(each.name))
        for each in plan.models
        for client in questions.clients(each.name)
    ]
    total = len(plan.models) * len(plan.sources)
    before = total - sum(len(each.sources) for each in wanted)
    standing = RunProgress(total, before, before)

    def count() -> None:
        standing.done = before + len(collection.found) + len(collection.failures)
        standing.failures = len(collection.failures)

    shown = questions.underway(standing)
    with asking.watch(shown) if shown else nullcontext(no_progress) as tick:
        questions.answer(collect(wanted, plan.tasks, collection, count), tick)


def _merged(plan: _Plan, collection: Collection, told: dict[str, tuple[str, ...]]) -> Found:
    """All responses, by source and then by model, in the order in which they were given."""
    made = {key: adapted(each, told.get(key[1], ())) for key, each in collection.found.items()}
    there = {**plan.earlier, **made, **plan.given}
    keys = ((source.id, name) for source in plan.sources for name in plan.names)
    return {key: there[key] for key in keys if key in there}


def _line(name: str, plan: _Plan, found: Found, collection: Collection) -> ModelLine:
    is_asked = any(each.name == name for each in plan.models)
    line = ModelLine(name, len(plan.sources), is_asked)
    for source in plan.sources:
        each = found.get((source.id, name))
        if each is None:
            line.lacking.append(source.id)
            continue
        line.responses += 1
        _count(line, each)
    failures = [error for (_, model), error in collection.failures.items() if model == name]
    if name in collection.stopped:
        line.problem = str(collection.stopped[name])
    elif failures:
        line.problem = failures[-1].detail
    elif line.lacking and not is_asked:
        line.problem = "its file has no row for them"
    return line


def _count(line: ModelLine, each: Annotated) -> None:
    for judgement in each.judgements:
        for failure in judgement.failures:
            line.empty += failure.reason == "missing"
            line.refused += failure.reason == "refused"
    made = provenance_of(each.example)
    line.truncated += made is not None and made.is_truncated
