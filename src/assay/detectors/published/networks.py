"""Networks of published detectors: loaded from a folder, and run over texts in batches.

Nothing is fetched here, and no code that comes with a checkpoint is run. A checkpoint whose weights
do not fit its architecture is refused: a network with weights drawn at random would judge, too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.core.errors import AssayError, InputError, MissingExtraError
from assay.detectors.local import LocalOptions
from assay.models.checkpoints import CheckpointFolder

try:
    import torch
    import transformers
    from torch import Tensor
except ImportError:
    raise MissingExtraError("a published detector", "hf") from None

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
BATCH = 16
# Tokens of a row that a batch has room for; of longer rows, fewer are read at once.
_LENGTHS = {"cpu": 96, "cuda": 512}
_ALIKE = 0.85  # rows at least so long as the longest are read with it; padding costs time, too


@dataclass(frozen=True, slots=True, eq=False)
class TextNetwork:
    """A network with its tokenizer, on its device."""

    model: Any  # of transformers, which has no types
    tokenizer: Any
    device: torch.device
    batch: int = BATCH

    def run(self, rows: Sequence[Mapping[str, list[int]]], forward: Forward) -> list[Tensor]:
        """What `forward` gives for each row of token ids, in the order of the rows.

        Rows of like length are read together. Where memory is short, a batch is read in halves.
        """
        order = sorted(range(len(rows)), key=lambda number: -len(rows[number]["input_ids"]))
        found: dict[int, Tensor] = {}
        with torch.inference_mode():
            start = 0
            while start < len(order):
                numbers = self._batch(rows, order[start : start + self.batch])
                found |= zip(numbers, self._run(rows, numbers, forward), strict=True)
                start += len(numbers)
        return [found[number] for number in range(len(rows))]

    def _batch(
        self, rows: Sequence[Mapping[str, list[int]]], numbers: Sequence[int]
    ) -> Sequence[int]:
        """The first of these rows, longest first, that are alike and fit into memory together."""
        longest = len(rows[numbers[0]]["input_ids"])
        length = _LENGTHS[self.device.type]
        size = max(self.batch * length // max(longest, length), 1)
        alike = (len(rows[each]["input_ids"]) >= _ALIKE * longest for each in numbers[:size])
        return numbers[: sum(alike)]

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


def load_network(folder: CheckpointFolder, task: Task, local: LocalOptions) -> TextNetwork:
    """The network and the tokenizer of a checkpoint, ready to judge.

    Raises if anything is missing, if the weights do not fit, or if the device is not there.
    """
    device = open_device(local.device)
    tokenizer = load_tokenizer(folder)
    model = load_model(folder, getattr(transformers, _CLASSES[task]))
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
    """The tokenizer of a checkpoint; raises if it has none."""
    try:
        return transformers.AutoTokenizer.from_pretrained(
            folder.path, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, TypeError, AttributeError, ImportError) as error:
        raise InputError(
            f"{folder.name} has no tokenizer that can be read: {_first_line(error)}",
            field="detector",
            code="checkpoint",
        ) from None


def load_model(folder: CheckpointFolder, kind: Any, **settings: Any) -> Any:
    """The model of a checkpoint, by a class of transformers; a weight that is missing raises."""
    try:
        model, loaded = kind.from_pretrained(
            folder.path,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
            **{"dtype": torch.float32, **settings},
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


def _first_line(error: Exception) -> str:
    said = str(error).strip().splitlines()
    return said[0].rstrip(".") if said else type(error).__name__
