"""Which peers a prompt shows, and in words what the verdict rests on.

First the limit on their number: the first N in the order of the data. Then the limit on
characters: the longest as they stand in the prompt are left out until the rest fits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from assay.core.examples import Example
from assay.detectors.judges.judging import squeeze
from assay.detectors.judges.peer_text import annotation_text, number_annotators
from assay.llm.prompts import Fences

CHARACTERS = 40_000
SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Limits:
    """How many peers a prompt may show (None: all), and how many characters they may take."""

    peers: int | None = None
    characters: int = CHARACTERS


@dataclass(frozen=True, slots=True)
class Shown:
    """The peers that a prompt shows, the texts of each by the names of their fences, the basis."""

    peers: tuple[Example, ...]
    blocks: tuple[dict[str, str], ...]
    basis: str

    @property
    def texts(self) -> dict[str, str]:
        """All texts of all peers, to be fenced with those of the response and the source."""
        return {name: text for block in self.blocks for name, text in block.items()}

    def render(self, fences: Fences) -> str:
        """The part of a prompt that shows them."""
        return SEPARATOR.join(_render(fences, block) for block in self.blocks)


def choose_peers(peers: Sequence[Example], limits: Limits, question: str = "") -> Shown:
    """Those of the peers that are within the limits; one with another question brings it along."""
    wanted = tuple(peers[: limits.peers])
    numbers = number_annotators(wanted)
    blocks = _blocks(wanted, numbers, squeeze(question))
    lengths = [len(_render(Fences(block), block)) for block in blocks]
    kept = tuple(wanted[place] for place in _that_fit(lengths, limits.characters))
    if len(kept) < len(wanted):
        blocks = _blocks(kept, numbers, squeeze(question))  # the peers are counted anew
    return Shown(kept, blocks, _basis(len(peers), len(wanted), len(kept), limits))


def _blocks(
    peers: tuple[Example, ...], numbers: Mapping[str, int], asked: str
) -> tuple[dict[str, str], ...]:
    return tuple(_block(n, peer, numbers, asked) for n, peer in enumerate(peers, start=1))


def _block(number: int, peer: Example, numbers: Mapping[str, int], asked: str) -> dict[str, str]:
    name = f"peer_{number}"
    texts = {name: peer.response.text, f"{name}_annotations": annotation_text(peer, numbers)}
    other = squeeze(peer.question)
    return texts if other in ("", asked) else {f"{name}_question": other, **texts}


def _render(fences: Fences, block: dict[str, str]) -> str:
    return "\n".join(fences[name] for name in block)


def _that_fit(lengths: list[int], characters: int) -> list[int]:
    """The places that stay, in order, when the longest go first and of equals the later one.

    The lengths are upper bounds: a peer's number can only get smaller when others are left out.
    """
    shortest = sorted(range(len(lengths)), key=lambda place: (lengths[place], place))
    totals = accumulate(lengths[place] + len(SEPARATOR) for place in shortest)
    most = characters + len(SEPARATOR)  # there is none after the last
    return sorted(place for place, total in zip(shortest, totals, strict=True) if total <= most)


def _basis(found: int, wanted: int, shown: int, limits: Limits) -> str:
    if limits.peers == 0:
        return "Annotated peers were not asked for: judged zero-shot."
    if not found:
        return "No annotated peers for this source: judged zero-shot."
    if shown == found:
        return f"{found} annotated peer{'s' if found > 1 else ''}."
    first = f"the first {wanted} in the data" if wanted > 1 else "the first in the data"
    said = f"{shown} of {found} annotated peers shown"
    if shown == wanted:
        return f"{said}: {first}."
    of = f"of {first} " if wanted < found else ""
    reason = f"to stay within {limits.characters:,} characters"
    if shown:
        were = "were" if wanted - shown > 1 else "was"
        return f"{said}: {of}the longest {were} left out {reason}."
    return f"None of {found} annotated peers shown {reason}: judged zero-shot."
