"""`judge-claims`: the response is split into claims, and each is checked."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Verdict
from assay.detectors.judges.batches import judge_numbered, numbered_lines
from assay.detectors.judges.judging import (
    ModelJudge,
    PromptTexts,
    ReplyFormat,
    one_line,
)
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.options import load_prompt, read_options
from assay.detectors.protocol import Capabilities
from assay.detectors.registry import DetectorType, Ingredients
from assay.llm.client import CallError, Client
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.schemas import array_of, object_of, read_json, text, whole_number
from assay.text.units import find_sentences, sentence_units

CAPABILITIES = Capabilities("claim", BINARY, scores=False, asks_model=True, finds_units=True)
FIELDS = Fields(BINARY, quotes=True)
LIST = object_of(claims=array_of(object_of(sentence=whole_number(), claim=text())))


@dataclass(frozen=True, slots=True)
class FoundClaim:
    """A claim of the response, and what a reader must know about where it comes from."""

    unit: Unit
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Claims:
    """Asks for the claims of the response, then about all of them."""

    split: Prompt
    verify: Prompt
    name: str = "judge-claims"
    capabilities: Capabilities = CAPABILITIES

    @property
    def prompts(self) -> tuple[Prompt, Prompt]:
        """That of the first call and that of the second."""
        return self.split, self.verify

    async def findings(self, client: Client, example: Example) -> list[Finding]:
        """The claims that the example names, or those that the model finds in its response."""
        named = [FoundClaim(unit) for unit in example.units if unit.kind == "claim"]
        claims = named or await self.find(client, example)
        units = [claim.unit for claim in claims]
        found = await judge_numbered(client, self.verify, example, units, FIELDS, "claims")
        return [_remarked(*pair) for pair in zip(found, claims, strict=True)]

    async def find(self, client: Client, example: Example) -> list[FoundClaim]:
        """The claims that the model finds; raises `CallError` where it finds none."""
        text, language = example.response.text, example.language
        units = sentence_units(example) or find_sentences(text, language)
        sentences = dict(enumerate(units, 1))
        texts = PromptTexts(example, sentences=numbered_lines(sentences))
        answer = await texts.ask(client, self.split, _reply_format(sentences))
        found = dict.fromkeys((each["sentence"], one_line(each["claim"])) for each in answer.value)
        claims = _claims(sentences, [(number, claim) for number, claim in found if claim])
        if not claims:
            detail = "the model finds no claim in the response, so there is nothing to check"
            raise CallError("missing", detail, raw=answer.reply.text)
        return claims


def _reply_format(sentences: Mapping[int, Unit]) -> ReplyFormat[Sequence[Mapping[str, Any]]]:
    """A list of claims, each with the number of its sentence."""
    example = [{"sentence": n, "claim": unit.text} for n, unit in sentences.items()]
    return ReplyFormat(_read, json.dumps({"claims": example}), LIST, units=len(sentences))


def _read(reply: str, fences: Fences) -> Sequence[Mapping[str, Any]]:
    claims: Sequence[Mapping[str, Any]] = read_json(reply, LIST, fences)["claims"]
    return claims


def _claims(sentences: Mapping[int, Unit], found: list[tuple[int, str]]) -> list[FoundClaim]:
    """The claims as units: each is a part of its sentence, if that is there."""
    counts: Counter[str] = Counter()
    claims = []
    for number, claim in found:
        sentence = sentences.get(number)
        parent = sentence.id if sentence else ""
        counts[parent] += 1
        spans = sentence.spans if sentence else ()
        unit = Unit(unit_id("claim", counts[parent], parent), "claim", claim, spans, parent)
        remark = f"The model names sentence {number}, and the response has {len(sentences)}."
        claims.append(FoundClaim(unit, "" if sentence else remark))
    return claims


def _remarked(finding: Finding, claim: FoundClaim) -> Finding:
    said = finding.outcome
    if isinstance(said, Verdict) and claim.remark:
        return replace(finding, outcome=replace(said, note=f"{said.note} {claim.remark}".strip()))
    return finding


def _make(parts: Ingredients) -> ModelJudge:
    """`split` and `prompt` are files for its first and second call."""
    settings = {"split": "FILE", "prompt": "FILE"}
    chosen = read_options("judge-claims", parts.argument, settings=settings)
    split = load_prompt("judge-claims-split", chosen["split"], needs=("sentences",))
    needs = ("source", "claims")
    verify = load_prompt("judge-claims-verify", chosen["prompt"], needs=needs, labels=BINARY)
    return ModelJudge(parts.model, Claims(split, verify))


CLAIMS = DetectorType(
    "asks a model to split the response into claims, then to check each",
    CAPABILITIES,
    _make,
)
