"""The whole story of a project in real browsers, from the first sign-in to the last export."""

import csv
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from assay.annotation.people.accounts import create_first
from tests.studio.browsing import (
    PASSWORD,
    Visitor,
    accept,
    bring_in,
    invite,
    judge,
    sign_in,
    submit,
    visiting,
)
from tests.studio.serving import Served
from tests.studio.story_data import write_story

pytestmark = [pytest.mark.browser, pytest.mark.slow]
HOME = "/projects/lights-and-ferries"
API = f"/api{HOME}"
GOOD, SOFT, NO = "explicitly-supported", "implicitly-supported", "no-fact"
# What each says of the seven sentences; the reasons are words that stand nowhere else.
ANNA: tuple[tuple[tuple[str, str], ...], ...] = (
    ((GOOD, ""), ("contradicting", "anna-reason-keeper"), (SOFT, ""), (NO, "")),
    ((GOOD, ""), ("fabricated", "anna-reason-ticket")),
    ((GOOD, ""),),
)
BEN: tuple[tuple[tuple[str, str], ...], ...] = (
    (
        (GOOD, ""),
        ("fabricated", "ben-reason-keeper"),
        ("contradicting", "ben-reason-oil"),
        (NO, ""),
    ),
    ((GOOD, ""), ("fabricated", "ben-reason-ticket")),
    ((GOOD, ""),),
)


@pytest.fixture
def team(chromium: Browser, server: Served) -> Iterator[dict[str, Visitor]]:
    """An administrator who has an account, and three people who do not yet have one."""
    create_first(server.studio, "root", PASSWORD)
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(visiting(chromium, server.url, name))
            for name in ("root", "anna", "ben", "chair")
        }


def test_story_from_import_to_agreement_and_export(
    team: dict[str, Visitor], tmp_path: Path
) -> None:
    root, anna, ben, chair = team.values()
    sign_in(root)
    make_project(root)
    import_items(root, write_story(tmp_path))
    gather(root, anna, ben, chair)
    for each in (anna, ben):
        learn(each)
    root.go(f"{HOME}/settings")
    root.press("Give out batches")
    annotate(anna, ANNA)
    expect(anna.page).to_have_url(root.url + HOME)
    nothing_leaks(team, "anna-reason")
    annotate(ben, BEN)
    expect(ben.page).to_have_url(f"{root.url}{HOME}/items/1")  # the discussion is next
    discuss(anna, ben)
    adjudicate(chair)
    audit(root)
    agree(root)
    give_back(root, tmp_path)


def make_project(root: Visitor) -> None:
    page = root.page
    page.get_by_label("Name").fill("Lights and ferries")
    page.get_by_label("Annotators per item").fill("2")
    root.press("Make the project")
    expect(page).to_have_url(f"{root.url}{HOME}/settings")
    page.get_by_label("Discuss disagreements").check()
    page.get_by_label("Guidelines").fill("Judge what the text says.")
    root.press("Save")
    expect(page.get_by_text("Saved.")).to_be_visible()


def import_items(root: Visitor, files: dict[str, str]) -> None:
    page = root.go(f"{HOME}/settings")
    table = {
        "name": "both.csv",
        "mimeType": "text/csv",
        "buffer": b"source,context,answer\na,b,c\n",
    }
    page.get_by_label("File").set_input_files(table)  # type: ignore[arg-type]
    root.press("Import")
    expect(page.locator("#import-form")).to_contain_text("could be the source")
    expect(page.get_by_label("Source", exact=True)).to_be_visible()  # where its name can be given
    page = bring_in(root, files["real"])
    told = page.locator("#import-form")
    expect(told).to_contain_text("Imported 3 items. 1 row could not be used:")
    expect(told.locator("li")).to_contain_text("items.jsonl record 2: ")
    bring_in(root, files["training"], "training")
    bring_in(root, files["quiz"], "quiz")
    assert root.json(API)["states"]["new"] == 3


