"""Texts in requests that are none."""

import json
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from assay.annotation.settings import ProjectSettings
from assay.annotation.team.batches import BatchRequest
from assay.studio.routes.projects import BatchesWanted, SettingsBody
from assay.studio.routing import Body
from tests.annotating import Client, MakePerson

HALF, ZERO = "\ud800", "\0"


@pytest.fixture
def studio_at(tmp_path: Path) -> str:
    """A file: requests are refused before any database sees them."""
    return str(tmp_path / "studio.sqlite")


@pytest.mark.parametrize("bad", [HALF, "a\udfff", ZERO])
@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/api/projects", {"name": "BAD"}, "name"),
        ("/api/projects/demo/batches", {"size": 1, "annotators": ["ann", "BAD"]}, "annotators"),
        (
            "/api/work/1/changes",
            {"base": 0, "kind": "edit", "changes": [{"id": "s1", "unit": {"note": {"x": "BAD"}}}]},
            "changes",
        ),
        (
            "/api/work/1/changes",
            {"base": 0, "kind": "edit", "changes": [{"id": "s1", "unit": {"BAD": 1}}]},
            "changes",
        ),
        ("/api/projects", {"name": "x", "BAD": 1}, "body"),
    ],
)
def test_half_characters_and_zeros_are_refused_with_the_field(
    make_person: MakePerson, client: Client, path: str, body: object, field: str, bad: str
) -> None:
    root = client(make_person("root", "administrator"))
    content = json.dumps(body).replace("BAD", json.dumps(bad)[1:-1])
    headers = {"Content-Type": "application/json"}
    got = root.post(path, content=content, headers=headers)
    assert (got.status_code, got.json()["error"]["field"]) == (422, field), got.text


def test_surrogates_that_make_a_pair_are_a_character(
    make_person: MakePerson, client: Client
) -> None:
    root = client(make_person("root", "administrator"))
    headers = {"Content-Type": "application/json"}
    made = root.post("/api/projects", content=r'{"name": "Fun \ud83d\ude97"}', headers=headers)
    assert made.json()["name"] == "Fun 🚗"


@pytest.mark.parametrize(
    ("body", "made"), [(SettingsBody, ProjectSettings), (BatchesWanted, BatchRequest)]
)
def test_body_has_the_fields_and_defaults_of_what_it_becomes(body: type[Body], made: Any) -> None:
    given = {
        name: MISSING if field.is_required() else field.default
        for name, field in body.model_fields.items()
    }
    assert given == {each.name: each.default for each in fields(made)}
