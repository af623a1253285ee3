"""Detectors with an entailment model that runs here; `embedded` is the one that needs no more.

The model reads the source and all sentences of a response in one pass and says of each whether the
source entails it, contradicts it or neither. The decision tree turns that into a label: what every
word of the evidence bears out is explicit. Whether a sentence has several readings, and whether
outside knowledge would support it, is not asked and stays open.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import ClassVar

import numpy as np

from assay.core.errors import MissingExtraError
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.system.threads import stop_if_left
from assay.core.taxonomies import GRAY7
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.converting import with_conversions
from assay.detectors.embedded.folders import OWN_LICENCE, EntailmentModel, ModelFolder
from assay.detectors.embedded.languages import why_unread
from assay.detectors.embedded.layers import stored
from assay.detectors.embedded.marking import token_logits
from assay.detectors.embedded.network import Network, NetworkOutput
from assay.detectors.embedded.packing import Matrix
from assay.detectors.embedded.pointing import SourceLooks, WordLook, by_words, strongest
from assay.detectors.embedded.reading import SOURCE_TOKENS, SentenceRow, SourceReader
from assay.detectors.embedded.tokens import Tokenizer
from assay.detectors.embedded.verdicts import Assessment, verdict_on
from assay.detectors.local import NO_OPTIONS, LocalOptions
from assay.detectors.protocol import Capabilities, in_batches, judgement_of, no_fact
from assay.detectors.registry import DetectorType
from assay.text.answers import answers_only
from assay.text.identification import Languages
from assay.text.languages import find_languages
from assay.text.quantities.restating import Restated, SourceForms
from assay.text.sentences import sentence_units
from assay.text.statements import is_no_prose, states_nothing, why_nothing

SHIPPED = Path(__file__).parent / "model"
WEIGHTS, VOCABULARY = "weights.npz", "vocabulary.txt"
BATCH = 8  # examples
SENTENCE_TOKENS = 1024  # of one sentence; a longer one would keep all others waiting


@dataclass(frozen=True)
class Model(ModelFolder):
    """A folder with a card, a vocabulary and weights."""

    detector: ClassVar[str] = "embedded"
    weights: ClassVar[str] = WEIGHTS
    remedy: ClassVar[str] = "install assay again, or use another detector, such as overlap"

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """Cuts text into the model's tokens."""
        return Tokenizer.read(self.checked(VOCABULARY))

    @cached_property
    def network(self) -> Network:
        """The network with its weights in 32 bits."""
        with self.arrays(WEIGHTS) as arrays:
            embedding = stored(arrays, "embedding")
            return Network.from_arrays(arrays, embedding, source_layers=self.settings.source_layers)

    @cached_property
    def ready(self) -> EntailmentModel:
        """All that its detector needs, loaded and checked; weights beside the vocabulary."""
        settings = self.settings
        with ThreadPoolExecutor(1) as pool:
            network = pool.submit(lambda: self.network)
            tokenizer = self.tokenizer
            return self.assembled(
                settings, tokenizer, network.result(), window=SOURCE_TOKENS, batch=BATCH
            )


@cache
def _keep(folder: Path, changed: int) -> Model:
    return Model(folder)


def load_model(folder: Path) -> Model:
    """The model of a folder; it is loaded once, and again only if its card has changed."""
    return _keep(folder, Model(folder).changed)


def facts(folder: str = "") -> dict[str, str]:
    """The facts of the shipped model or that of a folder, by heading; no weights are loaded."""
    model = Model(Path(folder).resolve() if folder else SHIPPED)
    model.require("name", "layers", "parameters")
    size = sum(path.stat().st_size for path in model.folder.iterdir())
    about = (
        f"{model.card['name']}: {model.card['layers']} layers,"
        f" {model.card['parameters'] / 1e6:.1f} million weights in four bits, {size / 1e6:.1f} MB"
    )
    licence = OWN_LICENCE if folder else "Apache-2.0; made from SmolLM2-135M-Instruct (Apache-2.0)"
    return model.facts(about, licence, SOURCE_TOKENS)


CAPABILITIES = Capabilities(
    "sentence", GRAY7, consults=True, runs_here=True, marks=True, has_band=True
)
PASSAGES = 3
LEAST_SHARE = 0.15  # of the first passage's weight, for a further one to be evidence


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """An example, its units, and the rows in which those that state facts are read."""

    example: Example
    units: tuple[Unit, ...]
    languages: Languages  # of the source, and of units that are in any
    foreign: Collection[Unit]  # in languages that the model does not read, or on such a source
    too_long: Collection[Unit]  # to be read in a time that a user would wait
    facts: Sequence[Unit]
    texts: Sequence[Restated]  # of these, with values in the forms of the source
    reader: SourceReader
    rows: Sequence[SentenceRow]


