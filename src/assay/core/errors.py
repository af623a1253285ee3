"""Every error that Assay raises on purpose.

AssayError
├── InputError            what the user gave cannot be used; the message says what to do
│   ├── UnknownNameError  a name that is not on its menu
│   ├── SpanError         offsets that do not fit their text
│   └── UndecidedError    decision-tree answers that leave the label open
├── ServiceError          a service outside cannot be used: wrong key, unknown model, no such host
└── MissingExtraError     an optional package is needed and not installed
"""

from collections.abc import Iterable
from difflib import get_close_matches


class AssayError(Exception):
    """Anything that Assay itself raises."""


class InputError(AssayError):
    """The user's input cannot be used."""


class UnknownNameError(InputError):
    """A name that is not on its menu; the message suggests the nearest one."""

    def __init__(self, kind: str, name: str, choices: Iterable[str]) -> None:
        menu = sorted(set(choices))
        near = get_close_matches(name.casefold(), menu, n=1, cutoff=0.5)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        super().__init__(f"unknown {kind} '{name}'.{hint} Choices: {', '.join(menu)}.")


class SpanError(InputError):
    """Offsets that do not fit the text they point into."""


class UndecidedError(InputError):
    """The answers given do not lead to a label."""


class ServiceError(AssayError):
    """A service outside cannot be used, and asking again would not help; says what to do."""


class MissingExtraError(AssayError):
    """An optional package is needed for this."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional package: pip install 'assay[{extra}]'")
