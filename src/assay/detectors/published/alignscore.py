"""`alignscore`: AlignScore, sentences of a claim against chunks of its source of about 350 words.

The network is RoBERTa with three heads on its pooled output: three classes, of which the first is
aligned (`nli`), two classes (`bin`) and a number (`reg`). With `_sp`, of each sentence of the claim
the chunk with the highest score counts, and of these the mean; without it, source and claim
are read as one pair, cut off at the network's window (alignscore-SpeedOfMagic 0.1.4, which is
yuh-zha/AlignScore).
"""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor, nn

from assay.core.errors import InputError, UnknownNameError
from assay.detectors.local import LocalOptions
from assay.detectors.published.chunks import Chunk, Sentences, sentence_places, splitter_name
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.networks import BATCH, TextNetwork, load_tokenizer, open_device
from assay.detectors.published.pairs import PairReader, window_of
from assay.detectors.published.scores import Claim, Scored
from assay.models.checkpoints import CheckpointFolder, find_hub_model, open_folder

_WORDS = 350  # of a chunk, about
_HEADS = {"nli": ("tri_layer", 3), "bin": ("bin_layer", 2), "reg": ("reg_layer", 1)}
MODES = tuple(f"{head}{split}" for head in _HEADS for split in ("_sp", ""))


class AlignmentNetwork(nn.Module):
    """RoBERTa with the head of a mode, under the names of the released weights."""

    def __init__(self, config: Any, head: str) -> None:
        super().__init__()
        self.config = config
        self.head, size = _HEADS[head]
        self.base_model = transformers.RobertaModel(config)
        self.add_module(self.head, nn.Linear(config.hidden_size, size))

    def forward(self, **batch: Tensor) -> Tensor:
        """The alignment of each pair: a probability, or for `reg` a number."""
        layer = self.get_submodule(self.head)
        found: Tensor = layer(self.base_model(**batch).pooler_output).float()
        if found.shape[1] == 1:
            return found[:, 0]
        return torch.softmax(found, dim=-1)[:, 0 if found.shape[1] == 3 else 1]


