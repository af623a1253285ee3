"""The localizers by name: a style, one of its two wordings, and a first step before it."""

from pathlib import Path

from assay.core.errors import InputError, UnknownNameError
from assay.core.taxonomies import FINAL4
from assay.detectors.judges.methods import Method, ModelJudge
from assay.detectors.judges.options import Chosen, read_options
from assay.detectors.judges.protocol import Judge
from assay.detectors.judges.templates import load_prompt
from assay.detectors.localize.first_steps import first_step
from assay.detectors.localize.listing import Listing
from assay.detectors.localize.pipeline import Pipeline
from assay.detectors.protocol import Detector
from assay.detectors.two_step import TwoStep, two_step
from assay.llm.client import Client
from assay.llm.prompts import Prompt

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


def make_zero(client: Client, argument: str) -> Judge:
    """Asks for the list at once."""
    return _make("localize-zero", client, argument)


def make_few(client: Client, argument: str) -> Judge:
    """Asks for the list after worked examples."""
    return _make("localize-few", client, argument)


def make_cot(client: Client, argument: str) -> Judge:
    """Asks for reasoning, then for the list."""
    return _make("localize-cot", client, argument)


def make_cot_hint(client: Client, argument: str) -> Judge:
    """The same, and tells the model that something is inconsistent."""
    return _make("localize-cot-hint", client, argument)


def make_pipeline(client: Client, argument: str) -> Judge:
    """Asks for facts, checks them and merges what was found twice."""
    return _make("localize-pipeline", client, argument)


def make_recall(client: Client, argument: str) -> Judge:
    """Asks for everything that may be inconsistent, for people to sort out."""
    return _make("localize-recall", client, argument)


def make_localizer(name: str, client: Client) -> Judge:
    """The localizer of a style, with what follows the colon: `localize-cot:b`."""
    style, _, argument = name.partition(":")
    if style not in STYLES:
        raise UnknownNameError("style", style, STYLES)
    return _make(style, client, argument)


def is_localizer(detector: Detector) -> bool:
    """Whether a detector describes inconsistencies, of which each one finds its own."""
    if isinstance(detector, TwoStep):
        return is_localizer(detector.localizer)
    return isinstance(detector, ModelJudge) and isinstance(detector.method, Listing | Pipeline)


def _make(style: str, client: Client, argument: str) -> Judge:
    files = ("facts", "prompt", "merge") if style == "localize-pipeline" else ("prompt",)
    settings = {**dict.fromkeys(files, "FILE"), "two-step": "self|gold|DETECTOR"}
    chosen = read_options(style, argument, switches=VARIANTS, settings=settings)
    if chosen.switches == frozenset(VARIANTS):
        raise InputError(f"{style}: choose one of its prompts, a or b")
    judge = ModelJudge(client, _method(style, "b" if "b" in chosen else "a", chosen))
    step = chosen["two-step"]
    return two_step(first_step(step, client), judge) if step else judge


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
    """The prompt with the hint, or else with the word that nothing may be wrong."""
    words = {"hint": _HINT if hint else _NOTHING}
    return prompt.fix(**{name: words[name] for name in prompt.inputs & words.keys()})
