"""Pieces of OpenAPI: the answers of routes, and the document that they make up."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from assay.web.answers import ErrorAnswer

_COMPONENTS = "#/components/schemas/{name}"


class Descriptions:
    """The answers of all routes of an application.

    `usual` has the failures that every route can have, and what they mean; `others` those that only
    some have, which say so.
    """

    def __init__(self, usual: Mapping[int, str], others: Mapping[int, str]) -> None:
        self._usual = usual
        self._others = others
        self._types: dict[str, Any] = {}  # of all answers, by how they are shown

    def answers(
        self, result: Any, *more: int, status: int = 200, form: str = ""
    ) -> dict[int | str, dict[str, Any]]:
        """The answers of a route: its result, the usual failures, and those of these statuses.

        A result of another `form` than JSON has no schema.
        """
        content = {form: {}} if form else {"application/json": self.schema(result)}
        failures = {**self._usual, **{each: self._others[each] for each in more}}
        return {
            status: {"description": "It worked", "content": content},
            **{
                each: {
                    "description": text,
                    "content": {"application/json": self.schema(ErrorAnswer)},
                }
                for each, text in sorted(failures.items())
            },
        }

    def schema(self, kind: Any) -> dict[str, Any]:
        """A reference to the schema of a type, which becomes a part of the document."""
        self._types[str(kind)] = kind
        (schema,), _ = msgspec.json.schema_components((kind,), ref_template=_COMPONENTS)
        return {"schema": schema}

    def document(self, app: FastAPI, about: str, routes: Iterable[APIRoute]) -> dict[str, Any]:
        """The OpenAPI document of some routes."""
        made = get_openapi(title=app.title, version="1", description=about, routes=list(routes))
        schemas = made.setdefault("components", {}).setdefault("schemas", {})
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        for name, schema in self._components().items():
            if schemas.setdefault(name, schema) != schema:
                raise ValueError(f"two schemas of the API are both named {name}")
        return made

    def _components(self) -> dict[str, Any]:
        types = tuple(self._types.values())
        return msgspec.json.schema_components(types, ref_template=_COMPONENTS)[1]


def page_described() -> dict[int | str, dict[str, Any]]:
    """The answers of a page."""
    return {200: {"description": "The page", "content": {"text/html": {}}}}
