"""`discourse`: a model takes the response apart, then checks its claims and, apart, its links."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from assay.core.decision import Answers
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.labels import Label, Taxonomy
from assay.core.taxonomies import ERROR5, GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Outcome, Verdict
from assay.detectors.discourse.aligning import Lost, Wording, shorten
from assay.detectors.discourse.checking import check_decomposition
from assay.detectors.discourse.decomposition import Decomposition, Flaw, decomposition_format
from assay.detectors.discourse.folding import USUAL_ERRORS, fold_sentence
from assay.detectors.discourse.parts import Parts, set_aside
from assay.detectors.discourse.scopes import Scopes
from assay.detectors.judges.batches import (
    halves,
    in_groups,
    judge_numbered,
    numbered_lines,
    ran_out,
)
from assay.detectors.judges.judging import PromptTexts, failed, judge_type
from assay.detectors.judges.opinions import NUMBERED, Fields, Opinion, Record
from assay.detectors.judges.options import load_prompt, read_options
from assay.detectors.judges.quoting import Quotable
from assay.detectors.protocol import Capabilities, gather_or_cancel, no_fact
from assay.llm.client import CallError, ModelClient
from assay.llm.prompts import Prompt, label_menu
from assay.llm.replies.schemas import Schema, object_with, one_of, read_value
from assay.llm.replies.texts import UnreadableError
from assay.text.discourse.relations import KINDS
from assay.text.sentences import sentence_units
from assay.text.statements import states_nothing

NONE = "none"
_NO_ERROR = frozenset(
    ("", NONE, "no", "no error", "no errors", "no-error", "null", "nil", "n/a", "na", "-", "false")
)
_LEFT_OUT = "The error that the model names, “{}”, is none of the kinds and is left out."
_NAMES = tuple(name for label in ERROR5 for name in (label.name, *label.aliases))
_KIND = object_with(error=one_of(_NAMES))
LINKS = Taxonomy(
    GRAY7.name,
    "How a source bears out a relation",
    tuple(label for label in GRAY7 if label.name not in ("ambiguous", "no-fact")),
)


@dataclass(frozen=True)  # without slots: `super()` does not find a class that was made anew
class Diagnosis(Opinion):
    """An opinion with the kind of error, if one is named.

    What is said to be supported and to have an error is not supported. What depends on outside
    knowledge or on how it is read keeps its label, and its error.
    """

    error: Label | None = None

    def verdict(self, unit: Unit, source: Quotable, confidence: float | None) -> Verdict:
        """The verdict on the unit, with its error; an unsupported link always has one."""
        said = super().verdict(unit, source, confidence)
        if self.error and self.label.coarse == "faithful":
            note = f"{said.note} The model calls it {self.label}, but names an error.".strip()
            answers = Answers(states_fact=True, entailed=False, contradicted=False)
            label = GRAY7["fabricated"]
            return replace(said, label=label, error=self.error, note=note, answers=answers)
        if self.label.coarse == "no-fact":
            return said
        is_bad_link = unit.link is not None and self.label.coarse == "unfaithful"
        usual = ERROR5[USUAL_ERRORS[unit.link.name]] if unit.link and is_bad_link else None
        return replace(said, error=self.error or usual)


@dataclass(frozen=True)
class DiagnosisFields(Fields):
    """The fields of an opinion, with the kind of error before the label."""

    @property
    def parts(self) -> dict[str, Schema]:
        """Reason, quotes and readings, the error, and at last the label."""
        parts = super().parts
        label = parts.pop("label")
        return {**parts, "error": one_of((NONE, *ERROR5.names)), "label": label}

    @property
    def example(self) -> dict[str, Any]:
        """An opinion in the wanted format."""
        own = super().example
        label = own.pop("label")
        return {**own, "error": NONE, "label": label}

    def read(self, record: Record) -> Diagnosis:
        """The opinion in a record; an error that is not one of the kinds is left out and told."""
        said, given = super().read(record), _named(record.get("error"))
        found = [error for error in map(_error, given) if error]
        left_out = "" if found or not given else _LEFT_OUT.format(shorten(", ".join(given), 60))
        own = {each.name: getattr(said, each.name) for each in fields(Opinion)}
        own["remark"] = f"{said.remark} {left_out}".strip()
        return Diagnosis(**own, error=next(iter(found), None))


def _named(given: object) -> list[str]:
    """The errors named by a reply: one, several, or often a word for none."""
    several = given if isinstance(given, list) else [given]
    words = (each.strip() for each in several if isinstance(each, str))
    return [each for each in words if each.casefold().strip(" .") not in _NO_ERROR]


def _error(name: str) -> Label | None:
    try:
        return ERROR5[read_value({"error": name}, _KIND)["error"]]
    except UnreadableError:
        return None


CLAIMS = DiagnosisFields(GRAY7, quotes=True, readings=True)
RELATIONS = DiagnosisFields(LINKS, quotes=True)


NAME = "discourse"
BACKEND = "model"
FOLDER = Path(__file__).parent / "prompts"
MOST_SENTENCES = 25  # taken apart in one call, so that the reply stays short enough to be complete
CAPABILITIES = Capabilities("sentence", GRAY7, scores=False, asks_model=True, consults=True)

BORDER = 5  # sentences of a group whose claims are shown with the next group
FIRST_EARLIER = 1001  # the number of the first of these claims; a group has no such number itself
EARLIER = "Claims of the sentences before these, already taken apart; relations may link to them:"

Numbered = Mapping[int, Unit]


@dataclass(frozen=True, slots=True)
class Discourse:
    """Asks for claims and relations, then about the claims and, separately, the relations."""

    split: Prompt
    verify: Prompt
    link: Prompt
    name: str = NAME
    capabilities: Capabilities = CAPABILITIES

    @property
    def prompts(self) -> tuple[Prompt, Prompt, Prompt]:
        """Those of the three questions."""
        return self.split, self.verify, self.link

    async def findings(self, client: ModelClient, example: Example) -> Sequence[Finding]:
        """Each sentence, then its claims and relations."""
        found: list[Decomposition] = []
        for sentences in in_groups(sentence_units(example), MOST_SENTENCES):
            found += await self._take_apart(client, example, sentences, _border(found))
        relations = [unit for part in found for unit in part.relations]
        stated = {id: words for part in found for id, words in part.scopes.items()}
        bare = {unit.id: unit for part in found for unit in part.claims}
        scopes = Scopes(bare.values(), relations, stated)
        claims = [scopes.claim(unit) for unit in bare.values()]
        relations = [scopes.relation(unit) for unit in relations]
        said, linked = await gather_or_cancel(
            (
                judge_numbered(client, self.verify, example, claims, CLAIMS, "claims"),
                judge_numbered(client, self.link, example, relations, RELATIONS, "relations"),
            )
        )
        outcomes, language = (*said, *linked), example.language
        return [each for part in found for each in _assembled(part, outcomes, bare, language)]

    async def _take_apart(
        self,
        client: ModelClient,
        example: Example,
        sentences: Numbered,
        earlier: Numbered,
        *,
        is_half: bool = False,
    ) -> list[Decomposition]:
        """Ask the model to take some sentences apart; without an answer each of them fails.

        If its reply is too long for the server, each half is taken apart. `earlier` are the claims
        before these sentences, which they may be related to.
        """
        shown = {"earlier": numbered_lines(earlier)} if earlier else {}
        texts = PromptTexts(example, sentences=numbered_lines(sentences), **shown)
        before = f"{EARLIER}\n{texts.show('earlier', self.split)}\n\n" if earlier else ""
        try:
            format = decomposition_format(sentences)
            answer = await texts.ask(client, self.split, format, earlier=before)
        except CallError as error:
            if ran_out(error) and not is_half and len(sentences) > 1:
                first, second = halves(sentences)
                found = await self._take_apart(client, example, first, earlier, is_half=True)
                border = _border(found)
                return found + await self._take_apart(client, example, second, border, is_half=True)
            units = tuple(sentences.values())
            return [Decomposition(units, failed={unit.id: failed(unit, error) for unit in units})]
        wording = Wording(example.response.text, example.question)
        return [check_decomposition(answer.value, sentences, wording, example.language, earlier)]


def _border(before: Sequence[Decomposition]) -> Numbered:
    """The claims of the last sentences that were taken apart, by numbers that no new claim has."""
    sentences = [sentence.id for part in before for sentence in part.sentences][-BORDER:]
    claims = (claim for part in before for claim in part.claims if claim.parent in sentences)
    return dict(enumerate(claims, FIRST_EARLIER))


def _assembled(
    part: Decomposition, said: Sequence[Finding], known: Mapping[str, Unit], language: str
) -> Iterator[Finding]:
    """Each sentence with its verdict, then its claims, relations and what could not be used.

    `said` is about all claims and relations of the response, and `known` has these claims.
    """
    outcomes = {each.id: each.outcome for each in said}
    for sentence in part.sentences:
        if sentence.id in part.failed:
            yield Finding(sentence, part.failed[sentence.id])
            continue
        own = [flaw for flaw in part.flaws if flaw.concerns(sentence)]
        hiding = [flaw for flaw in part.flaws if flaw.hides_link and (flaw in own or flaw.is_stray)]
        parts = Parts(
            sentence,
            tuple(each for each in said if each.unit.parent == sentence.id),
            known,
            tuple(_remarks(sentence, part, own)),
            tuple(flaw.finding for flaw in hiding),
            _unchecked(part.lost.get(sentence.id, Lost()), own),
        )
        parts = set_aside(parts, outcomes, part.unsaid)
        yield Finding(sentence, _outcome(parts, sentence.id in part.silent, language))
        yield from parts.findings
        listed = (flaw.finding for flaw in part.flaws)
        yield from (each for each in listed if each.unit.parent == sentence.id)


def _remarks(sentence: Unit, part: Decomposition, flaws: Sequence[Flaw]) -> Iterator[str]:
    """Remarks for the reader on how well the sentence was taken apart."""
    if lost := str(part.lost.get(sentence.id, "")):
        yield lost
    for quote in part.lost_cues.get(sentence.id, ()):
        yield f"The words “{shorten(quote, 80)}”, given for a relation, are not in the response."
    if flaws:
        shown = (f"{shorten(flaw.finding.text, 80)} ({flaw.finding.note})" for flaw in flaws)
        yield f"Could not be used: {'; '.join(shown)}."


def _unchecked(lost: Lost, flaws: Sequence[Flaw]) -> str:
    """The unchecked words of a sentence, if they are too many to call it faithful."""
    claim_failed = any(flaw.finding.kind == "claim" for flaw in flaws)
    is_open = lost.is_much or lost.links or (lost.words and claim_failed)
    return str(lost) if is_open else ""


def _outcome(parts: Parts, is_silent: bool, language: str) -> Outcome:
    """The verdict; a sentence without claims states nothing if the model or our rules say so."""
    silent = is_silent or states_nothing(parts.sentence.text, language)
    if parts.count("claim") or parts.remarks or not silent:
        return fold_sentence(parts, BACKEND)
    return no_fact(parts.sentence.id, Attributes(backend=BACKEND))


def _method(argument: str) -> Discourse:
    """`split`, `claims` and `relations` are files for its three questions."""
    settings = dict.fromkeys(("split", "claims", "relations"), "FILE")
    chosen = read_options(NAME, argument, settings=settings)
    split = load_prompt("discourse-split", chosen["split"], needs=("sentences",), folder=FOLDER)
    verify = load_prompt(
        "discourse-claims",
        chosen["claims"],
        needs=("source", "claims"),
        labels=GRAY7,
        folder=FOLDER,
        forms=NUMBERED,
    )
    link = load_prompt(
        "discourse-relations",
        chosen["relations"],
        needs=("source", "relations"),
        labels=LINKS,
        folder=FOLDER,
        forms=NUMBERED,
    )
    return Discourse(_with_menus(split), _with_menus(verify), _with_menus(link))


DISCOURSE = judge_type(
    "asks a model about the claims of each sentence and the relations between them",
    CAPABILITIES,
    _method,
)


def _with_menus(prompt: Prompt) -> Prompt:
    """A prompt with the menus of relations and errors filled in, where it has a place for them."""
    kinds = (
        f"- {kind.name}: {kind.meaning}; first: {kind.first}, second: {kind.second}"
        for kind in KINDS.values()
    )
    menus = {"kinds": "\n".join(kinds), "errors": label_menu(ERROR5)}
    return prompt.fix(**{name: menu for name, menu in menus.items() if name in prompt.inputs})
