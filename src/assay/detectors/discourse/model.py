"""`discourse`: a model takes the response apart, then checks claims, and apart from them links."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.core.examples import Example
from assay.core.labels import Taxonomy
from assay.core.taxonomies import ERROR5, GRAY7
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Outcome
from assay.detectors.discourse.aligning import Wording
from assay.detectors.discourse.assembling import assemble
from assay.detectors.discourse.checking import check_decomposition
from assay.detectors.discourse.decomposition import Decomposition, decomposition_form
from assay.detectors.discourse.opinions import LINKS, DiagnosisFields
from assay.detectors.judges.batches import judge_numbered, numbered_lines
from assay.detectors.judges.judging import Material, failed, together
from assay.detectors.judges.methods import ModelJudge
from assay.detectors.judges.options import read_options
from assay.detectors.judges.templates import load_prompt
from assay.detectors.units import sentence_units
from assay.llm.client import CallError, Client
from assay.llm.prompts import Prompt, label_menu
from assay.text.discourse.relations import KINDS

NAME = "discourse"
FOLDER = Path(__file__).parent / "prompts"
MOST_SENTENCES = 25  # taken apart in one call, so that the reply stays short enough to be complete
CLAIMS = DiagnosisFields(GRAY7, quotes=True, readings=True)
RELATIONS = DiagnosisFields(LINKS, quotes=True)

Sentences = Mapping[int, Unit]


@dataclass(frozen=True, slots=True)
class Discourse:
    """Asks for claims and relations, then about the claims, and apart from them the relations."""

    split: Prompt
    verify: Prompt
    link: Prompt
    name: str = NAME
    unit_kind: UnitKind = "sentence"
    taxonomy: Taxonomy = GRAY7

    @property
    def prompts(self) -> tuple[Prompt, Prompt, Prompt]:
        """Those of the three questions."""
        return self.split, self.verify, self.link

    async def outcomes(self, client: Client, example: Example) -> Sequence[Outcome]:
        """Each sentence, then its claims and relations."""
        sentences = dict(enumerate(sentence_units(example), 1))
        found = await together(
            self._take_apart(client, example, group) for group in _groups(sentences)
        )
        claims = [each.unit for part in found for each in part.claims]
        relations = [each.unit for part in found for each in part.relations]
        said, linked = await together(
            (
                judge_numbered(client, self.verify, example, claims, CLAIMS, "claims"),
                judge_numbered(client, self.link, example, relations, RELATIONS, "relations"),
            )
        )
        return list(assemble(sentences, found, said, linked))

    async def _take_apart(
        self, client: Client, example: Example, sentences: Sentences
    ) -> Decomposition:
        """What the model finds in some sentences; without an answer each of them fails."""
        material = Material(example, sentences=numbered_lines(sentences))
        try:
            answer = await material.ask(client, self.split, decomposition_form(sentences))
        except CallError as error:
            return Decomposition(failed={n: failed(unit, error) for n, unit in sentences.items()})
        wording = Wording(example.response.text, example.question)
        return check_decomposition(answer.value, sentences, wording, example.language)


def make_discourse(client: Client, argument: str = "") -> ModelJudge:
    """The judge; `split`, `claims` and `relations` are files for its three questions."""
    settings = dict.fromkeys(("split", "claims", "relations"), "FILE")
    chosen = read_options(NAME, argument, settings=settings)
    split = load_prompt("discourse-split", chosen["split"], needs=("sentences",), folder=FOLDER)
    verify = load_prompt(
        "discourse-claims",
        chosen["claims"],
        needs=("source", "claims"),
        labels=GRAY7,
        folder=FOLDER,
    )
    link = load_prompt(
        "discourse-relations",
        chosen["relations"],
        needs=("source", "relations"),
        labels=LINKS,
        folder=FOLDER,
    )
    method = Discourse(_with_menus(split), _with_menus(verify), _with_menus(link))
    return ModelJudge(client, method)


def _with_menus(prompt: Prompt) -> Prompt:
    """A prompt with the menus of relations and errors filled in, where it has a place for them."""
    menus = {"kinds": _kinds(), "errors": label_menu(ERROR5)}
    return prompt.fix(**{name: menu for name, menu in menus.items() if name in prompt.inputs})


def _kinds() -> str:
    """The relations with their parts, one a line."""
    return "\n".join(
        f"- {kind.name}: {kind.meaning}; first: {kind.first}, second: {kind.second}"
        for kind in KINDS.values()
    )


def _groups(sentences: Sentences) -> Iterator[Sentences]:
    numbers = list(sentences)
    for start in range(0, len(numbers), MOST_SENTENCES):
        yield {n: sentences[n] for n in numbers[start : start + MOST_SENTENCES]}
