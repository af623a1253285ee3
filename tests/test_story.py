"""The shipped story: what its people say is sound, and all of it runs from beginning to end."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from assay.cli.application import app
from assay.core.codec import read_example
from assay.core.consistency import Cited, contradictions
from assay.core.decision import decide
from assay.core.examples import Annotated, Example
from assay.core.records import read_answers_record
from assay.core.rendering import read_source
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response
from assay.core.verdicts import Failure, Outcome
from assay.core.wire import EXAMPLE_SCHEMA, AnswersRecord
from assay.evaluation.gold import gold_labels
from assay.text.sentences import sentence_units

STORY = Path(__file__).parents[1] / "examples" / "story"
MODELS = ("heron-large", "heron-small", "kestrel")
HARD = ("bearings", "lease", "loom", "match", "railway", "thermostat", "water", "weather")
FLAG = re.compile(r'"decision": "(?:incorrect|ambiguous|system-error)"')
# A row of a board: the LLM, its rank with the range of ranks, and its rate.
ROW = re.compile(r"^ (heron-\w+|kestrel)\*? +(\d)(?: \(\d-\d\))? +(\d+\.\d) \[", re.M)


@cache
def module(name: str) -> ModuleType:
    """A module of the example, which is no package."""
    spec = importlib.util.spec_from_file_location(f"story_{name}", STORY / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


@cache
def sources() -> dict[str, Any]:
    """The documents as detectors and people read them, by id."""
    found = {}
    for path in (STORY / "sources").iterdir():
        text = path.read_text("utf-8")
        value = json.loads(text) if path.suffix == ".json" else text
        if isinstance(value, dict) and "source" in value:
            value = value["source"]
        found[path.stem] = read_source(value)
    return found


@cache
def replies() -> dict[str, str]:
    """What the models replied, without thoughts, by the id of the response."""
    lines = {
        f"{row['id']}/{model}": row["response"]
        for model in MODELS
        for row in map(json.loads, (STORY / "replies" / f"{model}.jsonl").read_text().splitlines())
    }
    return {id: text.rpartition("</think>")[2].strip() for id, text in lines.items()}


@cache
def opinions() -> list[tuple[str, str, str, dict[str, Any]]]:
    """Everything that anybody says: who, of which response, of which sentence, and what."""
    people = module("people")
    script = tomllib.loads((STORY / "people.toml").read_text("utf-8"))["sentence"]
    return [
        (who, each["response"], each["text"], said[each["text"]])
        for who in (*people.ANNOTATORS, people.ADJUDICATOR)
        for said in [people.load_opinions(who)]
        for each in script
    ]


def test_each_of_three_models_replies_to_each_of_twelve_documents() -> None:
    assert len(sources()) == 12
    assert set(replies()) == {f"{source}/{model}" for source in sources() for model in MODELS}
    assert [id for id, text in replies().items() if not text] == ["weather/kestrel"]


def test_people_judge_exactly_the_sentences_that_the_studio_shows_them() -> None:
    shown = [
        (id, unit.text)
        for id, text in replies().items()
        for unit in sentence_units(Example(id, sources()[id.partition("/")[0]], Response(text)))
        if id not in ("lease/kestrel", "weather/kestrel")  # a refusal and an empty reply
    ]
    for who in ("ann", "ben", "cleo"):
        judged = [(id, text) for name, id, text, _ in opinions() if name == who]
        assert Counter(judged) == Counter(shown)


def test_labels_are_on_the_menu_and_all_seven_are_given() -> None:
    given = {said["label"] for _, _, _, said in opinions()}
    assert given == set(GRAY7.names)


def test_answers_evidence_and_reasons_satisfy_the_rules_for_annotators() -> None:
    for who, response, text, said in opinions():
        source = sources()[response.partition("/")[0]].text
        made = module("people").verdict(said, source)  # words that are not in the source raise
        answers = read_answers_record(msgspec.convert(made["answers"], AnswersRecord))
        cited = Cited(bool(made.get("evidence")), "external" in made, "note" in made)
        found = contradictions(answers, GRAY7[said["label"]], cited=cited, strict=True)
        assert found == [], (who, text)
        assert [each["label"] for each in said.get("readings", ())] == [
            decide(sense.answers).label for sense in answers.senses
        ]


def test_where_annotators_differ_the_adjudicator_takes_one_side() -> None:
    people = module("people")
    ann, ben, cleo = (people.load_opinions(name) for name in ("ann", "ben", "cleo"))
    differ = [key for key in ann if ann[key]["label"] != ben[key]["label"]]
    assert len(differ) == 14
    for key in ann:
        assert cleo[key]["label"] in (ann[key]["label"], ben[key]["label"])
    assert all(cleo[key] is not ann[key] for key in differ)


def test_words_that_are_not_in_the_source_are_no_evidence() -> None:
    with pytest.raises(ValueError, match="substring"):
        module("people").verdict({"label": "no-fact", "evidence": ["never said"]}, "A source.")


def test_every_decision_of_the_auditor_is_about_a_sentence_that_people_judge() -> None:
    judged = {(response, text): said for who, response, text, said in opinions() if who == "cleo"}
    decided = module("auditor").load_decisions()
    assert set(decided) <= set(judged)
    revised = [key for key, each in decided.items() if each["decision"] == "incorrect"]
    assert [response for response, _ in revised] == ["water/heron-large"]
    assert judged[revised[0]]["label"] == "explicitly-supported"
    assert decided[revised[0]]["label"] == "fabricated"
    assert decided[revised[0]]["evidence"] in sources()["water"].text


def test_story_does_not_empty_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("Ten years of work.")
    command = [sys.executable, str(STORY / "story.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert "has other files in it" in done.stderr
    assert (tmp_path / "thesis.txt").read_text() == "Ten years of work."


@pytest.mark.soak
def test_whole_story_from_documents_to_the_site(tmp_path: Path) -> None:
    """Everything that is counted here can be counted in `people.toml`.

    Eight of twelve sources have two or more responses that the detectors disagree about:
    thermostat and bearings three; water, match, loom, railway, lease and weather two. Kestrel
    declined to answer about the lease and said nothing of the weather, so they have 22 responses,
    with 79 sentences. Ann and Ben differ about 9 of these.

        labels: 93 explicit, 28 contradicting, 13 fabricated, 11 implicit, 5 out-dependent,
                4 ambiguous, 4 no fact: 158
        pairs of the same: 93*92 + 28*27 + 13*12 + 11*10 + 5*4 + 4*3 + 4*3 = 9,622 of 158*157
        alpha = 1 - (9/79) / (1 - 9622/24806) = 0.8139, raw agreement = 70/79 = 0.886

    Heron-large is unfaithful about loom and bearings, 2 of 8; kestrel about thermostat and match,
    2 of 6. The audit adds water to the former, 3 of 8 = 0.375 > 0.333, and they change places.
    """
    options = ["--no-browser"]
    command = [sys.executable, str(STORY / "story.py"), str(tmp_path / "story"), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    told, folder = done.stdout, tmp_path / "story"
    assert done.returncode == 0, told[-3000:] + done.stderr

    responses = examples(folder / "responses.jsonl")
    assert len(responses) == 36
    failed = {id: judged(row, "collect") for id, row in responses.items() if row.judgements}
    assert {id: each.reason for id, each in failed.items() if isinstance(each, Failure)} == {
        "lease/kestrel": "refused",
        "weather/kestrel": "missing",
    }
    assert set(examples(folder / "dropped.jsonl")) == set(failed)
    hard = examples(folder / "hard.jsonl")
    assert len(hard) == 22
    assert {each.example.source.id for each in hard.values()} == set(HARD)
    assert "ann has annotated 22 responses" in told
    assert "cleo has settled 8 of them" in told
    seven = agreement(folder / "studio.sqlite")
    assert (seven["ratings"], seven["alpha"]["n"]) == (158, 79)
    assert seven["alpha"]["value"] == pytest.approx(1 - (9 / 79) / (1 - 9622 / 24806))
    assert seven["raw"]["value"] == pytest.approx(70 / 79)
    assert len(FLAG.findall((folder / "flags.jsonl").read_text("utf-8"))) == 21

    before, after = (examples(folder / f"{each}.jsonl") for each in ("annotated", "revised"))
    assert list(before) == list(after)
    changed = [id for id in before if gold_of(before[id]) != gold_of(after[id])]
    assert changed == ["water/heron-large"]
    old, new = gold_of(before[changed[0]]), gold_of(after[changed[0]])
    assert {unit: (old[unit], new[unit]) for unit in old if old[unit] != new[unit]} == {
        "s2": ("explicitly-supported", "fabricated")
    }
    kept = {each.key: each for each in after[changed[0]].judgements}
    chain = ["water/heron-large/gold/2"]
    while kept[chain[-1]].supersedes:
        chain.append(kept[chain[-1]].supersedes)
    assert chain == [f"water/heron-large/{each}" for each in ("gold/2", "cleo/1", "gold/1")]

    boards = told.partition("The leaderboard before the audit")[2]
    boards = boards.partition("A site with")[0]
    ranks = [(name, int(rank), float(rate)) for name, rank, rate in ROW.findall(boards)]
    assert ranks == [
        ("heron-large", 1, 25.0),
        ("kestrel", 2, 33.3),
        ("heron-small", 3, 100.0),
        ("kestrel", 1, 33.3),
        ("heron-large", 2, 37.5),
        ("heron-small", 3, 100.0),
    ]
    assert (folder / "site" / "index.html").is_file()


def examples(path: Path) -> dict[str, Annotated]:
    """The examples of a file by id; other lines of a project are left out."""
    lines = path.read_bytes().splitlines()
    found = (read_example(line) for line in lines if json.loads(line)["schema"] == EXAMPLE_SCHEMA)
    return {each.id: each for each in found}


def judged(row: Annotated, name: str) -> Outcome:
    """What a detector says of the whole response."""
    (said,) = (each for each in row.judgements if each.author.name == name)
    return said.outcomes[0]


def gold_of(row: Annotated) -> dict[str, str]:
    """The labels that count, by the ids of sentences."""
    return {unit.id: str(label) for unit, label in gold_labels(row, "sentence", "corpus")}


def agreement(database: Path) -> dict[str, Any]:
    """How far annotators agree on all seven labels, before anything was discussed."""
    arguments = ["agree", "studio:story", "--database", str(database), "--json"]
    figures = json.loads(CliRunner().invoke(app, arguments).stdout)["figures"]
    found: dict[str, Any] = next(
        each
        for each in figures
        if (each["reading"], each["level"], each["round"]) == ("seven classes", "nominal", "first")
    )
    return found
