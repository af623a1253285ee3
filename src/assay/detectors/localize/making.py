"""The localizers by name: a style, one of its wordings, and perhaps a first step before it.

Each has two wordings of ours. With `definitions` it asks as the paper does: its definitions, its
steps and its form of reply, without our guidance and without categories.
"""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.labels import Taxonomy
from assay.core.taxonomies import BINARY, FINAL4
from assay.core.verdicts import Verdict
from assay.detectors.combinators.two_step import GoldStep, two_step
from assay.detectors.judges.judging import Method, ModelJudge, PromptTexts, ReplyFormat
from assay.detectors.judges.options import Chosen, load_prompt, read_options
from assay.detectors.localize.entries import insisting, list_format
from assay.detectors.localize.findings import CAPABILITIES, Texts, conclude
from assay.detectors.localize.pipeline import Pipeline
from assay.detectors.protocol import Capabilities, Detector
from assay.detectors.registry import DetectorSpec, DetectorType, Ingredients, make_detector
from assay.llm.client import ModelClient
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.forms import read_choice
from assay.llm.replies.verdict_lines import VerdictLine
from assay.text.sentences import response_unit

_CAPABILITIES = Capabilities("response", BINARY, scores=False, asks_model=True)


@dataclass(frozen=True, slots=True)
class SelfStep:
    """Asks for reasoning, step by step, and then for yes or no on the whole response."""

    prompt: Prompt
    name: str = "localize-self"
    capabilities: Capabilities = _CAPABILITIES

    def __post_init__(self) -> None:
        if self.prompt.form.kind not in ("choice", "line"):
            raise InputError(
                f"the prompt '{self.prompt.name}' of a first step ends in a choice; its header "
                "needs 'reply: choice' and choices for faithful and unfaithful"
            )

    @property
    def prompts(self) -> tuple[Prompt]:
        """Its only prompt."""
        return (self.prompt,)

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The verdict on the response, with the reasoning as its note."""
        answer = await PromptTexts(example).ask(client, self.prompt, self._format())
        said, unit = answer.value, response_unit(example)
        note = " ".join(said.rest.split())
        return [Finding(unit, Verdict(unit.id, BINARY[said.choice], note=note))]

    def _format(self) -> ReplyFormat[VerdictLine]:
        form = self.prompt.form
        menu = form.menu(BINARY)

        def read(reply: str, fences: Fences) -> VerdictLine:
            return read_choice(reply, form, menu, fences)

        word = next((w for w, label in form.choices.items() if label == "unfaithful"), "unfaithful")
        return ReplyFormat(read, f"One detail is wrong.\n{form.marker or 'Answer'}: {word}")


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
PLAIN = "definitions"

_ONE_WORDING = ("localize-pipeline", "localize-recall")  # in the paper
# What fills the gaps of a prompt that reasons, without and with the hint.
_HINTS = {
    False: {
        "hint": "If nothing is inconsistent, the list is empty, []; that is a good answer.",
        "opening": "",
        "none": " If you found no inconsistency, write None there.",
    },
    True: {
        "hint": "It is already known that this response contains at least one inconsistency. Find "
        "every one of them.",
        "opening": "The response below contains at least one inconsistency with its source.\n\n",
        "none": "",
    },
}
_UNHEEDED = "The model was told that something is inconsistent, and lists nothing."
_TEXTS = ("source", "response")


@dataclass(frozen=True, slots=True)
class Listing:
    """Asks once for all inconsistencies of a response, with or without reasoning before them.

    With the hint, which says that there are some, an empty list is an answer all the same.
    """

    name: str
    prompt: Prompt
    reasons: bool = False
    hint: bool = False
    capabilities: Capabilities = CAPABILITIES

    @property
    def prompts(self) -> tuple[Prompt]:
        """Its only prompt."""
        return (self.prompt,)

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The response, then its inconsistencies."""
        wanted = list_format(self.prompt, example.response.text, reasons=self.reasons)
        wanted = insisting(wanted, self.prompt.form) if self.hint else wanted
        answer = await PromptTexts(example).ask(client, self.prompt, wanted)
        texts, listed = Texts(example), answer.value
        found = [texts.look_up(entry) for entry in listed.entries]
        note = f"{_UNHEEDED} {listed.note}" if self.hint and not found else listed.note
        return conclude(example, found, note.strip())


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
    """The capabilities of a localizer; a first step by people's labels reads annotations."""
    step = _chosen(style, argument)["two-step"]
    runs = step not in ("", "self", "gold") and DetectorSpec(step).capabilities.runs_here
    return replace(CAPABILITIES, reads_annotations=step == "gold", runs_here=runs)


