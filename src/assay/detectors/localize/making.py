"""The localizers by name: a style, one of its two wordings, and perhaps a first step before it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.taxonomies import FINAL4
from assay.detectors.judges.judging import (
    Method,
    ModelJudge,
    PromptTexts,
    ReplyFormat,
    one_line,
)
from assay.detectors.judges.options import Chosen, load_prompt, read_options
from assay.detectors.localize.findings import (
    CAPABILITIES,
    ENTRIES,
    LEAST,
    Entry,
    Texts,
    conclude,
    example_entry,
    read_entries,
)
from assay.detectors.localize.pipeline import Pipeline
from assay.detectors.protocol import Capabilities, Detector
from assay.detectors.registry import DetectorSpec, DetectorType, Ingredients, open_detector
from assay.detectors.two_step import GoldStep, two_step
from assay.llm.client import Client
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.schemas import object_of, object_with, read_json, text

FOLDER = Path(__file__).parent / "prompts"
STYLES = (
    "localize-zero",
    "localize-few",
    "localize-cot",
    "localize-cot-hint",
    "localize-pipeline",
    "localize-recall",
)
VARIANTS = ("a", "b")

_NOTHING = "If nothing is inconsistent, the list is empty; that is a good answer."
_HINT = (
    "It is already known that this response contains at least one inconsistency. Find every one "
    "of them."
)
_TEXTS = ("source", "response")
_SELF = "judge-grounding"  # the first step in which a model gives a reasoned verdict itself


# Made once: a cache of replies knows a schema by its identity.
_LIST = object_of(inconsistencies=ENTRIES)
_REASONED = object_of(reasoning=text(), inconsistencies=ENTRIES)
_WANTED = object_with(inconsistencies=LEAST)


@dataclass(frozen=True, slots=True)
class Listed:
    """What a reply lists, and the reasoning before it."""

    entries: tuple[Entry, ...]
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """Asks once for all inconsistencies of a response, with or without reasoning before them."""

    name: str
    prompt: Prompt
    reasons: bool = False
    capabilities: Capabilities = CAPABILITIES

    @property
    def prompts(self) -> tuple[Prompt]:
        """Its only prompt."""
        return (self.prompt,)

    async def findings(self, client: Client, example: Example) -> list[Finding]:
        """The response, then its inconsistencies."""
        answer = await PromptTexts(example).ask(client, self.prompt, self._format(example))
        texts, listed = Texts(example), answer.value
        found = [texts.look_up(entry) for entry in listed.entries]
        return conclude(example, found, listed.reasoning)

    def _format(self, example: Example) -> ReplyFormat[Listed]:
        reply: dict[str, Any] = {"inconsistencies": [example_entry(example.response.text)]}
        if self.reasons:
            reply = {"reasoning": "The source does not have one of the details.", **reply}
        return ReplyFormat(self._read, json.dumps(reply), _REASONED if self.reasons else _LIST)

    def _read(self, reply: str, fences: Fences) -> Listed:
        value: Mapping[str, Any] = read_json(reply, _WANTED, fences)
        return Listed(read_entries(value["inconsistencies"]), one_line(value.get("reasoning")))


def _type(style: str, summary: str) -> DetectorType:
    return DetectorType(
        summary,
        lambda argument: _capabilities(style, argument),
        lambda parts: _make(style, parts),
    )


ZERO = _type("localize-zero", "asks a model to list what is inconsistent, in words and places")
FEW = _type("localize-few", "the same after worked examples")
COT = _type("localize-cot", "the same after reasoning aloud")
COT_HINT = _type("localize-cot-hint", "the same, and the model is told that something is wrong")
PIPELINE = _type(
    "localize-pipeline", "asks a model for facts, checks each, and merges what was found twice"
)
RECALL = _type(
    "localize-recall", "asks a model for everything that may be wrong, for people to sort out"
)


def _capabilities(style: str, argument: str) -> Capabilities:
    """What a localizer can do; a first step by people's labels reads annotations."""
    step = _chosen(style, argument)["two-step"]
    return replace(CAPABILITIES, reads_annotations=step == "gold")


def _make(style: str, parts: Ingredients) -> Detector:
    chosen = _chosen(style, parts.argument)
    judge = ModelJudge(parts.model, _method(style, "b" if "b" in chosen else "a", chosen))
    step = chosen["two-step"]
    return two_step(_first_step(step, parts), judge) if step else judge


@cache
def _chosen(style: str, argument: str) -> Chosen:
    files = ("facts", "prompt", "merge") if style == "localize-pipeline" else ("prompt",)
    settings = {**dict.fromkeys(files, "FILE"), "two-step": "self|gold|DETECTOR"}
    chosen = read_options(style, argument, switches=VARIANTS, settings=settings)
    if chosen.switches == frozenset(VARIANTS):
        raise InputError(f"{style}: choose one of its prompts, a or b")
    return chosen


def _first_step(name: str, parts: Ingredients) -> Detector:
    """`self`: the same model gives a reasoned verdict; `gold`: people's labels.

    Anything else is a detector; if it asks a model, the same one.
    """
    if name == "gold":
        return GoldStep(parts.annotations)
    spec = DetectorSpec(_SELF if name == "self" else name)
    if spec.capabilities.reads_annotations:
        raise InputError(
            f"{name} learns from annotations and cannot be a first step; faithjudge:peers=0 can"
        )
    return open_detector(spec, [parts.model] if spec.capabilities.asks_model else ())


def _method(style: str, variant: str, chosen: Chosen) -> Method:
    name = style if variant == "a" else f"{style}:{variant}"
    if style == "localize-pipeline":
        return Pipeline(
            name,
            _load("localize-pipeline-facts", chosen["facts"], ("sentences",)),
            _load(f"localize-pipeline-check-{variant}", chosen["prompt"], ("source", "facts")),
            _load("localize-pipeline-merge", chosen["merge"], ("descriptions",)),
        )
    reasons = "-cot" in style
    prompt = _load(f"{style.removesuffix('-hint')}-{variant}", chosen["prompt"], _TEXTS)
    return Listing(name, _hinted(prompt, style.endswith("-hint")) if reasons else prompt, reasons)


def _load(name: str, file: str, needs: tuple[str, ...]) -> Prompt:
    return load_prompt(name, file, needs=needs, labels=FINAL4, folder=FOLDER)


def _hinted(prompt: Prompt, hint: bool) -> Prompt:
    """The prompt with the hint, or else with the remark that the list may be empty."""
    words = {"hint": _HINT if hint else _NOTHING}
    return prompt.fix(**{name: words[name] for name in prompt.inputs & words.keys()})
