"""The words and shapes of OpenAPI for the service: bodies, answers, and keys."""

from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from assay.service.admission import needs_key
from assay.service.bodies import JSON, LINES
from assay.web.description import Descriptions

ABOUT = """\
Checks of responses by their sources, at once or as jobs. Offsets in texts are counted in code
points. Where the service has keys, requests below `/v1` carry one, as `Authorization: Bearer KEY`
or `X-API-Key: KEY`. A failure is answered with `{"error": {...}}`, and every answer has the header
`X-Request-Id`."""

DESCRIPTIONS = Descriptions(
    {
        400: "The request cannot be read",
        401: "A key is needed, or the key is not one of the service",
        403: "The request comes from a page of another site",
        429: "Too many requests; Retry-After says when to come again",
        503: "The service cannot do it now; Retry-After says when to come again, where that helps",
    },
    {
        404: "There is no such thing, or not for this key",
        408: "The body did not arrive, or the check was not finished, in the time that it may take",
        409: "It is too late or too early for that",
        413: "The request, or a text in it, is too large",
        415: "The body is of a kind that is not read",
        422: "The input cannot be used",
    },
)
answers = DESCRIPTIONS.answers
_TEXT = {"type": "string"}
_SOME = {"type": "string", "pattern": r"\S"}
_LANGUAGE = {"type": "string", "pattern": "^[A-Za-z]{2,3}$"}
_EXAMPLE = {
    "type": "object",
    "required": ["source", "response"],
    "description": "Fields may also have the other names that files may give them.",
    "properties": {
        "source": {
            "description": "Text, a list of passages, or a JSON object.",
            "anyOf": [
                _SOME,
                {"type": "array", "minItems": 1, "items": _SOME},
                {"type": "object", "minProperties": 1},
            ],
        },
        "response": {**_SOME, "description": "The text to check."},
        "question": {**_TEXT, "description": "The question that it answers."},
        "id": {**_TEXT, "description": "Your name for the example."},
        "language": {**_LANGUAGE, "description": "Language of the texts, as in `de`."},
    },
}
_DETECTOR = {**_TEXT, "description": "One of those that are served; the first by default."}


def body_of_check(*others: str) -> dict[str, Any]:
    """The body of a check for OpenAPI; `others` are further types that it may have."""
    one = {
        **_EXAMPLE,
        "properties": {**_EXAMPLE["properties"], "detector": _DETECTOR},  # type: ignore[dict-item]
    }
    many = {
        "type": "object",
        "required": ["examples"],
        "additionalProperties": False,
        "properties": {
            "examples": {"type": "array", "minItems": 1, "items": _EXAMPLE},
            "detector": _DETECTOR,
            "language": {**_LANGUAGE, "description": "Language of all texts."},
        },
    }
    lines = {each: {"schema": {"type": "string"}} for each in others}
    content = {JSON: {"schema": {"anyOf": [one, many]}}, **lines}
    return {"requestBody": {"required": True, "content": content}}


def lines_described(found: dict[int | str, dict[str, Any]]) -> dict[int | str, dict[str, Any]]:
    """The answers of a route that may give lines as well."""
    found[200]["content"][LINES] = {"schema": _TEXT}
    return found


def description(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document; pages are no part of it."""
    known: list[APIRoute] = app.state.routes
    routes = [each for each in known if each.include_in_schema]
    made = DESCRIPTIONS.document(app, ABOUT, routes)
    made["components"]["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer"},
        "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    }
    has_keys = bool(app.state.service.admission.keys)
    for route in routes:
        for method in route.methods or ():
            operation = made["paths"][route.path_format][method.lower()]
            is_closed = has_keys and needs_key(route.path)
            operation["security"] = [{"bearer": []}, {"header": []}] if is_closed else []
    return made
