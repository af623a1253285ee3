"""`trueteacher` and `true-nli`: T5 with 11 billion parameters that answers 1 if a claim follows.

The score is the probability of "1" as the first word of the answer, of all words, as the authors'
pages say (google/t5_11b_trueteacher_and_anli, google/t5_xxl_true_nli_mixture). Any T5 that was
trained so can take the place of theirs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

import torch
from torch import Tensor

from assay.core.errors import InputError, UnknownNameError
from assay.core.verdicts import Failure
from assay.detectors.local import LocalOptions
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.networks import TextNetwork, is_endless, load_network
from assay.detectors.published.scores import Claim, Scored

T = TypeVar("T")
Cut = Literal["source", "end"]
_HEAD = "premise: "
_WINDOWS: dict[str, int | None] = {"trueteacher": 2048, "true-nli": None}  # tokens, by detector
_DTYPES = {"": torch.float32, "float32": torch.float32, "bfloat16": torch.bfloat16}
_CUTS: dict[str, Cut] = {"": "source", "source": "source", "end": "end"}


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A prompt in tokens, and how many characters of the source it holds."""

    row: Mapping[str, list[int]]
    read: int


@dataclass(frozen=True, slots=True, eq=False)
class AnsweringT5:
    """T5 that answers 1 or 0, with the number of the token for 1.

    A prompt longer than `window` tokens is cut: at the end of the source, so that the claim is
    read, or at the end of the prompt, as the authors' code does.
    """

    name: str
    version: str
    network: TextNetwork
    one: int
    window: int | None = None
    cut: Cut = "source"
    threshold: float = 0.5

    def score(self, claims: Sequence[Claim]) -> list[Scored | Failure]:
        """The probability of the answer 1 to each claim and its source."""
        prompts = [self._prompt(claim) for claim in claims]
        rows = [each.row for each in prompts if each]
        chances = iter(self.network.run(rows, partial(_first_word, one=self.one)))
        return [
            self._scored(claim, prompt.read, float(next(chances))) if prompt else _TOO_LONG
            for claim, prompt in zip(claims, prompts, strict=True)
        ]

    def _scored(self, claim: Claim, read: int, chance: float) -> Scored:
        note = f"Supported with a probability of {chance:.2f}."
        if read == len(claim.source):
            return Scored(chance, note=note)
        cut = "The claim was cut off." if self.cut == "end" else ""
        return Scored(chance, note=f"{note} {cut}".strip(), read=read)

    def _prompt(self, claim: Claim) -> _Prompt | None:
        """The prompt, cut if it is too long; None if the claim alone is."""
        read, source = len(claim.source), claim.source
        while True:
            row = self._encode(f"{_HEAD}{source[:read]} hypothesis: {claim.text}")
            if self.window is None and is_endless(row):
                return None
            excess = len(row["input_ids"]) - (self.window or len(row["input_ids"]))
            if excess <= 0:
                return _Prompt(_numbers(row), read)
            ends = [end - len(_HEAD) for _, end in row["offset_mapping"]]
            if self.cut == "end":
                last = len(ends) - excess - 2  # the end of the prompt follows it
                return _Prompt(_numbers(row, excess), max(0, min(read, ends[last])))
            kept = [end for end in ends if 0 < end <= read]
            if not kept:
                return None
            read = min(kept[-excess - 1], read - 1) if excess < len(kept) else 0

    def _encode(self, text: str) -> Any:
        return self.network.tokenizer(text, return_offsets_mapping=True)


_TOO_LONG = Failure("", "too_long", "The claim alone is longer than the model reads.")


def _numbers(row: Any, excess: int = 0) -> Mapping[str, list[int]]:
    """The numbers of a row; its end mark stays where tokens before it are left out."""
    ids, mask = row["input_ids"], row["attention_mask"]
    size = len(ids) - 1 - excess
    return {"input_ids": [*ids[:size], ids[-1]], "attention_mask": mask[: size + 1]}


def _first_word(model: Any, batch: Mapping[str, Tensor], one: int) -> Tensor:
    """The probability of a token as the first of the answer, among all tokens."""
    start = model.config.decoder_start_token_id
    first = torch.full((len(batch["input_ids"]), 1), start, dtype=torch.long, device=model.device)
    logits = model(**batch, decoder_input_ids=first).logits[:, 0]
    return torch.softmax(logits.float(), dim=-1)[:, one]


def open_t5(choice: ModelChoice, local: LocalOptions) -> AnsweringT5:
    """The method with a T5, in float32 unless `dtype` says otherwise."""
    dtype = _setting(choice, "dtype", _DTYPES)
    cut = _setting(choice, "cut", _CUTS)
    folder = choice.folder()
    if folder.model_type not in ("t5", "mt5"):
        raise InputError(
            f"{choice.name} is of type '{folder.model_type}', not t5",
            field="detector",
            code="checkpoint",
        )
    network = load_network(folder, "text", local, dtype=dtype)
    one = network.tokenizer("1", add_special_tokens=False)["input_ids"]
    if len(one) != 1 or one[0] == network.tokenizer.unk_token_id:
        raise InputError(
            f"{choice.name} cannot answer 1: its vocabulary has no such word",
            field="detector",
            code="checkpoint",
        )
    version = " ".join(filter(None, (folder.digest, choice["dtype"], choice["cut"])))
    window = _WINDOWS[choice.detector]
    return AnsweringT5(choice.name, version, network, one[0], window, cut)


def _setting(choice: ModelChoice, name: str, menu: Mapping[str, T]) -> T:
    try:
        return menu[choice[name]]
    except KeyError:
        kind, wanted = f"{name} of {choice.detector}", filter(None, menu)
        raise UnknownNameError(kind, choice[name], wanted, field="detector") from None
