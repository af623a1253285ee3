"""`minicheck:bespoke-7b`: MiniCheck's largest model, behind a server.

It is shown a document and a claim and answers yes or no; the score is the probability of yes as its
first token. Of a source that is longer than its window, the chunk that supports the claim most
decides. The server has the tokenizer, so chunks are made with estimated lengths; where the server
finds one too long, the source is cut into chunks of half the size.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.judges.judging import failed, judge_type
from assay.detectors.judges.options import Chosen, load_prompt, read_options
from assay.detectors.judges.yes_no import NO_SCORE, ask_once, first_token, first_word, mass
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.detectors.published.chunks import Chunk, line_chunks, line_places
from assay.llm.client import CallError, ModelClient, Request
from assay.llm.costs.estimates import estimate_tokens
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.text.sentences import response_unit, sentence_units

NAME = "minicheck:bespoke-7b"
WINDOW = 32_768  # tokens that the model reads at once
_RESERVED = 300  # tokens of the window that are kept for the claim
_SMALLEST = 200  # tokens of the smallest chunks that a source is cut into
_ALTERNATIVES = 5  # tokens among which the authors look for yes
_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class BespokeMiniCheck:
    """Asks about each claim and each chunk in a call of its own, all at the same time."""

    prompts: tuple[Prompt]
    capabilities: Capabilities
    window: int = WINDOW
    name: str = NAME

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The sentences of the example, or its response; with smaller chunks if it has to be."""
        whole = self.capabilities.unit_kind == "response"
        units = (response_unit(example),) if whole else sentence_units(example)
        outcomes: dict[str, Outcome] = {}
        left, size = units, self.window - _RESERVED
        while left and (not outcomes or size >= _SMALLEST):
            chunks = _chunks(example, size)
            said = await gather_or_cancel(
                self._outcome(client, example, unit, chunks) for unit in left
            )
            outcomes |= {unit.id: each for unit, each in zip(left, said, strict=True)}
            left = tuple(unit for unit in left if _is_too_long(outcomes[unit.id]))
            size = min(size, max(estimate_tokens(chunk.text) for chunk in chunks)) // 2
        return [Finding(unit, outcomes[unit.id]) for unit in units]

    async def _outcome(
        self, client: ModelClient, example: Example, unit: Unit, chunks: Sequence[Chunk]
    ) -> Outcome:
        try:
            answers = await gather_or_cancel(
                self._ask(client, example, unit, chunk) for chunk in chunks
            )
        except CallError as error:
            return failed(unit, error)
        best, chunk = max(zip(answers, chunks, strict=True), key=lambda pair: pair[0].rank)
        verdict = best.verdict(unit, len(chunks))
        if len(chunks) == 1 or example.source.prompt_text != example.source.text:
            return verdict
        place = Span.cut(example.source.text, *chunk.place, "source")
        return replace(verdict, evidence=(place,))

    async def _ask(
        self, client: ModelClient, example: Example, unit: Unit, chunk: Chunk
    ) -> "_Support":
        """The answer of one call."""
        prompt = self.prompts[0]
        texts = {"source": chunk.text, "sentence": unit.text, "question": example.question}
        fences = Fences(texts)
        shown: Mapping[str, str] = texts
        if prompt.form.texts != "plain":
            shown = {name: fences[name] for name in texts}
        messages = prompt.render(**{name: shown[name] for name in prompt.inputs})
        request = Request(
            messages,
            example="Yes",
            reply_tokens=prompt.reply_tokens,
            alternatives=_ALTERNATIVES,
            probabilities=True,
        )
        reply = await ask_once(client, request)
        said, token = first_word(reply, reply.text), first_token(reply)
        if token is None or (said == "no" and not token.alternatives):
            return _Support(said == "yes", None)
        chance = min(mass([token], "yes"), 1.0)
        return _Support(chance > _THRESHOLD, chance)


@dataclass(frozen=True, slots=True)
class _Support:
    """The answer about one chunk; `chance` is None without token probabilities."""

    supported: bool
    chance: float | None

    @property
    def rank(self) -> tuple[bool, float]:
        """The order of answers, the most supporting last."""
        return self.supported, self.chance or 0.0

    def verdict(self, unit: Unit, chunks: int) -> Verdict:
        """The verdict on a unit if this is the best answer."""
        label = BINARY["faithful" if self.supported else "unfaithful"]
        of = f" by the best of {chunks} chunks" if chunks > 1 else ""
        if self.chance is None:
            said = "Supported" if self.supported else "Not supported"
            return Verdict(unit.id, label, note=f"{said}{of}. {NO_SCORE}")
        note = f"Supported with a probability of {self.chance:.2f}{of}."
        return Verdict(unit.id, label, score=round(self.chance, 6), note=note)


def _chunks(example: Example, size: int) -> list[Chunk]:
    """The source in chunks of about so many tokens; an empty source is one empty chunk."""
    source = example.source.prompt_text
    places = list(line_places(source, example.language))
    lengths = [estimate_tokens(source[start:end]) for start, end in places]
    return list(line_chunks(source, places, lengths, size)) or [Chunk("", (0, 0))]


def _is_too_long(outcome: Outcome) -> bool:
    return isinstance(outcome, Failure) and outcome.reason == "too_long"


def _options(argument: str) -> Chosen:
    settings = {"unit": "sentence|response", "window": "TOKENS", "prompt": "FILE"}
    return read_options(NAME, argument, switches=("ollama",), settings=settings)


def _capabilities(argument: str) -> Capabilities:
    unit = _options(argument)["unit"] or "sentence"
    if unit == "sentence":
        return Capabilities("sentence", BINARY, asks_model=True, one_by_one=True)
    if unit == "response":
        return Capabilities("response", BINARY, asks_model=True)
    raise UnknownNameError(f"unit of {NAME}", unit, ("sentence", "response"))


def _method(argument: str) -> BespokeMiniCheck:
    """`ollama` sends no instruction, since a server of that kind adds the authors' own."""
    chosen = _options(argument)
    window = chosen.count("window", WINDOW)
    if window < _RESERVED + _SMALLEST:
        raise InputError(f"{NAME}: window is {_RESERVED + _SMALLEST} tokens or more, not {window}")
    if "ollama" in chosen and chosen["prompt"]:
        raise InputError(f"{NAME}: 'ollama' adds a prompt of its own; leave it out or 'prompt='")
    prompt = load_prompt("minicheck-bespoke", chosen["prompt"], needs=("source", "sentence"))
    if "ollama" in chosen:
        prompt = replace(prompt, sections=prompt.sections[-1:])
    return BespokeMiniCheck((prompt,), _capabilities(argument), window)


BESPOKE = judge_type(
    "MiniCheck's model of 7 billion weights behind a server: yes or no, with its probability",
    _capabilities,
    _method,
    {
        "model": "bespokelabs/Bespoke-MiniCheck-7B, 7.7 billion parameters, about 15.5 GB; in "
        "Ollama bespoke-minicheck",
        "licence": "the authors ask to be contacted for commercial use",
        "languages": "English",
        "reads": "32,768 tokens at once",
    },
)
