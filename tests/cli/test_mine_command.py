"""`assay mine`: recorded, replayed and run detectors, what is written, and bad input."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay import Annotated, Author, Example, Judgement, Response, Source, Unit, Verdict
from assay.core.codec import read_example, write_example
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.verdicts import Attributes
from tests.cli.conftest import Workplace, assay, error_of

Write = Callable[..., str]
FERRY = "The ferry to Bari leaves at 9. It takes eight hours."


def recorded(number: int, source: str, model: str, letters: str, text: str = "") -> Annotated:
    """A response with what detectors a, b, c said: f or u; c speaks gray7."""
    example = Example(
        f"{model}/{number}", Source(source, id=source[:5]), Response(text or f"It {number}.", model)
    )
    unit = Unit.response(example.response.text)
    said = []
    for name, letter in zip("abc", letters, strict=False):
        if letter == ".":
            continue
        label = BINARY["faithful" if letter == "f" else "unfaithful"]
        if name == "c":
            label = GRAY7["explicitly-supported" if letter == "f" else "out-dependent"]
        verdicts = (Verdict(unit.id, label),)
        said.append(Judgement(example.id, Author(name), (unit,), verdicts))
    return Annotated(example, tuple(said))


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes examples to a file in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def written(*examples: Annotated, name: str = "data.jsonl") -> str:
        lines = (write_example(each) + b"\n" for each in examples)
        Path(name).write_bytes(b"".join(lines))
        return name

    return written


ROWS = (
    recorded(1, "First source.", "m1", "fuf"),
    recorded(2, "First source.", "m2", "ffu"),
    recorded(3, "Second source.", "m1", "fff"),
    recorded(4, "Second source.", "m2", "ufu"),
    recorded(5, "Third source.", "m1", "fff"),
)


def test_groups_are_written_with_what_was_said(write: Write) -> None:
    done = assay("mine", write(*ROWS), "--out", "hard.jsonl", "--at-least", "2")
    assert done.exit_code == 0, done.output
    lines = [read_example(line, "") for line in Path("hard.jsonl").read_bytes().splitlines()]
    assert lines == list(ROWS[:2])
    assert "wrote 2 examples to hard.jsonl" in done.stderr


def test_nothing_of_a_plain_file_is_lost(write: Write) -> None:
    rows = [
        {"id": n, "source": FERRY, "source_id": "f", "response": text, "label": label, "by": "x"}
        for n, (text, label) in enumerate(
            [("The ferry to Bari leaves at 9.", 1), ("A tram goes to Rome at night.", 1)]
        )
    ]
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = assay("mine", "rows.jsonl", "overlap", "gold:rows.jsonl", "--out", "hard.jsonl")
    assert done.exit_code == 0, done.output
    found = [read_example(line, "") for line in Path("hard.jsonl").read_bytes().splitlines()]
    assert [each.gold[0].verdicts[0].label for each in found] == [BINARY["faithful"] for _ in rows]
    assert {each.example.original for each in found} == {'{"row": {"by": "x"}}'}
    assert {each.example.source.id for each in found} == {"f"}


def test_decisions_of_people_are_not_overwritten(write: Write) -> None:
    unit = Unit.response("It 1.")
    noted = Verdict(unit.id, BINARY["faithful"], attributes=Attributes(decision="ambiguous"))
    signed = Judgement("m1/1", Author("ann", "person"), (unit,), (noted,))
    write(ROWS[0].with_judgements(signed), name="hard.jsonl")
    message = error_of(assay("mine", write(*ROWS), "--out", "hard.jsonl"))
    assert "hard.jsonl has decisions of people that would be lost" in message


def test_json_has_groups_coverage_and_cautions(write: Write) -> None:
    done = assay("mine", write(*ROWS), "a", "b", "--json")
    found = json.loads(done.stdout)
    assert (found["responses"], found["hard"], found["groups"]) == (5, 2, 3)
    assert [(each["source"], each["hard"]) for each in found["chosen"]] == [
        ("First", 1),
        ("Secon", 1),
    ]
    assert [each["detector"] for each in found["detectors"]] == ["a", "b"]
    assert found["cautions"] == [line.removeprefix("assay: ") for line in done.stderr.splitlines()]
    assert found["cautions"][0].startswith("1 of 2 models have no response to some sources (m2")


def test_labels_of_other_taxonomies_are_put_on_one_scale(write: Write) -> None:
    path = write(*ROWS)
    usual = json.loads(assay("mine", path, "a", "c", "--json").stdout)
    assert usual["hard"] == 1  # of response 2; what depends on the outside is no faithful vote
    strict = assay("mine", path, "b", "c", "--json", "--cut", "out-dependent")
    assert json.loads(strict.stdout)["hard"] == 1  # of response 1: now c calls all faithful


def test_models_restrict_what_counts(write: Write) -> None:
    found = json.loads(assay("mine", write(*ROWS), "--models", "m2", "--json").stdout)
    assert (found["responses"], [each["model"] for each in found["models"]]) == (2, ["m2"])


def test_detectors_that_are_run_stand_beside_recorded_ones(write: Write) -> None:
    texts = ("The ferry leaves at 9.", "The ferry sank in 1912 off Corfu.")
    rows = [recorded(n, FERRY, f"m{n}", "f", text) for n, text in enumerate(texts)]
    done = assay("mine", write(*rows), "a", "overlap", "--out", "hard.jsonl", "--json")
    assert json.loads(done.stdout)["hard"] == 1, done.output
    lines = [read_example(line, "") for line in Path("hard.jsonl").read_bytes().splitlines()]
    assert [[said.author.name for said in each.recorded] for each in lines] == [
        ["a", "overlap"]
    ] * 2
    # mined again, the data carries both, and nothing is added
    again = assay("mine", "hard.jsonl", "a", "overlap", "--out", "again.jsonl")
    assert again.exit_code == 0, again.output
    assert Path("again.jsonl").read_bytes() == Path("hard.jsonl").read_bytes()


def test_what_a_detector_says_anew_supersedes_what_it_said(write: Write) -> None:
    rows = [recorded(1, FERRY, "m1", "f", "The ferry sank in 1912 off Corfu.")]
    assert assay("check", write(*rows), "--detector", "overlap", "--json").exit_code == 0
    Path("said.json").write_text(
        assay("check", "data.jsonl", "--detector", "overlap", "--json").stdout, encoding="utf-8"
    )
    unit = Unit.response(rows[0].example.response.text)
    before = Judgement(rows[0].id, Author("overlap"), (unit,), (Verdict(unit.id, score=0.9),))
    write(rows[0].with_judgements(before))
    assert assay("mine", "data.jsonl", "a", "said.json", "--out", "hard.jsonl").exit_code == 0
    (line,) = (read_example(each, "") for each in Path("hard.jsonl").read_bytes().splitlines())
    newest = line.judgements[-1]
    assert (newest.author.name, newest.round, newest.supersedes) == ("overlap", 2, before.key)
    assert before in line.judgements


def test_sources_of_other_data_are_looked_for_by_their_letters(write: Write) -> None:
    known = recorded(1, "first  SOURCE", "x", "")
    write(known, recorded(2, "Elsewhere.", "x", ""), name="known.jsonl")
    done = assay("mine", write(*ROWS), "--groups", "1", "--compare", "known.jsonl", "--json")
    found = json.loads(done.stdout)["compared"]
    assert (found["others"], found["known"], found["sources"], found["found"]) == (2, 1, 3, 1)
    assert found["expected"] == pytest.approx(1 / 3)
    shown = assay("mine", "data.jsonl", "--groups", "1", "--compare", "known.jsonl").stdout
    assert "by chance  0.3 [0, 1], a share of 0.333; as many or more in 0.33" in shown


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("a", "nobody"), "unknown detector, recorded detector or reference"),
        (("a",), "disagreement takes two detectors or more, and here is 1: a"),
        (("a", "a"), "the detector 'a' is named twice"),
        (("--models", "m3"), "unknown model of the data 'm3'"),
        (("--hard", "2"), "a response is hard from an entropy above 0 and up to 1 bit, not 2"),
        (("--fold", "best"), "unknown fold 'best'"),
        (("--reading", "nothing"), "unknown reading 'nothing'"),
        (("--out", "hard.csv"), "cannot tell what hard.csv should be: end its name in .jsonl"),
        (("--out", "data.jsonl"), "data.jsonl is an input and would be lost"),
    ],
)
def test_bad_input_is_one_clear_line(write: Write, arguments: tuple[str, ...], error: str) -> None:
    said = error_of(assay("mine", write(*ROWS), *arguments))
    assert said.startswith(error)
    assert "\n" not in said
    assert [each.name for each in Path().iterdir()] == ["data.jsonl"]


def test_detectors_that_agree_everywhere_are_told_with_their_votes(write: Write) -> None:
    rows = [recorded(n, f"Source {n}.", "m", "ff") for n in range(3)]
    arguments = ("mine", write(*rows), "--out", "hard.jsonl")
    done = assay(*arguments)
    assert done.exit_code == 2
    assert done.stderr == (
        "assay: the detectors agree on all 3 responses with a score, so that none is hard; nothing "
        "was written\n"
    )
    votes = [line.split() for line in done.stdout.splitlines()]
    assert ["a", "3", "of", "3", "0.0%", "1", "of", "1"] in votes
    assert "0 groups (at least 1 hard response) with 0 responses" in done.stdout
    assert json.loads(assay(*arguments, "--json").stdout)["nothing"].startswith("the detectors")
    assert not Path("hard.jsonl").exists()


def test_too_few_hard_responses_are_told_with_the_most_there_are(write: Write) -> None:
    done = assay("mine", write(*ROWS), "--at-least", "3")
    assert done.exit_code == 2
    assert "no source has 3 responses with an entropy of 0.7 or more; the most " in done.stderr


@pytest.mark.parametrize(("hard", "code"), [("0.722", 0), ("0.7225", 2), ("0.0001", 0)])
def test_the_entropy_as_it_is_documented_is_a_threshold(write: Write, hard: str, code: int) -> None:
    judged = [recorded(n, f"Source {n}.", "m", "ff") for n in range(2)]
    unit = Unit.response("It 0.")
    said = [
        Judgement(judged[0].id, Author(name), (unit,), (Verdict(unit.id, BINARY[label]),))
        for name, label in (("c", "faithful"), ("d", "faithful"), ("e", "unfaithful"))
    ]
    path = write(judged[0].with_judgements(*said), judged[1])
    done = assay("mine", path, "--hard", hard, "--json")  # 4 against 1
    assert done.exit_code == code
    assert json.loads(done.stdout)["hard"] == (1 if code == 0 else 0)


def test_data_without_detectors_is_told(write: Write) -> None:
    said = error_of(assay("mine", write(recorded(1, "S.", "m", ""))))
    assert said.startswith("data.jsonl has no recorded detectors; name a file, a run or a detector")


def test_judge_is_asked_once_and_its_run_is_used_again(
    work: Callable[..., Workplace], write: Write
) -> None:
    place = work()
    path = write(*(recorded(n, f"Source {n}.", "m", "u") for n in range(3)))
    arguments = ("mine", path, "a", "judge-simple", "--model", "m", "--quiet")
    estimated = json.loads(assay(*arguments, "--dry-run", "--json").stdout)
    assert (list(estimated), place.server.calls) == (["judge-simple"], 0)
    done = assay(*arguments, "--out", "hard.jsonl")
    assert done.exit_code == 0, done.output
    assert place.server.calls == 3
    lines = [read_example(line, "") for line in Path("hard.jsonl").read_bytes().splitlines()]
    assert [each.recorded[-1].outcomes[0].label for each in lines] == ["faithful"] * 3
    assert assay(*arguments, "--json").exit_code == 0
    assert place.server.calls == 3


def test_unknown_name_is_told_before_a_model_is_asked(
    work: Callable[..., Workplace], write: Write
) -> None:
    place = work()
    path = write(*ROWS)
    done = assay("mine", path, "judge-simple", "nobody", "--model", "m")
    assert error_of(done).startswith("unknown detector, recorded detector or reference")
    assert place.server.calls == 0
