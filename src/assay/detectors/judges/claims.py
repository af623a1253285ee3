"""`judge-claims`: the response is split into claims, and each is checked.

`fold` adds a verdict on the response, whose parts the claims then are: with `mean` its score is the
share of supported claims, as in RAGAS.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from assay.core.errors import UnknownNameError
from assay.core.examples import Example
from assay.core.folding import Rule, fold_outcomes
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE, Unit, unit_id
from assay.core.verdicts import Verdict
from assay.detectors.judges.batches import judge_numbered, numbered_lines
from assay.detectors.judges.judging import (
    ModelJudge,
    PromptTexts,
    ReplyFormat,
    one_line,
)
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.options import Chosen, load_prompt, read_options
from assay.detectors.protocol import Capabilities
from assay.detectors.registry import DetectorType, Ingredients
from assay.llm.client import CallError, Client
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.schemas import array_of, object_of, read_json, text, whole_number
from assay.text.statements import states_nothing
from assay.text.units import find_sentences, response_unit, sentence_units
from assay.text.vocabulary import Vocabulary
from assay.text.words import terms

NAME = "judge-claims"
CAPABILITIES = Capabilities("claim", BINARY, scores=False, asks_model=True, finds_units=True)
FIELDS = Fields(BINARY, quotes=True)
FOUND_NONE = "No claim was found in it, so it is checked whole."
SHARE_NONE = "No claim that was found in it has a word of it, so it is checked whole."
LIST = object_of(claims=array_of(object_of(sentence=whole_number(), claim=text())))


@dataclass(frozen=True, slots=True)
class FoundClaim:
    """A claim of the response, and what a reader must know about where it comes from."""

    unit: Unit
    remark: str = ""

    def remarked(self, finding: Finding) -> Finding:
        """What is said of it, with the remark."""
        said = finding.outcome
        if isinstance(said, Verdict) and self.remark:
            note = f"{said.note} {self.remark}".strip()
            return replace(finding, outcome=replace(said, note=note))
        return finding


@dataclass(frozen=True, slots=True)
class Claims:
    """Asks for the claims of the response, then about all of them."""

    split: Prompt
    verify: Prompt
    rule: Rule | None = None

    @property
    def name(self) -> str:
        """With the rule by which the response is judged, if it is."""
        return f"{NAME}:fold={self.rule}" if self.rule else NAME

    @property
    def capabilities(self) -> Capabilities:
        """Claims; or the response by its claims, with a score if it is their mean."""
        return _capabilities(self.rule)

    @property
    def prompts(self) -> tuple[Prompt, Prompt]:
        """That of the first call and that of the second."""
        return self.split, self.verify

    async def findings(self, client: Client, example: Example) -> list[Finding]:
        """The claims that the example names, or those that the model finds in its response."""
        claims = named_claims(example) or await find_claims(client, self.split, example)
        units = [claim.unit for claim in claims]
        judged = await judge_numbered(client, self.verify, example, units, FIELDS, "claims")
        found = [claim.remarked(each) for claim, each in zip(claims, judged, strict=True)]
        return [_whole(example, found, self.rule), *found] if self.rule else found


def named_claims(example: Example) -> list[FoundClaim]:
    """The claims that the example names itself, which nobody has to find."""
    return [FoundClaim(unit) for unit in example.units if unit.kind == "claim"]


async def find_claims(client: Client, split: Prompt, example: Example) -> list[FoundClaim]:
    """The claims that a model finds in the response; raises `CallError` where it finds none.

    A sentence that it leaves out is a claim as a whole: nothing that is stated goes unchecked.
    """
    text, language = example.response.text, example.language
    units = sentence_units(example) or find_sentences(text, language)
    sentences = dict(enumerate(units, 1))
    texts = PromptTexts(example, sentences=numbered_lines(sentences))
    answer = await texts.ask(client, split, _reply_format(sentences))
    found = dict.fromkeys((each["sentence"], one_line(each["claim"])) for each in answer.value)
    claims = _claims(example, sentences, [(number, claim) for number, claim in found if claim])
    if not claims:
        detail = "the model finds no claim in the response, so there is nothing to check"
        raise CallError("missing", detail, raw=answer.reply.text)
    return [*claims, *_left_out(sentences, claims, language)]


def load_split(file: str = "") -> Prompt:
    """The prompt that finds claims, ours or a user's."""
    return load_prompt("judge-claims-split", file, needs=("sentences",))


