"""`assay batch`: a plan in a file, and the same in the studio."""

import csv
import json
from pathlib import Path

import pytest

from assay.annotation.people.accounts import add_person
from assay.annotation.studio import open_studio
from tests.cli.conftest import assay, error_of

ROWS = [
    {
        "id": f"{model}/{n}",
        "source": f"The ferry {n} sails.",
        "response": f"It {m}.",
        "model": model,
    }
    for m, model in enumerate(("lab/a-9b", "lab/b-9b"))
    for n in range(3)
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with data in it, and accounts of ann and bo in a studio."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_STUDIO", raising=False)
    Path("data.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return tmp_path


@pytest.fixture
def people(folder: Path) -> None:
    """Accounts of ann and bo, and of who administers the studio."""
    opened = open_studio("assay-studio.sqlite")
    with opened.write() as connection:
        add_person(opened, connection, "chief", "administrator", "a digest")
        for name in ("ann", "bo"):
            add_person(opened, connection, name, "annotator", "")
    opened.close()


def test_plan_is_a_table_for_other_tools() -> None:
    done = assay(
        "batch", "data.jsonl", "--annotators", "ann,bo, cy", "--size", "2", "--out", "plan.csv"
    )
    assert done.exit_code == 0, done.output
    with Path("plan.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert {row["annotator"] for row in rows} == {"ann", "bo", "cy"}
    assert list(rows[0])[:4] == ["batch", "annotator", "id", "source_id"]
    assert "9b" not in Path("plan.csv").read_text(encoding="utf-8")
    assert "--key FILE.csv says which is which" in done.stderr


def test_a_batch_has_the_same_annotators_throughout_if_asked() -> None:
    arguments = ("batch", "data.jsonl", "--annotators", "ann,bo,cy", "--out", "plan.csv")
    usual = json.loads(assay(*arguments, "--json").stdout)
    assert (usual["per_batch"], usual["batches"][0]["annotators"]) == (False, ["ann", "bo", "cy"])
    fixed = json.loads(assay(*arguments, "--per-batch", "--json").stdout)
    assert (fixed["per_batch"], len(fixed["batches"][0]["annotators"])) == (True, 2)
    shown = assay(*arguments, "--per-batch").stdout
    assert "2, the same for all of a batch" in shown


def test_key_and_models() -> None:
    arguments = ("batch", "data.jsonl", "--annotators", "ann,bo", "--out", "plan.jsonl")
    assert assay(*arguments, "--key", "key.csv", "--quiet").stderr == ""
    with Path("key.csv").open(encoding="utf-8", newline="") as file:
        key = {row["id"]: row["example"] for row in csv.DictReader(file)}
    assert sorted(key.values()) == sorted(str(row["id"]) for row in ROWS)
    found = json.loads(assay(*arguments, "--show-models", "--json").stdout)
    assert (found["items"], found["rows"], found["k"]) == (6, 12, 2)
    lines = Path("plan.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["model"] for line in lines} == {"lab/a-9b", "lab/b-9b"}


def test_work_and_key_are_not_overwritten() -> None:
    arguments = ("batch", "data.jsonl", "--annotators", "ann,bo", "--out")
    assert assay(*arguments, "plan.csv").exit_code == 0
    assert assay(*arguments, "plan.csv").exit_code == 0  # nobody has filled in anything
    head, *rows = Path("plan.csv").read_text(encoding="utf-8").splitlines()
    filled = "\n".join([f"{head},label", f"{rows[0]},faithful", *rows[1:]])
    Path("plan.csv").write_text(filled, encoding="utf-8")
    message = error_of(assay(*arguments, "plan.csv"))
    assert "plan.csv has labels of annotators that would be lost" in message
    assert Path("plan.csv").read_text(encoding="utf-8") == filled
    message = error_of(assay(*arguments, "key.csv", "--key", "./key.csv"))
    assert "two outputs would go to one file" in message
    assert not Path("key.csv").exists()
    assert assay(*arguments[:-1], "--key", "key.csv").exit_code == 0  # alone, for a plan of before
    ids = {line.split(",")[0] for line in Path("key.csv").read_text("utf-8").splitlines()[1:]}
    assert ids == {row.split(",")[2] for row in rows}


def test_source_ids_of_plain_rows_are_in_the_plan() -> None:
    rows = [{**row, "source_id": f"doc {n % 3}"} for n, row in enumerate(ROWS)]
    Path("data.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assay("batch", "data.jsonl", "--annotators", "ann,bo", "--out", "plan.csv")
    with Path("plan.csv").open(encoding="utf-8", newline="") as file:
        assert {row["source_id"] for row in csv.DictReader(file)} == {"doc 0", "doc 1", "doc 2"}


@pytest.mark.usefixtures("people")
def test_studio_gets_project_items_members_and_batches() -> None:
    arguments = ("batch", "data.jsonl", "--annotators", "ann,bo", "--size", "4", "--json")
    done = assay(*arguments, "--studio", "Ferries")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["studio"]
    assert (found["project"], found["added"], found["new"]) == ("ferries", 6, 2)
    assert found["joined"] == ["ann", "bo"]
    assert [(each["items"], each["sources"], each["k"]) for each in found["batches"]] == [
        (4, 2, 2),
        (2, 1, 2),
    ]
    again = json.loads(assay(*arguments, "--studio", "Ferries").stdout)["studio"]
    assert (again["added"], again["known"], again["new"], again["joined"]) == (0, 6, 0, [])
    assert again["batches"] == found["batches"]


@pytest.mark.usefixtures("people")
def test_unknown_annotator_is_told_before_anything_is_made() -> None:
    done = assay("batch", "data.jsonl", "--annotators", "ann,eve", "--studio", "Ferries")
    advice = "assay studio account eve --role annotator"
    assert error_of(done) == f"the studio has no account 'eve'; make one with: {advice}"
    assert json.loads(assay("studio", "list", "--json").stdout) == []
    made = assay(*advice.split()[1:], stdin="a long password\n")
    assert made.exit_code == 0, made.output
    again = assay("batch", "data.jsonl", "--annotators", "ann,eve", "--studio", "Ferries")
    assert again.exit_code == 0, again.output


def test_studio_that_is_not_there_is_not_made_for_a_batch() -> None:
    arguments = ("batch", "data.jsonl", "--annotators", "ann,bo", "--studio", "Ferries")
    said = error_of(assay(*arguments, "--database", "none.sqlite"))
    assert said.startswith("there is no studio at none.sqlite; 'assay studio account NAME' makes")
    assert not Path("none.sqlite").exists()


def test_studio_without_accounts_wants_an_administrator_first() -> None:
    open_studio("new.sqlite").close()
    arguments = ("batch", "data.jsonl", "--annotators", "ann,bo", "--studio", "Ferries")
    said = error_of(assay(*arguments, "--database", "new.sqlite"))
    assert said.startswith("the studio has no account 'ann'; make an administrator's first, with:")
    assert "assay studio account NAME, and then one for each annotator with --role" in said


@pytest.mark.usefixtures("people")
def test_too_few_annotators_are_told_before_anything_is_made() -> None:
    done = assay("batch", "data.jsonl", "--annotators", "ann", "--studio", "Ferries")
    assert error_of(done) == "2 people annotate each item, but only 1 named (--annotators)"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--annotators", "ann,bo"), "give --out FILE, --studio PROJECT, or both"),
        (
            ("--out", "plan.csv"),
            "nobody annotates; name the people, as in ann,bo,cy (--annotators)",
        ),
        (
            ("--annotators", "ann", "--out", "plan.csv"),
            "2 people annotate each item, but only 1 named (--annotators)",
        ),
        (("--annotators", "a,b", "--size", "0", "--out", "p.csv"), "a batch has 1 to 10,000 items"),
        (("--annotators", "a,b", "--out", "plan.txt"), "cannot tell what plan.txt should be"),
        (
            ("--annotators", "a,b", "--out", "plan.parquet"),
            "cannot tell what plan.parquet should be: people fill in a plan, so end its name in "
            ".csv or .jsonl",
        ),
        (
            ("--annotators", "a,b", "--out", "data.jsonl"),
            "data.jsonl is an input and would be lost",
        ),
        (
            ("--annotators", "a,b", "--out", "p.csv", "--key", "k"),
            "the key is a table: end k in .csv",
        ),
    ],
)
def test_bad_input_is_one_clear_line(arguments: tuple[str, ...], error: str) -> None:
    said = error_of(assay("batch", "data.jsonl", *arguments))
    assert said.startswith(error)
    assert "\n" not in said
    assert not list(Path().glob("p*"))
