"""A folder with a model's files, which are checked before they are used, and its card."""

import hashlib
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from mmap import ACCESS_READ, mmap
from pathlib import Path
from struct import unpack_from
from typing import IO, Any, ClassVar, Protocol, cast
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_magic
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.head import Arrays
from assay.detectors.embedded.languages import named, read_languages
from assay.detectors.embedded.marking import Marker
from assay.detectors.embedded.network import Network, NetworkOutput
from assay.detectors.embedded.pointing import Pointer
from assay.detectors.embedded.tokens import Tokenizer, TokenRow
from assay.text.languages import ENGLISH


class EntailmentNetwork(Protocol):
    """Reads rows of tokens: three logits at each mark, and where it looks in the source."""

    def forward_all(
        self, rows: Sequence[TokenRow], attention: Collection[int] = ()
    ) -> list[NetworkOutput]:
        """The results of the rows, in their order, with the attention of some layers."""
        ...


@dataclass(frozen=True, slots=True)
class CardSettings:
    """Settings from a model's card for scores, evidence and marks."""

    calibration: Calibration
    pointer: Pointer
    marker: Marker | None  # without one, or without a word head, no words are marked
    reads_answers: bool = True  # whether it can tell a right bare answer from a wrong one
    source_layers: int | None = None  # those that the source goes through; by default all
    languages: tuple[str, ...] = (ENGLISH,)  # that it was found to read well enough


@dataclass(frozen=True, slots=True, eq=False)
class EntailmentModel:
    """Tokenizer, network and what the model's card says; `digest` tells which weights these are."""

    name: str  # of its detector
    digest: str
    tokenizer: Tokenizer
    network: EntailmentNetwork
    settings: CardSettings
    window: int  # tokens of the source that are read at once
    batch: int  # examples that are read together


def read_card(card: dict[str, Any]) -> CardSettings:
    """Read the settings in a model's card; a damaged one raises."""
    heads = [(int(a), int(b), float(c)) for a, b, c in card["evidence"]["heads"]]
    return CardSettings(
        Calibration.read(card["calibration"]),
        Pointer(tuple(heads)),
        Marker.read(card["marks"]) if "marks" in card else None,
        bool(card.get("bare_answers", True)),
        _read_source_layers(card) if "source_layers" in card else None,
        read_languages(card),
    )


def _read_source_layers(card: dict[str, Any]) -> int:
    found = card["source_layers"]
    if type(found) is not int or not 1 <= found <= card["layers"]:  # a truth value is no number
        raise ValueError(f"source_layers is {found!r}")
    return found


CARD = "model.json"
_LENGTHS = 26  # where the header of a file in a zip says how long its name and its extra field are
OWN_LICENCE = "that of the folder"  # of a model that did not come with the package


