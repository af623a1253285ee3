"""`recorded`: replays the verdicts in a file that `assay check --json` wrote."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast, get_args

from assay.core.errors import InputError
from assay.core.stored import on_menu
from assay.core.taxonomies import taxonomy
from assay.core.units import UnitKind
from assay.detectors.replay import ExampleRecord, Replay


class RecordedDetector(Replay):
    """What a file says of each example, by its id."""

    def __init__(self, path: str = "") -> None:
        if not path:
            raise InputError("detector 'recorded' needs a file: write recorded:FILE.json")
        document = _read(path)
        super().__init__(
            name=f"recorded {document['detector']}",
            taxonomy=taxonomy(document["taxonomy"]),
            unit_kind=on_menu(document.get("unit_kind", "sentence"), get_args(UnitKind)),
            origin=path,
            records=_by_id(document["examples"], path),
        )


def _by_id(records: list[ExampleRecord], path: str) -> dict[str, ExampleRecord]:
    found: dict[str, ExampleRecord] = {}
    for record in records:
        key = str(record["id"])
        if key in found:
            raise InputError(f"{path} has two examples with the id '{key}'")
        found[key] = record
    return found


def _read(path: str) -> Mapping[str, Any]:
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from None
    if not _is_report(document):
        raise InputError(f"{path} is not a file that 'assay check --json' wrote")
    return cast(Mapping[str, Any], document)


def _is_report(document: object) -> bool:
    return (
        isinstance(document, dict)
        and {"detector", "taxonomy", "examples"} <= set(document)
        and isinstance(document["examples"], list)
        and all(isinstance(each, dict) and "id" in each for each in document["examples"])
    )
