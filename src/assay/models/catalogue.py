"""The public model files that detectors build on: what each is, whose, and where it comes from."""

import os
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from assay.core.errors import InputError, UnknownNameError


@dataclass(frozen=True, slots=True)
class PublicModel:
    """A public file, known to the byte: only one of this size and sha256 is ever used."""

    name: str
    title: str
    file: str
    size: int
    sha256: str
    licence: str
    holder: str
    origin: str  # the repository that its authors publish it in
    used_by: str

    @property
    def address(self) -> str:
        """The address of the file; ASSAY_DOWNLOAD_BASE replaces the usual server."""
        mirror = os.environ.get("ASSAY_DOWNLOAD_BASE")
        if mirror:
            return self.address_at(mirror, "ASSAY_DOWNLOAD_BASE")
        return self.address_at("{0.scheme}://{0.netloc}".format(urlsplit(self.origin)))

    def address_at(self, mirror: str, what: str = "a mirror") -> str:
        """The address on a server with the same paths, or the file's own if it ends in its name."""
        given, name = mirror.strip(), quote(self.file)
        if "?" not in given:
            given = given.rstrip("/")
        if not _is_address(given):
            shown = given.rpartition("@")[2]  # before it, there may be a password
            raise InputError(f"{what} must be an http(s) address, not '{shown}'", field="mirror")
        if urlsplit(given).path.endswith(f"/{name}"):
            return given
        if "?" in given or "#" in given:
            raise InputError(
                f"{what} with a query must be the address of the file itself, which ends in /{name}"
                " before the query",
                field="mirror",
            )
        return f"{given}{urlsplit(self.origin).path}/resolve/main/{name}"


def shown_address(address: str) -> str:
    """An address without what may be secret in it: a user's name and password, and a query.

    >>> shown_address("https://me:secret@files.example/a.gguf?key=secret")
    'https://files.example/a.gguf'
    """
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, or half a bracket
        return False


MODELS: dict[str, PublicModel] = {
    "large": PublicModel(
        name="large",
        title="Qwen2.5-Coder-1.5B-Instruct, in four to six bits",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        holder="Alibaba Cloud",
        origin="https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        used_by="embedded-large",
    ),
}


def find_model(name: str) -> PublicModel:
    """The model of that name."""
    try:
        return MODELS[name]
    except KeyError:
        raise UnknownNameError("model", name, MODELS, field="name") from None


def amount(count: int) -> str:
    """A number of bytes in words.

    >>> amount(1_117_320_768), amount(312_400_000), amount(2_048), amount(7)
    ('1.12 GB', '312 MB', '2 kB', '7 bytes')
    """
    if count >= 10**9:
        return f"{count / 10**9:,.2f} GB"
    if count >= 10**6:
        return f"{count / 10**6:.0f} MB"
    return f"{count / 1000:.0f} kB" if count >= 1000 else f"{count} bytes"
