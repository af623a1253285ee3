"""A whole project, from a file to labels that are settled, through the use cases alone."""

import json
from pathlib import Path
from threading import Barrier, Thread

from assay.annotation.audit.audits import find_flags
from assay.annotation.audit.decisions import Revision, decide_flag
from assay.annotation.exchange.imports import import_file
from assay.annotation.items.work import submit
from assay.annotation.items.work_queue import next_item
from assay.annotation.people.members import add_member
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.annotation.team import adjudication, discussion, training
from assay.annotation.team.batches import BatchRequest, give_out, list_batches
from assay.annotation.team.disagreement import sentences
from assay.annotation.team.exercises import KINDS, add_shipped, shipped
from assay.core.taxonomies import NLI
from assay.store.annotation.finals import final
from tests.annotating import MakePerson, MakeProject, on_both_databases
from tests.annotation.acting import annotate, begun, do, state_of, work_of
from tests.annotation.audit.test_audits import detect

OK, WRONG, MADE_UP = "explicitly-supported", "contradicting", "fabricated"


@on_both_databases
def test_from_a_file_to_an_audited_gold(
    studio: Studio, make_person: MakePerson, make_project: MakeProject, tmp_path: Path
) -> None:
    root = make_person("root", "administrator")
    people = {name: make_person(name) for name in ("ann", "bob", "cat")}
    judy = make_person("judy", "adjudicator")
    made = make_project("demo", ProjectSettings(k=2, discussion=True, review=True), [])
    rows = [
        {"id": f"{name}-{model}", "source": f"{name} sat. It was noon.", "model": model,
         "response": f"{name} sat. It was {model}."}
        for name in ("Ann", "Bo")
        for model in ("noon", "dusk")
    ]  # fmt: skip
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert import_file(studio, root, "demo", str(file)).added == 4
    for name in ("ann", "bob", "cat", "judy"):
        add_member(studio, root, "demo", name)
    add_shipped(studio, root, "demo")
    give_out(studio, root, "demo", BatchRequest(2, annotators=("ann", "bob")))
    assert next_item(studio, people["ann"], "demo").position is None  # the quiz comes first
    for person in people.values():
        for kind in KINDS:
            begin = training.begin_training if kind == "training" else training.begin_quiz
            begin(studio, person, "demo")
            for position, each in enumerate(shipped(kind, made.settings), start=1):
                labels = [f.label.name for f in sentences(each.gold[0]) if f.label]
                do(studio, person, work_of(studio, person, "demo", position, kind), labels)
    assert next_item(studio, people["ann"], "demo").position == 1

    said = {
        1: ([OK, OK], [OK, OK]),
        2: ([OK, WRONG], [OK, WRONG]),
        3: ([OK, OK], [OK, MADE_UP]),
        4: ([OK, WRONG], [OK, MADE_UP]),
    }
    for position, (first, second) in said.items():
        annotate(studio, people["ann"], "demo", position, first)
        annotate(studio, people["bob"], "demo", position, second)
    assert [state_of(studio, "demo", p) for p in said] == ["review"] * 2 + ["discussion"] * 2
    discussion.add_comment(studio, people["ann"], "demo", 3, text="It says noon.", unit="s2")
    annotate(studio, people["bob"], "demo", 3, [OK, OK], "discuss")
    discussion.hold(studio, people["ann"], work_of(studio, people["ann"], "demo", 3, "discuss"))
    for name in ("ann", "bob"):
        discussion.hold(studio, people[name], work_of(studio, people[name], "demo", 4, "discuss"))
    for position in said:
        number = work_of(studio, people["cat"], "demo", position, "review")
        submit(studio, people["cat"], number, begun(studio, number)[0])  # confirms the first
    assert [state_of(studio, "demo", p) for p in said] == ["done"] * 3 + ["adjudication"]
    (dispute,) = adjudication.queue(studio, judy, "demo").disputes
    assert dispute.authors == ("ann", "bob", "cat")
    do(studio, judy, adjudication.take(studio, judy, "demo", 4).work, [OK, WRONG])
    batches = list_batches(studio, root, "demo")
    assert [each.states for each in batches] == [{"done": 2}, {"done": 2}]

    detect(studio, 1, "nli", NLI["contradiction"], NLI["entailment"])
    (flag,) = find_flags(studio, judy, "demo").flags
    decide_flag(studio, judy, "demo", flag.id, "incorrect", note="?", revision=Revision("no-fact"))
    with studio.read() as connection:
        found = final(connection, made.id)
    assert [each.origin for each in found] == ["audit", "review", "review", "adjudication"]
    settled = [[f.label and f.label.name for f in sentences(each.judgement)] for each in found]
    assert settled == [["no-fact", OK], [OK, WRONG], [OK, OK], [OK, WRONG]]
    assert {each.judgement.author.name for each in found} == {"gold"}


@on_both_databases
def test_two_who_submit_at_the_same_moment_move_the_item_on(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    root = make_person("root", "administrator")
    team = [make_person(f"p{number}") for number in range(4)]
    make_project("demo", ProjectSettings(k=4), members=team)
    give_out(studio, root, "demo", BatchRequest(10))
    barrier, states = Barrier(4), []

    def work(person: Person) -> None:
        number = work_of(studio, person, "demo", 3, "annotate")
        begun(studio, number)
        barrier.wait(30)
        states.append(do(studio, person, number, [OK]))

    threads = [Thread(target=work, args=(person,)) for person in team]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(states) == ["done", "open", "open", "open"]
