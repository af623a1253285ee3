"""`assay data` on small corpora in a folder of their own."""

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result

from assay.cli.data import app
from assay.cli.errors import told
from assay.core.errors import InputError
from assay.datasets.conversion import read_converted
from assay.datasets.corpus import CORPORA, find_card, load_corpus
from tests.cli.conftest import assay, line_of

Run = Callable[..., Result]
DOCS = Path(__file__).resolve().parents[2] / "docs"
ARTICLE = "The ferry has crossed the strait since 1986. It carried 48,200 passengers last year."
SUMMARY = {"The ferry has crossed since 1986.": "yes yes no", "It sank.": "no no no"}


def qags_row(article: str, sentences: dict[str, str]) -> str:
    judged = [
        {
            "sentence": sentence,
            "responses": [
                {"worker_id": number, "response": word} for number, word in enumerate(words.split())
            ],
        }
        for sentence, words in sentences.items()
    ]
    return json.dumps({"article": article, "summary_sentences": judged})


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of corpora with a small qags in it, which ASSAY_DATA names."""
    (tmp_path / "data" / "qags").mkdir(parents=True)
    for part in ("cnndm", "xsum"):
        lines = [qags_row(f"{ARTICLE} Says {part} {n}.", SUMMARY) for n in (1, 2)]
        path = tmp_path / "data" / "qags" / f"mturk_{part}.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data"


@pytest.fixture
def run(data: Path) -> Run:
    """Runs `assay data`."""
    return partial(assay, "data")


def document_of(result: Result) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_list_names_every_corpus_and_what_is_here(run: Run) -> None:
    listed = {each["name"]: each for each in json.loads(run("list", "--json").stdout)}
    assert list(listed) == list(CORPORA)
    assert (listed["qags"]["presence"], listed["bump"]["presence"]) == ("here", "absent")
    assert listed["bump"]["may_train"] is True
    text = run("list").stdout
    assert all(name in text for name in CORPORA)


@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize("has_folder", [False, True])
def test_download_is_recommended_only_where_it_brings_the_whole_corpus(
    name: str, has_folder: bool, tmp_path: Path
) -> None:
    card = find_card(name)
    if has_folder:
        (tmp_path / card.folder).mkdir(parents=True)
    with pytest.raises(InputError) as caught:
        list(load_corpus(name, tmp_path))
    hint = told(caught.value)
    can_be_fetched = bool(card.files) and all(file.upstream for file in card.files)
    assert (f"fetch it with: assay data download {name}" in hint) is can_be_fetched
    assert (f"'assay data show {name}' says where it comes from" in hint) is not can_be_fetched


def test_rest_of_a_corpus_is_recommended_to_be_fetched_where_it_can_be(tmp_path: Path) -> None:
    folder = tmp_path / find_card("faithbench-paper").folder / "paper_annotations"
    folder.mkdir(parents=True)
    (folder / "selection.json").write_text("{}")  # the one file that no repository has
    with pytest.raises(InputError) as caught:
        load_corpus("faithbench-paper", tmp_path)
    assert "assay data download faithbench-paper" in told(caught.value)


def test_list_looks_where_it_is_told(run: Run, tmp_path: Path) -> None:
    listed = json.loads(run("list", "--data", str(tmp_path / "other"), "--json").stdout)
    assert {each["presence"] for each in listed} == {"absent"}


@pytest.mark.parametrize("name", CORPORA)
def test_every_card_can_be_shown(name: str, run: Run) -> None:
    card, text = find_card(name), " ".join(run("show", name).stdout.split())
    for fact in (card.origin, card.revision, " ".join(card.licence.split()), card.taxonomy):
        assert fact in text
    assert document_of(run("show", name, "--json"))["defects"] == list(card.defects)


def test_show_says_whether_checksums_fit(run: Run, data: Path) -> None:
    (data / "qags" / "mturk_xsum.jsonl").unlink()
    files = document_of(run("show", "qags", "--json"))["files"]
    assert [file["state"] for file in files] == ["differs", "missing"]
    assert "checksum DIFFERS" in run("show", "qags").stdout


def test_stats_of_a_corpus(run: Run) -> None:
    stats = document_of(run("stats", "qags", "--json"))
    assert (stats["examples"], stats["sources"]) == (4, 4)
    assert stats["units"] == [{"kind": "sentence", "count": 8, "unlabelled": 0}]
    (table,) = stats["labels"]
    assert [(row["label"], row["count"]) for row in table["overall"]] == [
        ("faithful", 4),
        ("unfaithful", 4),
    ]
    assert [each["verdicts"] for each in stats["annotators"]] == [8, 8, 8]
    assert stats["chains"]["by_reading"][0]["counts"] == [[0, 4], [0, 0]]
    assert stats["chains"]["first_errors"]["counts"] == [0, 4]
    assert stats["overlaps"]["compared"] == []


def test_stats_as_tables_have_every_part(run: Run, data: Path) -> None:
    (data / "storysumm").mkdir()
    story = {
        "story": f"{ARTICLE} Says cnndm 1.",
        "summary": ["The ferry has crossed.", "It sank."],
        "errors": [1, 0],
        "label": 0,
        "story-id": 1,
        "explanations": [],
        "split": "val",
        "model": "gpt-x",
    }
    (data / "storysumm" / "storysumm.json").write_text(json.dumps({"a": story}))
    text = run("stats", "storysumm").stdout
    for part in (
        "labels of sentences (binary), as the corpus gives them",
        "labels of sentences by LLM",
        "gpt-x",
        "response, words",
        "chances of what follows, by reading",
        "where responses first go wrong (0 never do)",
        "sources shared with other corpora",
        "repairs made while reading",
        "explanations do not fit the sentences: on the summary",
    ):
        assert part in text
    assert re.search(r"qags +1 +1 +4", text)
    assert "shared with 1 of 1 other corpora" in text


def test_stats_of_a_file_by_the_fields_that_it_has(run: Run, tmp_path: Path) -> None:
    rows = "article,answer,model\nThe cat sat.,It sat.,m\nThe cat sat.,It slept there.,n\n"
    (tmp_path / "rows.csv").write_text(rows)
    arguments = ("stats", "rows.csv", "--source-field", "article", "--no-overlap", "--json")
    stats = document_of(run(*arguments))
    assert (stats["examples"], stats["sources"], stats["models"]) == (2, 1, {"m": 1, "n": 1})
    assert (stats["labels"], stats["overlaps"], stats["problems"]) == ([], None, 0)


def test_unreadable_rows_are_told_and_the_others_counted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"source": "a", "response": "b"}\n{"source": "a"}\n')
    result = run("stats", "rows.jsonl", "--json")
    assert result.exit_code == 2
    assert (document_of(result)["examples"], document_of(result)["problems"]) == (1, 1)
    assert "rows.jsonl line 2: no response" in result.stderr


def test_standard_input_can_be_counted(run: Run) -> None:
    row = '{"source": "a", "response": "b"}\n'
    assert document_of(run("stats", "-", "--json", "--no-overlap", stdin=row))["examples"] == 1


def test_converted_corpus_has_the_same_statistics(run: Run, data: Path) -> None:
    assert run("convert", "qags", "--to", "qags.jsonl").exit_code == 0
    assert list(read_converted("qags.jsonl")) == list(load_corpus("qags", data))
    ours, theirs = (
        document_of(run("stats", name, "--json", "--no-overlap")) for name in ("qags.jsonl", "qags")
    )
    assert {**ours, "name": "qags"} == theirs


def test_flat_table_says_where_its_labels_come_from(run: Run, tmp_path: Path) -> None:
    result = run("convert", "qags", "--to", "qags.csv")
    assert "written to qags.csv: examples 4; labels: worst of its parts 4" in result.stdout
    header, first, *_ = (tmp_path / "qags.csv").read_text().splitlines()
    assert header == "id,source,response,question,model,label,label_from,split,task"
    assert first.endswith(",unfaithful,worst of its parts,,cnndm")


def test_validation_of_a_sound_file(run: Run) -> None:
    run("convert", "qags", "--to", "qags.jsonl.gz")
    result = run("validate", "qags.jsonl.gz")
    assert result.exit_code == 0
    assert "qags.jsonl.gz: examples 4, without a gold label 0, problems 0" in result.stdout


def test_validation_counts_problems_and_exits_with_2(run: Run, data: Path) -> None:
    with (data / "qags" / "mturk_xsum.jsonl").open("a") as file:
        file.write("\n" + qags_row(f"{ARTICLE} Says xsum 1.", SUMMARY))
    result = run("validate", "qags", "--json")
    found = {each["name"]: each for each in document_of(result)["defects"]}
    assert result.exit_code == 2
    assert found["file-differs"]["count"] == 2
    assert found["same-texts"]["places"] == ["xsum-2"]
    assert "same-texts" in run("validate", "qags").stdout


def test_download_says_the_licence_first_and_fails_in_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DOWNLOAD_BASE", "http://127.0.0.1:1")
    result = run("download", "bump", "--to", "fresh")
    assert result.stdout.startswith("licence  MIT")
    assert "cannot fetch http://127.0.0.1:1/dataminr-ai/BUMP/" in line_of(result)
    assert not Path("fresh").exists()


def test_download_of_converted_files_gives_the_reason(run: Run) -> None:
    result = run("download", "ragtruth")
    assert result.exit_code == 2
    assert "converted, joined or cut" in result.stdout
    assert result.stderr.startswith("assay: ragtruth cannot be downloaded in whole.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("stats", "qagz"), "no such file or corpus 'qagz'. Did you mean 'qags'?"),
        (("show", "qagz"), "Did you mean 'qags'?"),
        (("download", "qagz"), "Did you mean 'qags'?"),
        (("stats", "missing.jsonl"), "cannot read missing.jsonl: No such file"),
        (("stats", "data"), "data is a folder"),
        (("stats", "bump"), "task1_dataset.json is missing"),
        (("stats", "qags", "--data", "nowhere"), "qags is not at nowhere"),
        (("stats", "notes.txt"), "cannot tell what notes.txt is from its name"),
        (("stats", "empty.jsonl"), "the input has no examples"),
        (
            ("stats", "qags", "--source-field", "x"),
            "the fields of a file can be named, but qags is a corpus",
        ),
        (("convert", "qags", "--to", "qags.xls"), "cannot tell what qags.xls should be"),
        (("convert", "empty.jsonl", "--to", "out.csv"), "the input has no examples"),
        (("validate", "bump"), "task1_dataset.json is missing"),
        (("stats", "cut.jsonl.gz"), "cannot read cut.jsonl.gz: "),
        (("stats", "fake.parquet"), "fake.parquet is not Parquet"),
    ],
)
def test_bad_input_is_one_clear_line(
    arguments: tuple[str, ...], message: str, run: Run, tmp_path: Path
) -> None:
    run("convert", "qags", "--to", "whole.jsonl.gz")
    (tmp_path / "cut.jsonl.gz").write_bytes((tmp_path / "whole.jsonl.gz").read_bytes()[:-30])
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "fake.parquet").write_text("no")
    assert message in line_of(run(*arguments))
    assert not (tmp_path / "out.csv").exists()


def test_damaged_file_of_a_corpus_is_one_clear_line(run: Run, data: Path) -> None:
    (data / "qags" / "mturk_xsum.jsonl").write_text('{"article": "a"')
    assert re.search(r"mturk_xsum\.jsonl line 1 is not JSON", line_of(run("stats", "qags")))


def corpus_table() -> str:
    """The table of docs/data.md as the cards have it."""
    rows = ["| corpus | what it is | units | taxonomy | licence | may train |", "|" + "---|" * 6]
    for card in map(find_card, CORPORA):
        train = "yes" if card.may_train else "no"
        cells = (f"`{card.name}`", card.title, card.unit_kind, card.taxonomy, card.licence, train)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def test_corpora_are_documented_as_their_cards_say() -> None:
    assert corpus_table() in (DOCS / "data.md").read_text(encoding="utf-8")


def test_every_command_and_option_is_documented() -> None:
    text = (DOCS / "data.md").read_text(encoding="utf-8")
    context = click.Context(app)
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        assert command
        assert f"assay data {name}" in text
        options = [option for each in command.params for option in each.opts if "--" in option]
        assert [option for option in options if f"`{option}" not in text] == []


def test_labels_of_a_file_of_your_own_are_counted_by_model(run: Run, tmp_path: Path) -> None:
    rows = [
        {"source": ARTICLE, "response": "It sank.", "verdict": 0, "model": "m"},
        {"source": ARTICLE, "response": "It crossed.", "verdict": "faithful", "model": "m"},
    ]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    named = run("stats", "own.jsonl", "--no-overlap", "--label-field", "verdict").stdout
    unnamed = run("stats", "own.jsonl", "--no-overlap").stdout
    assert "labels of responses by LLM" in named
    assert "labels of responses by LLM" not in unnamed


def test_stats_of_one_task(run: Run) -> None:
    assert document_of(run("stats", "qags", "--json"))["tasks"] == {"cnndm": 2, "xsum": 2}
    assert document_of(run("stats", "qags", "--task", "xsum", "--json"))["tasks"] == {"xsum": 2}


def test_task_without_examples_is_told_in_one_line(run: Run) -> None:
    result = run("stats", "qags", "--task", "news")
    assert result.exit_code == 2
    assert "qags has no examples of task 'news'" in line_of(result)


def write_verigray(path: Path, *labels: str) -> None:
    texts = ["The ferry has crossed.", "It sank."]
    sentences = [
        {"text": text, "range": [0, 0], "annotation": label}
        for text, label in zip(texts, labels, strict=True)
    ]
    row = {"question": ARTICLE, "answer": " ".join(texts), "generator": "m", "sentences": sentences}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(row), encoding="utf-8")


def test_two_versions_of_verigray_are_compared_and_never_count_twice(run: Run, data: Path) -> None:
    write_verigray(data / "verigray/20251007.jsonl", "Explicitly-Supported", "Fabricated")
    write_verigray(data / "verigray/20251225.jsonl", "Explicitly-Supported", "Contradicting")
    stats = document_of(run("stats", "verigray", "--no-overlap", "--json"))
    assert stats["units"] == [{"kind": "sentence", "count": 2, "unlabelled": 0}]
    assert [each["name"] for each in stats["repairs"] if each["name"] == "older-version"]
    found = document_of(run("changes", "verigray-20251007", "verigray", "--json"))
    assert found["counts"] == [{"before": "fabricated", "after": "contradicting", "count": 1}]
    shown = run("changes", "verigray-20251007", "verigray").stdout
    # Two sentences of one source say nothing of what others might have been.
    assert "1 of 2 sentences changed: 50.0% (no interval with one source)" in shown


def test_stats_say_how_far_annotators_agree(run: Run) -> None:
    (found,) = document_of(run("stats", "qags", "--json"))["agreement"]
    # Four times yyn and nnn: yyn has 4 differing pairs of 6, each weighted by 1 / (3 - 1); among
    # all 24 ratings, 8 of them y, 2 x 8 x 16 pairs of 24 x 23 differ.
    assert found["kind"] == "sentence"
    assert (found["annotators"], found["ratings"], found["alpha"]["n"]) == (3, 24, 8)
    assert found["alpha"]["value"] == pytest.approx(1 - (8 / 24) / (256 / 552))
    assert "Krippendorff's alpha" in run("stats", "qags").stdout


def test_run_of_a_task_is_evaluated_on_that_task(data: Path) -> None:
    done = assay("run", "qags", "--task", "xsum", "--detector", "overlap", "--quiet")
    assert done.exit_code == 0
    (found,) = document_of(assay("evaluate", "run:qags--overlap", "--dataset", "qags", "--json"))[
        "detectors"
    ]
    assert (found["n"], found["coverage"]) == (2, 1.0)


@pytest.mark.shared_data
def test_protocol_of_the_corpus_does_not_stop_a_run_of_a_task_with_other_labels(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_DATA", str(shared_data))
    part = ("--task", "ragtruth-qa", "--sample", "5")
    assay("run", "faithjudge-peers", *part, "--detector", "overlap", "--quiet")
    done = assay("evaluate", "run:faithjudge-peers--overlap", "--dataset", "faithjudge-peers")
    assert done.exit_code == 0
    assert "binary labels as they are" in " ".join(done.stdout.split())


def test_corpus_is_converted_to_parts_which_are_read_as_one(data: Path, tmp_path: Path) -> None:
    place = f"{tmp_path}/new/"
    arguments = ("data", "convert", "qags", "--to", place, "--rows-per-part", "1")
    assert assay(*arguments).exit_code == 0
    assert len(list(Path(place).glob("part-*.parquet"))) == 4
    whole, parts = (
        json.loads(assay("data", "stats", name, "--json").stdout) for name in ("qags", place)
    )
    assert (parts["examples"], parts["units"]) == (whole["examples"], whole["units"])
    assert line_of(assay(*arguments)).endswith("write the parts to a new folder (--to)")


def test_rows_a_part_are_for_folders(data: Path, tmp_path: Path) -> None:
    to = ("--to", str(tmp_path / "x.jsonl"), "--rows-per-part", "1")
    said = line_of(assay("data", "convert", "qags", *to))
    assert said.endswith("x.jsonl is one file and has no parts; write to DIR/ (--rows-per-part)")
