"""Networks of published detectors: loaded from a folder, and run over texts in batches.

Nothing is fetched here, and no code that comes with a checkpoint is run. A checkpoint whose weights
do not fit its architecture is refused: a network with weights drawn at random would judge, too.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, redirect_stderr
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from typing import Any, Literal

import torch
import transformers
from torch import Tensor

from assay.core.errors import AssayError, InputError
from assay.core.verdicts import Failure
from assay.detectors.local import LocalOptions
from assay.models.checkpoints import CheckpointFolder

transformers.utils.logging.disable_progress_bar()
transformers.utils.logging.set_verbosity_error()  # what matters raises

Task = Literal["pairs", "tokens", "text", "causal"]
Forward = Callable[[Any, Mapping[str, Tensor]], Tensor]

_CLASSES: dict[Task, str] = {
    "pairs": "AutoModelForSequenceClassification",
    "tokens": "AutoModelForTokenClassification",
    "text": "AutoModelForSeq2SeqLM",
    "causal": "AutoModelForCausalLM",
}
_VOCABULARIES = (
    "tokenizer.json",
    "spiece.model",
    "vocab.json",
    "vocab.txt",
    "spm.model",
    "tokenizer.model",
    "sentencepiece.bpe.model",
)
BATCH = 16
_TOKENS = {"cpu": 1024}  # of a batch, by device: with more, padding costs more than it saves
_CELLS = 1 << 25  # of attention that a batch may need: CPUs do not say that memory is short
MOST_TOKENS = 16_384  # that a model without a window reads: memory is for the square of them
_ALIKE, _SLACK = 0.85, 16  # rows that are read with a longer one: their share of it, or tokens less


@dataclass(frozen=True, slots=True, eq=False)
class TextNetwork:
    """A network with its tokenizer, on its device."""

    model: Any  # of transformers, which has no types
    tokenizer: Any
    device: torch.device
    batch: int = BATCH

    def run(self, rows: Sequence[Mapping[str, list[int]]], forward: Forward) -> list[Tensor]:
        """The results of `forward` for rows of token ids, in the order of the rows.

        Rows of like length are read together, and fewer where they are long. Where memory is
        short, a batch is read in halves.
        """
        lengths = [len(row["input_ids"]) for row in rows]
        order = sorted(range(len(rows)), key=lambda number: -lengths[number])
        found: dict[int, Tensor] = {}
        with torch.inference_mode():
            while order:
                numbers = self._alike(order, lengths)
                order = order[len(numbers) :]
                found |= zip(numbers, self._run(rows, numbers, forward), strict=True)
        return [found[number] for number in range(len(rows))]

    def _alike(self, order: Sequence[int], lengths: Sequence[int]) -> list[int]:
        """The first rows, longest first, that are of like length and fit into memory together."""
        longest = max(1, lengths[order[0]])
        tokens = _TOKENS.get(self.device.type, self.batch * longest)
        size = max(1, min(self.batch, tokens // longest, _CELLS // longest**2))
        least = min(_ALIKE * longest, longest - _SLACK)
        return [number for number in order[:size] if lengths[number] >= least]

    def _run(
        self,
        rows: Sequence[Mapping[str, list[int]]],
        numbers: Sequence[int],
        forward: Forward,
    ) -> list[Tensor]:
        try:
            batch = self.tokenizer.pad([rows[number] for number in numbers], return_tensors="pt")
            moved = {name: values.to(self.device) for name, values in batch.items()}
            return list(forward(self.model, moved).float().cpu())
        except RuntimeError as error:  # also torch.OutOfMemoryError
            if not _is_memory(error):
                raise
            if len(numbers) == 1:
                raise OutOfMemoryError(len(rows[numbers[0]]["input_ids"]), self.device) from None
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        half = len(numbers) // 2
        return self._run(rows, numbers[:half], forward) + self._run(rows, numbers[half:], forward)


def is_endless(row: Mapping[str, list[int]]) -> bool:
    """True if a row has more tokens than are ever read."""
    return len(row["input_ids"]) > MOST_TOKENS


ENDLESS = Failure("", "too_long", f"Source and claim have more than {MOST_TOKENS:,} tokens.")


class OutOfMemoryError(InputError):
    """A single text needs more memory than there is."""

    code = "out-of-memory"

    def __init__(self, tokens: int, device: torch.device) -> None:
        super().__init__(
            f"a text of {tokens:,} tokens needs more memory than {device} has free;"
            " use another device or a smaller model",
            field="device",
        )


def _is_memory(error: RuntimeError) -> bool:
    said = str(error).lower()
    return (
        isinstance(error, torch.OutOfMemoryError)
        or "out of memory" in said
        or "can't allocate memory" in said
    )


def load_network(
    folder: CheckpointFolder, task: Task, local: LocalOptions, **settings: Any
) -> TextNetwork:
    """The network and the tokenizer of a checkpoint, ready to judge.

    `settings` are those of transformers, such as `dtype`. Raises if anything is missing, if the
    weights do not fit, or if the device is not there.
    """
    device = open_device(local.device)
    tokenizer = load_tokenizer(folder)
    model = load_model(folder, getattr(transformers, _CLASSES[task]), **settings)
    return TextNetwork(model.to(device), tokenizer, device, local.batch_size or BATCH)


def open_device(name: str) -> torch.device:
    """The device of that name; one that is not there raises."""
    device = torch.device(name)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise InputError("torch finds no GPU here; use the device cpu", field="device")
    if device.index is not None and device.index >= torch.cuda.device_count():
        raise InputError(
            f"there is no {name} here: torch finds {torch.cuda.device_count()} GPUs",
            field="device",
        )
    return device


def load_tokenizer(folder: CheckpointFolder) -> Any:
    """The tokenizer of a checkpoint; raises if it has none.

    Without any of its files, transformers would make one that knows no words.
    """
    if not any((folder.path / name).is_file() for name in _VOCABULARIES):
        raise InputError(
            f"{folder.name} has no tokenizer: none of {', '.join(_VOCABULARIES[:3])} is there",
            field="detector",
            code="checkpoint",
        )
    try:
        return transformers.AutoTokenizer.from_pretrained(
            folder.path, local_files_only=True, trust_remote_code=False, **_file(folder)
        )
    except (OSError, ValueError, TypeError, AttributeError, ImportError) as error:
        raise InputError(
            f"{folder.name} has no tokenizer that can be read: {_first_line(error)}",
            field="detector",
            code="checkpoint",
        ) from None


def load_model(folder: CheckpointFolder, kind: Any, **settings: Any) -> Any:
    """The model of a checkpoint, by a class of transformers; a weight that is missing raises."""
    own = {"dtype": torch.float32, **_file(folder), **settings}
    progress = redirect_stderr(StringIO()) if folder.gguf else nullcontext()
    try:
        with progress:  # which transformers shows of such a file whatever it is told
            model, loaded = kind.from_pretrained(
                folder.path,
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
                **own,
            )
    except AssayError:
        raise
    except (OSError, ValueError, RuntimeError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder.name} cannot be loaded: {_first_line(error)}",
            field="detector",
            code="checkpoint",
        ) from None
    absent = sorted(loaded["missing_keys"]) + sorted(
        str(each[0]) for each in loaded["mismatched_keys"]
    )
    if absent:
        raise InputError(
            f"{folder.name} is not of the right kind: it has no {absent[0]} that fits"
            + (f", nor {len(absent) - 1} more weights" if len(absent) > 1 else ""),
            field="detector",
            code="checkpoint",
        )
    return model.eval()


def _file(folder: CheckpointFolder) -> dict[str, str]:
    """The setting of transformers for a checkpoint that is one file; needs two more packages."""
    if not folder.gguf:
        return {}
    for package in ("gguf", "accelerate"):
        if find_spec(package) is None:
            raise InputError(
                f"{folder.name} is a GGUF file; to read it, 'pip install gguf accelerate'",
                field="detector",
                code="checkpoint",
            )
    return {"gguf_file": folder.gguf}


def _first_line(error: Exception) -> str:
    said = str(error).strip().splitlines()
    return said[0].rstrip(".") if said else type(error).__name__
