"""The preset of `assay audit flag`: five judges of three classes."""

import json
from pathlib import Path

from assay.core.codec import write_example
from tests.audit.ferries import ferry
from tests.cli.conftest import line_of
from tests.cli.loopback import Body, Loopback, question
from tests.cli.test_audit_command import audit, folder, server

__all__ = ["folder", "server"]

FIVE = [part for n in range(1, 6) for part in ("--model", f"m{n}")]
PRESET = ("--preset", "annotation-errors", "--out", "flags.jsonl")


def write_gray(*examples: str) -> None:
    """Responses of three sentences with labels of gray7."""
    lines = []
    for number, names in enumerate(examples):
        line = json.loads(write_example(ferry(f"g{number}", "+++")))
        (gold,) = line["judgements"]
        gold["taxonomy"] = "gray7"
        for unit, name in zip(gold["units"], names.split(), strict=True):
            unit["verdict"] = {"label": name}
        lines.append(json.dumps(line))
    Path("gray.jsonl").write_text("\n".join(lines), encoding="utf-8")


def test_five_judges_of_three_classes_are_one_preset(folder: Path, server: Loopback) -> None:
    """One judge of five finds s2 neutral, which the gold calls supported; s1 is out-dependent."""

    def judging(body: Body) -> str:
        is_odd = body["model"] == "m5" and "It sails on time" in question(body).split("<<<")[-2]
        return json.dumps({"reason": "So.", "label": "neutral" if is_odd else "entailment"})

    server.answer = judging
    write_gray("out-dependent implicitly-supported explicitly-supported")
    done = audit("flag", "gray.jsonl", *FIVE, *PRESET, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["units"], found["left_out"]) == (2, {"out-dependent": 1})
    assert [(each["unit"], each["compared"]) for each in found["flags"]] == [("s2", 5)]
    reasons = found["flags"][0]["reasons"]
    assert [each["author"] for each in reasons] == ["judge-fewshot:definitions m5"]


def test_preset_pays_only_for_labels_that_it_compares(folder: Path, server: Loopback) -> None:
    # Ten responses of three sentences; four of the 30 labels are left out: 26 x 5 calls.
    plain = "explicitly-supported implicitly-supported fabricated"
    left_out = ("no-fact no-fact ambiguous", "explicitly-supported out-dependent contradicting")
    write_gray(*[plain] * 8, *left_out)
    dry = audit("flag", "gray.jsonl", *FIVE, *PRESET, "--dry-run", "--json")
    told = [model for each in json.loads(dry.stdout).values() for model in each["models"].values()]
    assert [each["calls"] for each in told] == [26] * 5
    done = audit("flag", "gray.jsonl", *FIVE, *PRESET, "--json")
    assert done.exit_code == 0, done.output
    assert server.calls == 130
    found = json.loads(done.stdout)
    assert found["left_out"] == {"no-fact": 2, "ambiguous": 1, "out-dependent": 1}
    assert found["units"] == 26
    assert audit("flag", "gray.jsonl", *FIVE, *PRESET).exit_code == 0
    assert server.calls == 130  # nothing is paid for twice


def test_preset_for_other_labels_is_told_before_anything_is_asked(
    folder: Path, server: Loopback
) -> None:
    done = audit("flag", "data.jsonl", *FIVE, *PRESET)
    assert "reading 'gray7-nli' is for gray7 labels" in line_of(done)
    assert server.calls == 0
    assert "no detector to compare" in line_of(audit("flag", "data.jsonl", "--out", "f.jsonl"))