def gather(root: Visitor, anna: Visitor, ben: Visitor, chair: Visitor) -> None:
    """Annotators come into the project with their invitation, the adjudicator afterwards."""
    for each in (anna, ben):
        accept(each, invite(root, "annotator", "Lights and ferries"))
    accept(chair, invite(root, "adjudicator"))
    expect(chair.page.get_by_text("You are not a member of any project yet.")).to_be_visible()
    page = root.go(f"{HOME}/settings")
    page.get_by_label("Add a member").fill("chair")
    root.press("Add")
    expect(page.get_by_role("rowheader", name="chair")).to_be_visible()


def learn(who: Visitor) -> None:
    """Real items come only after the quiz; a training example shows what was right."""
    page = who.go(HOME)
    go_on(who)
    expect(page.get_by_role("heading", name="Training", level=1)).to_be_visible()
    who.press("Begin the training")
    who.ready()
    judge(who, (SOFT, ""))
    submit(who)
    expect(page.locator("#feedback")).to_contain_text("gold: explicitly-supported")
    who.go(f"{HOME}/training")
    who.press("Begin the quiz")
    who.ready()
    judge(who, ("contradicting", "She is ten."))
    submit(who)
    expect(page.get_by_text("Passed.")).to_be_visible()


def annotate(who: Visitor, said: Any) -> None:
    who.go(HOME)
    go_on(who)
    for _ in said:
        who.ready()
        place = int(who.page.url.rpartition("/")[2])
        judge(who, *said[place - 1])
        submit(who)


def go_on(who: Visitor) -> None:
    """Asks for the next item, on the page of the project, where there is something to do."""
    with who.page.expect_navigation():
        who.page.locator("#next button").click()


def nothing_leaks(team: dict[str, Visitor], canary: str) -> None:
    """While items are open, no answer and no page gives away what another said."""
    root = team["root"]
    paths = root.json("/api/openapi.json")["paths"]
    asked = [path for path, methods in paths.items() if "get" in methods]
    assert "/api/projects/{slug}/items/{position}" in asked
    asked += ["/", "/projects/{slug}/settings", *(path.removeprefix("/api") for path in asked)]
    for name in ("ben", "chair", "root"):
        seen: list[str] = []
        for path in sorted({filled for each in asked for filled in fill(each)}):
            status, text = team[name].get(path)
            seen += [path] if status == 200 else []
            assert status < 500, path
            assert canary not in text, f"{path} tells {name}"
        assert {HOME, API, f"{HOME}/training"} <= set(seen)
        assert (f"{HOME}/items/1" in seen) == (f"{API}/items/1" in seen) == (name == "ben")
    assert team["anna"].get(f"{API}/items/1")[1].count(canary) == 1
    item = team["ben"].json(f"{API}/items/1")
    assert (item["others"], item["comments"], item["state"]) == ([], [], "open")
    assert team["chair"].get(f"{API}/items/1")[0] == 404
    for name in ("chair", "root"):  # labels would be told without reasons
        history = team[name].json(f"{API}/history?most=500")["entries"]
        assert {each["stage"] for each in history} <= {"", "training", "quiz"}
    board = root.json(f"{API}/board")
    assert board["figures"]["items"] == 0
    assert board["time"]["n"] == 0
    assert board["people"][0]["name"] == "anna"
    assert board["people"][0]["submitted"] == 3


def fill(path: str) -> Iterator[str]:
    """A path of the description with what there is in the story for each of its parameters."""
    path = path.replace("{slug}", HOME.rpartition("/")[2]).replace("{name}", "anna")
    for part in ("{position}", "{work_id}", "{number}"):
        if part in path:
            for number in range(1, 12 if part == "{work_id}" else 4):
                yield path.replace(part, str(number))
            return
    if "{" not in path:
        yield path
        if path.endswith("/export"):
            yield from (f"{path}?form={form}" for form in ("faithbench", "ragtruth", "csv"))
        if path.endswith("/history"):
            yield from (f"{path}?item={number}" for number in (1, 2, 3))


