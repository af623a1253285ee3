"""Projects, files and boards over HTTP: what they answer, to whom, and what they refuse."""

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

import assay
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Studio
from tests.annotating import EXAMPLES, Client, MakePerson, MakeProject
from tests.annotation.stories import put, submit

ROW = {"id": "1", "source": "The cat <script>alert(1)</script> sat.", "response": "It sat."}
LINE = json.dumps(ROW).encode() + b"\n"


def test_project_from_beginning_to_end(client: Client, make_person: MakePerson) -> None:
    ada = client(make_person("ada", "administrator"))
    made = ada.post("/api/projects", json={"name": "My Project", "mode": "spans", "k": 2})
    assert (made.status_code, made.json()["slug"]) == (200, "my-project")
    told = ada.post(
        "/api/projects/my-project/import",
        files={"file": ("../../mine.jsonl", LINE + b"{oops\n")},
        data={"purpose": "real"},
    )
    assert told.status_code == 200
    assert (told.json()["added"], told.json()["refused"]) == (1, 1)
    assert told.json()["problems"][0]["where"] == "mine.jsonl line 2"
    view = ada.get("/api/projects/my-project").json()
    assert (view["items"], view["settings"]["k"], view["dataset"]) == (1, 2, "mine.jsonl")
    changed = ada.put("/api/projects/my-project/settings", json={"mode": "both", "name": "Ours"})
    assert (changed.json()["name"], changed.json()["settings"]["mode"]) == ("Ours", "both")
    exported = ada.get("/api/projects/my-project/export")
    assert exported.headers["content-disposition"] == (
        "attachment; filename*=utf-8''my-project.jsonl"
    )
    assert json.loads(exported.content.splitlines()[1])["source"] == ROW["source"]
    wrong = ada.request("DELETE", "/api/projects/my-project", json={"confirm": "ours"})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (422, "not-confirmed")
    assert ada.request("DELETE", "/api/projects/my-project", json={"confirm": "Ours"}).is_success
    assert ada.get("/api/projects").json() == []


def test_export_of_one_studio_is_imported_over_http(
    studio: Studio, client: Client, make_person: MakePerson, make_project: MakeProject
) -> None:
    ada, ann = make_person("ada", "administrator"), make_person("ann")
    make_project("demo", ProjectSettings(k=1), members=[ann])
    submit(studio, "demo", 1, ann, ["contradicting", "fabricated"])
    put(studio, "demo", 1, "done")
    browser = client(ada)
    first = browser.get("/api/projects/demo/export").content
    browser.post("/api/projects", json={"name": "Copy"})
    files = {"file": ("demo.jsonl", first)}
    told = browser.post("/api/projects/copy/import", files=files).json()
    assert (told["added"], told["judgements"], told["refused"]) == (3, 1, 0)
    second = browser.get("/api/projects/copy/export").content
    assert second.splitlines()[1:] == first.splitlines()[1:]


def test_document_of_a_detector_is_laid_beside_the_items(
    client: Client, make_person: MakePerson, make_project: MakeProject, tmp_path: Path
) -> None:
    make_project("demo")
    report = assay.check(
        [
            {"id": each.id, "source": each.source.text, "response": each.response.text}
            for each in EXAMPLES[:2]
        ],
        detector="overlap",
    )
    path = tmp_path / "run.json"
    path.write_text(report.to_json(), encoding="utf-8")
    ada = client(make_person("ada", "administrator"))
    files = {"file": ("run.json", path.read_bytes())}
    told = ada.post("/api/projects/demo/import", files=files).json()
    assert (told["added"], told["judgements"], told["refused"]) == (0, 2, 0)
    again = ada.post("/api/projects/demo/import", files=files).json()
    assert (again["judgements"], again["known"]) == (0, 2)


@pytest.mark.parametrize("form", ["jsonl", "faithbench", "ragtruth", "csv"])
def test_every_form_is_sent_as_a_file(
    client: Client, make_person: MakePerson, make_project: MakeProject, form: str
) -> None:
    make_project("demo")
    sent = client(make_person("ada", "administrator")).get(f"/api/projects/demo/export?form={form}")
    assert sent.status_code == 200
    assert sent.headers["content-disposition"].startswith("attachment")
    assert sent.headers["assay-left-out"] == ("3" if form in ("faithbench", "ragtruth") else "0")
    assert sent.content


