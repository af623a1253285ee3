"""Outputs of a network that are kept in a folder, so that what was read once is not read again."""

import hashlib
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from assay.detectors.embedded.folders import EntailmentNetwork
from assay.detectors.embedded.network import NetworkOutput
from assay.detectors.embedded.tokens import TokenRow

_LAYER = "layer."


class RememberedNetwork:
    """A network that reads only rows whose output is not in the folder."""

    def __init__(self, network: EntailmentNetwork, folder: Path) -> None:
        self._network, self._folder = network, folder
        folder.mkdir(parents=True, exist_ok=True)

    def forward_all(
        self, rows: Sequence[TokenRow], attention: Collection[int] = ()
    ) -> list[NetworkOutput]:
        """The results of the rows, in their order."""
        paths = [self._folder / f"{_key(row, attention)}.npz" for row in rows]
        unread = [number for number, path in enumerate(paths) if not path.exists()]
        read = self._network.forward_all([rows[number] for number in unread], attention)
        for number, output in zip(unread, read, strict=True):
            _write(paths[number], output)
        return [_read(path) for path in paths]


def _key(row: TokenRow, attention: Collection[int]) -> str:
    layers = ",".join(map(str, sorted(attention)))
    said = row.tokens.tobytes() + row.marks.tobytes() + f"{row.source}|{layers}".encode()
    return hashlib.sha256(said).hexdigest()[:24]


def _write(path: Path, output: NetworkOutput) -> None:
    arrays = {"logits": output.logits}
    arrays |= {f"{_LAYER}{number}": seen for number, seen in output.attention.items()}
    if output.words is not None:
        arrays["words"] = output.words
    unfinished = path.with_name("unfinished.npz")
    np.savez(unfinished, allow_pickle=False, **arrays)
    unfinished.rename(path)


def _read(path: Path) -> NetworkOutput:
    with np.load(path, allow_pickle=False) as stored:
        arrays = dict(stored)
    seen = {
        int(name.removeprefix(_LAYER)): array
        for name, array in arrays.items()
        if name.startswith(_LAYER)
    }
    return NetworkOutput(arrays["logits"], seen, arrays.get("words"))
