"""Agreement of annotators: the right people, rounds, readings and units; the right figures."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.annotation.access import require
from assay.annotation.exchange.imports import import_file
from assay.annotation.figures.agreement import agreements
from assay.annotation.figures.ratings import (
    GivenLabels,
    RatedItem,
    rated_items,
    read_labels,
    unit_votes,
)
from assay.annotation.people.accounts import local_administrator
from assay.annotation.projects import create_project, delete_project
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio, open_studio
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.texts import Response
from assay.datasets.corpus import load_corpus
from assay.evaluation.agreement.agreement import AgreementFigures, Kind
from assay.evaluation.agreement.ratings import AgreementCounter
from assay.metrics import cohen_kappa, krippendorff_alpha, raw_agreement
from tests.annotating import MakePerson, MakeProject, on_both_databases
from tests.annotation.stories import put, submit

Figures = dict[tuple[str, str], AgreementFigures]


def figures(studio: Studio, who: Person, slug: str, *kinds: Kind) -> Figures:
    with studio.read() as connection:
        rated = rated_items(studio, connection, require(connection, who, "see-board", slug))
    return {(each.round, each.reading): each for each in agreements(rated, kinds)}


@pytest.fixture
def team(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> tuple[Person, Person, Person]:
    """Two annotators and an administrator, who finished two of three items."""
    ann, ben, ada = make_person("ann"), make_person("ben"), make_person("ada", "administrator")
    make_project("demo", ProjectSettings(k=2), members=[ann, ben])
    submit(studio, "demo", 1, ann, ["contradicting", "explicitly-supported"])
    submit(studio, "demo", 1, ben, ["contradicting", "ambiguous"])
    submit(studio, "demo", 2, ann, ["implicitly-supported", "fabricated"])
    submit(studio, "demo", 2, ben, ["explicitly-supported", "fabricated"])
    submit(studio, "demo", 3, ann, ["no-fact"])
    put(studio, "demo", 1, "done")
    put(studio, "demo", 2, "done")
    put(studio, "demo", 3, "open")
    return ann, ben, ada


@on_both_databases
def test_figures_are_those_of_the_ratings(
    studio: Studio, team: tuple[Person, Person, Person]
) -> None:
    found = figures(studio, team[2], "demo", "sentence")["first", "seven classes"]
    ratings = [[0, 6, 5, 1], [0, 2, 6, 1]]  # ranks of ann and ben; two of four agree
    assert (found.annotators, found.ratings) == (2, 8)
    assert found.alpha.value == pytest.approx(krippendorff_alpha(ratings))
    assert found.raw.value == raw_agreement(ratings) == 0.5
    assert (found.alpha.n, found.alpha.of) == (4, 4)
    assert (found.raters, found.fleiss.n) == (2, 4)
    assert found.pairs == ()  # four units are too few for a pair


def test_readings_join_labels_or_leave_them_out(
    studio: Studio, team: tuple[Person, Person, Person]
) -> None:
    found = figures(studio, team[2], "demo", "sentence")
    ordinal = krippendorff_alpha([[0, 6, 5, 1], [0, 2, 6, 1]], level="ordinal")
    assert found["first", "seven classes in order"].alpha.value == pytest.approx(ordinal)
    # unfaithful, (faithful, not sure), faithful, unfaithful: three of four agree
    assert found["first", "coarse"].raw.value == 0.75
    binary = found["first", "faithful / unfaithful"]  # 'ambiguous' is left out: three units
    assert (binary.raw.value, binary.raw.n, binary.raw.of, binary.ratings) == (1.0, 3, 4, 7)


def test_work_that_is_still_blind_does_not_count(
    studio: Studio, team: tuple[Person, Person, Person]
) -> None:
    before = figures(studio, team[2], "demo", "sentence")
    submit(studio, "demo", 3, team[1], ["fabricated"])
    assert figures(studio, team[2], "demo", "sentence") == before
    put(studio, "demo", 3, "adjudication")
    assert figures(studio, team[2], "demo", "sentence")["first", "coarse"].raw.n == 5


def test_rounds_are_told_apart_and_adjudicators_do_not_count(
    studio: Studio, team: tuple[Person, Person, Person]
) -> None:
    _, ben, ada = team
    submit(studio, "demo", 1, ben, ["contradicting", "explicitly-supported"], stage="discuss")
    submit(studio, "demo", 2, ada, ["no-fact", "no-fact"], stage="adjudicate")
    found = figures(studio, ada, "demo", "sentence")
    assert found["first", "seven classes"].raw.value == 0.5
    assert found["discussed", "seven classes"].raw.value == 0.75
    assert found["discussed", "seven classes"].annotators == 2


def test_pairs_have_kappas_of_their_own(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann, ben, ada = make_person("ann"), make_person("ben"), make_person("ada", "administrator")
    given = [Example(str(n), read_source(f"Source {n}."), Response("It is.")) for n in range(8)]
    make_project("demo", ProjectSettings(k=2), given, members=[ann, ben])
    labels = "fabricated", "no-fact"
    said = [(0, 0), (0, 1), (1, 1), (1, 1), (0, 0), (1, 0), (0, 0), (1, 1)]
    for position, (first, second) in enumerate(said, start=1):
        submit(studio, "demo", position, ann, [labels[first]])
        submit(studio, "demo", position, ben, [labels[second]])
        put(studio, "demo", position, "done")
    found = figures(studio, ada, "demo", "sentence")["first", "seven classes"]
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.kappa.n, pair.kappa.of) == ("ann", "ben", 8, 8)
    expected = cohen_kappa(*zip(*said, strict=True))  # 6 of 8 agree, 4 by chance: 0.5
    assert pair.kappa.value == pytest.approx(expected) == pytest.approx(0.5)
    assert pair.kappa.low is not None


def said(*sentences: tuple[int, int, str]) -> GivenLabels:
    return GivenLabels({(start, end): GRAY7[name] for start, end, name in sentences}, None)


def test_sentences_that_were_cut_differently_are_compared_as_one_stretch() -> None:
    ann = said(
        (0, 9, "ambiguous"), (10, 20, "no-fact"), (20, 30, "fabricated"), (31, 40, "no-fact")
    )
    ben = said((0, 9, "no-fact"), (10, 30, "contradicting"), (31, 40, "no-fact"))
    found = list(unit_votes("sentence", {"ann": ann, "ben": ben}))
    assert found == [
        ((0, 9), {"ann": GRAY7["ambiguous"], "ben": GRAY7["no-fact"]}),
        ((10, 30), {"ann": GRAY7["fabricated"], "ben": GRAY7["contradicting"]}),
        ((31, 40), {"ann": GRAY7["no-fact"], "ben": GRAY7["no-fact"]}),
    ]


def test_response_is_what_it_was_called_or_its_worst_mark() -> None:
    def labels(*units: dict[str, Any]) -> GivenLabels:
        return read_labels(json.dumps({"taxonomy": "faithbench", "units": units}))

    mark = {"id": "p1", "kind": "span", "start": 0, "end": 2}
    worse = {"id": "p2", "kind": "span", "verdict": {"label": "unwanted.extrinsic"}}
    whole = {"id": "response", "kind": "response", "verdict": {"label": "benign"}}
    assert labels({**mark, "verdict": {"label": "benign"}}, worse).response == "unwanted"
    assert labels(worse, whole).response == FAITHBENCH["benign"]
    assert labels(mark).response is None  # no verdict, no rating


def test_deleted_judgements_are_not_remembered(
    studio: Studio, team: tuple[Person, Person, Person]
) -> None:
    ada = team[2]
    figures(studio, ada, "demo", "sentence")
    delete_project(studio, ada, "demo", "Demo")
    create_project(studio, ada, "Demo", ProjectSettings())
    assert figures(studio, ada, "demo", "sentence")["first", "coarse"].ratings == 0


@pytest.mark.slow
@pytest.mark.shared_data
def test_faithbench_has_the_agreement_that_its_corpus_has(
    shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "faithbench" / "data_for_release"
    if not folder.is_dir():
        pytest.skip(f"faithbench is not at {shared_data}")
    studio = open_studio(str(tmp_path / "studio.sqlite"))
    ada = local_administrator(studio)
    slug = create_project(studio, ada, "FaithBench", ProjectSettings(mode="spans", k=3)).slug
    for path in sorted(folder.glob("batch_*.json")):
        assert import_file(studio, ada, slug, str(path)).refused == 0
    found = figures(studio, ada, slug, "response")
    four = found["first", "four classes"]
    counter = AgreementCounter()
    for each in load_corpus("faithbench", shared_data):
        counter.add(each)
    (expected,) = counter.agreements()
    assert (four.annotators, four.ratings) == (expected.annotators, expected.ratings)
    assert four.alpha.value == pytest.approx(expected.alpha.value)
    assert (four.alpha.n, four.alpha.of) == (750, 750)
    # The paper's three readings, nominal and over all batches, of the release as the corpus has it.
    names = ["consistent / unwanted", "consistent / benign / unwanted"]
    names.append("consistent + benign / questionable / unwanted")
    values = [found["first", name].alpha.value for name in names]
    assert values == pytest.approx([0.6933, 0.5531, 0.4564], abs=0.0001)
    studio.close()


def test_rated_item_without_judgements_is_settled_by_nothing() -> None:
    assert RatedItem(1, 1, "a", "s", "", "done", ()).settled() is None
