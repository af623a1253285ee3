"""The keys of the service: their digests are kept, never the keys themselves."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe

from assay.core.errors import AssayError, InputError

VARIABLE = "ASSAY_SERVICE_KEYS"
_LARGEST = 2**20  # bytes of a file
_LINE = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{0,63})[ \t:=]+(?P<digest>[0-9a-fA-F]{64})")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class NoAccessError(AssayError):
    """A request without a key, or with one that opens nothing."""

    code = "no-access"


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that open the service: pairs of a name and the SHA-256 of the key."""

    digests: tuple[tuple[str, bytes], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.digests)

    def owner(self, key: str) -> str:
        """The name that a key stands for; every digest is compared, in the same time for all."""
        shown, found = sha256(key.encode(errors="surrogatepass")).digest(), ""
        for name, digest in self.digests:
            if compare_digest(digest, shown):
                found = name
        if not found:
            message = "the key is not one of this service" if key else "a key is needed"
            raise NoAccessError(message)
        return found


def read_keys(path: str | None) -> Keys:
    """The keys of a file, and those that the environment has; what cannot be read raises."""
    given = os.environ.get(VARIABLE, "")
    found = [*_parsed(given.replace(",", "\n").splitlines(), VARIABLE)]
    if path is not None:
        found += _parsed(_text(path).splitlines(), path)
        if not found:
            raise InputError(f"{path} has no keys", field="keys")
    names = [name for name, _ in found]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise InputError(f"two keys have the name '{twice}'", field="keys")
    return Keys(tuple(found))


def new_key(name: str) -> tuple[str, str]:
    """A new key, and the line for it."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"a key's name has up to 64 letters, digits, '.', '-' and '_', unlike {name!r}",
            field="new_key",
        )
    key = f"assay-{token_urlsafe(32)}"
    return key, f"{name} {sha256(key.encode()).hexdigest()}"


def _parsed(lines: list[str], origin: str) -> Iterator[tuple[str, bytes]]:
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        found = _LINE.fullmatch(text)
        if not found:  # the line is not shown: it may be a key, put there by mistake
            raise InputError(
                f"{origin}, line {number}: a line is a name and the SHA-256 of a key, 64 "
                "hexadecimal digits",
                field="keys",
            )
        yield found["name"], bytes.fromhex(found["digest"])


def _text(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return file.read(_LARGEST).decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", field="keys") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8", field="keys") from None
