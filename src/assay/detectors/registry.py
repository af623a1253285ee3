"""The detectors by name. Nothing is imported before it is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, cast

from assay.core.errors import InputError, UnknownNameError
from assay.detectors.protocol import Detector

if TYPE_CHECKING:
    from assay.detectors.judges.protocol import Judge
    from assay.llm.client import Client


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a detector is made, what it judges and answers in, and what it is in one line.

    One that `asks_model` is made from a client and the text after the colon, others from the text.
    """

    place: str
    judges: str
    taxonomy: str
    summary: str
    facts: str = ""  # where a function gives more facts about it
    asks_model: bool = False
    scores: bool = True  # whether its verdicts have scores


def _judge(place: str, judges: str, taxonomy: str, summary: str) -> Entry:
    return Entry(
        f"assay.detectors.judges.{place}", judges, taxonomy, summary, asks_model=True, scores=False
    )


def _localizer(made_by: str, summary: str) -> Entry:
    place = f"assay.detectors.localize.making:{made_by}"
    return Entry(place, "responses", "binary", summary, asks_model=True, scores=False)


DETECTORS: dict[str, Entry] = {
    "embedded": Entry(
        "assay.detectors.embedded.detector:EmbeddedDetector",
        "sentences",
        "gray7",
        "a small entailment model that comes with the package; the default",
        "assay.detectors.embedded.card:facts",
    ),
    "overlap": Entry(
        "assay.detectors.overlap:OverlapDetector",
        "sentences",
        "gray7",
        "the lexical floor: it counts shared words and understands nothing",
    ),
    "recorded": Entry(
        "assay.detectors.recorded:RecordedDetector",
        "those of the file",
        "those of the file",
        "replays verdicts that 'assay check --json' wrote: recorded:FILE.json",
    ),
    "judge-gray7": _judge(
        "gray7:make_gray7",
        "sentences",
        "gray7",
        "asks a model about each sentence, or about all at once: judge-gray7:batch",
    ),
    "judge-simple": _judge(
        "simple:make_simple",
        "responses",
        "binary",
        "asks a model one short question about the whole response",
    ),
    "judge-grounding": _judge(
        "grounding:make_grounding",
        "responses",
        "binary",
        "asks a model to go through the response, in prose or sentence by sentence: "
        "judge-grounding:json",
    ),
    "judge-claims": _judge(
        "claims:make_claims",
        "claims",
        "binary",
        "asks a model to take the response apart into claims, then to check each",
    ),
    "judge-fewshot": _judge(
        "fewshot:make_fewshot",
        "sentences",
        "nli",
        "asks a model about each sentence, after worked examples",
    ),
    "judge-finesure": _judge(
        "finesure:make_finesure",
        "sentences",
        "finesure9",
        "asks a model for the kind of error in each sentence, all at once",
    ),
    "faithjudge": _judge(
        "faithjudge:make_faithjudge",
        "responses",
        "binary",
        "asks a model that is shown how people judged other responses to the same source",
    ),
    "discourse": Entry(
        "assay.detectors.discourse.model:make_discourse",
        "sentences",
        "gray7",
        "asks a model about the claims of each sentence and the relations between them",
        asks_model=True,
        scores=False,
    ),
    "discourse-offline": Entry(
        "assay.detectors.discourse.offline:OfflineDiscourse",
        "sentences",
        "gray7",
        "the same by word lists, rules of thumb and the embedded model",
    ),
    "localize-zero": _localizer(
        "make_zero", "asks a model for a list of what is inconsistent, in words and places"
    ),
    "localize-few": _localizer("make_few", "the same after worked examples"),
    "localize-cot": _localizer("make_cot", "the same after reasoning aloud"),
    "localize-cot-hint": _localizer(
        "make_cot_hint", "the same, and tells the model that something is inconsistent"
    ),
    "localize-pipeline": _localizer(
        "make_pipeline", "asks a model for facts, checks each, and merges what was found twice"
    ),
    "localize-recall": _localizer(
        "make_recall", "asks a model for everything that may be wrong, for people to sort out"
    ),
    "p-true": Entry(
        "assay.detectors.p_true:make_p_true",
        "claims",
        "binary",
        "asks a model whether it believes the claims itself, without any source",
        asks_model=True,
    ),
}
DEFAULT = "embedded"


def load_detector(name: str = DEFAULT, client: "Client | None" = None) -> Detector:
    """The detector of that name; what follows a colon is given to it: `recorded:verdicts.json`.

    A judge asks `client`; without one, the model that environment and settings file name.
    """
    key, _, argument = name.partition(":")
    entry = find_entry(key)
    make = _imported(entry.place)
    if entry.asks_model:
        return cast(Detector, make(client or _connected(), argument))
    if client is not None:
        raise InputError(f"detector '{key}' asks no model; leave the model out")
    if argument and not signature(make).parameters:
        raise InputError(f"detector '{key}' takes nothing after its name, but got ':{argument}'")
    return cast(Detector, make(argument) if argument else make())


def find_entry(name: str) -> Entry:
    """The entry of a detector."""
    if name not in DETECTORS:
        raise UnknownNameError("detector", name, DETECTORS)
    return DETECTORS[name]


def detector_facts(name: str) -> Mapping[str, str]:
    """What there is to know about a detector, by heading; for a judge also its prompts."""
    key, _, argument = name.partition(":")
    entry = find_entry(key)
    facts = {
        "detector": name,
        "what it is": entry.summary,
        "judges": entry.judges,
        "labels": entry.taxonomy,
    }
    if entry.asks_model:
        return {**facts, "prompts": _prompts(entry, argument)}
    return {**facts, **(_imported(entry.facts)() if entry.facts else {})}


def _prompts(entry: Entry, argument: str) -> str:
    """The prompts of a judge with their digests; nobody is asked."""
    from assay.llm.scripted import Scripted

    judge: Judge = _imported(entry.place)(Scripted(()), argument)
    return ", ".join(f"{name} ({digest})" for name, digest in judge.prompt_digests.items())


def _connected() -> "Client":
    from assay.llm.connection import connect

    return connect()


def _imported(place: str):  # type: ignore[no-untyped-def]
    module, attribute = place.split(":")
    return getattr(import_module(module), attribute)
