"""The claims of a response: those that its example names, or those that a model finds in it.

A model lists the claims of all sentences in one call, or of one sentence in each. A sentence that
it leaves out is a claim as a whole: nothing that is stated goes unchecked.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Verdict
from assay.detectors.judges.batches import numbered_lines
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, one_line
from assay.detectors.judges.options import load_prompt
from assay.detectors.protocol import gather_or_cancel
from assay.llm.asking import Answer
from assay.llm.client import CallError, Client
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt, read_prompt
from assay.llm.replies.forms import Kind, read_letters
from assay.llm.replies.schemas import array_of, object_of, read_json, text, whole_number
from assay.text.differences import Vocabulary
from assay.text.sentences import find_sentences, sentence_units
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


async def find_claims(client: Client, split: Prompt, example: Example) -> list[FoundClaim]:
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
    client: Client, split: Prompt, example: Example, sentences: Mapping[int, Unit]
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
    client: Client, split: Prompt, example: Example, sentences: Mapping[int, Unit]
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
