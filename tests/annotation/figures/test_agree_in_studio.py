"""`assay agree studio:PROJECT`: the figures of the board, outside the studio."""

import json
from pathlib import Path

from assay.annotation.exchange.exports import export_project
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Studio
from tests.annotating import MakePerson, MakeProject, on_both_databases
from tests.annotation.stories import put, submit
from tests.cli.conftest import assay, error_of


@on_both_databases
def test_project_of_the_studio_has_both_rounds(
    studio: Studio, make_person: MakePerson, make_project: MakeProject, studio_at: str
) -> None:
    ann, ben = make_person("ann"), make_person("ben")
    made = make_project("demo", ProjectSettings(k=2), members=[ann, ben])
    submit(studio, "demo", 1, ann, ["contradicting", "explicitly-supported"])
    submit(studio, "demo", 1, ben, ["contradicting", "ambiguous"])
    submit(studio, "demo", 1, ben, ["contradicting", "explicitly-supported"], stage="discuss")
    put(studio, "demo", 1, "done")
    done = assay("agree", f"studio:{made.slug}", "--database", studio_at, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["figures"]
    both_rounds = {(each["round"], each["reading"]): each["raw"]["value"] for each in found}
    assert both_rounds["first", "seven classes"] == 0.5
    assert both_rounds["discussed", "seven classes"] == 1.0


def test_project_that_is_still_blind_is_told(
    studio: Studio, make_person: MakePerson, make_project: MakeProject, studio_at: str
) -> None:
    make_project("demo", ProjectSettings(k=2), members=[make_person("ann")])
    done = assay("agree", "studio:demo", "--database", studio_at)
    assert error_of(done).startswith("the project 'demo' names no annotators")
    gone = assay("agree", "studio:nothing", "--database", studio_at)
    assert "nothing" in error_of(gone)


def test_export_of_a_project_has_the_figures_of_the_project(
    studio: Studio,
    make_person: MakePerson,
    make_project: MakeProject,
    studio_at: str,
    tmp_path: Path,
) -> None:
    ann, ben, cat = make_person("ann"), make_person("ben"), make_person("cat", "adjudicator")
    make_project("demo", ProjectSettings(k=2), members=[ann, ben, cat])
    submit(studio, "demo", 1, ann, ["contradicting", "fabricated"])
    submit(studio, "demo", 1, ben, ["explicitly-supported", "fabricated"])
    submit(studio, "demo", 1, cat, ["contradicting", "fabricated"], stage="adjudicate")
    put(studio, "demo", 1, "done")
    file = tmp_path / "demo.jsonl"
    file.write_bytes(b"".join(export_project(studio, cat, "demo").content()))
    here = json.loads(assay("agree", "studio:demo", "--database", studio_at, "--json").stdout)
    there = json.loads(assay("agree", str(file), "--json").stdout)
    assert here["annotators"] == there["annotators"] == ["ann", "ben"]
    assert {each["round"] for each in here["figures"]} == {"first"}  # nobody discussed anything
    assert there["figures"] == here["figures"]
    assert here["figures"][0]["raw"]["value"] == 0.5
    flagged = assay("audit", "flag", str(file), "overlap", "--json", "--out", f"{tmp_path}/f.jsonl")
    votes = json.loads(flagged.stdout)["annotators"]["votes"]
    assert {each["annotators"] for each in votes} == {2}
