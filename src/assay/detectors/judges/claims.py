"""`judge-claims`: the response is taken apart into claims, and each is checked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.core.examples import Example
from assay.core.labels import Taxonomy
from assay.core.taxonomies import BINARY
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.judges.batches import judge_numbered, numbered_lines
from assay.detectors.judges.judging import Form, Material, failed, squeeze
from assay.detectors.judges.methods import ModelJudge
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.options import read_options
from assay.detectors.judges.templates import load_prompt
from assay.detectors.units import response_unit, sentence_units
from assay.llm.client import CallError, Client
from assay.llm.prompts import Fences, Prompt
from assay.llm.schemas import array_of, object_of, read_json, text, whole_number

FIELDS = Fields(BINARY, quotes=True)
LIST = object_of(claims=array_of(object_of(sentence=whole_number(), claim=text())))


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the response, and what must be said about where it comes from."""

    unit: Unit
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Claims:
    """Asks for the claims of the response, then about all of them."""

    split: Prompt
    verify: Prompt
    name: str = "judge-claims"
    unit_kind: UnitKind = "claim"
    taxonomy: Taxonomy = BINARY

    @property
    def prompts(self) -> tuple[Prompt, Prompt]:
        """That of the first call and that of the second."""
        return self.split, self.verify

    async def outcomes(self, client: Client, example: Example) -> list[Outcome]:
        """The claims that the example names, or those that the model finds in its response."""
        named = [Claim(unit) for unit in example.units if unit.kind == "claim"]
        try:
            claims = named or await self.find(client, example)
        except CallError as error:
            return [failed(response_unit(example), error)]
        units = [claim.unit for claim in claims]
        found = await judge_numbered(client, self.verify, example, units, FIELDS, "claims")
        return [_remarked(*pair) for pair in zip(found, claims, strict=True)]

    async def find(self, client: Client, example: Example) -> list[Claim]:
        """The claims that the model finds; raises `CallError` where it finds none."""
        sentences = dict(enumerate(sentence_units(replace(example, units=())), 1))
        material = Material(example, sentences=numbered_lines(sentences))
        answer = await material.ask(client, self.split, _form(sentences))
        found = dict.fromkeys((each["sentence"], squeeze(each["claim"])) for each in answer.value)
        claims = [_claim(sentences, number, claim) for number, claim in found if claim]
        if not claims:
            detail = "the model finds no claim in the response, so there is nothing to check"
            raise CallError("missing", detail, raw=answer.reply.text)
        return claims


def make_claims(client: Client, argument: str) -> ModelJudge:
    """The judge; `split` and `prompt` are files for its first and second call."""
    settings = {"split": "FILE", "prompt": "FILE"}
    chosen = read_options("judge-claims", argument, settings=settings)
    split = load_prompt("judge-claims-split", chosen["split"], needs=("sentences",))
    needs = ("source", "claims")
    verify = load_prompt("judge-claims-verify", chosen["prompt"], needs=needs, labels=BINARY)
    return ModelJudge(client, Claims(split, verify))


def _form(sentences: Mapping[int, Unit]) -> Form[Sequence[Mapping[str, Any]]]:
    """A list of claims, each with the number of its sentence."""
    example = [{"sentence": n, "claim": unit.text} for n, unit in sentences.items()]
    return Form(_read, json.dumps({"claims": example}), LIST, units=len(sentences))


def _read(reply: str, fences: Fences) -> Sequence[Mapping[str, Any]]:
    claims: Sequence[Mapping[str, Any]] = read_json(reply, LIST, fences)["claims"]
    return claims


def _claim(sentences: Mapping[int, Unit], number: int, claim: str) -> Claim:
    sentence = sentences.get(number)
    if sentence:
        return Claim(Unit("claim", claim, sentence.spans))
    remark = f"The model names sentence {number}, and the response has {len(sentences)}."
    return Claim(Unit("claim", claim), remark)


def _remarked(outcome: Outcome, claim: Claim) -> Outcome:
    if isinstance(outcome, Verdict) and claim.remark:
        return replace(outcome, note=f"{outcome.note} {claim.remark}".strip())
    return outcome