def test_unknown_form_and_unknown_settings_are_refused(
    client: Client, make_person: MakePerson, make_project: MakeProject
) -> None:
    make_project("demo")
    ada = client(make_person("ada", "administrator"))
    assert ada.get("/api/projects/demo/export?form=word").status_code == 422
    for body in ({"mode": "words"}, {"k": 0}, {"colour": "red"}, {"quiz_pass": 2}):
        assert ada.put("/api/projects/demo/settings", json=body).status_code == 422
    assert ada.post("/api/projects", json={"name": "Demo"}).json()["error"] == {
        "code": "project-exists",
        "message": "there is a project 'Demo' already; choose another name",
        "field": "name",
    }


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv", "x.json", "x.zip", "x", "..", "x.parquet"])
def test_upload_that_is_no_data_is_one_error(
    client: Client, make_person: MakePerson, make_project: MakeProject, name: str
) -> None:
    make_project("demo")
    ada = client(make_person("ada", "administrator"))
    sent = ada.post("/api/projects/demo/import", files={"file": (name, b"\x00\x01 rubbish")})
    problems = sent.json().get("problems") or [sent.json().get("error")]
    assert sent.status_code in (200, 422)
    assert problems[0]["message"]
    assert "/tmp" not in sent.text


def test_who_may_do_what(
    client: Client, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann, cat = make_person("ann"), make_person("cat", "adjudicator")
    make_project("demo", members=[ann, cat])
    files = {"file": ("x.jsonl", LINE)}
    for who, senior in ((ann, 403), (cat, 200)):
        browser = client(who)
        assert browser.get("/api/projects/demo").status_code == 200
        assert browser.get("/api/projects/demo/board").status_code == senior
        assert browser.get("/api/projects/demo/export").status_code == senior
        assert browser.post("/api/projects/demo/import", files=files).status_code == 403
        assert browser.put("/api/projects/demo/settings", json={}).status_code == 403
        assert browser.post("/api/projects", json={"name": "x"}).status_code == 403
        gone = browser.request("DELETE", "/api/projects/demo", json={"confirm": "Demo"})
        assert gone.status_code == 403
    stranger = client(make_person("eve", "adjudicator"))
    for path in ("", "/board", "/export"):
        assert stranger.get(f"/api/projects/demo{path}").status_code == 404
    for path in ("", "/board", "/export"):
        assert client().get(f"/api/projects/demo{path}").status_code == 401


def test_board_is_answered_with_all_its_parts(
    studio: Studio, client: Client, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann, ada = make_person("ann"), make_person("ada", "administrator")
    make_project("demo", members=[ann])
    submit(studio, "demo", 1, ann, ["contradicting", "fabricated"])
    put(studio, "demo", 1, "done")
    found = client(ada).get("/api/projects/demo/board").json()
    assert found["figures"]["items"] == 1
    assert {each["reading"] for each in found["figures"]["agreement"]} >= {"seven classes"}
    assert client(ada).get("/projects/demo/board").status_code == 200


@pytest.mark.parametrize(
    ("who", "status"),
    [("signed out", 401), ("annotator", 403), ("stranger", 404), ("no token", 403)],
)
def test_upload_is_not_read_before_it_is_known_who_sends_it(
    client: Client, make_person: MakePerson, make_project: MakeProject, who: str, status: int
) -> None:
    ann = make_person("ann")
    make_project("demo", members=[ann] if who == "annotator" else [])
    browser = client(make_person("ada", "administrator") if who == "no token" else ann)
    if who == "signed out":
        assert browser.delete("/api/session").is_success
    if who == "no token":
        del browser.headers["X-Assay-Token"]
    read: list[bytes] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        async def receiving() -> Message:
            message = await receive()
            read.append(message.get("body", b""))
            return message

        await browser.app(scope, receiving, send)

    asking = TestClient(app, str(browser.base_url), headers=dict(browser.headers))
    asking.cookies = browser.cookies
    told = asking.post("/api/projects/demo/import", files={"file": ("a.jsonl", LINE * 9)})
    assert (told.status_code, read) == (status, [])