def discuss(anna: Visitor, ben: Visitor) -> None:
    """Anna takes over one of Ben's verdicts, and Ben keeps his."""
    page = anna.go(HOME)
    expect(page.get_by_text("To discuss")).to_be_visible()
    go_on(anna)
    anna.ready()
    expect(page.locator("#stage")).to_have_text("Discussion")
    page.keyboard.press("Home")
    page.locator("#strip [role=option]").nth(1).click()
    said = page.locator(".opinion[data-author=ben]")
    expect(said).to_contain_text("ben-reason-keeper")
    said.get_by_role("button", name="Take this one").click()
    page.locator("#comments summary").click()
    page.get_by_label("Remark").fill("You are right: it does not say when.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#comments-list")).to_contain_text("You are right")
    expect(page.locator("#saved")).to_have_text("Saved")
    page.locator("#response .scroll").focus()
    submit(anna)

    page = ben.go(f"{HOME}/items/1")
    page.locator("#strip [role=option]").nth(1).click()
    expect(page.locator("#comments-list")).to_contain_text("You are right")
    expect(page.locator(".opinion[data-author=anna]")).to_contain_text("ben-reason-keeper")
    page.locator("#strip [role=option]").nth(2).click()
    page.get_by_label("Remark").fill("Oil is not mentioned, and 1921 is late.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#comments-list")).to_contain_text("1921 is late")
    with page.expect_navigation():
        page.get_by_role("button", name="Keep my judgement").click()
    assert ben.json(f"{API}/items/1")["state"] == "adjudication"


def adjudicate(chair: Visitor) -> None:
    """What all agree on is there already; everybody is heard on what they differ about."""
    page = chair.go(f"{HOME}/adjudication")
    row = page.get_by_role("row").filter(has_text="lighthouse")
    expect(row).to_contain_text("anna, ben")
    chair.press("Adjudicate")
    chair.ready()
    expect(page.locator("#done")).to_have_text("3 of 4 labelled")
    page.locator("#strip [role=option]").nth(2).click()
    expect(page.locator(".opinion[data-author=anna]")).to_contain_text("Implicitly supported")
    expect(page.locator(".opinion[data-author=ben]")).to_contain_text("ben-reason-oil")
    expect(page.locator(".opinion[data-author=probe]")).to_contain_text("probe: fabricated")
    expect(page.locator("#comments-list")).to_contain_text("1921 is late")
    page.locator(".opinion[data-author=ben]").get_by_role("button", name="Take this one").click()
    expect(page.locator("#done")).to_have_text("4 of 4 labelled")
    expect(page.locator("#saved")).to_have_text("Saved")
    page.locator("#response .scroll").focus()
    submit(chair)
    expect(page).to_have_url(f"{chair.url}{HOME}/adjudication")
    expect(page.get_by_text("Nothing waits for an adjudicator.")).to_be_visible()
    assert chair.json(API)["states"]["done"] == 3


def audit(root: Visitor) -> None:
    """The detector disagrees with two settled labels; a person decides who is right."""
    page = root.go(f"{HOME}/audit")
    root.press("Look for disagreement")
    flags = root.json(f"{API}/audit")["flags"]
    assert [(flag["example"], flag["unit"], flag["severity"]) for flag in flags] == [
        ("ferry", "s2", 1.0),  # unfaithful to people, faithful to the detector
        ("lighthouse", "s2", 0.1667),  # fabricated and contradicting: 1 step of 6
        ("lighthouse", "s3", 0.1667),
    ]
    first = page.locator("article").first
    expect(first).to_contain_text("A ticket costs nine crowns.")
    expect(first).to_contain_text("probe: explicitly-supported")
    first.get_by_label("The label is right").check()
    first.get_by_label("Why").fill("The source has no prices.")
    first.get_by_role("button", name="Keep the decision").click()
    expect(page.locator("article .notice.good")).to_contain_text("The source has no prices.")


