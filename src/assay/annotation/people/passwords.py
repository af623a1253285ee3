"""Passwords: their rules, and the hashes that are kept."""

import unicodedata
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from assay.core.errors import InputError

SHORTEST = 10
LONGEST = 1000
_hasher = PasswordHasher()


def checked_password(password: str, name: str) -> str:
    """A password that may be used for an account of that name; raises otherwise."""
    kept = _composed(password)
    if not SHORTEST <= len(kept) <= LONGEST:
        message = f"a password has {SHORTEST} to {LONGEST} characters, not {len(kept)}"
        raise InputError(message, field="password")
    if _folded(kept) == _folded(name) or len(set(kept)) == 1:
        raise InputError("a password is not the name, nor one character again", field="password")
    return kept


def hashed(password: str) -> str:
    """The hash of a password (argon2id, with its parameters)."""
    return _hasher.hash(_composed(password).encode(errors="surrogatepass"))


def matches(kept: str, password: str) -> bool:
    """True if a password fits the hash.

    Without a hash the same work is done for a password that nobody has: the time of an answer
    does not tell who has an account.
    """
    given = _composed(password[: LONGEST + 1]).encode(errors="surrogatepass")
    try:
        _hasher.verify(kept or _nobodys(), given)
    except (VerificationError, InvalidHashError):
        return False
    return bool(kept)


def is_outdated(kept: str) -> bool:
    """True if a hash was made with other parameters than are used now."""
    return _hasher.check_needs_rehash(kept)


@cache
def _nobodys() -> str:
    return hashed("a password that nobody has")


def _composed(password: str) -> str:
    """The same characters however the keyboard makes them."""
    return unicodedata.normalize("NFC", password)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
