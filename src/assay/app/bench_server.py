"""A model's server measured with the questions of a judge, and the settings that fit it."""

import os
import time
from dataclasses import dataclass, field, replace
from typing import Annotated as With

from assay.app.server_questions import JudgeQuestions
from assay.core.errors import InputError, ServiceError
from assay.core.options import Argument, Option, Takes
from assay.core.system import bridge
from assay.engine.estimate import RunEstimate
from assay.llm.costs.estimates import DryRun
from assay.llm.costs.prices import FREE
from assay.llm.servers.features import probability_question, schema_questions
from assay.llm.servers.levels import ROUNDS, PaceLevel
from assay.llm.servers.listing import listed_models
from assay.llm.servers.measuring import (
    LARGEST,
    PAIRS,
    BenchLimits,
    ServerMeasuring,
    plan_levels,
    size_of_round,
)
from assay.llm.servers.results import ServerBench
from assay.llm.servers.timing import FigureSpread
from assay.llm.settings.model_settings import ModelSettings, resolve
from assay.llm.settings.options import LIMITS, MODEL, Options
from assay.llm.settings.providers import is_loopback

__all__ = ["FigureSpread", "PaceLevel", "ServerBench"]

MOST_CALLS = 400  # unless a budget says otherwise
LONGEST = 128  # tokens of a reply, unless the options say otherwise
_UNNAMED = "unnamed"  # a model whose name is still to be asked for


def _numbers(text: str) -> tuple[int, ...]:
    try:
        found = sorted({int(each) for each in text.split(",")})
    except ValueError:
        found = []
    if not found or found[0] < 1 or found[-1] > LARGEST:
        problem = f"concurrency must be numbers from 1 to {LARGEST} with commas between them"
        raise InputError(f"{problem}, as in 1,2,4, not '{text}'", field="concurrency")
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """The server, its model, the judge whose questions it gets, and how long it is measured."""

    url: With[str, Argument("Address of an OpenAI-compatible server, up to /v1.", "URL")]
    model: With[
        str, Option("Model to ask; by default the only one that the server has.", "MODEL", MODEL)
    ] = ""
    detector: With[str, Option("Judge whose questions are asked.", "NAME")] = "judge-simple"
    concurrency: With[
        tuple[int, ...],
        Option(
            "Numbers of calls at the same time; by default 1, 2, 4 and so on until more are no "
            "faster.",
            "N,...",
            commas=True,
            reads=_numbers,
        ),
    ] = ()
    seconds: With[float, Option("End after so many seconds.", "X", least=1, most=86_400)] = 60.0
    source_words: With[
        int, Option("Words of each made-up source.", "N", least=20, most=100_000)
    ] = 400
    options: With[
        Options,
        Takes(
            "base_url temperature model_seed logprobs deadline attempts concurrency rpm tpm cache",
            max_tokens=Option(f"Longest reply in tokens; default {LONGEST}.", "N", MODEL),
            budget_calls=Option(
                f"Stop before making more than N calls; default {MOST_CALLS}.", "N", LIMITS
            ),
        ),
    ] = field(default_factory=Options)


def bench_server(request: ServerRequest) -> ServerBench:
    """Measures the server; raises if it cannot be asked, or answers too little."""
    unused = time.time_ns() // 1000  # a bench asks about fewer sources than it takes microseconds
    questions = JudgeQuestions(request.detector, request.source_words, unused)
    bridge.run(questions.pair())  # raises for a judge that shows no source
    _require_consent(request)
    settings = _settings(request)
    limits = BenchLimits(request.concurrency, request.seconds, _most_calls(settings))
    return bridge.run(ServerMeasuring(settings, questions, request.detector, limits).measure())


def estimate(request: ServerRequest) -> dict[str, RunEstimate]:
    """The calls and tokens that the same makes at most; nothing is sent."""
    settings = _resolved(request, request.model or _UNNAMED)
    dry = DryRun(settings.endpoint, settings.parameters, settings.price)
    questions = JudgeQuestions(request.detector, request.source_words)
    most = _most_calls(settings)
    bridge.run(_ask_all(dry, questions, request.concurrency, most))
    return {request.detector: RunEstimate(dry.estimate.calls, {dry.model: dry.estimate})}


async def _ask_all(
    dry: DryRun, questions: JudgeQuestions, wanted: tuple[int, ...], most: int
) -> None:
    """Asks what a bench asks that only its plan and its calls end."""
    first, _ = await questions.pair()
    asked = [first, *schema_questions(), probability_question()]
    for _ in range(PAIRS):
        asked += await questions.pair()
    judged = sum(ROUNDS * size_of_round(each) for each in plan_levels(wanted))
    asked += await questions.several(min(judged, most))
    for each in asked[:most]:
        await dry.ask(each)


def _most_calls(settings: ModelSettings) -> int:
    return settings.budget_calls or MOST_CALLS


def _settings(request: ServerRequest) -> ModelSettings:
    """The settings with a model, which the server names if the user does not."""
    settings = _resolved(request, request.model or _UNNAMED)
    if settings.missing_key:
        raise InputError(settings.missing_key, field="key_env", code="no-key")
    return settings if request.model else _resolved(request, _only_model(settings))


def _only_model(settings: ModelSettings) -> str:
    place = settings.endpoint.base_url
    names = bridge.run(listed_models(settings.endpoint))
    if names is None:
        problem = f"{place} does not list its models as an OpenAI-compatible server does"
        hint = "check the address, which usually ends in /v1, or name the model"
        raise ServiceError(f"{problem}: {hint}", field="model", code="bad-address")
    if len(names) != 1:
        there = f"it has {', '.join(names)}" if names else "it lists none"
        raise InputError(f"name the model of {place}: {there}", field="model")
    return names[0]


def _resolved(request: ServerRequest, model: str) -> ModelSettings:
    longest = request.options.max_tokens or LONGEST
    chosen = replace(request.options, model=model, base_url=request.url, max_tokens=longest)
    return resolve(chosen, os.environ)


def _require_consent(request: ServerRequest) -> None:
    """Raises if the calls may cost money and no budget was given for them."""
    settings, options = _resolved(request, request.model or _UNNAMED), request.options
    is_free = settings.price == FREE or is_loopback(settings.endpoint.base_url)
    if is_free or options.budget_usd or options.budget_tokens or options.budget_calls:
        return
    problem = f"{settings.endpoint.base_url} may charge for up to {MOST_CALLS} calls"
    raise InputError(f"{problem}: give a budget for them", code="no-budget")
