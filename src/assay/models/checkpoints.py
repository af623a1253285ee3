"""Checkpoints of published detectors: whose they are, how large, and where they are kept.

A checkpoint is a folder of weights, configuration and tokenizer. One from a hub lies in the cache
that `huggingface_hub` keeps for all programs of the user; `pull_checkpoint` alone fetches.
`HF_HOME` names another place for it, and `HF_ENDPOINT` another server.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError, InputError, MissingExtraError, UnknownNameError
from assay.models.catalogue import amount

_WEIGHTS = (".safetensors", ".bin", ".ckpt", ".pt", ".gguf")
_PATTERNS = ("*.json", "*.safetensors", "*.txt", "*.model", "*.jinja")
_WITH_BIN = (*_PATTERNS, "*.bin")  # of authors who published their weights in no other form
TOKENIZER_FILES = (
    "config.json",
    "special_tokens_map.json",
    "spiece.model",
    "tokenizer.json",
    "tokenizer_config.json",
)
_TEXTS = ("config.json", "tokenizer.json", "tokenizer_config.json")  # and no weights
_END = 1 << 20  # bytes at the beginning and the end of a large file that its digest is of


@dataclass(frozen=True, slots=True)
class HubModel:
    """The checkpoint of a published detector, by its authors.

    `size` is about what is fetched, in bytes, by the authors' pages: no digest of it is known.
    """

    name: str  # of ours, for `assay models pull`
    repository: str  # on the hub
    size: int
    parameters: str
    licence: str
    languages: str
    context: int  # tokens that it reads at once; 0 if there is no limit
    used_by: str  # the detector that it is for
    patterns: tuple[str, ...] = _PATTERNS
    needs: tuple[str, ...] = ()  # others, without which it does not run

    @property
    def address(self) -> str:
        """Its page on the hub."""
        return f"https://huggingface.co/{self.repository}"


@dataclass(frozen=True)
class CheckpointFolder:
    """A checkpoint on this machine: as the user calls it, and its folder."""

    name: str
    path: Path

    @cached_property
    def digest(self) -> str:
        """A digest of the names and sizes of its files, and of what they contain.

        Of large files only both ends are read.
        """
        whole = blake2b(digest_size=6)
        for file in self.files():
            size = file.stat().st_size
            whole.update(f"{file.relative_to(self.path)} {size}\n".encode())
            with file.open("rb") as content:
                whole.update(content.read(_END))
                if size > _END:
                    content.seek(max(_END, size - _END))
                    whole.update(content.read(_END))
        return whole.hexdigest()

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """Its configuration; a folder without one is no checkpoint, and raises."""
        try:
            found = json.loads((self.path / "config.json").read_bytes())
        except OSError:
            raise self._no_checkpoint("it has no config.json") from None
        except ValueError:
            raise self._no_checkpoint("its config.json is not JSON") from None
        if not isinstance(found, dict):
            raise self._no_checkpoint("its config.json is no object")
        return found

    @property
    def model_type(self) -> str:
        """The architecture that its configuration names; empty if it names none."""
        return str(self.config.get("model_type", ""))

    def _no_checkpoint(self, why: str) -> InputError:
        return InputError(
            f"{self.name} is no checkpoint: {why}", field="detector", code="checkpoint"
        )

    def files(self) -> Iterator[Path]:
        """Its files that decide what it says, in order."""
        wanted = (*_WEIGHTS, ".json", ".txt", ".model")
        return iter(sorted(each for each in self.path.rglob("*") if each.suffix in wanted))


def find_hub_model(name: str) -> HubModel:
    """The published checkpoint of that name."""
    try:
        return HUB_MODELS[name]
    except KeyError:
        raise UnknownNameError("model", name, HUB_MODELS, field="name") from None


def open_folder(given: str, known: HubModel | None = None) -> CheckpointFolder:
    """The folder of a checkpoint: a folder of the user's, or a hub name that is in the cache.

    One that is not here raises, and says what to fetch and how large it is.
    """
    folder = Path(given).expanduser()
    if folder.is_dir():
        return CheckpointFolder(given, folder.resolve())
    if folder.is_absolute() or given.startswith((".", "~")) or given.count("/") != 1:
        raise InputError(f"there is no folder {given}", field="detector", code="checkpoint")
    found = cached(given, known.patterns if known else _PATTERNS)
    if found is None:
        raise _absent(given, known)
    return CheckpointFolder(known.name if known else given, found)


def cached(repository: str, patterns: tuple[str, ...] = _PATTERNS) -> Path | None:
    """The folder of a repository in the hub's cache; None if it is not there."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError:
        raise MissingExtraError("a published detector", "hf") from None
    try:
        found = snapshot_download(repository, local_files_only=True, allow_patterns=list(patterns))
    except (LocalEntryNotFoundError, HFValidationError):
        return None
    named = [pattern for pattern in patterns if "*" not in pattern]
    return Path(found) if all((Path(found) / each).is_file() for each in named) else None


