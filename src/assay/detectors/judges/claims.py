"""`judge-claims`, `ragas`: the response is split into claims, and each is checked.

The claims are those that the example names, or those that a model finds: of all sentences in one
call, or of one in each. A sentence that it leaves out is a claim as a whole, so that nothing that
is stated goes unchecked.

`fold` adds a verdict on the response, whose parts the claims then are: with `mean` its score is the
share of supported claims. That is RAGAS's faithfulness, and `ragas` is another name for it. A
prompt whose reply is one verdict on all claims gives that verdict to the response.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.core.folding import Rule, fold_outcomes
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE, Unit, unit_id
from assay.core.verdicts import Verdict
from assay.detectors.judges.batches import judge_numbered, numbered_lines
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, judge_type, one_line
from assay.detectors.judges.opinions import NUMBERED, ONE, Fields, ask_opinion
from assay.detectors.judges.options import Chosen, load_prompt, read_options
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.llm.asking import Answer
from assay.llm.client import CallError, ModelClient
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt, read_prompt
from assay.llm.replies.forms import Kind, read_letters
from assay.llm.replies.schemas import array_of, object_of, read_json, text, whole_number
from assay.text.differences import Vocabulary
from assay.text.sentences import find_sentences, response_unit, sentence_units
from assay.text.statements import states_nothing
from assay.text.words import terms

FOUND_NONE = "No claim was found in it, so it is checked whole."
SHARE_NONE = "No claim that was found in it has a word of it, so it is checked whole."
LISTED: tuple[Kind, ...] = ("letters",)
LIST = object_of(claims=array_of(object_of(sentence=whole_number(), claim=text())))

Placed = list[tuple[int, str]]  # claims, each with the number of its sentence


@dataclass(frozen=True, slots=True)
class FoundClaim:
    """A claim of the response, and what a reader must know about where it comes from."""

    unit: Unit
    remark: str = ""

    def remarked(self, finding: Finding) -> Finding:
        """The outcome with the remark added."""
        said = finding.outcome
        if isinstance(said, Verdict) and self.remark:
            note = f"{said.note} {self.remark}".strip()
            return replace(finding, outcome=replace(said, note=note))
        return finding


def named_claims(example: Example) -> list[FoundClaim]:
    """The claims that the example names itself, which nobody has to find."""
    return [FoundClaim(unit) for unit in example.units if unit.kind == "claim"]


async def find_claims(client: ModelClient, split: Prompt, example: Example) -> list[FoundClaim]:
    """The claims that a model finds in the response; raises `CallError` where it finds none."""
    text, language = example.response.text, example.language
    units = sentence_units(example) or find_sentences(text, language)
    sentences = dict(enumerate(units, 1))
    ask = _ask_for_each if split.form.kind == "letters" else _ask_for_all
    answers = await ask(client, split, example, sentences)
    placed = [(number, one_line(claim)) for each in answers for number, claim in each.value]
    claims = _claims(example, sentences, [each for each in dict.fromkeys(placed) if each[1]])
    if not claims:
        detail = "the model finds no claim in the response, so there is nothing to check"
        raise CallError("missing", detail, raw="\n".join(each.reply.text for each in answers))
    return [*claims, *_left_out(sentences, claims, language)]


def load_split(file: str = "") -> Prompt:
    """The prompt that finds claims: ours, or a user's, which may ask about one sentence a call."""
    is_list = bool(file) and read_prompt(file).form.kind != "own"
    needs = "sentence" if is_list else "sentences"
    return load_prompt("judge-claims-split", file, needs=(needs,), forms=LISTED)


async def _ask_for_all(
    client: ModelClient, split: Prompt, example: Example, sentences: Mapping[int, Unit]
) -> list[Answer[Placed]]:
    """One reply in JSON, in which each claim has the number of its sentence."""
    texts = PromptTexts(example, sentences=numbered_lines(sentences))
    shown = [{"sentence": number, "claim": unit.text} for number, unit in sentences.items()]
    wanted = ReplyFormat(_read_all, json.dumps({"claims": shown}), LIST, units=len(sentences))
    return [await texts.ask(client, split, wanted)]


def _read_all(reply: str, fences: Fences) -> Placed:
    claims = read_json(reply, LIST, fences)["claims"]
    return [(each["sentence"], each["claim"]) for each in claims]


async def _ask_for_each(
    client: ModelClient, split: Prompt, example: Example, sentences: Mapping[int, Unit]
) -> list[Answer[Placed]]:
    """A reply for each sentence, which is a list of its claims."""
    texts = PromptTexts(example, **{f"sentence_{n}": unit.text for n, unit in sentences.items()})
    return await gather_or_cancel(
        texts.ask(
            client,
            split,
            _listed(number, unit, split),
            sentence=texts.show(f"sentence_{number}", split),
        )
        for number, unit in sentences.items()
    )


