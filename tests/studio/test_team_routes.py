"""The routes of the team's work: a whole story by HTTP, and who may ask what."""

import pytest

from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.core.taxonomies import NLI
from tests.annotating import Client, MakePerson, MakeProject
from tests.annotation.acting import annotate, do, work_of
from tests.annotation.audit.test_audits import detect

Team = dict[str, Person]
OK, WRONG = "explicitly-supported", "contradicting"


@pytest.fixture
def people(make_person: MakePerson) -> Team:
    """An administrator, an adjudicator and two annotators."""
    roles = {"root": "administrator", "judy": "adjudicator"}
    return {
        name: make_person(name, roles.get(name, "annotator"))
        for name in ("root", "judy", "ann", "bob")
    }


def test_from_members_to_an_audited_label(
    studio: Studio, people: Team, make_project: MakeProject, client: Client
) -> None:
    make_project("demo", ProjectSettings(k=2, discussion=True))
    root, judy, ann = (client(people[name]) for name in ("root", "judy", "ann"))
    for name in ("judy", "ann", "bob"):
        assert root.post("/api/projects/demo/members", json={"name": name}).status_code == 200
    assert len(root.get("/api/projects/demo/members").json()) == 3
    batches = root.post("/api/projects/demo/batches", json={"size": 10, "seed": 1}).json()
    assert batches[0]["annotators"] == [
        {"name": "ann", "given": 3, "submitted": 0},
        {"name": "bob", "given": 3, "submitted": 0},
    ]
    assert ann.get("/api/projects/demo/items/1/comments").json()["error"]["code"] == "blind"
    annotate(studio, people["ann"], "demo", 1, [OK, OK])
    annotate(studio, people["bob"], "demo", 1, [OK, WRONG])
    talk = ann.post("/api/projects/demo/items/1/comments", json={"text": "Why?", "unit": "s2"})
    assert talk.json()["comments"][0]["author"] == "ann"
    for name in ("ann", "bob"):
        number = work_of(studio, people[name], "demo", 1, "discuss")
        held = client(people[name]).post(f"/api/work/{number}/hold").json()
    assert held["state"] == "adjudication"
    (dispute,) = judy.get("/api/projects/demo/adjudication").json()["disputes"]
    assert (dispute["position"], dispute["severity"]["conflicts"], dispute["comments"]) == (1, 1, 1)
    case = judy.get("/api/projects/demo/adjudication/1").json()
    assert [each["is_disputed"] for each in case["stretches"]] == [False, True]
    taken = judy.post("/api/projects/demo/adjudication/1", json={"author": "ann"}).json()
    do(studio, people["judy"], taken["work"], [OK, OK])
    detect(studio, 1, "nli", NLI["entailment"], NLI["contradiction"])
    (flag,) = judy.post("/api/projects/demo/audit").json()["flags"]
    decision = {
        "decision": "incorrect",
        "note": "It sat.",
        "revision": {
            "label": WRONG,
            "evidence": [{"start": 0, "end": 11, "text": "The cat sat"}],
        },
    }
    after = judy.post(f"/api/projects/demo/audit/{flag['id']}", json=decision).json()
    assert after["counts"]["incorrect"] == 1
    assert judy.get("/api/projects/demo/audit").json() == after
    left = root.delete("/api/projects/demo/members/ann").json()
    assert left == {"name": "ann", "work": {"reassigned": 0, "unassigned": 2, "settled": 0}}


def test_training_and_quiz(
    studio: Studio, people: Team, make_project: MakeProject, client: Client
) -> None:
    make_project("demo", members=[people["ann"]])
    shipped = client(people["root"]).post("/api/projects/demo/training/shipped")
    assert shipped.json() == {"training": 10, "quiz": 7}
    ann = client(people["ann"])
    assert ann.post("/api/projects/demo/training").json()["exercises"][0]["state"] == "assigned"
    refused = ann.post("/api/projects/demo/quiz")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "quiz")
    assert ann.get("/api/projects/demo/training").json()["quiz"]["pass_mark"] == 0.8


# Who gets which status: an administrator, an adjudicator, an annotator, and nobody.
TABLE = [
    ("GET", "/api/projects/demo/members", None, (200, 200, 403, 401)),
    ("POST", "/api/projects/demo/members", {"name": "bob"}, (200, 403, 403, 401)),
    ("DELETE", "/api/projects/demo/members/ann", None, (200, 403, 403, 401)),
    ("GET", "/api/projects/demo/batches", None, (200, 200, 403, 401)),
    ("POST", "/api/projects/demo/batches", {"size": 5}, (200, 403, 403, 401)),
    ("GET", "/api/projects/demo/training", None, (200, 200, 200, 401)),
    ("POST", "/api/projects/demo/training", None, (200, 200, 200, 401)),
    ("POST", "/api/projects/demo/training/shipped", None, (200, 403, 403, 401)),
    ("POST", "/api/projects/demo/quiz", None, (422, 422, 422, 401)),
    ("GET", "/api/projects/demo/items/1/comments", None, (404, 404, 404, 401)),
    ("POST", "/api/projects/demo/items/1/comments", {"text": "x"}, (404, 404, 404, 401)),
    ("POST", "/api/work/1/hold", None, (404, 404, 404, 401)),
    ("GET", "/api/projects/demo/adjudication", None, (200, 200, 403, 401)),
    ("GET", "/api/projects/demo/adjudication/1", None, (404, 404, 403, 401)),
    ("POST", "/api/projects/demo/adjudication/1", {}, (404, 404, 403, 401)),
    ("GET", "/api/projects/demo/audit", None, (200, 200, 403, 401)),
    ("POST", "/api/projects/demo/audit", None, (200, 200, 403, 401)),
    (
        "POST",
        "/api/projects/demo/audit/1",
        {"decision": "ambiguous", "note": "x"},
        (404, 404, 403, 401),
    ),
]


@pytest.mark.parametrize(("method", "path", "body", "expected"), TABLE)
def test_who_may_ask(
    studio: Studio,
    people: Team,
    make_project: MakeProject,
    client: Client,
    method: str,
    path: str,
    body: object,
    expected: tuple[int, ...],
) -> None:
    make_project("demo", members=[people["judy"], people["ann"]])
    askers = (people["root"], people["judy"], people["ann"], None)
    for who, status in reversed(list(zip(askers, expected, strict=True))):
        got = client(who).request(method, path, json=body)
        assert got.status_code == status, (who, got.text)


def test_unknown_fields_and_wrong_values_are_refused(
    people: Team, make_project: MakeProject, client: Client
) -> None:
    make_project("demo")
    root = client(people["root"])
    for body in ({"size": 0}, {"size": 5, "colour": "red"}, {"size": "many"}, {}):
        assert root.post("/api/projects/demo/batches", json=body).status_code == 422
    agree = {"decision": "agree", "note": "x"}
    assert root.post("/api/projects/demo/audit/1", json=agree).status_code == 422
