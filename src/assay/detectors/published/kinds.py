"""The published detectors by name: their models, options and units. No network is loaded here.

After the colon of a name stand, separated by commas, the model (one of the menu, a folder, or a
name on the hub) and settings: `minicheck:roberta-large,unit=response`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import get_args

from assay.core.errors import InputError, UnknownNameError
from assay.detectors.local import LocalOptions
from assay.detectors.protocol import Capabilities, Detector
from assay.detectors.published.scores import ScoreDetector, ScoredUnit, Scorer, capabilities
from assay.detectors.registry import DetectorType, Ingredients
from assay.models.catalogue import amount
from assay.models.checkpoints import (
    CheckpointFolder,
    HubModel,
    cached,
    find_hub_model,
    open_folder,
)

_UNIT = "unit"


@dataclass(frozen=True, slots=True)
class Choice:
    """The model and the settings that stand after the colon of a published detector's name."""

    detector: str
    model: str  # a name of the menu, a folder, or a name on the hub
    known: HubModel | None
    unit: ScoredUnit
    settings: Mapping[str, str]

    @property
    def name(self) -> str:
        """The detector with its model, for the author of its verdicts."""
        return f"{self.detector}:{self.model}"

    def __getitem__(self, setting: str) -> str:
        """The value of a setting; empty if it was not given."""
        return self.settings.get(setting, "")

    def folder(self) -> CheckpointFolder:
        """The checkpoint; one that is not here raises and says what to fetch."""
        return open_folder(self.known.repository if self.known else self.model, self.known)


@dataclass(frozen=True, slots=True)
class PublishedMethod:
    """A published detector as data, from which its `DetectorType` is made.

    `models` leads from the short names of its menu to those of the catalogue. `maker` is
    `module:function` below this package: from a choice and local options to a `Scorer`.
    """

    name: str
    summary: str
    maker: str
    unit: ScoredUnit
    models: Mapping[str, str] = field(default_factory=dict)
    default: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    marks: bool = False
    quotes: bool = True

    @property
    def type(self) -> DetectorType:
        """The kind of detector that it is."""
        return DetectorType(self.summary, self.capabilities, self.make, self.facts)

    def capabilities(self, argument: str) -> Capabilities:
        """Its capabilities with this text after the colon of its name."""
        return capabilities(self._units(argument), marks=self.marks, quotes=self.quotes)

    def choose(self, argument: str) -> Choice:
        """The model and the settings in the text after the colon."""
        model, settings = "", dict[str, str]()
        menu = {_UNIT: "sentence|response", **self.settings}
        for part in filter(None, map(str.strip, argument.split(","))):
            name, equals, value = (each.strip() for each in part.partition("="))
            if not equals and not model:
                model = name
            elif not equals:
                raise InputError(f"{self.name}: one model is wanted, not '{model}' and '{name}'")
            elif name not in menu:
                wanted = tuple(f"{each}={value}" for each, value in menu.items())
                raise UnknownNameError(f"option of {self.name}", part, wanted)
            elif not value:
                raise InputError(f"{self.name}: '{name}=' needs a value; write {name}={menu[name]}")
            else:
                settings[name] = value
        unit = self._unit(settings.pop(_UNIT, self.unit))
        model = model or self.default
        known = find_hub_model(self.models[model]) if model in self.models else None
        return Choice(self.name, model, known, unit, settings)

    def make(self, parts: Ingredients) -> Detector:
        """The detector, with its network loaded."""
        choice = self.choose(parts.argument)
        if not choice.model:
            raise InputError(
                f"{self.name} needs a model: write {self.name}:MODEL with a folder or a name on"
                " the hub",
                field="detector",
            )
        if not choice.known and "/" not in choice.model and self.models:
            raise UnknownNameError(f"model of {self.name}", choice.model, self.models)
        scorer = self._maker(choice, parts.local)
        return ScoreDetector(scorer, self.capabilities(parts.argument), parts.local)

    def facts(self, argument: str) -> dict[str, str]:
        """Facts about its model; nothing is loaded or fetched."""
        choice = self.choose(argument)
        others = ", ".join(f"{self.name}:{short}" for short in self.models)
        found = {"models": others} if others else {}
        if known := choice.known:
            found |= {
                "model": f"{known.repository}, {known.parameters} parameters, {amount(known.size)}",
                "licence": known.licence,
                "languages": known.languages,
                "reads": f"{known.context:,} tokens at once",
                "state": _state(known),
            }
        return found

    @property
    def _maker(self) -> Callable[[Choice, LocalOptions], Scorer]:
        module, _, function = self.maker.partition(":")
        found = getattr(import_module(f"assay.detectors.published.{module}"), function)
        return partial(found)

    def _units(self, argument: str) -> ScoredUnit:
        return self.choose(argument).unit

    def _unit(self, given: str) -> ScoredUnit:
        for unit in get_args(ScoredUnit):
            if unit == given:
                return unit  # type: ignore[no-any-return]
        raise UnknownNameError(f"unit of {self.name}", given, get_args(ScoredUnit))


def _state(known: HubModel) -> str:
    here = cached(known.repository, known.patterns)
    return f"at {here}" if here else f"not here; 'assay models pull {known.name}' fetches it"


NLI = PublishedMethod(
    "nli",
    "any sequence classifier for natural language inference, by folder or hub name",
    "nli:open_nli",
    "sentence",
    settings={"labels": "entailment/neutral/contradiction"},
).type
MINICHECK = PublishedMethod(
    "minicheck",
    "MiniCheck (Tang et al. 2024): a sentence against chunks of the source, the best one counts",
    "minicheck:open_minicheck",
    "sentence",
    {
        "flan-t5-large": "minicheck-flan-t5-large",
        "roberta-large": "minicheck-roberta-large",
        "deberta-v3-large": "minicheck-deberta-v3-large",
    },
    "flan-t5-large",
).type
LLM_CHECK = PublishedMethod(
    "llm-check",
    "LLM-Check (Sriramanan et al. 2024): a causal model's attention or hidden states; calibrate it",
    "llm_check:open_llm_check",
    "sentence",
    {"llama-2-7b-chat": "llama-2-7b-chat"},
    "llama-2-7b-chat",
    {
        "score": "attention|hidden|perplexity|window-entropy|logit-entropy",
        "layer": "N",
        "faithful": "low|high",
        "alone": "no|yes",
        "prompt": "FILE",
        "dtype": "float32|bfloat16",
    },
    quotes=False,
).type
CCP = PublishedMethod(
    "ccp",
    "CCP (Fadeeva et al. 2024): how sure a causal model is of each word's meaning; calibrate it",
    "ccp:open_ccp",
    "sentence",
    {"llama-2-7b-chat": "llama-2-7b-chat"},
    "llama-2-7b-chat",
    {
        "nli": "FOLDER|embedded",
        "labels": "entailment/neutral/contradiction",
        "context": "word|claim",
        "prompt": "FILE",
        "dtype": "float32|bfloat16",
    },
    quotes=False,
).type
