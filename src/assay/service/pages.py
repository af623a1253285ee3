"""The page to paste a text into, the page of what came of it, and their policies."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from assay import Author, Manifest
from assay.report.pages.page import html_of

_REST = "base-uri 'none'; frame-ancestors 'none'"


@dataclass(frozen=True, slots=True)
class Start:
    """The facts that the first page tells of its service."""

    detectors: Sequence[str]
    has_keys: bool = False
    sends_texts: bool = False  # to the models that judges ask
    logs_texts: bool = False


_EMPTY = {"source": "", "response": "", "question": "", "detector": ""}


def start_page(
    start: Start, filled: Mapping[str, str] = _EMPTY, *, error: str = "", status: int = 200
) -> HTMLResponse:
    """The page with the form; what was filled in is there again, but never the key."""
    html = _start(start, {**_EMPTY, **filled}, error)
    styles = _digests(_bare_start(), "style")
    policy = f"default-src 'none'; style-src {styles}; img-src data:; form-action 'self'; {_REST}"
    return HTMLResponse(html, status, headers={"Content-Security-Policy": policy})


def check_page(html: str) -> HTMLResponse:
    """The page of a check, which runs its own script and nothing else; bars have their length."""
    styles, scripts = _own_parts()
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src-elem {styles}; "
        f"style-src-attr 'unsafe-inline'; img-src data:; form-action 'none'; {_REST}"
    )
    return HTMLResponse(html, headers={"Content-Security-Policy": policy})


@cache
def _own_parts() -> tuple[str, str]:
    """The digests of what the page of a check has of its own, from one that shows no text."""
    page = html_of((), Manifest(Author("")))
    return _digests(page, "style"), _digests(page, "script")


@cache
def _bare_start() -> str:
    return _start(Start(()), _EMPTY, "")


def _start(start: Start, filled: Mapping[str, str], error: str) -> str:
    template = _templates().get_template("start.html.jinja")
    return template.render(start=start, filled=filled, error=error)


def _digests(page: str, element: str) -> str:
    """The digests of the elements of a name that have no attributes, as a policy names them."""
    texts = [each.partition(f"</{element}>")[0] for each in page.split(f"<{element}>")[1:]]
    made = (b64encode(sha256(each.encode()).digest()).decode() for each in texts)
    return " ".join(f"'sha256-{each}'" for each in dict.fromkeys(made))


@cache
def _templates() -> Environment:
    return Environment(
        loader=ChoiceLoader([PackageLoader("assay.service"), PackageLoader("assay.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
