"""The published detectors by name: their models, options and units. No network is loaded here.

After the colon of a name stand, separated by commas, the model (one of the menu, a folder, or a
name on the hub) and settings: `minicheck:roberta-large,unit=response`. A model of the menu that is
too large to run here is asked behind a server; the detector is a judge then.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import get_args

from assay.core.errors import InputError, MissingExtraError, UnknownNameError
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
_EXTRA = ("safetensors", "torch", "transformers")


@dataclass(frozen=True, slots=True)
class ModelChoice:
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

    def with_usual(self, setting: str, value: str) -> "ModelChoice":
        """The choice with a setting that was not given."""
        return replace(self, settings={setting: value, **self.settings}) if value else self

    def folder(self) -> CheckpointFolder:
        """The checkpoint; one that is not here raises and says what to fetch."""
        return open_folder(self.known.repository if self.known else self.model, self.known)


@dataclass(frozen=True, slots=True)
class PublishedMethod:
    """A published detector as data, from which its `DetectorType` is made.

    `models` leads from the short names of its menu to those of the catalogue. `maker` is
    `module:function` below this package: from a choice and local options to a `Scorer`. `served`
    leads from the names of models behind a server to the kinds of judges, below the detectors.
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
    served: Mapping[str, str] = field(default_factory=dict)

    @property
    def type(self) -> DetectorType:
        """The kind of detector that it is."""
        return DetectorType(self.summary, self.capabilities, self.make, self.facts)

    def capabilities(self, argument: str) -> Capabilities:
        """Its capabilities with this text after the colon of its name."""
        if judge := self._judge(argument):
            return judge.type.capabilities_with(judge.argument)
        return capabilities(self._units(argument), marks=self.marks, quotes=self.quotes)

    def choose(self, argument: str) -> ModelChoice:
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
        return ModelChoice(self.name, model, known, unit, settings)

    def make(self, parts: Ingredients) -> Detector:
        """The detector, with its network loaded."""
        if judge := self._judge(parts.argument):
            return judge.type.make(replace(parts, argument=judge.argument))
        choice = self.choose(parts.argument)
        if not choice.model:
            raise InputError(
                f"{self.name} needs a model: write {self.name}:MODEL with a folder or a name on"
                " the hub",
                field="detector",
            )
        if not choice.known and "/" not in choice.model and self.models:
            menu = (*self.models, *self.served)
            raise UnknownNameError(f"model of {self.name}", choice.model, menu)
        scorer = self._maker(choice, parts.local)
        return ScoreDetector(scorer, self.capabilities(parts.argument), parts.local)

    def facts(self, argument: str) -> dict[str, str]:
        """Facts about its model; nothing is loaded or fetched."""
        others = ", ".join(f"{self.name}:{short}" for short in (*self.models, *self.served))
        found = {"models": others} if others else {}
        if judge := self._judge(argument):
            more = judge.type.facts
            return {**found, **(more(judge.argument) if more else {})}
        choice = self.choose(argument)
        if known := choice.known:
            found |= {
                "model": f"{known.repository}, {known.parameters} parameters, {amount(known.size)}",
                "licence": known.licence,
                "languages": known.languages,
                "reads": f"{known.context:,} tokens at once" if known.context else "any length",
                "state": _state(known),
            }
        return found

    def _judge(self, argument: str) -> "_Judge | None":
        """The judge that asks a model of the menu behind a server; None for one that runs here."""
        parts = [part.strip() for part in argument.split(",")]
        model = next((part for part in parts if part in self.served), "")
        if not model:
            return None
        module, _, attribute = self.served[model].partition(":")
        found: DetectorType = getattr(import_module(f"assay.detectors.{module}"), attribute)
        parts.remove(model)
        return _Judge(found, ",".join(parts))

    @property
    def _maker(self) -> Callable[[ModelChoice, LocalOptions], Scorer]:
        module, _, function = self.maker.partition(":")
        try:
            found = getattr(import_module(f"assay.detectors.published.{module}"), function)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _EXTRA:
                raise
            raise MissingExtraError("a published detector", "hf") from None
        return partial(found)

    def _units(self, argument: str) -> ScoredUnit:
        return self.choose(argument).unit

    def _unit(self, given: str) -> ScoredUnit:
        for unit in get_args(ScoredUnit):
            if unit == given:
                return unit  # type: ignore[no-any-return]
        raise UnknownNameError(f"unit of {self.name}", given, get_args(ScoredUnit))