def agree(root: Visitor) -> None:
    """Agreement by hand. Seven sentences, two people, fourteen labels.

    Blind: 5 of 7 pairs are the same. The labels are 6 explicit, 1 implicit, 2 contradicting,
    3 fabricated, 2 no fact.
        alpha  = 1 - (2/7) / (1 - (6·5 + 1·0 + 2·1 + 3·2 + 2·1) / (14·13)) = 1 - 52/142 = 0.634
        Fleiss = (5/7 - 54/196) / (1 - 54/196) = 86/142 = 0.606    (36 + 1 + 4 + 9 + 4 = 54)
        Cohen  = (5/7 - 13/49) / (1 - 13/49) = 22/36 = 0.611
                 anna 3 explicit, 1 each of the others; ben 3 explicit, 2 fabricated,
                 1 contradicting, 1 no fact: 3·3 + 1·2 + 1·1 + 1·1 = 13
    After the discussion Anna says fabricated of the keeper: 6 of 7 pairs are the same, and the
    labels are 6, 1, 1, 4, 2.
        alpha  = 1 - (1/7) / (1 - (30 + 0 + 0 + 12 + 2) / 182) = 1 - 26/138 = 0.812
    """
    page = root.go(f"{HOME}/board")
    figures = root.json(f"{API}/board")["figures"]
    seven = {
        each["round"]: each for each in figures["agreement"] if each["reading"] == "seven classes"
    }
    assert seven["first"]["alpha"]["value"] == pytest.approx(90 / 142)
    assert seven["first"]["fleiss"]["value"] == pytest.approx(86 / 142)
    assert seven["first"]["raw"]["value"] == pytest.approx(5 / 7)
    assert seven["first"]["pairs"][0]["kappa"]["value"] == pytest.approx(22 / 36)
    assert seven["discussed"]["alpha"]["value"] == pytest.approx(112 / 138)
    assert (seven["first"]["alpha"]["n"], seven["first"]["ratings"]) == (7, 14)
    rows = page.get_by_role("row").filter(has_text="seven classes sentences, nominal")
    expect(rows.filter(has_text="blind")).to_contain_text("0.634")
    expect(rows.filter(has_text="after discussion")).to_contain_text("0.812")
    # 3 responses, 7 settled sentences: 3 explicit, 1 contradicting, 2 fabricated, 1 no fact
    (model,) = figures["models"]
    counts = {each["label"]: each["count"] for each in model["labels"] if each["count"]}
    assert counts == {GOOD: 3, "contradicting": 1, "fabricated": 2, NO: 1}


def give_back(root: Visitor, folder: Path) -> None:
    """All four forms come from the page; our own makes the same project again."""
    exported = {form: download(root, HOME, form, folder) for form in FORMS}
    assert exported["ragtruth"].read_bytes()[:2] == b"PK"
    rows = list(csv.DictReader(exported["csv"].read_text("utf-8").splitlines()))
    assert {row["example"] for row in rows} == {"lighthouse", "ferry", "race"}
    assert len(json.loads(exported["faithbench"].read_text("utf-8"))["samples"]) == 3
    page = root.go("/")
    page.get_by_label("Name").fill("Copy")
    root.press("Make the project")
    bring_in(root, str(exported["jsonl"]))
    again = download(root, "/projects/copy", "jsonl", folder / "again")
    (head, *rest), (head2, *rest2) = (
        [json.loads(line) for line in each.read_text("utf-8").splitlines()]
        for each in (exported["jsonl"], again)
    )
    assert rest == rest2
    assert {**head, "name": "Copy"} == head2
    assert [each["name"] for each in head["people"]] == ["anna", "ben", "chair", "root"]
    before, after = (root.json(f"/api/projects/{slug}/board") for slug in (HOME[10:], "copy"))
    assert before["figures"]["agreement"] == after["figures"]["agreement"]


FORMS = {"jsonl": "Assay", "faithbench": "FaithBench", "ragtruth": "RAGTruth", "csv": "CSV"}


def download(who: Visitor, home: str, form: str, folder: Path) -> Path:
    page = who.go(home)
    with page.expect_download() as waiting:
        page.get_by_role("link", name=FORMS[form], exact=True).click()
    folder.mkdir(exist_ok=True)
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path