def pull_checkpoint(model: HubModel, *, quiet: bool = False) -> Path:
    """Fetches a checkpoint and those it needs into the hub's cache, and gives its folder.

    What is there already is not fetched again, and a file that came in part goes on.
    """
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
        from huggingface_hub.utils import disable_progress_bars, enable_progress_bars
    except ImportError:
        raise MissingExtraError("fetching a published model", "hf") from None
    (disable_progress_bars if quiet else enable_progress_bars)()
    try:
        for needed in map(find_hub_model, model.needs):
            snapshot_download(needed.repository, allow_patterns=list(needed.patterns))
        return Path(snapshot_download(model.repository, allow_patterns=list(model.patterns)))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f"cannot fetch {model.address}: {said[0]}", code="not-fetched") from None


def remove_checkpoint(model: HubModel) -> int:
    """Removes a checkpoint from the hub's cache, and gives the bytes that are free now."""
    if cached(model.repository, model.patterns) is None:
        raise InputError(f"nothing of {model.name} is here", field="name")
    from huggingface_hub import scan_cache_dir

    found = scan_cache_dir()
    revisions = [
        revision.commit_hash
        for repository in found.repos
        if repository.repo_id == model.repository and repository.repo_type == "model"
        for revision in repository.revisions
    ]
    deletion = found.delete_revisions(*revisions)
    deletion.execute()
    return int(deletion.expected_freed_size)


def _absent(given: str, known: HubModel | None) -> AssayError:
    if known is None:
        return InputError(
            f"{given} is neither a folder nor in the hub's cache on this machine;"
            f" 'hf download {given}' fetches it",
            field="detector",
            code="checkpoint",
        )
    return InputError(
        f"{known.repository} is not on this machine: 'assay models pull {known.name}' fetches about"
        f" {amount(known.size)} ({known.licence})",
        field="detector",
        code="checkpoint",
        subject=known.name,
    )


def _listed(*models: HubModel) -> dict[str, HubModel]:
    return {model.name: model for model in models}


def _lettuce(
    name: str, repository: str, millions: int, languages: str = "English", licence: str = "MIT"
) -> HubModel:
    """A checkpoint of LettuceDetect; its size follows from its parameters, of four bytes each."""
    return HubModel(
        f"lettuce-{name}",
        f"KRLabsOrg/{repository}",
        4_000_000 * millions,
        f"{millions} million",
        licence,
        languages,
        8192 if "eurobert" in repository else 4096,
        f"lettuce:{name}",
    )


