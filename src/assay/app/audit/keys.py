"""The key of a control sample, in a file of its own that those who decide do not see."""

import json
from pathlib import Path

import msgspec

from assay.audit.controls import ControlKey
from assay.core.errors import InputError
from assay.core.files import refuse_as_output, replacing, require_writable


class _Place(msgspec.Struct):
    example: str
    unit: str


class _Key(msgspec.Struct):
    dataset: str
    seed: int
    not_flagged: int
    controls: list[_Place]


def require_key(path: str, control: int, *inputs: str) -> None:
    """Raises unless a control sample has a file for its key, and nothing else is lost there."""
    if bool(path) != bool(control):
        message = (
            "the key of the control sample needs a file, which those who decide must not see"
            if control
            else "a key is that of a control sample, and there is none"
        )
        raise InputError(message, field="key")
    if not path:
        return
    if not path.endswith(".json"):
        raise InputError(f"{path} must end in .json", field="key")
    refuse_as_output(path, *inputs)
    if Path(path).exists():
        read_key(path)  # it may be written again, but is no other file
    require_writable(path)


def write_key(path: str, key: ControlKey) -> None:
    """Writes a key; one that is there already may only be the same."""
    if Path(path).exists() and read_key(path) != key:
        raise InputError(
            f"{path} is the key of another control sample; name another file", field="key"
        )
    with replacing(path) as part:
        part.write_text(json.dumps(key.to_dict(), indent=1) + "\n", encoding="utf-8")


def read_key(path: str) -> ControlKey:
    """The key in a file."""
    try:
        found = msgspec.json.decode(Path(path).read_bytes(), type=_Key)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", field="key") from None
    except msgspec.MsgspecError as error:
        raise InputError(f"{path} is no key of a control sample: {error}", field="key") from None
    places = frozenset((each.example, each.unit) for each in found.controls)
    return ControlKey(found.dataset, found.seed, found.not_flagged, places)
