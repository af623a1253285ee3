"""Causal language models that read a source and a response, as if they had written the response.

The source and the question stand in a prompt, in the model's own form of a chat where it has one,
and the response follows. All sentences of a response are read at once: a sentence is a slice of its
tokens, read with what comes before it. Nothing is cut off; what does not fit has no score.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from string import Template
from typing import Any

import torch
import transformers
from torch import Tensor

from assay.core.errors import InputError, UnknownNameError
from assay.core.verdicts import Failure
from assay.detectors.local import LocalOptions
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.networks import (
    BATCH,
    TextNetwork,
    load_model,
    load_tokenizer,
    open_device,
)
from assay.detectors.published.scores import Claim, Place
from assay.models.checkpoints import CheckpointFolder

_SUMMARY = "Summarize the following text. Use only what it says.\n\n$source"
_ANSWER = "$source\n\nAnswer the following question. Use only the text above.\n\n$question"
_HERE = "\ue000response\ue000"  # characters for private use: no template writes them
_TYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
_LARGEST = 1 << 20  # bytes of a prompt's file


@dataclass(frozen=True, slots=True)
class CausalPrompt:
    """The words around a source: with a question, and without one."""

    answer: str = _ANSWER
    summary: str = _SUMMARY

    @property
    def digest(self) -> str:
        """A digest of the words."""
        return blake2b(f"{self.answer}\0{self.summary}".encode(), digest_size=3).hexdigest()

    def render(self, source: str, question: str) -> str:
        """The prompt for a source."""
        words = Template(self.answer if question else self.summary)
        return words.substitute(source=source, question=question)


@dataclass(frozen=True, slots=True)
class TokenPassage:
    """A response after its source, in tokens, and the slices that are claims, by their numbers."""

    ids: list[int]
    first: int  # token of the response
    slices: Mapping[int, Place]

    @property
    def row(self) -> dict[str, list[int]]:
        """Itself for a network; the tokens of the response are of type 1."""
        kinds = [0] * self.first + [1] * (len(self.ids) - self.first)
        return {"input_ids": self.ids, "attention_mask": [1] * len(kinds), "token_type_ids": kinds}


@dataclass(frozen=True, slots=True, eq=False)
class CausalReader:
    """A causal model with its tokenizer and prompt.

    `alone` reads each claim as if it were the whole response.
    """

    network: TextNetwork
    window: int
    prompt: CausalPrompt = field(default_factory=CausalPrompt)
    alone: bool = False

    def passages(self, claims: Sequence[Claim]) -> tuple[list[TokenPassage], dict[int, Failure]]:
        """The responses that the claims are of, each once; and why a claim has no tokens."""
        groups: dict[tuple[str, str, str], dict[int, Place]] = {}
        for number, claim in enumerate(claims):
            response, place = self._response(claim)
            groups.setdefault((claim.source, claim.question, response), {})[number] = place
        found, failed = list[TokenPassage](), dict[int, Failure]()
        for texts, places in groups.items():
            passage = self._passage(*texts, places)
            if len(passage.ids) > self.window:
                why = self._too_long(len(passage.ids))
                failed |= dict.fromkeys(places, why)
                continue
            empty = Failure("", "invalid", "The text has no tokens.")
            failed |= {number: empty for number in places if number not in passage.slices}
            if passage.slices:
                found.append(passage)
        return found, failed

    def _response(self, claim: Claim) -> tuple[str, Place]:
        if claim.place and not self.alone and claim.response[slice(*claim.place)] == claim.text:
            return claim.response, claim.place
        return claim.text, (0, len(claim.text))

    def _passage(
        self, source: str, question: str, response: str, places: Mapping[int, Place]
    ) -> TokenPassage:
        before, has_specials = self._before(self.prompt.render(source, question))
        shift = len(before) - (len(response) - len(response.lstrip()))
        encoded = self.network.tokenizer(
            before + response.strip(),
            add_special_tokens=not has_specials,
            return_offsets_mapping=True,
            verbose=False,
        )
        offsets = encoded["offset_mapping"]
        found = {
            number: _tokens(offsets, max(start + shift, len(before)), end + shift)
            for number, (start, end) in places.items()
        }
        slices = {number: place for number, place in found.items() if place}
        whole = _tokens(offsets, len(before), len(before) + len(response))
        return TokenPassage(encoded["input_ids"], whole[0] if whole else len(offsets), slices)

    def _before(self, prompt: str) -> tuple[str, bool]:
        """The text before a response, and whether it has the model's special tokens."""
        tokenizer = self.network.tokenizer
        if not tokenizer.chat_template:
            return f"{prompt}\n\n", False
        turns = [{"role": "user", "content": prompt}, {"role": "assistant", "content": _HERE}]
        text: str = tokenizer.apply_chat_template(turns, tokenize=False)
        return text[: text.rindex(_HERE)], True

    def _too_long(self, tokens: int) -> Failure:
        return Failure(
            "",
            "too_long",
            f"Source and response have {tokens:,} tokens; the model reads {self.window:,}.",
        )


