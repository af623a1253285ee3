"""Every error that Assay raises on purpose.

AssayError
├── InputError            what the user gave cannot be used; the message says what is wrong
│   ├── UnknownNameError  a name that is not on its menu
│   ├── SpanError         offsets that do not fit their text
│   └── UndecidedError    decision-tree answers that leave the label open
├── ServiceError          an outside service cannot be used: wrong key, unknown model, no such host
│   └── BudgetError       the budget does not allow another call
├── GuardError            no answer passed a guard that was told to raise
└── MissingExtraError     an optional package is needed and not installed

Below the translators (command line, service, studio) no message names a flag or a button. An error
carries a `code` for programs and, where one setting is to blame, its `field`; `subject` is the name
of what a piece of advice is about. Whoever talks to the user turns these into the words of their
interface.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.core.results import Result


class AssayError(Exception):
    """Anything that Assay itself raises: a message for people, a code and a field for programs."""

    code: str = "error"

    def __init__(self, message: str, *, code: str = "", field: str = "", subject: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.field = field
        self.subject = subject
        self.results: tuple[Result, ...] = ()  # what a check had judged before

    def prefix(self, where: str) -> None:
        """Puts in front of the message where it was found."""
        self.message = f"{where}: {self.message}"
        self.args = (self.message,)


class InputError(AssayError):
    """The user's input cannot be used."""

    code = "input"


class UnknownNameError(InputError):
    """A name that is not on its menu; the message suggests the nearest one."""

    code = "unknown-name"

    def __init__(
        self, kind: str, name: str, choices: Iterable[str], *, field: str = "", how: str = "unknown"
    ) -> None:
        menu = sorted(set(choices))
        near = get_close_matches(name.casefold(), menu, n=1, cutoff=0.5)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        super().__init__(f"{how} {kind} '{name}'.{hint} Choices: {', '.join(menu)}.", field=field)


class SpanError(InputError):
    """Offsets that do not fit the text they point into."""

    code = "span"


class UndecidedError(InputError):
    """The answers given do not lead to a label."""

    code = "undecided"


class ServiceError(AssayError):
    """An outside service cannot be used, and asking again would not help."""

    code = "service"


class BudgetError(ServiceError):
    """The budget does not allow another call; what was answered so far is kept."""

    code = "budget"


class GuardError(AssayError):
    """No answer passed a guard; its `code` is `unfaithful` or `no-verdict`."""

    code = "unfaithful"


class MissingExtraError(AssayError):
    """An optional package is needed for this."""

    code = "missing-extra"

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional package: pip install 'assay-faith[{extra}]'")
