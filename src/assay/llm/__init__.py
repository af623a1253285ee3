"""Language models: one client, wrappers around it, prompts, and the reading of replies.

Errors carry the setting that is to blame as `field` (a name of `Options`), and these codes:

no-model          no model is named anywhere
unknown-provider  the part of the model's name before the slash is not a provider
no-key            the service needs a key and there is none
bad-key           the key has characters that no key has, or the server does not accept it
no-address        the variable that holds the address of the service is not set
bad-address       the base URL is malformed, or nothing like a model's server is there
unreachable       no connection to the server
unknown-model     the server does not know the model, or the address
no-credit         the account has no credit left
no-price          a budget in dollars, but no price is known for the model
budget            the budget is used up (`BudgetError`); `field` is the limit that was reached

A call that fails for its own reasons raises `CallError`, which becomes a `Failure`. Its reasons are
`parse`, `off_menu`, `refused`, `truncated` (at `max_tokens`), `transport` and `too_long`.
"""

from typing import TYPE_CHECKING

__all__ = ["Options", "Scripted", "connect"]

if TYPE_CHECKING:
    from assay.llm.client import Scripted
    from assay.llm.connection import connect
    from assay.llm.settings.options import Options

_HOMES = {
    "Options": "assay.llm.settings.options",
    "Scripted": "assay.llm.client",
    "connect": "assay.llm.connection",
}


def __getattr__(name: str) -> object:
    """Imports a public name on first use, so that reading a prompt needs no client."""
    if name not in _HOMES:
        raise AttributeError(f"module 'assay.llm' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