@dataclass(frozen=True)
class ModelFolder:
    """The files of the model of one detector; `remedy` says what to do where one is damaged."""

    folder: Path
    detector: ClassVar[str]
    weights: ClassVar[str]  # the file that tells which model it is
    remedy: ClassVar[str]

    @cached_property
    def card(self) -> dict[str, Any]:
        """The card: the model's name, its calibration, and the checksums of its files."""
        try:
            card = json.loads(self.read(CARD))
            {**card["files"]}  # a card without checksums is none
        except (KeyError, TypeError, ValueError):
            raise self.damaged(CARD) from None
        return cast(dict[str, Any], card)

    def require(self, *names: str) -> None:
        """Raises where the card does not say what is to be shown of the model."""
        if not all(name in self.card for name in names):
            raise self.damaged(CARD)

    @cached_property
    def settings(self) -> CardSettings:
        """The card's settings for scores, evidence and marks."""
        card = self.card
        try:
            return read_card(card)
        except (AttributeError, InputError, KeyError, OverflowError, TypeError, ValueError):
            raise self.damaged(CARD) from None

    def assembled(
        self,
        settings: CardSettings,
        tokenizer: Tokenizer,
        network: Network,
        *,
        window: int,
        batch: int,
    ) -> EntailmentModel:
        """All that its detector needs; settings come first, so that a bad card is told first."""
        if not network.head.word_head:
            settings = replace(settings, marker=None)
        return EntailmentModel(
            self.detector, self.digest, tokenizer, network, settings, window, batch
        )

    @property
    def digest(self) -> str:
        """A digest that identifies the weights."""
        return str(self.card["files"].get(self.weights, ""))[:16]

    @contextmanager
    def arrays(self, name: str) -> Iterator[Arrays]:
        """The arrays of a file, in which they stay; it is checked at the end.

        So other threads can expand them meanwhile; what was made of a damaged file is lost.
        """
        try:
            with (self.folder / name).open("rb") as file:
                content = mmap(file.fileno(), 0, access=ACCESS_READ)
        except ValueError:  # an empty file
            raise self.damaged(name) from None
        except OSError as error:
            raise self._unreadable(name, error) from None
        try:
            yield _arrays(content)
        except (BadZipFile, KeyError, ValueError):
            raise self.damaged(name) from None
        finally:
            self._check(name, content)

    def checked(self, name: str) -> bytes:
        """The content of a file whose checksum is the card's."""
        content = self.read(name)
        self._check(name, content)
        return content

    def _check(self, name: str, content: bytes | mmap) -> None:
        if hashlib.sha256(content).hexdigest() != self.card["files"].get(name):
            raise self.damaged(name)

    def read(self, name: str) -> bytes:
        """A file as it is."""
        try:
            return (self.folder / name).read_bytes()
        except OSError as error:
            raise self._unreadable(name, error) from None

    def _unreadable(self, name: str, error: OSError) -> InputError:
        return InputError(
            f"the {self.detector} model's file {self.folder / name} cannot be read"
            f" ({error.strerror}): {self.remedy}"
        )

    def damaged(self, name: str) -> InputError:
        """The error for a file that is not what it should be."""
        return InputError(
            f"the {self.detector} model's file {self.folder / name} is damaged: {self.remedy}"
        )

    @property
    def changed(self) -> int:
        """The time of the card's last change."""
        try:
            return (self.folder / CARD).stat().st_mtime_ns
        except OSError:
            return 0

    def facts(self, size: str, licence: str, window: int) -> dict[str, str]:
        """The facts about the model, by heading, with the figures of its card."""
        figures: Mapping[str, str] = self.card.get("figures", {})
        marker = self.settings.marker
        return {
            "model": size,
            "licence": licence,
            "language": f"{named(self.settings.languages)}; anything else is left without a"
            " verdict",
            "reads at once": f"up to {window:,} tokens of the source, about"
            f" {round(window * 0.75, -2):,.0f} words; of more, the passages nearest to the"
            " sentences",
            "verdicts": str(self.settings.calibration),
            "marks": "words that the source does not bear out, in sentences that are unfaithful or"
            f" not sure: those from a chance of {marker.cut:.2f} on"
            if marker
            else "no words",
            "not answered": "whether a sentence has several readings, and whether outside knowledge"
            " supports it",
            "measured on": "sources that were not trained on; value (95 % interval), n",
            **figures,
            "must not be used": "as the only judge where an error harms somebody;"
            " docs/model-card.md says why, with known failures",
        }


def _arrays(content: mmap) -> Arrays:
    """The arrays of an uncompressed npz file, by name, as views of its content."""
    found: dict[str, NDArray[np.generic]] = {}
    for member in ZipFile(cast(IO[bytes], content)).infolist():
        if member.compress_type != ZIP_STORED:
            raise ValueError(f"{member.filename} is compressed")
        name, extra = unpack_from("<HH", content, member.header_offset + _LENGTHS)
        content.seek(member.header_offset + _LENGTHS + 4 + name + extra)
        read_magic(content)
        shape, _, kind = read_array_header_1_0(content)
        values = np.frombuffer(content, kind, math.prod(shape), content.tell())
        found[member.filename.removesuffix(".npy")] = values.reshape(shape)
    return found
