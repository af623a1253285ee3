"""How labels look in a terminal: a symbol and a style, so that colour is never the only sign."""

from dataclasses import dataclass

from assay.core.labels import Label


@dataclass(frozen=True, slots=True)
class Look:
    """A symbol and a terminal style."""

    symbol: str
    style: str


_BY_LABEL = {
    "contradicting": Look("✖", "bold red"),
    "fabricated": Look("✘", "red"),
    "ambiguous": Look("≈", "magenta"),
    "no-fact": Look("·", "dim"),
    "out-dependent": Look("◐", "yellow"),
    "implicitly-supported": Look("✓", "cyan"),
    "explicitly-supported": Look("✔", "green"),
}
_BY_COARSE = {
    "faithful": _BY_LABEL["explicitly-supported"],
    "unfaithful": _BY_LABEL["fabricated"],
    "not-sure": _BY_LABEL["ambiguous"],
    "no-fact": _BY_LABEL["no-fact"],
}
NO_VERDICT = Look("∅", "reverse dim")
SCORE_ONLY = Look("#", "bold")


def look_of(label: Label | None) -> Look:
    """The look of a verdict's label; by its coarse reading if it has none of its own."""
    if label is None:
        return SCORE_ONLY
    return _BY_LABEL.get(label.name, _BY_COARSE[label.coarse])