class EntailmentDetector:
    """Judges sentences with an entailment model of any size."""

    prompt_digests: Mapping[str, str] = {}

    def __init__(self, model: EntailmentModel, local: LocalOptions = NO_OPTIONS) -> None:
        model = _on_device(model, local.device)
        self.author = Author(model.name, version=model.digest)
        self._calibration = local.calibrate(model.settings.calibration, model.name, model.digest)
        self.capabilities = replace(
            CAPABILITIES,
            threshold=self._calibration.threshold,
            marks=model.settings.marker is not None,
            has_band=self._calibration.has_band,
        )
        self._model = model

    @property
    def calibration(self) -> Calibration:
        return self._calibration

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Judges one example first, then more at a time, so that every core has one to read."""
        return in_batches(examples, self.judge_batch, self._model.batch, alike=_beginning)

    def judge_batch(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """The judgements of some examples that are read together, in their order."""
        plans = [self._plan(example) for example in examples]
        rows = [each.row for plan in plans for each in plan.rows]
        outputs = iter(self._model.network.forward_all(rows, self._model.settings.pointer.layers))
        return (self._judge(plan, outputs) for plan in plans)

    def look(self, example: Example) -> SourceLooks:
        """For every word of sentences that state facts, the places in the source it attends to.

        Where the example names units but no sentences, these are found. It costs a second reading:
        attention is kept for words here, and for sentences in judging.
        """
        model = self._model
        plan = self._plan(example if sentence_units(example) else replace(example, units=()))
        numbers = {passage: number for number, passage in enumerate(plan.reader.passages)}
        found: list[WordLook] = []
        for own, row in zip(
            plan.rows,
            by_words(plan.rows, plan.facts, plan.texts, model.tokenizer),
            strict=True,
        ):
            passages, parts = plan.reader.passages_in(own)
            (output,) = model.network.forward_all([row.row], model.settings.pointer.layers)
            weights = model.settings.pointer.weigh(output.attention, parts)
            found += row.looks(weights, [numbers[passage] for passage in passages])
        return SourceLooks(self.author.version, tuple(found))

    def _plan(self, example: Example) -> ReadingPlan:
        stop_if_left()
        model, response = self._model, example.response.text
        units = sentence_units(example)
        said = [unit for unit in units if not is_no_prose(unit.text)]
        too_long = {unit for unit in said if not _fits(unit.text, model.tokenizer)}
        prose = [unit for unit in said if unit not in too_long]
        languages = find_languages(example, prose)
        reads = model.settings.languages
        foreign = {unit for unit in prose if languages.unread(unit, reads) is not None}
        facts = [
            unit
            for unit in prose
            if unit not in foreign and _states_fact(unit, example, languages.units[unit])
        ]
        reader = SourceReader(
            example.source, model.tokenizer, languages.source, response, model.window
        )
        question = " ".join(example.question.split())
        forms = SourceForms(example.source.text, languages.source)
        texts = [
            Restated(unit.text) if languages.differ(unit) else forms.restate(unit.text)
            for unit in facts
        ]
        rows = list(reader.read(question, [each.text for each in texts]))
        return ReadingPlan(example, units, languages, foreign, too_long, facts, texts, reader, rows)

    def _judge(self, plan: ReadingPlan, outputs: Iterator[NetworkOutput]) -> Judgement:
        own = list(islice(outputs, len(plan.rows)))
        found = self._assess(plan, own)
        findings = (
            Finding(unit, self._outcome(unit, plan, found.get(unit))) for unit in plan.units
        )
        read = [each.characters_read for each in found.values()]
        nothing = 0 if plan.foreign or plan.too_long else len(plan.example.source.text)
        return judgement_of(plan.example, self.author, findings, min(read, default=nothing))

    def _outcome(self, unit: Unit, plan: ReadingPlan, found: Assessment | None) -> Outcome:
        stop_if_left()
        if unit in plan.foreign:
            name, reads = self._model.name, self._model.settings.languages
            return Failure(unit.id, "language", why_unread(name, reads, plan.languages, unit))
        if unit in plan.too_long:
            return Failure(unit.id, "too_long", _why_too_long(unit.text))
        if found is None:
            return no_fact(unit.id, note=why_nothing(unit.text))
        return verdict_on(
            unit,
            found,
            plan.example,
            self._calibration,
            languages=plan.languages,
            reads_answers=self._model.settings.reads_answers,
        )

    def _assess(
        self, plan: ReadingPlan, outputs: Sequence[NetworkOutput]
    ) -> dict[Unit, Assessment]:
        """The model's assessment of each unit; of one read in pieces, of the worst piece.

        The words that it would mark are those of all pieces.
        """
        found: dict[Unit, Assessment] = {}
        for row, output in zip(plan.rows, outputs, strict=True):
            units = [plan.facts[number] for number in row.sentences]
            for unit, piece in zip(units, self._read(plan.reader, row, output), strict=True):
                if unit not in found or piece.entailed < found[unit].entailed:
                    found[unit] = piece
        logits = self._word_logits(plan, outputs)
        texts = dict(zip(plan.facts, plan.texts, strict=True))
        return {
            unit: with_conversions(
                replace(each, marks=self._marks(unit, texts[unit], logits.get(unit, ()))),
                texts[unit],
                self._calibration,
            )
            for unit, each in found.items()
        }

    def _read(
        self, reader: SourceReader, row: SentenceRow, output: NetworkOutput
    ) -> Iterator[Assessment]:
        """The model's output at each mark."""
        passages, parts = reader.passages_in(row)
        weights = self._model.settings.pointer.weigh(output.attention, parts)
        read = reader.characters_in(row)
        for logits, weight in zip(output.logits, weights, strict=True):
            chosen = strongest(weight, PASSAGES, LEAST_SHARE)
            evidence = tuple(passages[number] for number in chosen)
            yield Assessment(*self._calibration.chances(logits), evidence, read)

    def _word_logits(
        self, plan: ReadingPlan, outputs: Sequence[NetworkOutput]
    ) -> dict[Unit, list[Matrix]]:
        """The word head's logits for the tokens of each unit, by pieces, if it has one."""
        found: dict[Unit, list[Matrix]] = {}
        for row, output in zip(plan.rows, outputs, strict=True):
            if output.words is not None:
                for number, logits in token_logits(row, output.words):
                    found.setdefault(plan.facts[number], []).append(logits)
        return found

    def _marks(self, unit: Unit, read: Restated, logits: Sequence[Matrix]) -> tuple[Span, ...]:
        """The words of a unit that the source does not bear out, if it is not faithful."""
        marker, tokenizer = self._model.settings.marker, self._model.tokenizer
        if marker is None or not logits:
            return ()
        starts = tokenizer.starts(read.text, tokenizer.encode(read.text))
        return marker.marks(unit, starts, np.concatenate(logits), read)


