"""The shipped story: what its people say is sound, and all of it runs from beginning to end."""

import importlib.util
import json
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from assay.core.consistency import Cited, contradictions
from assay.core.decision import decide
from assay.core.examples import Example
from assay.core.records import read_answers_record
from assay.core.rendering import read_source
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response
from assay.core.wire import AnswersRecord
from assay.text.units import sentence_units

STORY = Path(__file__).parents[1] / "examples" / "story"
MODELS = ("heron-large", "heron-small", "kestrel")


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


def opinions() -> list[tuple[str, str, str, dict[str, Any]]]:
    """Everything that anybody says: who, of which response, of which sentence, and what."""
    people = module("people")
    script = tomllib.loads((STORY / "people.toml").read_text("utf-8"))["sentence"]
    return [
        (who, each["response"], each["text"], people.load_opinions(who)[each["text"]])
        for who in (*people.ANNOTATORS, people.ADJUDICATOR)
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
