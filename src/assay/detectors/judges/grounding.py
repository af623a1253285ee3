"""`judge-grounding`: goes through the response, in prose or sentence by sentence in JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.labels import Label, Taxonomy
from assay.core.taxonomies import BINARY
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.judges.batches import judge_numbered
from assay.detectors.judges.judging import Form, Material, failed
from assay.detectors.judges.methods import ModelJudge
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.options import read_options
from assay.detectors.judges.templates import load_prompt
from assay.detectors.units import response_unit, sentence_units
from assay.llm.client import CallError, Client
from assay.llm.logprobs import probability_of
from assay.llm.prompts import Prompt
from assay.llm.verdict_lines import marker_for, read_verdict_line

# What the JSON form says of a sentence; the response is then faithful or unfaithful.
GROUNDING = Taxonomy(
    "grounding",
    "How a sentence of a response stands to its source",
    (
        Label(
            "grounding",
            "contradictory",
            "The source denies a part of what the sentence states.",
            0,
            "unfaithful",
        ),
        Label(
            "grounding",
            "unsupported",
            "A part of what it states is not in the source, which does not deny it either.",
            1,
            "unfaithful",
        ),
        Label(
            "grounding",
            "nothing-to-check",
            "It states nothing: a greeting, a question, an offer, a remark about the response.",
            2,
            "no-fact",
        ),
        Label(
            "grounding",
            "supported",
            "All that it states is in the source or follows from it without doubt.",
            3,
            "faithful",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Reasoned:
    """Asks for an examination in prose that ends in a verdict line."""

    prompt: Prompt
    name: str = "judge-grounding"
    unit_kind: UnitKind = "response"
    taxonomy: Taxonomy = BINARY

    @property
    def prompts(self) -> tuple[Prompt]:
        """Its only prompt."""
        return (self.prompt,)

    async def outcomes(self, client: Client, example: Example) -> list[Outcome]:
        """The response."""
        unit, material = response_unit(example), Material(example)
        marker = marker_for(material.fences, "Verdict")
        form = Form(
            lambda text, _: (read_verdict_line(text, marker, BINARY.names), text),
            f"The source says all of it.\n{marker}: faithful",
        )
        try:
            answer = await material.ask(client, self.prompt, form, marker=marker)
        except CallError as error:
            return [failed(unit, error)]
        label, text = answer.value
        confidence = probability_of(answer.reply, label)
        return [Verdict(unit, BINARY[label], confidence=confidence, note=_prose(text, marker))]


@dataclass(frozen=True, slots=True)
class PerSentence:
    """Asks for an entry on each sentence, and draws the verdict on the response from them."""

    prompt: Prompt
    name: str = "judge-grounding:json"
    unit_kind: UnitKind = "response"
    taxonomy: Taxonomy = BINARY

    @property
    def prompts(self) -> tuple[Prompt]:
        """Its only prompt."""
        return (self.prompt,)

    async def outcomes(self, client: Client, example: Example) -> list[Outcome]:
        """The response, by all of its sentences."""
        sentences = sentence_units(replace(example, units=()))
        fields = Fields(GROUNDING, quotes=True)
        found = await judge_numbered(client, self.prompt, example, sentences, fields)
        return [conclude(response_unit(example), found)]


def conclude(unit: Unit, outcomes: Sequence[Outcome]) -> Outcome:
    """Unfaithful if any sentence is; faithful only if none is and none is left without verdict."""
    verdicts = [each for each in outcomes if isinstance(each, Verdict)]
    failures = [each for each in outcomes if isinstance(each, Failure)]
    wrong = [each for each in verdicts if each.label and each.label.coarse == "unfaithful"]
    left = f"{len(failures)} of {len(outcomes)} sentences have no verdict" if failures else ""
    if failures and not wrong:
        first = failures[0]
        return Failure(unit, first.reason, f"{left}: {first.detail}", first.raw)
    told = [
        f"Sentence {number} is {each.label}: {each.note}"
        for number, each in enumerate(outcomes, 1)
        if isinstance(each, Verdict) and each in wrong
    ] or [_nothing_wrong(verdicts)]
    return Verdict(
        unit,
        BINARY["unfaithful" if wrong else "faithful"],
        note=" ".join((*told, *([f"{left}."] if left else []))),
        evidence=tuple(dict.fromkeys(span for each in wrong or verdicts for span in each.evidence)),
    )


def make_grounding(client: Client, argument: str) -> ModelJudge:
    """The judge; `json` asks for an entry on each sentence."""
    settings = {"prompt": "FILE"}
    chosen = read_options("judge-grounding", argument, switches=("json",), settings=settings)
    if "json" in chosen:
        needs, name = ("source", "sentences"), "judge-grounding-json"
        prompt = load_prompt(name, chosen["prompt"], needs=needs, labels=GROUNDING)
        return ModelJudge(client, PerSentence(prompt))
    needs = ("source", "response")
    prompt = load_prompt("judge-grounding", chosen["prompt"], needs=needs, labels=BINARY)
    return ModelJudge(client, Reasoned(prompt))


def _prose(text: str, marker: str) -> str:
    """What stands before the verdict line, on one line."""
    end = text.casefold().rfind(marker.casefold())
    return " ".join(text[:end].split()).rstrip("*_#> ") if end >= 0 else ""


def _nothing_wrong(verdicts: Sequence[Verdict]) -> str:
    if all(each.label and each.label.coarse == "no-fact" for each in verdicts):
        return "It states nothing that could be checked."
    return "No sentence is unsupported or contradictory."