@dataclass(frozen=True, slots=True, eq=False)
class AlignScore:
    """The method with its network, in one of its modes."""

    name: str
    version: str
    reader: PairReader
    splits: bool = True
    sentences: Sentences = sentence_places
    threshold: float = 0.5

    def score(self, claims: Sequence[Claim]) -> list[Scored]:
        """The alignment of each claim with its source."""
        sources = {claim.source: self._chunks(claim) for claim in claims}
        parts = {(claim.text, claim.language): self._parts(claim) for claim in claims}
        pairs = [
            (chunk.text, part)
            for claim in claims
            for part in parts[claim.text, claim.language]
            for chunk in sources[claim.source]
        ]
        found = iter(self.reader.read(pairs, _forward))
        return [
            self._scored(
                claim,
                sources[claim.source],
                [
                    [float(next(found)[0]) for _ in sources[claim.source]]
                    for _ in parts[claim.text, claim.language]
                ],
            )
            for claim in claims
        ]

    def _parts(self, claim: Claim) -> list[str]:
        if not self.splits:
            return [claim.text]
        return [claim.text[slice(*each)] for each in self.sentences(claim.text, claim.language)]

    def _chunks(self, claim: Claim) -> list[Chunk]:
        """The source in chunks with the same number of sentences."""
        source = claim.source
        whole = Chunk(source, (0, len(source)))
        if not self.splits:
            return [whole]
        places = list(self.sentences(source, claim.language))
        most = max(len(places) // (len(source.split()) // _WORDS + 1), 1)
        groups = [places[start : start + most] for start in range(0, len(places), most)]
        return [
            Chunk(" ".join(source[slice(*each)] for each in own), (own[0][0], own[-1][1]))
            for own in groups
        ] or [Chunk("", whole.place)]

    def _scored(
        self, claim: Claim, chunks: Sequence[Chunk], found: Sequence[Sequence[float]]
    ) -> Scored:
        if not found:
            return Scored(0.0, note="There is no sentence to check.")
        best = [max(range(len(chunks)), key=each.__getitem__) for each in found]
        mean = sum(max(each) for each in found) / len(found)
        of = f", the mean of {len(found)} sentences" if len(found) > 1 else ""
        by = f" by the best of {len(chunks)} chunks" if len(chunks) > 1 else ""
        return Scored(
            min(max(mean, 0.0), 1.0),
            tuple(chunks[each].place for each in sorted(set(best))) if len(chunks) > 1 else (),
            note=f"Aligned with {mean:.2f}{of}{by}.",
            read=None if self.splits else self._read(claim),
        )

    def _read(self, claim: Claim) -> int | None:
        """The characters that fit of a source that is read in one piece; None is all."""
        room = self.reader.room(claim.text)
        encoded = self.reader.network.tokenizer(
            claim.source, add_special_tokens=False, return_offsets_mapping=True
        )
        places = encoded["offset_mapping"]
        return None if len(places) <= room else int(places[max(room - 1, 0)][1])


def _forward(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    found: Tensor = model(**batch)
    return found[:, None]


def open_alignscore(choice: ModelChoice, local: LocalOptions) -> AlignScore:
    """The method with a released checkpoint, or a folder with a `.ckpt` and RoBERTa's files."""
    mode = choice["mode"] or MODES[0]
    if mode not in MODES:
        raise UnknownNameError("mode of alignscore", mode, MODES, field="detector")
    folder = choice.folder()
    file = _weights(folder, choice)
    texts = _texts(folder, choice)
    if texts.model_type != "roberta":
        raise _refused(texts.name, f"is of type '{texts.model_type}', not roberta")
    device, tokenizer = open_device(local.device), load_tokenizer(texts)
    head = mode.removesuffix("_sp")
    model = _fill(AlignmentNetwork(transformers.RobertaConfig(**texts.config), head), file)
    network = TextNetwork(model.to(device), tokenizer, device, local.batch_size or BATCH)
    return AlignScore(
        choice.name if mode == MODES[0] else f"{choice.name},mode={mode}",
        f"{folder.digest} {mode} {splitter_name()}",
        PairReader(network, window_of(network)),
        splits=mode.endswith("_sp"),
    )


def _weights(folder: CheckpointFolder, choice: ModelChoice) -> Path:
    wanted = choice.known.patterns if choice.known else ("*.ckpt",)
    files = [file for pattern in wanted for file in sorted(folder.path.glob(pattern))]
    if len(files) != 1:
        raise _refused(folder.name, f"has {len(files)} files {' '.join(wanted)}; one is wanted")
    return files[0]


def _texts(folder: CheckpointFolder, choice: ModelChoice) -> CheckpointFolder:
    """The folder with RoBERTa's configuration and tokenizer, which the released files lack."""
    if choice.known is None:
        return folder
    needed = find_hub_model(choice.known.needs[0])
    return open_folder(needed.repository, needed)


def _fill(model: AlignmentNetwork, file: Path) -> nn.Module:
    """The network with the weights of a Lightning checkpoint; code in such a file is never run."""
    try:
        state = torch.load(file, map_location="cpu", weights_only=True, mmap=True)["state_dict"]
        absent = model.load_state_dict(dict(state), strict=False).missing_keys
    except pickle.UnpicklingError:
        raise _refused(file.name, "contains more than weights, which is not loaded") from None
    except (EOFError, KeyError, OSError, RuntimeError, TypeError, ValueError) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise _refused(file.name, f"cannot be loaded: {said[-1].strip()}") from None
    if absent:
        raise _refused(file.name, f"is not of AlignScore: it has no {absent[0]}")
    return model.eval()


def _refused(name: str, why: str) -> InputError:
    return InputError(f"{name} {why}", field="detector", code="checkpoint")
