"""`judge-simple`, `judge-grounding`, `facts`: one verdict on the whole response.

`judge-simple` asks one short question. `judge-grounding` goes through the response, in prose or
sentence by sentence in JSON: the two styles of FACTS Grounding, and `facts` is another name for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.folding import fold_outcomes
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY, GROUNDING4
from assay.core.units import RESPONSE
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.judges.batches import judge_numbered
from assay.detectors.judges.judging import (
    PromptTexts,
    ReplyFormat,
    judge_type,
    one_line,
)
from assay.detectors.judges.opinions import NUMBERED, ONE, Fields, ask_opinion
from assay.detectors.judges.options import load_prompt, read_options
from assay.detectors.protocol import Capabilities
from assay.llm.client import ModelClient
from assay.llm.prompts import Prompt
from assay.llm.replies.forms import ReplyForm
from assay.llm.replies.verdict_lines import find_verdict_line, marker_for
from assay.text.sentences import find_sentences, response_unit

CAPABILITIES = Capabilities("response", BINARY, scores=False, asks_model=True)
SIMPLE_FIELDS = Fields(BINARY, label_first=True)  # the paper's prompt asks for no reasoning
YES_OR_NO = ReplyForm("choice", choices={"yes": "faithful", "no": "unfaithful"})
SENTENCE_FIELDS = Fields(GROUNDING4, quotes=True)


@dataclass(frozen=True, slots=True)
class Simple:
    """Asks once, and takes a label and then a reason.

    `bare` is another form for replies that are not JSON: our prompt asks a question that small
    models answer with yes or no. What yes means in a user's prompt, its header says.
    """

    prompts: tuple[Prompt]
    name: str = "judge-simple"
    capabilities: Capabilities = CAPABILITIES
    bare: ReplyForm | None = None

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The response."""
        unit, texts = response_unit(example), PromptTexts(example)
        said = await ask_opinion(client, self.prompts[0], texts, unit, SIMPLE_FIELDS, self.bare)
        return [Finding(unit, said)]


@dataclass(frozen=True, slots=True)
class Reasoned:
    """Asks for an examination in prose that ends in a verdict line."""

    prompts: tuple[Prompt]
    name: str = "judge-grounding"
    capabilities: Capabilities = CAPABILITIES

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The response."""
        if self.prompts[0].form.kind != "own":
            return await Simple(self.prompts).findings(client, example)
        unit, texts = response_unit(example), PromptTexts(example)
        marker = marker_for(texts.fences, "Verdict")
        menu = self.prompts[0].form.menu(BINARY)
        reply_format = ReplyFormat(
            lambda text, _: find_verdict_line(text, marker, menu),
            f"The source says all of it.\n{marker}: faithful",
        )
        answer = await texts.ask(client, self.prompts[0], reply_format, marker=marker)
        line = answer.value
        confidence = line.probability(answer.reply)
        label, note = BINARY[line.choice], one_line(line.rest)
        return [Finding(unit, Verdict(unit.id, label, confidence=confidence, note=note))]


@dataclass(frozen=True, slots=True)
class PerSentence:
    """Asks for an entry on each sentence, and draws the verdict on the response from them."""

    prompts: tuple[Prompt]
    name: str = "judge-grounding:json"
    capabilities: Capabilities = CAPABILITIES

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The response, by all of its sentences."""
        sentences = find_sentences(example.response.text, example.language)
        found = await judge_numbered(client, self.prompts[0], example, sentences, SENTENCE_FIELDS)
        outcomes = [each.outcome for each in found]
        whole = _explained(fold_outcomes(RESPONSE, outcomes, "any"), outcomes)
        return [Finding(response_unit(example), whole)]


def _explained(whole: Outcome, outcomes: Sequence[Outcome]) -> Outcome:
    """The verdict on the response with the sentences that are wrong, and their evidence."""
    if isinstance(whole, Failure):
        return whole
    verdicts = [each for each in outcomes if isinstance(each, Verdict)]
    wrong = [each for each in verdicts if each.coarse == "unfaithful"]
    said = [
        f"Sentence {number} is {each.label}: {each.note}"
        for number, each in enumerate(outcomes, 1)
        if each.coarse == "unfaithful"
    ] or [_nothing_wrong(verdicts)]
    left = len(outcomes) - len(verdicts)
    if left:
        said.append(f"{left} of {len(outcomes)} sentences have no verdict.")
    return replace(
        whole,
        note=" ".join(said),
        evidence=tuple(dict.fromkeys(span for each in wrong or verdicts for span in each.evidence)),
    )


def _nothing_wrong(verdicts: Sequence[Verdict]) -> str:
    if all(each.coarse == "no-fact" for each in verdicts):
        return "It states nothing that could be checked."
    return "No sentence is unsupported or contradictory."


def _grounding(argument: str, name: str = "judge-grounding") -> PerSentence | Reasoned:
    """`json` asks for an entry on each sentence."""
    settings = {"prompt": "FILE"}
    chosen = read_options(name, argument, switches=("json",), settings=settings)
    if "json" in chosen:
        prompt = load_prompt(
            "judge-grounding-json",
            chosen["prompt"],
            needs=("source", "sentences"),
            labels=GROUNDING4,
            forms=NUMBERED,
        )
        return PerSentence((prompt,), f"{name}:json")
    prompt = load_prompt(
        "judge-grounding",
        chosen["prompt"],
        needs=("source", "response", "marker"),
        labels=BINARY,
        forms=ONE,
    )
    return Reasoned((prompt,), name)


def _simple(argument: str) -> Simple:
    chosen = read_options("judge-simple", argument, settings={"prompt": "FILE"})
    prompt = load_prompt(
        "judge-simple",
        chosen["prompt"],
        needs=("source", "response"),
        labels=BINARY,
        forms=ONE,
    )
    return Simple((prompt,), bare=None if chosen["prompt"] else YES_OR_NO)


SIMPLE = judge_type(
    "asks a model one short question about the whole response", CAPABILITIES, _simple
)
GROUNDING = judge_type(
    "asks a model to examine the response, in prose or sentence by sentence: judge-grounding:json",
    CAPABILITIES,
    _grounding,
)
FACTS = judge_type(
    "FACTS Grounding's judges: a response examined in prose, or by sentence: facts:json",
    CAPABILITIES,
    lambda argument: _grounding(argument, "facts"),
)
