"""`judge-grounding`: goes through the response, in prose or sentence by sentence in JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.labels import Taxonomy
from assay.core.taxonomies import BINARY, GROUNDING4
from assay.core.units import UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.fold import fold_outcomes
from assay.detectors.judges.batches import judge_numbered
from assay.detectors.judges.judging import Form, Material, failed, squeeze
from assay.detectors.judges.methods import ModelJudge
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.options import read_options
from assay.detectors.judges.templates import load_prompt
from assay.detectors.units import response_unit, sentence_units
from assay.llm.client import CallError, Client
from assay.llm.prompts import Prompt
from assay.llm.verdict_lines import find_verdict_line, marker_for

FIELDS = Fields(GROUNDING4, quotes=True)


@dataclass(frozen=True, slots=True)
class Reasoned:
    """Asks for an examination in prose that ends in a verdict line."""

    prompts: tuple[Prompt]
    name: str = "judge-grounding"
    unit_kind: UnitKind = "response"
    taxonomy: Taxonomy = BINARY

    async def outcomes(self, client: Client, example: Example) -> list[Outcome]:
        """The response."""
        unit, material = response_unit(example), Material(example)
        marker = marker_for(material.fences, "Verdict")
        form = Form(
            lambda text, _: find_verdict_line(text, marker, BINARY.names),
            f"The source says all of it.\n{marker}: faithful",
        )
        try:
            answer = await material.ask(client, self.prompts[0], form, marker=marker)
        except CallError as error:
            return [failed(unit, error)]
        line = answer.value
        confidence = line.probability(answer.reply)
        label, note = BINARY[line.choice], squeeze(line.rest)
        return [Verdict(unit, label, confidence=confidence, note=note)]


@dataclass(frozen=True, slots=True)
class PerSentence:
    """Asks for an entry on each sentence, and draws the verdict on the response from them."""

    prompts: tuple[Prompt]
    name: str = "judge-grounding:json"
    unit_kind: UnitKind = "response"
    taxonomy: Taxonomy = BINARY

    async def outcomes(self, client: Client, example: Example) -> list[Outcome]:
        """The response, by all of its sentences."""
        sentences = sentence_units(replace(example, units=()))
        found = await judge_numbered(client, self.prompts[0], example, sentences, FIELDS)
        return [_told(fold_outcomes(response_unit(example), found, "any"), found)]


def _told(whole: Outcome, outcomes: Sequence[Outcome]) -> Outcome:
    """The verdict on the response with the sentences that are wrong, and their evidence."""
    if isinstance(whole, Failure):
        return whole
    verdicts = [each for each in outcomes if isinstance(each, Verdict)]
    wrong = [each for each in verdicts if each.label and each.label.coarse == "unfaithful"]
    told = [
        f"Sentence {number} is {each.label}: {each.note}"
        for number, each in enumerate(outcomes, 1)
        if isinstance(each, Verdict) and each in wrong
    ] or [_nothing_wrong(verdicts)]
    left = len(outcomes) - len(verdicts)
    if left:
        told.append(f"{left} of {len(outcomes)} sentences have no verdict.")
    return replace(
        whole,
        note=" ".join(told),
        evidence=tuple(dict.fromkeys(span for each in wrong or verdicts for span in each.evidence)),
    )


def make_grounding(client: Client, argument: str) -> ModelJudge:
    """The judge; `json` asks for an entry on each sentence."""
    settings = {"prompt": "FILE"}
    chosen = read_options("judge-grounding", argument, switches=("json",), settings=settings)
    if "json" in chosen:
        prompt = load_prompt(
            "judge-grounding-json",
            chosen["prompt"],
            needs=("source", "sentences"),
            labels=GROUNDING4,
        )
        return ModelJudge(client, PerSentence((prompt,)))
    prompt = load_prompt(
        "judge-grounding",
        chosen["prompt"],
        needs=("source", "response", "marker"),
        labels=BINARY,
    )
    return ModelJudge(client, Reasoned((prompt,)))


def _nothing_wrong(verdicts: Sequence[Verdict]) -> str:
    if all(each.label and each.label.coarse == "no-fact" for each in verdicts):
        return "It states nothing that could be checked."
    return "No sentence is unsupported or contradictory."
