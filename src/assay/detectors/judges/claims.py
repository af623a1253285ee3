"""`judge-claims`: the response is split into claims, and each is checked.

`fold` adds a verdict on the response, whose parts the claims then are: with `mean` its score is the
share of supported claims, as in RAGAS. A prompt whose reply is one verdict on all claims gives that
verdict to the response.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.core.folding import Rule, fold_outcomes
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Verdict
from assay.detectors.judges.batches import judge_numbered, numbered_lines
from assay.detectors.judges.found_claims import find_claims, load_split, named_claims
from assay.detectors.judges.judging import PromptTexts, judge_type
from assay.detectors.judges.opinions import NUMBERED, ONE, Fields, ask_opinion
from assay.detectors.judges.options import Chosen, load_prompt, read_options
from assay.detectors.protocol import Capabilities
from assay.llm.client import Client
from assay.llm.prompts import Prompt
from assay.text.sentences import response_unit

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
        if self.verify.form.kind in _TOGETHER:
            return [await _judge_together(client, self.verify, example, units)]
        judged = await judge_numbered(client, self.verify, example, units, FIELDS, "claims")
        found = [claim.remarked(each) for claim, each in zip(claims, judged, strict=True)]
        return [_whole(example, found, self.rule), *found] if self.rule else found


async def _judge_together(
    client: Client, prompt: Prompt, example: Example, claims: Sequence[Unit]
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