def _beginning(example: Example) -> tuple[str, str]:
    """The text of an example that the network reads once for all that begin with it."""
    return example.question, example.source.text


def _fits(text: str, tokenizer: Tokenizer) -> bool:
    """True if a sentence has no more tokens than are read; no token is shorter than a byte."""
    if len(text.encode()) <= SENTENCE_TOKENS:
        return True
    return len(text) <= 16 * SENTENCE_TOKENS and len(tokenizer.encode(text)) <= SENTENCE_TOKENS


def _why_too_long(text: str) -> str:
    return (
        f"One sentence of {len(text):,} characters; sentences of up to {SENTENCE_TOKENS:,} tokens"
        " are read. Punctuation or line breaks would divide it."
    )


def _states_fact(unit: Unit, example: Example, language: str) -> bool:
    """True if there is anything to check; a short answer says something with its question."""
    is_answer = answers_only(unit.text, example.question, language)
    return is_answer or not states_nothing(unit.text, language)


def _on_device(model: EntailmentModel, device: str) -> EntailmentModel:
    if device == "cpu":
        return model
    try:
        from assay.detectors.embedded.on_torch import on_device
    except ImportError:
        raise MissingExtraError("running a model on a GPU", "gpu") from None
    return on_device(model, device)


class EmbeddedDetector(EntailmentDetector):
    """The model that comes with the package; `folder` is another model of the same form."""

    def __init__(self, folder: str = "", local: LocalOptions = NO_OPTIONS) -> None:
        model = load_model(Path(folder).resolve() if folder else SHIPPED)
        super().__init__(model.ready, local)


EMBEDDED = DetectorType(
    "a small entailment model that comes with the package",
    CAPABILITIES,
    lambda parts: EmbeddedDetector(parts.argument, parts.local),
    facts,
)
