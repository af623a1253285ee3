"""A small data set with gold labels, detectors and forms, for the tests of an audit."""

import json
from collections.abc import Callable
from typing import Any

from assay import Annotated, Author, Example, Judgement, Judgements, Manifest, Response, Source
from assay.audit.flags import Flagging
from assay.audit.search import Searching, find_flags
from assay.core.codec import read_example, write_example
from assay.core.judgements import GOLD
from assay.core.taxonomies import BINARY
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.decisions.forms import FormLine
from assay.text.sentences import find_sentences

SOURCE = "The ferry crosses twice\na day. It mostly sails on time. In May it carried 48 people."
RESPONSE = "The ferry crosses twice a day. It sails on time. In May it carried 84 people."
YES, NO = BINARY["faithful"], BINARY["unfaithful"]
Edit = Callable[[dict[str, Any]], None]


def ferry(id: str, gold: str = "++-", *annotators: str) -> Annotated:
    """Three sentences with labels of the corpus, or only of annotators where it has none.

    `+` is faithful, `-` unfaithful, `.` not labelled.
    """
    units = find_sentences(RESPONSE)
    example = Example(
        id, Source(f"{SOURCE} Boat {id}.", id=id), Response(RESPONSE, "m"), units=units
    )
    said = [(GOLD, gold)] if gold.strip(".") else []
    said += [(Author(f"a{n}", "person"), labels) for n, labels in enumerate(annotators, start=1)]
    return Annotated(example, tuple(judged(id, units, author, labels) for author, labels in said))


def judged(id: str, units: tuple[Unit, ...], author: Author, labels: str) -> Judgement:
    """What an author says of sentences: `x` is a failure."""
    pairs = [(u, _outcome(u, c)) for u, c in zip(units, labels, strict=True) if c != "."]
    return Judgement(id, author, tuple(u for u, _ in pairs), tuple(o for _, o in pairs))


def _outcome(unit: Unit, letter: str) -> Outcome:
    if letter == "x":
        return Failure(unit.id, "parse", "unreadable")
    return Verdict(unit.id, {"+": YES, "-": NO}[letter], note=f"{letter} of {unit.id}")


def detector(name: str, **said: str) -> Judgements:
    """A detector that says something of the sentences of some examples."""
    units = find_sentences(RESPONSE)
    author = Author(name)
    given = [judged(id, units, author, labels) for id, labels in said.items()]
    return Judgements(name, Manifest(author), lambda: given)


def flagged(*annotated: Annotated, by: tuple[Judgements, ...], rule: Any = "any") -> Flagging:
    """What some detectors flag."""
    return find_flags("ferries", annotated, by, Searching("sentence", rule))


def filled(line: Annotated, edit: Edit, by: str = "ann", where: str = "f.jsonl line 1") -> FormLine:
    """A line in which a person signed the form and edited the verdict of each of its units."""
    record = json.loads(write_example(line))
    form = next(each for each in record["judgements"] if each["author"]["name"] == "")
    form["author"]["name"] = by
    for unit in form["units"]:
        edit(unit)
    return FormLine(read_example(json.dumps(record)), where)


def incorrect(label: str = "faithful", cited: str = "crosses twice a day", **more: Any) -> Edit:
    """An edit that finds the label incorrect."""

    def edit(unit: dict[str, Any]) -> None:
        unit["verdict"] |= {"label": label, "note": "It says so."}
        attributes = {"decision": "incorrect"} | ({"cited": cited} if cited else {})
        unit["verdict"]["attributes"] = attributes | more.pop("attributes", {})
        unit["verdict"] |= more

    return edit


def stands(state: str, note: str = "Both can be said.") -> Edit:
    """An edit after which the label stands."""

    def edit(unit: dict[str, Any]) -> None:
        unit["verdict"] |= {"note": note, "attributes": {"decision": state}}

    return edit
