"""The page to paste a text into, the page of what came of it, and their policies."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from assay import Author, Manifest
from assay.report.pages.page import html_of

_STYLES = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_SCRIPTS = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_REST = "base-uri 'none'; frame-ancestors 'none'"


def start_page(
    detectors: Sequence[str],
    *,
    has_keys: bool,
    filled: Mapping[str, str],
    error: str = "",
    status: int = 200,
) -> HTMLResponse:
    """The page with the form; what was filled in is there again, but never the key."""
    html = (
        _templates()
        .get_template("start.html.jinja")
        .render(
            detectors=detectors,
            has_keys=has_keys,
            filled={"source": "", "response": "", "question": "", "detector": "", **filled},
            error=error,
        )
    )
    styles = " ".join(_digests(_STYLES.findall(_bare_start())))
    policy = f"default-src 'none'; style-src {styles}; img-src data:; form-action 'self'; {_REST}"
    return HTMLResponse(html, status, headers={"Content-Security-Policy": policy})


def check_page(html: str) -> HTMLResponse:
    """The page of a check, which runs its own script and nothing else."""
    styles, scripts = _own_parts()
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; "
        f"form-action 'none'; {_REST}"
    )
    return HTMLResponse(html, headers={"Content-Security-Policy": policy})


@cache
def _own_parts() -> tuple[str, str]:
    """The digests of what the page of a check has of its own, from one that shows no text."""
    page = html_of((), Manifest(Author("")))
    return " ".join(_digests(_STYLES.findall(page))), " ".join(_digests(_SCRIPTS.findall(page)))


@cache
def _bare_start() -> str:
    empty = {"source": "", "response": "", "question": "", "detector": ""}
    page = _templates().get_template("start.html.jinja")
    return page.render(detectors=(), has_keys=False, filled=empty, error="")


def _digests(texts: Iterable[str]) -> list[str]:
    made = (b64encode(sha256(each.encode()).digest()).decode() for each in texts)
    return [f"'sha256-{each}'" for each in dict.fromkeys(made)]


@cache
def _templates() -> Environment:
    return Environment(
        loader=ChoiceLoader([PackageLoader("assay.service"), PackageLoader("assay.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