@dataclass(frozen=True, slots=True)
class _Judge:
    """A kind of judge, and what is left of the text after the colon for it."""

    type: DetectorType
    argument: str


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
    served={"bespoke-7b": "judges.bespoke:BESPOKE"},
).type
ALIGNSCORE = PublishedMethod(
    "alignscore",
    "AlignScore (Zha et al. 2023): each sentence against chunks of the source, the mean counts",
    "alignscore:open_alignscore",
    "response",
    {"base": "alignscore-base", "large": "alignscore-large"},
    "large",
    {"mode": "nli_sp|nli|bin_sp|bin|reg_sp|reg"},
).type
SUMMAC = PublishedMethod(
    "summac",
    "SummaC (Laban et al. 2022): sentences against sentences, zero-shot or with its convolution",
    "summac:open_summac",
    "response",
    {
        name: f"nli-{name}"
        for name in (
            *("vitc", "vitc-base", "vitc-only", "mnli", "mnli-base", "anli"),
            *("snli-base", "snli-large"),
        )
    },
    "vitc",
    {"conv": "FILE", "labels": "entailment/neutral/contradiction"},
).type
INFUSE = PublishedMethod(
    "infuse",
    "InFusE (Zhang et al. 2024): a sentence against a premise that grows sentence by sentence",
    "infuse:open_infuse",
    "sentence",
    {"vitc": "nli-vitc"},
    "vitc",
    {"reverse": "yes|no", "labels": "entailment/neutral/contradiction"},
).type
HHEM = PublishedMethod(
    "hhem",
    "HHEM-2.1-Open (Vectara 2024): the probability that a response is consistent with its source",
    "hhem:open_hhem",
    "response",
    {"2.1-open": "hhem-2.1-open"},
    "2.1-open",
    quotes=False,
).type
_T5_SETTINGS = {"dtype": "float32|bfloat16", "cut": "source|end"}
TRUETEACHER = PublishedMethod(
    "trueteacher",
    "TrueTeacher (Gekhman et al. 2023): T5-11B that answers 1 if a summary is consistent",
    "trueteacher:open_t5",
    "response",
    {"11b": "trueteacher-11b"},
    "11b",
    _T5_SETTINGS,
    quotes=False,
).type
TRUE_NLI = PublishedMethod(
    "true-nli",
    "TRUE's NLI model (Honovich et al. 2022): T5-11B that answers 1 if the source entails a text",
    "trueteacher:open_t5",
    "response",
    {"11b": "true-nli-11b"},
    "11b",
    {"dtype": _T5_SETTINGS["dtype"]},
    quotes=False,
).type
LETTUCE = PublishedMethod(
    "lettuce",
    "LettuceDetect (Kovács and Recski 2025): marks the words that the source does not bear out",
    "lettuce:open_lettuce",
    "response",
    {
        "base": "lettuce-base",
        "large": "lettuce-large",
        **{f"tiny-{size}": f"lettuce-tiny-{size}" for size in ("17m", "32m", "68m")},
        "v2-mmbert": "lettuce-v2-mmbert",
        **{
            f"{size}-{code}": f"lettuce-{size}-{code}"
            for size in ("210m", "610m")
            for code in ("de", "es", "fr", "it", "pl", "zh")
        },
    },
    "base",
    {"language": "de|en|es|fr|it|pl|zh", "length": "4096"},
    marks=True,
    quotes=False,
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