def _reply_format(sentences: Mapping[int, Unit]) -> ReplyFormat[Sequence[Mapping[str, Any]]]:
    """A list of claims, each with the number of its sentence."""
    example = [{"sentence": n, "claim": unit.text} for n, unit in sentences.items()]
    return ReplyFormat(_read, json.dumps({"claims": example}), LIST, units=len(sentences))


def _read(reply: str, fences: Fences) -> Sequence[Mapping[str, Any]]:
    claims: Sequence[Mapping[str, Any]] = read_json(reply, LIST, fences)["claims"]
    return claims


def _claims(
    example: Example, sentences: Mapping[int, Unit], found: list[tuple[int, str]]
) -> list[FoundClaim]:
    """The claims as units: each is a part of its sentence, if that is there."""
    known = Vocabulary((example.response.text, example.question), example.language)
    counts: Counter[str] = Counter()
    claims = []
    for number, claim in found:
        sentence = sentences.get(number)
        parent = sentence.id if sentence else ""
        counts[parent] += 1
        spans = sentence.spans if sentence else ()
        unit = Unit(unit_id("claim", counts[parent], parent), "claim", claim, spans, parent)
        no_place = f"The model names sentence {number}, and the response has {len(sentences)}."
        remarks = ("" if sentence else no_place, _doubt(known.lacks(claim)))
        claims.append(FoundClaim(unit, " ".join(filter(None, remarks))))
    return claims


def _doubt(strange: str) -> str:
    return f"It may not come from the response, which does not have {strange}." if strange else ""


def _left_out(
    sentences: Mapping[int, Unit], claims: Sequence[FoundClaim], language: str
) -> Iterator[FoundClaim]:
    """The sentences that state something and have no claim, or only claims in other words."""
    texts: dict[str, list[str]] = {}
    for claim in claims:
        texts.setdefault(claim.unit.parent, []).append(claim.unit.text)
    for sentence in sentences.values():
        own = texts.get(sentence.id, [])
        shared = {term for text in own for term in terms(text, language)}
        if states_nothing(sentence.text, language) or shared & set(terms(sentence.text, language)):
            continue
        unit = Unit(
            unit_id("claim", len(own) + 1, sentence.id),
            "claim",
            one_line(sentence.text),
            sentence.spans,
            sentence.id,
        )
        yield FoundClaim(unit, SHARE_NONE if own else FOUND_NONE)


def _whole(example: Example, found: Sequence[Finding], rule: Rule) -> Finding:
    """The response by its claims, and how many of them are supported."""
    outcome = fold_outcomes(RESPONSE, (each.outcome for each in found), rule)
    if isinstance(outcome, Verdict):
        supported = sum(each.coarse == "faithful" for each in found)
        judged = sum(each.verdict is not None for each in found)
        note = f"{supported} of {judged} claims are supported."
        if judged < len(found):
            note += f" {len(found) - judged} more have no verdict."
        outcome = replace(outcome, note=note)
    return Finding(response_unit(example), outcome)


def _options(argument: str) -> tuple[Chosen, Rule | None]:
    """The options after the colon, and among them the rule for the response."""
    settings = {"fold": "any|mean", "split": "FILE", "prompt": "FILE"}
    chosen = read_options(NAME, argument, settings=settings)
    if chosen["fold"] in ("", "any", "mean"):
        return chosen, cast(Rule, chosen["fold"]) or None
    raise UnknownNameError("rule", chosen["fold"], ("any", "mean"))


def _capabilities(rule: Rule | None) -> Capabilities:
    if rule is None:
        return CAPABILITIES
    return Capabilities("response", BINARY, scores=rule == "mean", asks_model=True)


def _make(parts: Ingredients) -> ModelJudge:
    """`split` and `prompt` are files for its first and second call."""
    chosen, rule = _options(parts.argument)
    needs = ("source", "claims")
    verify = load_prompt("judge-claims-verify", chosen["prompt"], needs=needs, labels=BINARY)
    return ModelJudge(parts.model, Claims(load_split(chosen["split"]), verify, rule))


CLAIMS = DetectorType(
    "asks a model to split the response into claims, then to check each",
    lambda argument: _capabilities(_options(argument)[1]),
    _make,
)
