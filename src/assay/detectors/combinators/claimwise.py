"""`claimwise`: a model takes the response apart into claims, and any detector judges these.

FaithJudge compares detectors that judge a whole response with the same ones claim by claim. The
claims that an example names are judged without asking the model.
"""

import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay import __version__
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.folding import fold_judgement
from assay.core.judgements import Author, Finding, Judgement
from assay.core.texts import Response, Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Failure, Outcome
from assay.detectors.combinators.combining import TOGETHER, PerExample
from assay.detectors.judges.claims import FoundClaim, find_claims, load_split, named_claims
from assay.detectors.judges.judging import failed
from assay.detectors.judges.p_true import NAME as P_TRUE
from assay.detectors.protocol import (
    Capabilities,
    Detector,
    concurrently,
    gather_or_cancel,
    judgement_of,
)
from assay.detectors.registry import (
    DetectorSpec,
    DetectorType,
    Ingredients,
    make_detector,
    part_spec,
)
from assay.llm.client import CallError, ModelClient
from assay.llm.prompts import Prompt
from assay.text.sentences import response_unit

NAME = "claimwise"
USUAL = "embedded"  # the detector inside
_ARGUMENT = re.compile(r"(?:split=(?P<split>[^,]+),?)?(?P<inner>.*)")


@dataclass(frozen=True, slots=True)
class ClaimWise:
    """A model that finds the claims of responses, and a detector that judges each of them."""

    client: ModelClient
    split: Prompt
    detector: Detector

    @property
    def author(self) -> Author:
        """The detector, and who finds the claims, by which prompt if a user brought one."""
        prompt = f"[{self.split.brought}] " if self.split.brought else ""
        name = f"{NAME} {self.detector.author.name}, claims by {prompt}{self.client.model}"
        return Author(name, version=__version__)

    @property
    def capabilities(self) -> Capabilities:
        """Those of the detector, for claims that a model finds."""
        return _capabilities(self.detector.capabilities)

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompt that finds claims, and those of the detector."""
        return {self.split.name: self.split.digest, **self.detector.prompt_digests}

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Finds the claims of an example, then has the detector judge them."""
        inner = PerExample(self.detector)
        return concurrently(examples, lambda example: self._judge_one(inner, example), TOGETHER)

    async def _judge_one(self, inner: PerExample, example: Example) -> Judgement:
        try:
            claims = named_claims(example) or await find_claims(self.client, self.split, example)
        except CallError as error:
            unit = response_unit(example)
            return judgement_of(example, self.author, [Finding(unit, failed(unit, error))])
        asked = self._examples(example, claims)
        judged = await gather_or_cancel(inner.judge(each) for each in asked)
        outcomes = self._outcomes(claims, judged)
        findings = (
            claim.remarked(Finding(claim.unit, _moved(outcome, claim.unit)))
            for claim, outcome in zip(claims, outcomes, strict=True)
        )
        read = min(each.characters_read for each in judged)
        return judgement_of(example, self.author, findings, read)

    def _examples(self, example: Example, claims: Sequence[FoundClaim]) -> list[Example]:
        """The detector's examples: the claims as sentences of one text, or each as a response.

        As sentences they share one reading of the source.
        """
        if self.detector.capabilities.unit_kind != "response":
            return [_as_sentences(example, [claim.unit.text for claim in claims])]
        return [
            replace(
                example,
                id=f"{example.id}/{claim.unit.id}",
                response=Response(claim.unit.text),
                units=(),
            )
            for claim in claims
        ]

    def _outcomes(
        self, claims: Sequence[FoundClaim], judged: Sequence[Judgement]
    ) -> Iterable[Outcome]:
        if self.detector.capabilities.unit_kind == "response":
            return map(fold_judgement, judged)
        missing = Failure("", "missing", f"{self.detector.author.name} does not judge it")
        found = (judged[0].finding(_sentence(n)) for n in range(1, len(claims) + 1))
        return (each.outcome if each else missing for each in found)


def claimwise(client: ModelClient, detector: Detector, split: Prompt | None = None) -> ClaimWise:
    """The detector on claims that a model finds; the response is as faithful as its worst claim."""
    _check(detector.author.name, detector.capabilities)
    return ClaimWise(client, split or load_split(), detector)


def _as_sentences(example: Example, claims: Sequence[str]) -> Example:
    text = "\n".join(claims)
    units, at = [], 0
    for number, claim in enumerate(claims, 1):
        span = Span.cut(text, at, at + len(claim), "response")
        units.append(Unit.at("sentence", span, _sentence(number)))
        at += len(claim) + 1
    return replace(example, response=Response(text), units=tuple(units))


def _moved(outcome: Outcome, claim: Unit) -> Outcome:
    """The outcome of a claim judged as a sentence; its marks lie in the rewritten text."""
    if isinstance(outcome, Failure):
        return replace(outcome, unit=claim.id)
    return replace(outcome, unit=claim.id, marks=())


def _sentence(number: int) -> str:
    return unit_id("sentence", number)


def _capabilities(inner: Capabilities) -> Capabilities:
    return replace(
        inner, unit_kind="claim", asks_model=True, finds_units=True, consults=False, marks=False
    )


def _check(name: str, inner: Capabilities) -> None:
    if re.match(rf"{P_TRUE}\b", name):
        raise InputError(f"{NAME}: {P_TRUE} judges answers to questions, and claims answer none")
    if inner.finds_units:
        raise InputError(f"{NAME}: {name} looks for units itself, and cannot be given claims")
    if inner.reads_annotations:
        raise InputError(f"{NAME}: {name} learns from annotated responses, and claims have none")


def _spec(argument: str) -> tuple[DetectorSpec, str]:
    """The detector inside, and the user's file for the prompt that finds claims."""
    found = _ARGUMENT.fullmatch(argument.strip())
    inner = part_spec(found["inner"] if found and found["inner"] else USUAL)
    _check(inner.name, inner.capabilities)
    return inner, (found["split"] or "") if found else ""


def _make(parts: Ingredients) -> ClaimWise:
    """`split=FILE` before the name of the detector is a prompt for finding claims."""
    spec, file = _spec(parts.argument)
    spec = replace(spec, local=parts.local)
    inner = make_detector(spec, [parts.model] if spec.capabilities.asks_model else ())
    return claimwise(parts.model, inner, load_split(file))


CLAIMWISE = DetectorType(
    "asks a model for the claims, and has another detector judge each: claimwise:overlap",
    lambda argument: _capabilities(_spec(argument)[0].capabilities),
    _make,
)
