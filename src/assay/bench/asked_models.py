"""Which models are asked, under which names, and with which settings: by name, or from a file.

[[model]]
name = "gpt-5-cold"
model = "openai/gpt-5"
temperature = 0.0
seed = 7
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.llm.options import Options
from assay.llm.sources import check_ranges
from assay.llm.tables import Kinds, read_fields, read_toml

_KINDS: Kinds = {
    "name": str,
    "model": str,
    "base_url": str,
    "key_env": str,
    "temperature": float,
    "max_tokens": int,
    "seed": int,
    "reasoning_effort": str,
    "timeout": float,
    "deadline": float,
    "attempts": int,
    "concurrency": int,
    "requests_per_minute": int,
    "tokens_per_minute": int,
}


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model with its settings; `name` is what its responses are filed under."""

    name: str
    model: str
    options: Options


def asked_models(models: Sequence[str], file: str, options: Options) -> list[AskedModel]:
    """The named models and those of a file; what a table leaves open is as in the options."""
    named = [AskedModel(each, each, options) for each in models]
    return [*named, *(_read(Path(file), options) if file else ())]


def require_names(names: Iterable[str]) -> None:
    """Raises where two models, or responses made elsewhere, would have one name."""
    seen: set[str] = set()
    for name in names:
        if not name.strip():
            raise InputError("a model has no name", field="model")
        if name in seen:
            raise InputError(
                f"two models are called '{name}', and their responses could not be told apart; "
                "give each a name of its own in a file of models",
                code="two-models",
                field="model",
            )
        seen.add(name)


def _read(path: Path, options: Options) -> list[AskedModel]:
    whole = read_toml(path, field="models")
    tables = whole.pop("model", None)
    if whole or not isinstance(tables, list) or not tables:
        raise InputError(
            f"{path} names no models; it has a table for each, which begins with [[model]]",
            field="models",
        )
    return [_table(each, f"{path}, model {n}", options) for n, each in enumerate(tables, start=1)]


def _table(table: object, where: str, options: Options) -> AskedModel:
    fields: dict[str, Any] = dict(read_fields(table, _KINDS, where))
    model = fields.pop("model", "").strip()
    if not model:
        raise InputError(f"{where}: 'model' is missing, as in openai/gpt-4o", field="models")
    name = fields.pop("name", "").strip() or model
    check_ranges(fields, f"{where}: ")
    return AskedModel(name, model, replace(options, **_known(fields)))


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name in asdict(Options())}
