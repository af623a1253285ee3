"""What the judged model itself believes of the details that it let pass, as P(True)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assay.detectors.judges.judging import Form, Material, failed, together
from assay.detectors.judges.templates import load_prompt
from assay.detectors.localize.findings import one_line
from assay.detectors.p_true import PTrue
from assay.evaluate.errors.explaining import PROMPTS
from assay.evaluate.errors.explanations import Explained
from assay.evaluate.errors.items import ErrorItem
from assay.llm.background import background
from assay.llm.client import CallError, Client
from assay.llm.prompts import Fences, Prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import object_of, read_json, text

CATEGORIES = ("extrinsic-correct", "extrinsic-wrong")  # details that the response adds
_SCHEMA = object_of(claim=text())


def _prompt() -> Prompt:
    return load_prompt("state-claim", needs=("error",), folder=PROMPTS)


@dataclass(frozen=True, slots=True)
class ClaimWriter:
    """Asks a model to put an added detail into a claim that can be understood alone."""

    client: Client
    prompt: Prompt = field(default_factory=_prompt)

    async def write(self, item: ErrorItem) -> str:
        """The claim; raises `CallError` where there is none."""
        form = Form(_read, json.dumps({"claim": "The town lies at the sea."}), _SCHEMA)
        material = Material(item.example, error=item.in_words)
        return (await material.ask(self.client, self.prompt, form)).value


def believe_all(
    explained: Sequence[Explained], writer: ClaimWriter, judge: PTrue
) -> list[Explained]:
    """The errors with the belief in each missed detail that the response adds."""
    return background().run(_believe_all(explained, writer, judge))


async def _believe_all(
    explained: Sequence[Explained], writer: ClaimWriter, judge: PTrue
) -> list[Explained]:
    async with writer.client, judge.client:
        return await together(_believe(each, writer, judge) for each in explained)


async def _believe(each: Explained, writer: ClaimWriter, judge: PTrue) -> Explained:
    if each.item.side != "missed" or not each.category or each.category.name not in CATEGORIES:
        return each
    told = replace(each, believer=judge.client.model)
    try:
        claim = each.claim or await writer.write(each.item)
        return replace(told, claim=claim, belief=await judge.believe(claim))
    except CallError as error:
        return replace(told, unbelieved=failed(each.item.unit, error))


def _read(reply: str, fences: Fences) -> str:
    claim = one_line(read_json(reply, _SCHEMA, fences)["claim"])
    if not claim:
        raise UnreadableError("the claim is empty", wanted='Reply with {"claim": "..."}.')
    return claim