def _tokens(offsets: Iterable[Place], start: int, end: int) -> Place | None:
    """The slice of tokens that have a character in a place; None if there are none."""
    inside = [
        number for number, (first, last) in enumerate(offsets) if first < end and last > start
    ]
    return (inside[0], inside[-1] + 1) if inside else None


def response_logits(model: Any, batch: Mapping[str, Tensor]) -> tuple[Tensor, int]:
    """The logits from the token before the first response of a batch, and that token's place."""
    kinds = batch["token_type_ids"]
    first = max(0, int(kinds.argmax(dim=1).min()) - 1)
    rest = {name: values for name, values in batch.items() if name != "token_type_ids"}
    logits = model(**rest, use_cache=False, logits_to_keep=kinds.shape[1] - first).logits
    return logits.float(), first


def open_causal(
    folder: CheckpointFolder, choice: ModelChoice, local: LocalOptions, **settings: Any
) -> CausalReader:
    """The causal model of a folder or a GGUF file, with the prompt that was chosen."""
    device = open_device(local.device)
    tokenizer = load_tokenizer(folder)
    if not tokenizer.is_fast:
        raise _refused(choice, "its tokenizer does not say where tokens stand in a text")
    tokenizer.padding_side = "right"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.convert_ids_to_tokens(0)
    dtype = choice["dtype"] or "float32"
    if dtype not in _TYPES:
        raise UnknownNameError(f"dtype of {choice.detector}", dtype, _TYPES)
    kind = transformers.AutoModelForCausalLM
    model = load_model(folder, kind, dtype=_TYPES[dtype], **settings).to(device)
    window = getattr(model.config, "max_position_embeddings", 0)
    if not window:
        raise _refused(choice, "its configuration does not say how many tokens it reads")
    # A CPU gains nothing from several long texts at once.
    batch = local.batch_size or (1 if device.type == "cpu" else BATCH)
    network = TextNetwork(model, tokenizer, device, batch)
    return CausalReader(network, window, _prompt(choice["prompt"]), _is_yes(choice, "alone"))


def _refused(choice: ModelChoice, why: str) -> InputError:
    return InputError(f"{choice.name}: {why}", field="detector", code="checkpoint")


def _is_yes(choice: ModelChoice, setting: str) -> bool:
    if choice[setting] not in ("", "no", "yes"):
        raise UnknownNameError(f"{setting} of {choice.detector}", choice[setting], ("no", "yes"))
    return choice[setting] == "yes"


def _prompt(path: str) -> CausalPrompt:
    """The prompt of a file, in which $source and $question stand for the texts; ours without."""
    if not path:
        return CausalPrompt()
    try:
        with Path(path).expanduser().open("rb") as file:
            words = file.read(_LARGEST).decode()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", field="detector") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is no prompt: it is not UTF-8", field="detector") from None
    known = Template(words)
    if not known.is_valid() or not {"source"} <= set(known.get_identifiers()) <= {
        "source",
        "question",
    }:
        raise InputError(
            f"{path} is no prompt: write $source where the source goes and, if you like, $question;"
            " a dollar sign is $$",
            field="detector",
        )
    return CausalPrompt(words, words)