def _make(style: str, parts: Ingredients) -> Detector:
    chosen = _chosen(style, parts.argument)
    judge = ModelJudge(parts.model, _method(style, chosen))
    return two_step(_first_step(chosen, parts), judge) if chosen["two-step"] else judge


@cache
def _chosen(style: str, argument: str) -> Chosen:
    is_pipeline = style == "localize-pipeline"
    files = ("facts", "prompt", "merge", "self") if is_pipeline else ("prompt", "self")
    settings = {**dict.fromkeys(files, "FILE"), "two-step": "self|gold|DETECTOR"}
    if is_pipeline:
        settings["group"] = "FACTS"
    chosen = read_options(style, argument, switches=(*VARIANTS, PLAIN), settings=settings)
    if chosen.switches >= frozenset(VARIANTS):
        raise InputError(f"{style}: choose one of its prompts, a or b")
    _check_plain(style, chosen)
    if chosen["self"] and chosen["two-step"] != "self":
        raise InputError(f"{style}: 'self=' is the prompt of a first step; add two-step=self")
    if is_pipeline and chosen.count("group", 1) < 1:
        raise InputError(f"{style}: group is 1 fact or more, not 0")
    return chosen


def _check_plain(style: str, chosen: Chosen) -> None:
    """Raises if an option does not go with `definitions`."""
    if PLAIN not in chosen:
        return
    if style in _ONE_WORDING and "b" in chosen:
        raise InputError(f"{style}: the paper has one wording; leave out 'b' or '{PLAIN}'")
    if style != "localize-pipeline" and chosen["prompt"]:
        raise InputError(f"{style}: '{PLAIN}' is a prompt of ours; leave it out or 'prompt='")
    if chosen["group"]:
        raise InputError(f"{style}: with '{PLAIN}' each fact has a call; leave out 'group='")


def _first_step(chosen: Chosen, parts: Ingredients) -> Detector:
    """`self`: the same model reasons and says yes or no; `gold`: people's labels.

    Anything else is a detector; if it asks a model, the same one.
    """
    name = chosen["two-step"]
    if name == "gold":
        return GoldStep(parts.annotations)
    if name == "self":
        own = _load("localize-self", chosen, "self", _TEXTS, BINARY)
        return ModelJudge(parts.model, SelfStep(own))
    spec = DetectorSpec(name, local=parts.local)
    if spec.capabilities.reads_annotations:
        raise InputError(
            f"{name} learns from annotations and cannot be a first step; faithjudge:peers=0 can"
        )
    return make_detector(spec, [parts.model] if spec.capabilities.asks_model else ())


def _method(style: str, chosen: Chosen) -> Method:
    name = ":".join(filter(None, (style, ",".join(sorted(chosen.switches - {"a"})))))
    variant = "b" if "b" in chosen else "a"
    if style == "localize-pipeline":
        return _pipeline(name, variant, chosen)
    reasons, hint = "-cot" in style, style.endswith("-hint")
    prompt = _load(f"{style.removesuffix('-hint')}-{variant}", chosen, "prompt", _TEXTS)
    return Listing(name, _hinted(prompt, hint) if reasons else prompt, reasons, hint)


def _pipeline(name: str, variant: str, chosen: Chosen) -> Pipeline:
    split = _load("localize-pipeline-facts", chosen, "facts", ("sentences",))
    check = _load(f"localize-pipeline-check-{variant}", chosen, "prompt", ("source", "facts"))
    merge = _load("localize-pipeline-merge", chosen, "merge", ("descriptions",))
    for each in (split, merge):
        if each.form.kind not in ("own", "letters"):
            raise InputError(
                f"the prompt '{each.name}' asks for a reply of the form {each.form.kind}; a list "
                "of facts or descriptions has the form letters"
            )
    list_format(check, "")  # raises before anything is sent if its form is not that of a list
    group = chosen.count("group", 1)
    if group > 1 and check.form.kind != "own":
        raise InputError(
            f"the prompt '{check.name}' has a reply form of its own, which is about one fact; "
            "leave out group="
        )
    return Pipeline(name, split, check, merge, group, strict=PLAIN in chosen)


def _load(
    name: str, chosen: Chosen, setting: str, needs: tuple[str, ...], labels: Taxonomy = FINAL4
) -> Prompt:
    """The file that a setting names, or else our prompt of that name, perhaps the plain one."""
    file = chosen[setting]
    ours = f"{name}-{PLAIN}" if PLAIN in chosen and not file else name
    return load_prompt(ours, file, needs=needs, labels=labels, folder=FOLDER, forms=None)


def _hinted(prompt: Prompt, hint: bool) -> Prompt:
    """The prompt with the hint, or else with the remark that there may be nothing to list."""
    words = _HINTS[hint]
    return prompt.fix(**{name: words[name] for name in prompt.inputs & words.keys()})
