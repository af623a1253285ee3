"""Who may do what, for every route and every role.

A route that has no row here fails the test. The studio is that of `tests/studio/scene.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from assay.annotation.studio import open_studio
from assay.studio.application import create_app
from tests.studio.scene import DIGEST, ROLES, Scene, scene, studio_at

__all__ = ["scene", "studio_at"]


@dataclass(frozen=True)
class Row:
    """A request, and the status of its answer for each of the roles in their order.

    The requests of a row are made in that order in one studio. `{work}` and `{token}` stand for
    the work of `ann` and the token of an invitation.
    """

    method: str
    route: str
    statuses: tuple[int, int, int, int, int]
    values: dict[str, Any] = field(default_factory=dict)
    body: Any = None
    files: Any = None
    query: str = ""

    def __str__(self) -> str:
        return f"{self.method} {self.route} {self.values or ''}"


def everybody(method: str, route: str, status: int = 200, **more: Any) -> Row:
    """Whoever has an account may."""
    first = 401 if route.startswith("/api/") else 303
    return Row(method, route, (first, status, status, status, status), **more)


def administrators(method: str, route: str, status: int = 200, **more: Any) -> Row:
    """Only administrators may, and there is no project that it is about."""
    first = 401 if route.startswith("/api/") else 303
    return Row(method, route, (first, 403, 403, 403, status), **more)


def project(
    method: str,
    route: str,
    *,
    annotator: int = 200,
    adjudicator: int = 200,
    administrator: int = 200,
    **more: Any,
) -> Row:
    """A project does not exist for whoever is no member of it."""
    first = 401 if route.startswith("/api/") else 303
    return Row(method, route, (first, 404, annotator, adjudicator, administrator), **more)


def seniors(method: str, route: str, status: int = 200, **more: Any) -> Row:
    """Adjudicators of the project and administrators may."""
    both = {"adjudicator": status, "administrator": status}
    return project(method, route, annotator=403, **both, **more)


def managers(method: str, route: str, status: int = 200, **more: Any) -> Row:
    """Only administrators may, in a project."""
    return project(method, route, annotator=403, adjudicator=403, administrator=status, **more)


def own(method: str, route: str, status: int = 200, **more: Any) -> Row:
    """Only the annotator may whose work it is; it does not exist for others."""
    return project(method, route, annotator=status, adjudicator=404, administrator=404, **more)


def anybody(method: str, route: str, status: int = 200, **more: Any) -> Row:
    """No account is needed."""
    return Row(method, route, (status,) * 5, **more)


P = "/api/projects/{slug}"
BLIND, DISPUTED = {"position": 1}, {"position": 2}
PASSWORD = "correct horse"
NO_CHANGE = {"base": 0, "kind": "edit", "changes": []}

TABLE = [
    # session
    anybody("GET", "/api/session"),
    # the token of a session does not fit the form before it
    anybody("POST", "/api/session", 403, body={"name": "a", "password": "b"}),
    anybody("POST", "/api/session/key", 403, body={"key": "a"}),
    everybody("DELETE", "/api/session"),
    everybody("PUT", "/api/account/password", body={"current": "", "password": PASSWORD}),
    everybody("GET", "/api/openapi.json"),
    Row("GET", "/login", (200, 303, 303, 303, 303)),
    everybody("GET", "/account"),
    # invitations
    administrators("GET", "/api/invitations"),
    administrators("POST", "/api/invitations", 201, body={"role": "annotator"}),
    anybody("GET", "/api/invitations/{token}"),
    anybody("POST", "/api/invitations/{token}", 403, body={"name": "a", "password": PASSWORD}),
    administrators("DELETE", "/api/invitations/{token}"),
    anybody("GET", "/invitation/{token}"),
    # people
    administrators("GET", "/api/people"),
    administrators("PATCH", "/api/people/{name}", body={"role": "adjudicator"}),
    administrators("GET", "/people"),
    # projects and their files
    everybody("GET", "/api/projects"),
    administrators("POST", "/api/projects", body={"name": "Another"}),
    project("GET", P),
    managers("PUT", f"{P}/settings", body={}),
    managers("DELETE", P, body={"confirm": "Demo"}),
    managers("POST", f"{P}/import", files={"file": ("a.csv", b"id,source,response\n9,A.,B.\n")}),
    seniors("GET", f"{P}/export", query="form=csv"),
    seniors("GET", f"{P}/board"),
    # work on items; blind work exists for its annotator only, whatever the role of others
    project("POST", f"{P}/next"),
    project("POST", f"{P}/next", body={"stage": "discuss"}),
    project("GET", f"{P}/guide"),
    project("GET", f"{P}/items"),
    project("GET", f"{P}/items", query="stage=annotate&state=open&most=5"),
    own("GET", f"{P}/items/{{position}}", values=BLIND),
    project("GET", f"{P}/items/{{position}}", annotator=404, values=DISPUTED),
    own("GET", f"{P}/items/{{position}}/related", query="unit=s1", values=BLIND),
    project(
        "GET", f"{P}/items/{{position}}/related", annotator=404, query="unit=s1", values=DISPUTED
    ),
    own("GET", f"{P}/items/{{position}}/detectors", values=BLIND),
    project("GET", f"{P}/items/{{position}}/detectors", annotator=404, values=DISPUTED),
    own("POST", f"{P}/items/{{position}}/external", values=BLIND, body={"address": "http://127.0.0.1/"}),
    own("GET", "/api/snapshots/{digest}", values={"digest": DIGEST}),
    own("GET", "/snapshots/{digest}", values={"digest": DIGEST}),
    seniors("GET", f"{P}/history"),
    own("POST", "/api/work/{work_id}/changes", 422, body=NO_CHANGE),
    own("POST", "/api/work/{work_id}/submit", 422, body={"base": 0, "seconds": 1}),
    own("POST", "/api/work/{work_id}/seconds", body={"seconds": 1}),
    own("POST", "/api/work/{work_id}/reopen"),
    own("POST", "/api/work/{work_id}/skip", body={"reason": "later"}),
    own("GET", "/api/work/{work_id}/history"),
    own("GET", "/projects/{slug}/items/{position}", values=BLIND),
    # the team's work
    managers("GET", f"{P}/detectors"),
    managers("POST", f"{P}/detectors", body={"name": "overlap"}),
    seniors("GET", f"{P}/batches"),
    managers("POST", f"{P}/batches", body={"size": 1, "annotators": ["ann"]}),
    seniors("GET", f"{P}/members"),
    managers("POST", f"{P}/members", body={"name": "stranger"}),
    managers("DELETE", f"{P}/members/{{name}}"),
    project("GET", f"{P}/training"),
    project("POST", f"{P}/training"),
    project("POST", f"{P}/quiz", annotator=422, adjudicator=422, administrator=422),
    managers("POST", f"{P}/training/shipped"),
    own("GET", f"{P}/items/{{position}}/comments", 403, values=BLIND),
    own("POST", f"{P}/items/{{position}}/comments", 403, values=BLIND, body={"text": "a"}),
    own("POST", "/api/work/{number}/hold", 422),
    seniors("GET", f"{P}/adjudication"),
    seniors("GET", f"{P}/adjudication/{{position}}", values=DISPUTED),
    seniors("GET", f"{P}/adjudication/{{position}}", 404, values=BLIND),
    seniors("POST", f"{P}/adjudication/{{position}}", values=DISPUTED, body={}),
    seniors("POST", f"{P}/adjudication/{{position}}", 404, values=BLIND, body={}),
    seniors("GET", f"{P}/audit"),
    seniors("POST", f"{P}/audit"),
    seniors(
        "POST", f"{P}/audit/{{number}}", 404, values={"number": 1},
        body={"decision": "system-error", "note": "a"},
    ),
    # pages of projects
    everybody("GET", "/"),
    project("GET", "/projects/{slug}"),
    project("GET", "/projects/{slug}/items"),
    managers("GET", "/projects/{slug}/settings"),
    project("GET", "/projects/{slug}/training"),
    seniors("GET", "/projects/{slug}/adjudication"),
    project("GET", "/projects/{slug}/adjudication/{position}", annotator=404, values=DISPUTED),
    seniors("GET", "/projects/{slug}/audit"),
    seniors("GET", "/projects/{slug}/board"),
    seniors("GET", "/projects/{slug}/history"),
    anybody("GET", "/static/colours.css"),
]  # fmt: skip


@pytest.mark.parametrize("row", TABLE, ids=str)
def test_role_may_do_what_the_table_says(row: Row, scene: Scene) -> None:
    path = f"{row.route.format(**(scene.values | row.values))}?{row.query}"
    found = {
        role: browser.request(row.method, path, json=row.body, files=row.files).status_code
        for role, browser in scene.browsers.items()
    }
    assert found == dict(zip(ROLES, row.statuses, strict=True))


@pytest.fixture
def routes(studio_at: str) -> Iterator[list[Any]]:
    """All routes that there are."""
    opened = open_studio(studio_at)
    yield create_app(opened).state.routes
    opened.close()


def test_table_has_every_route(routes: list[Any]) -> None:
    found = {(method, route.path) for route in routes for method in route.methods}
    assert {(row.method, row.route) for row in TABLE} == found


def test_without_an_account_nothing_but_the_ways_in_is_open(routes: list[Any]) -> None:
    """A new route that forgets to ask who is there would be seen here, whatever its row says."""
    ways_in = {
        "/api/session",
        "/api/session/key",
        "/api/invitations/{token}",
        "/login",
        "/invitation/{token}",
        "/static/colours.css",
    }
    for row in TABLE:
        if row.route not in ways_in:
            assert row.statuses[0] in (401, 303), str(row)