HUB_MODELS: dict[str, HubModel] = _listed(
    HubModel(
        "minicheck-flan-t5-large",
        "lytang/MiniCheck-Flan-T5-Large",
        3_133_000_000,
        "783 million",
        "MIT",
        "English",
        2048,
        "minicheck:flan-t5-large",
    ),
    HubModel(
        "minicheck-roberta-large",
        "lytang/MiniCheck-RoBERTa-Large",
        1_422_000_000,
        "355 million",
        "MIT",
        "English",
        512,
        "minicheck:roberta-large",
    ),
    HubModel(
        "minicheck-deberta-v3-large",
        "lytang/MiniCheck-DeBERTa-v3-Large",
        1_740_000_000,
        "435 million",
        "MIT",
        "English",
        2048,
        "minicheck:deberta-v3-large",
    ),
    HubModel(
        "alignscore-base",
        "yzha/AlignScore",
        1_970_000_000,
        "125 million",
        "MIT",
        "English",
        512,
        "alignscore:base",
        ("AlignScore-base.ckpt",),
        ("roberta-base-texts",),
    ),
    HubModel(
        "alignscore-large",
        "yzha/AlignScore",
        4_900_000_000,
        "355 million",
        "MIT",
        "English",
        512,
        "alignscore:large",
        ("AlignScore-large.ckpt",),
        ("roberta-large-texts",),
    ),
    HubModel(
        "roberta-base-texts",
        "FacebookAI/roberta-base",
        1_400_000,
        "no",
        "MIT",
        "English",
        512,
        "alignscore:base",
        _TEXTS,
    ),
    HubModel(
        "roberta-large-texts",
        "FacebookAI/roberta-large",
        1_400_000,
        "no",
        "MIT",
        "English",
        512,
        "alignscore:large",
        _TEXTS,
    ),
    HubModel(
        "nli-vitc",
        "tals/albert-xlarge-vitaminc-mnli",
        236_000_000,
        "59 million",
        "no licence stated",
        "English",
        512,
        "summac:vitc, infuse:vitc",
    ),
    HubModel(
        "nli-vitc-base",
        "tals/albert-base-vitaminc-mnli",
        48_000_000,
        "12 million",
        "no licence stated",
        "English",
        512,
        "summac:vitc-base",
        _WITH_BIN,
    ),
    HubModel(
        "nli-vitc-only",
        "tals/albert-xlarge-vitaminc",
        236_000_000,
        "59 million",
        "no licence stated",
        "English",
        512,
        "summac:vitc-only",
        _WITH_BIN,
    ),
    HubModel(
        "nli-mnli",
        "FacebookAI/roberta-large-mnli",
        1_430_000_000,
        "356 million",
        "MIT",
        "English",
        512,
        "summac:mnli",
    ),
    HubModel(
        "nli-mnli-base",
        "microsoft/deberta-base-mnli",
        557_000_000,
        "139 million",
        "MIT",
        "English",
        512,
        "summac:mnli-base",
        _WITH_BIN,
    ),
    HubModel(
        "nli-anli",
        "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli",
        1_430_000_000,
        "355 million",
        "MIT",
        "English",
        512,
        "summac:anli",
        _WITH_BIN,
    ),
    HubModel(
        "nli-snli-base",
        "boychaboy/SNLI_roberta-base",
        500_000_000,
        "125 million",
        "no licence stated",
        "English",
        512,
        "summac:snli-base",
        _WITH_BIN,
    ),
    HubModel(
        "nli-snli-large",
        "boychaboy/SNLI_roberta-large",
        1_430_000_000,
        "355 million",
        "no licence stated",
        "English",
        512,
        "summac:snli-large",
        _WITH_BIN,
    ),
    HubModel(
        "flan-t5-base-texts",
        "google/flan-t5-base",
        3_300_000,
        "no",
        "Apache 2.0",
        "English",
        0,
        "hhem",
        TOKENIZER_FILES,
    ),
    HubModel(
        "hhem-2.1-open",
        "vectara/hallucination_evaluation_model",
        442_000_000,
        "110 million",
        "Apache 2.0",
        "English",
        0,
        "hhem",
        needs=("flan-t5-base-texts",),
    ),
    HubModel(
        "trueteacher-11b",
        "google/t5_11b_trueteacher_and_anli",
        45_490_000_000,
        "11 billion",
        "CC BY-NC 4.0",
        "English",
        2048,
        "trueteacher",
        _WITH_BIN,
    ),
    HubModel(
        "true-nli-11b",
        "google/t5_xxl_true_nli_mixture",
        45_490_000_000,
        "11 billion",
        "Apache 2.0",
        "English",
        0,
        "true-nli",
        _WITH_BIN,
    ),
    _lettuce("base", "lettucedect-base-modernbert-en-v1", 150),
    _lettuce("large", "lettucedect-large-modernbert-en-v1", 396),
    _lettuce("tiny-17m", "tinylettuce-ettin-17m-en", 17),
    _lettuce("tiny-32m", "tinylettuce-ettin-32m-en", 32),
    _lettuce("tiny-68m", "tinylettuce-ettin-68m-en", 68),
    _lettuce("v2-mmbert", "lettucedect-v2-mmbert-base", 307, "14 languages", "see its page"),
    *(
        _lettuce(f"{size}m-{code}", f"lettucedect-{size}m-eurobert-{suffix}-v1", size, language)
        for size in (210, 610)
        for code, suffix, language in (
            ("de", "de", "German"),
            ("es", "es", "Spanish"),
            ("fr", "fr", "French"),
            ("it", "it", "Italian"),
            ("pl", "pl", "Polish"),
            ("zh", "cn", "Chinese"),
        )
    ),
)