def _listed(number: int, unit: Unit, split: Prompt) -> ReplyFormat[Placed]:
    def read(reply: str, _: Fences) -> Placed:
        return [(number, each.description) for each in read_letters(reply, split.form)]

    head = f"{split.form.marker}:\n" if split.form.marker else ""
    return ReplyFormat(read, split.form.tagged(f"{head}- {one_line(unit.text)}"))


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


NAME = "judge-claims"
CAPABILITIES = Capabilities("claim", BINARY, scores=False, asks_model=True, finds_units=True)
FIELDS = Fields(BINARY, quotes=True)
_TOGETHER = frozenset(ONE) - frozenset(NUMBERED)  # forms of one verdict on all claims


@dataclass(frozen=True, slots=True)
class Claims:
    """Asks for the claims of the response, then about all of them."""

    split: Prompt
    verify: Prompt
    rule: Rule | None = None
    called: str = ""

    @property
    def name(self) -> str:
        """With the rule by which the response is judged, if it is, unless it has another name."""
        return self.called or (f"{NAME}:fold={self.rule}" if self.rule else NAME)

    @property
    def capabilities(self) -> Capabilities:
        """Claims; or the response by its claims, with a score if it is their mean."""
        return _capabilities(self.rule)

    @property
    def prompts(self) -> tuple[Prompt, Prompt]:
        """That of the first call and that of the second."""
        return self.split, self.verify

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The claims that the example names, or those that the model finds in its response."""
        claims = named_claims(example) or await find_claims(client, self.split, example)
        units = [claim.unit for claim in claims]
        if self.verify.form.kind in _TOGETHER:
            return [await _judge_together(client, self.verify, example, units)]
        judged = await judge_numbered(client, self.verify, example, units, FIELDS, "claims")
        found = [claim.remarked(each) for claim, each in zip(claims, judged, strict=True)]
        return [_whole(example, found, self.rule), *found] if self.rule else found


async def _judge_together(
    client: ModelClient, prompt: Prompt, example: Example, claims: Sequence[Unit]
) -> Finding:
    """The response by one verdict on all of its claims."""
    unit, texts = response_unit(example), numbered_lines(dict(enumerate(claims, 1)))
    longer = replace(prompt, reply_tokens=prompt.reply_tokens * len(claims))
    verdict = await ask_opinion(client, longer, PromptTexts(example, claims=texts), unit, FIELDS)
    counted = "1 claim" if len(claims) == 1 else f"{len(claims)} claims, judged together"
    return Finding(unit, replace(verdict, note=f"{counted}. {verdict.note}".strip()))


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


def _method(argument: str) -> Claims:
    """`split` and `prompt` are files for its first and second call."""
    chosen, rule = _options(argument)
    return Claims(load_split(chosen["split"]), _load_verify(chosen["prompt"], rule), rule)


def _load_verify(file: str, rule: Rule | None) -> Prompt:
    """The prompt that checks claims: a verdict on all of them together is one on the response."""
    needs = ("source", "claims")
    prompt = load_prompt("judge-claims-verify", file, needs=needs, labels=BINARY, forms=ONE)
    if prompt.form.kind in _TOGETHER and rule != "any":
        kind = prompt.form.kind
        raise InputError(
            f"{file}: 'reply: {kind}' is one verdict on all claims, which is that of the response: "
            f"write {NAME}:fold=any,prompt={file}"
        )
    return prompt


CLAIMS = judge_type(
    "asks a model to split the response into claims, then to check each",
    lambda argument: _capabilities(_options(argument)[1]),
    _method,
)


_RAGAS = "ragas"
_RAGAS_UNITS: dict[str, Rule | None] = {"response": "mean", "claim": None}


def _ragas_options(argument: str) -> tuple[Chosen, str]:
    """The options after the colon, and among them the unit."""
    settings = {"unit": "response|claim", "split": "FILE", "prompt": "FILE"}
    chosen = read_options(_RAGAS, argument, settings=settings)
    unit = chosen["unit"] or "response"
    if unit not in _RAGAS_UNITS:
        raise UnknownNameError(f"unit of {_RAGAS}", unit, _RAGAS_UNITS)
    return chosen, unit


def _ragas(argument: str) -> Claims:
    chosen, unit = _ragas_options(argument)
    rule, needs = _RAGAS_UNITS[unit], ("source", "claims")
    verify = load_prompt(
        "judge-claims-verify", chosen["prompt"], needs=needs, labels=BINARY, forms=NUMBERED
    )
    name = _RAGAS if rule else f"{_RAGAS}:unit={unit}"
    return Claims(load_split(chosen["split"]), verify, rule, name)


RAGAS = judge_type(
    "RAGAS's faithfulness: the share of a response's claims that the source supports",
    lambda argument: _capabilities(_RAGAS_UNITS[_ragas_options(argument)[1]]),
    _ragas,
)
