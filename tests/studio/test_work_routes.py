"""Items and work over HTTP: the same use cases, their errors, and their limits."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person
from assay.knowledge.web.addresses import anywhere
from tests.annotating import EXAMPLES, Client, MakePerson, MakeProject
from tests.knowledge.conftest import Site, site

__all__ = ["site"]
ITEM = "/api/projects/demo/items/1"
ANSWERS = {"states_fact": True, "several_readings": False, "entailed": True, "explicit": True}
SUPPORTED = {"label": "explicitly-supported", "answers": ANSWERS}
Browser = TestClient


@pytest.fixture
def browser(make_person: MakePerson, make_project: MakeProject, client: Client) -> Browser:
    """The browser of an annotator who has opened the first item of two."""
    ann = make_person("ann")
    make_project(examples=EXAMPLES[:2], members=[ann])
    made = client(ann)
    assert made.post("/api/projects/demo/next").json()["position"] == 1
    return made


def view(browser: Browser) -> dict[str, Any]:
    """The item, opened."""
    answer = browser.get(ITEM)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def change(browser: Browser, work: int, base: int, *units: dict[str, Any], **more: Any) -> Any:
    changes = [{"id": unit["id"], "unit": unit} for unit in units]
    body = {"base": base, "kind": "edit", "changes": changes, **more}
    return browser.post(f"/api/work/{work}/changes", json=body)


def test_an_item_is_annotated_and_submitted(browser: Browser) -> None:
    own = view(browser)["work"]
    assert [unit["text"] for unit in own["units"]] == ["It sat.", "It slept."]
    assert own["problems"]["s1"] == [
        {"questions": [], "message": "it has no label yet", "missing": "label"}
    ]
    units = [{**unit, "verdict": SUPPORTED} for unit in own["units"]]
    saved = change(browser, own["id"], 0, *units)
    assert (saved.json()["version"], saved.json()["problems"]) == (1, {"s1": [], "s2": []})
    done = browser.post(f"/api/work/{own['id']}/submit", json={"base": 1, "seconds": 0})
    assert (done.json()["state"], done.json()["next"]) == ("done", 2)
    history = browser.get(f"/api/work/{own['id']}/history").json()["entries"]
    assert [each["kind"] for each in history] == ["edit", "begin"]


def test_an_unfinished_draft_is_told_what_it_lacks(browser: Browser) -> None:
    own = view(browser)["work"]
    answer = browser.post(f"/api/work/{own['id']}/submit", json={"base": 0, "seconds": 1})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "incomplete")
    assert {
        unit: [p["missing"] for p in why] for unit, why in answer.json()["problems"].items()
    } == {
        "s1": ["label"],
        "s2": ["label"],
    }


def test_a_conflict_tells_what_happened_meanwhile(browser: Browser) -> None:
    own = view(browser)["work"]
    first, second = own["units"]
    change(browser, own["id"], 0, {**first, "verdict": SUPPORTED})
    answer = change(browser, own["id"], 0, {**second, "verdict": SUPPORTED})
    told = answer.json()
    assert (answer.status_code, told["error"]["code"], told["version"]) == (409, "conflict", 1)
    (step,) = told["changes"]
    assert (step["version"], step["changes"][0]["id"]) == (1, "s1")


def test_a_change_sent_again_has_the_same_answer(browser: Browser) -> None:
    own = view(browser)["work"]
    unit = {**own["units"][0], "verdict": SUPPORTED}
    first = change(browser, own["id"], 0, unit, id="r1")
    again = change(browser, own["id"], 0, unit, id="r1")
    assert (again.status_code, again.json()) == (200, first.json())


def test_bad_bodies_are_refused(browser: Browser) -> None:
    own = view(browser)["work"]
    path = f"/api/work/{own['id']}/changes"
    unit = own["units"][0]
    for body in (
        {},
        {"base": 0, "kind": "edit", "changes": []},
        {"base": 0, "kind": "wipe", "changes": [{"id": "s1", "unit": None}]},
        {"base": -1, "kind": "edit", "changes": [{"id": "s1", "unit": None}]},
        {"base": 0, "kind": "edit", "changes": [{"id": "s1", "unit": {**unit, "x": 1}}]},
        {"base": 0, "kind": "edit", "changes": [{"id": "s1", "unit": {**unit, "text": "No."}}]},
        {"base": 0, "kind": "edit", "changes": [{"id": "s1", "unit": "s1"}]},
        {"base": 0, "kind": "edit", "changes": [{"id": "s1", "unit": unit}], "force": True},
        {"base": 0, "kind": "edit", "changes": [{"id": "s1", "unit": unit}], "id": "x" * 65},
    ):
        answer = browser.post(path, json=body)
        assert answer.status_code == 422, body
        assert answer.json()["error"]["message"]
    long = {**unit, "verdict": {"note": "x" * 20_001}}
    assert change(browser, own["id"], 0, long).status_code == 413
    assert view(browser)["work"]["version"] == 0


def test_nested_without_end_is_refused(browser: Browser) -> None:
    own = view(browser)["work"]
    deep = '{"meaning":"","answers":{"senses":[' * 300 + "]}}" * 300
    unit = json.dumps({**own["units"][0], "verdict": {"answers": "X"}}).replace('"X"', deep[23:-1])
    body = f'{{"base":0,"kind":"edit","changes":[{{"id":"s1","unit":{unit}}}]}}'
    answer = browser.post(
        f"/api/work/{own['id']}/changes", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (400, 422)


def test_a_change_without_the_token_is_refused(browser: Browser) -> None:
    own = view(browser)["work"]
    browser.headers.pop("X-Assay-Token")
    assert change(browser, own["id"], 0, own["units"][0]).status_code == 403


def test_texts_come_as_they_are(
    make_person: MakePerson, make_project: MakeProject, client: Client
) -> None:
    from assay.core.examples import Example
    from assay.core.texts import Response, Source

    ann = make_person("ann")
    hostile = "<script>alert('😀')</script> e\u0301 said\r\nso."
    make_project(examples=[Example("a", Source(hostile), Response(hostile))], members=[ann])
    made = client(ann)
    made.post("/api/projects/demo/next")
    answer = made.get(ITEM)
    assert answer.headers["content-type"] == "application/json"
    told = answer.json()["example"]
    assert (told["source"]["text"], told["response"]["text"]) == (hostile, hostile)


def test_related_passages(browser: Browser) -> None:
    view(browser)
    found = browser.get(f"{ITEM}/related", params={"unit": "s1"}).json()
    assert [each["text"] for each in found] == ["The cat sat on the mat."]
    assert browser.get(f"{ITEM}/related", params={"start": 3, "end": 6}).json() == found
    assert browser.get(f"{ITEM}/related").status_code == 422
    assert browser.get(f"{ITEM}/related", params={"start": -3, "end": 6}).status_code == 422


def test_outside_evidence(browser: Browser, site: Site) -> None:
    view(browser)
    site.answers["/cats"] = (200, "text/html", "<title>Cats</title><p>Cats &lt;b&gt; sit.")
    refused = browser.post(f"{ITEM}/external", json={"address": f"{site.base}/cats"}).json()
    assert "is not a public address" in refused["problem"]
    browser.app.state.allow_address = anywhere  # type: ignore[attr-defined]
    kept = browser.post(f"{ITEM}/external", json={"address": f"{site.base}/cats"}).json()
    assert kept["problem"] == ""
    shown = browser.get(f"/api/snapshots/{kept['external']['digest']}")
    assert shown.headers["content-type"] == "application/json"
    assert shown.json()["text"] == "Cats <b> sit."
    page = browser.get(f"/snapshots/{kept['external']['digest']}")
    assert "Cats &lt;b&gt; sit." in page.text
    assert browser.post(f"{ITEM}/external", json={"address": "ftp://x/"}).status_code == 422


def test_the_guide_and_the_time(browser: Browser) -> None:
    own = view(browser)["work"]
    assert browser.get("/api/projects/demo/guide").json()["tree"]["question"] == "states_fact"
    answer = browser.post(f"/api/work/{own['id']}/seconds", json={"seconds": 0})
    assert answer.json() == {"state": "open", "version": 0, "seconds": 0}


CALLS: dict[str, Callable[[Browser, int], Any]] = {
    "item": lambda b, w: b.get(ITEM),
    "related": lambda b, w: b.get(f"{ITEM}/related", params={"unit": "s1"}),
    "detectors": lambda b, w: b.get(f"{ITEM}/detectors"),
    "external": lambda b, w: b.post(f"{ITEM}/external", json={"address": "https://example.org"}),
    "history": lambda b, w: b.get("/api/projects/demo/history", params={"item": 1}),
    "changes": lambda b, w: b.post(
        f"/api/work/{w}/changes",
        json={"base": 0, "kind": "edit", "changes": [{"id": "s1", "unit": None}]},
    ),
    "submit": lambda b, w: b.post(f"/api/work/{w}/submit", json={"base": 0}),
    "seconds": lambda b, w: b.post(f"/api/work/{w}/seconds", json={"seconds": 1}),
    "reopen": lambda b, w: b.post(f"/api/work/{w}/reopen"),
    "work history": lambda b, w: b.get(f"/api/work/{w}/history"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("role", ["annotator", "adjudicator", "administrator"])
def test_nobody_gets_at_what_is_annotated_blind(
    make_person: MakePerson,
    make_project: MakeProject,
    client: Client,
    call: Callable[[Browser, int], Any],
    role: str,
) -> None:
    ann: Person = make_person("ann")
    other = make_person("other", role)
    make_project(settings=ProjectSettings(k=2), members=[ann, other])
    mine = client(ann)
    mine.post("/api/projects/demo/next")
    work = view(mine)["work"]["id"]
    answer = call(client(other), work)
    assert answer.status_code == 404
    assert "s1" not in answer.text
    assert call(client(), work).status_code in (401, 403)
