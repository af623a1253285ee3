"""Every cell of the tables about corpora and agreement stands under its own head."""

from assay.datasets.overlaps import Overlap, Overlaps
from assay.evaluation.agreement.agreement import (
    Agreed,
    AgreementFigures,
    Measured,
    Pair,
    PublishedAlpha,
)
from assay.evaluation.corpora.label_chains import ChainStats, Transitions
from assay.evaluation.corpora.label_counts import LabelCount, LabelTable
from assay.evaluation.corpora.length_rates import LengthRates
from assay.evaluation.corpora.stats import AuthorCount, CorpusStats, Spread
from assay.metrics import Estimate, FirstErrors
from assay.report.evaluation.agreement import agreement_csv, agreement_view
from assay.report.evaluation.comparison import calibration_view
from assay.report.evaluation.corpus import chains_view, overlap_view, stats_view
from tests.reading_tables import csv_rows, terminal_tables


def estimate(number: int) -> Estimate:
    """A share of which value, ends and n are all its own."""
    return Estimate(number / 100, 1000 + number, (number - 4) / 100, (number + 5) / 100)


def measured(number: int) -> Measured:
    """A figure of which everything is its own."""
    found = estimate(number)
    return Measured(found.value, found.low, found.high, found.n, found.n + 500)


FIGURES = AgreementFigures(
    round="revised",
    kind="sentence",
    taxonomy="binary",
    reading="strict",
    level="nominal",
    classes=("a", "b"),
    annotators=3,
    ratings=77,
    alpha=measured(41),
    raw=measured(52),
    fleiss=measured(63),
    raters=4,
    pairs=(Pair("ann", "bob", measured(74)),),
)


AGREED = Agreed(
    target="data",
    annotators=("ann", "bob"),
    figures=(FIGURES,),
    published=(PublishedAlpha("strict", 0.61, "section 3", 0.58, 29, 0.6),),
    handling=("missing ratings are left out",),
    rows=9,
)


def test_agreement_tells_each_measure() -> None:
    figures, pairs, published = terminal_tables(*agreement_view(AGREED))
    assert figures == [
        {
            "reading": "strict",
            "round": "revised",
            "alpha": "0.410 [0.37, 0.46]",
            "raw agreement": "0.520 [0.48, 0.57]",
            "n": "1,041 of 1,541",
            "Fleiss' kappa": "0.630 [0.59, 0.68]",
            "n, raters": "1,063 by 4",
            "ratings": "77",
        }
    ]
    assert pairs == [
        {
            "annotators": "ann, bob",
            "reading": "strict",
            "round": "revised",
            "Cohen's kappa": "0.740 [0.70, 0.79]",
            "n": "1,074 of 1,574",
        }
    ]
    assert published == [
        {
            "reading": "strict",
            "published": "0.610",
            "ours": "0.580",
            "difference": "-0.030",
            "n": "29",
            "ours, in the authors' way": "0.600",
        }
    ]


def test_csv_of_agreement_has_a_line_for_each_measure() -> None:
    rows = {row.pop("measure"): row for row in csv_rows(agreement_csv([FIGURES]))}
    shared = {
        "round": "revised",
        "unit": "sentence",
        "taxonomy": "binary",
        "reading": "strict",
        "level": "nominal",
        "annotators": "3",
        "ratings": "77",
    }
    numbers = {"alpha": 41, "raw_agreement": 52, "fleiss_kappa": 63, "cohen_kappa ann, bob": 74}
    assert rows.keys() == numbers.keys()
    for name, number in numbers.items():
        each = measured(number)
        own = {key: str(getattr(each, key)) for key in ("value", "low", "high", "n", "of")}
        assert rows[name] == shared | own


def transitions(steps: int, start: int) -> Transitions:
    chances = tuple(tuple(estimate(start + 9 * row + n) for n in range(2)) for row in range(2))
    return Transitions(steps, ("faithful", "unfaithful"), ("good", "bad"), ((1, 2),) * 2, chances)


CHAINS = ChainStats(
    basis="given",
    responses=50,
    sentences=400,
    unlabelled=6,
    unplaced=0,
    by_reading=(transitions(3, 20),),
    by_label=(transitions(1, 40),),
    plain=transitions(1, 40),
    by_model={"m": transitions(1, 60)},
    first_errors=FirstErrors(counts=(5, 15), reached=(50, 45), clean=30),
)


def test_chains_tell_what_follows_and_where_errors_begin() -> None:
    by_reading, by_model, first = terminal_tables(*chains_view(CHAINS))
    assert by_reading[1] == {
        "after": "unfaithful",
        "steps": "3",
        "n": "1,029",
        "good": "29.0 [25-34]",
        "bad": "30.0 [26-35]",
    }
    assert by_model[0] == {
        "LLM": "m",
        "after": "faithful",
        "n": "1,060",
        "good": "60.0 [56-65]",
        "bad": "61.0 [57-66]",
    }
    # 15 of 20 responses with an error have their first in the second sentence, of 45 that reach it.
    assert first[1]["sentence"] == "2"
    assert first[1]["first errors"] == "15"
    assert first[1]["share of them"].startswith("75.0")
    assert first[1]["of those without one so far"].startswith("33.3")


STATS = CorpusStats(
    examples=50,
    sources=40,
    questions=0,
    units=(),
    splits={"test": 50},
    tasks={"qa": 50},
    models={"m": 50},
    labels=(
        LabelTable(
            "sentence",
            "binary",
            "agreed",
            (
                LabelCount("faithful", "fine", 31, estimate(62)),
                LabelCount("unfaithful", "not fine", 19, estimate(38)),
            ),
            {
                "m": (
                    LabelCount("faithful", "fine", 7, estimate(44)),
                    LabelCount("unfaithful", "not fine", 8, estimate(55)),
                )
            },
        ),
    ),
    lengths={"source": {"words": Spread(40, 11.0, 22.0, 33.0, 44)}},
    length_rates=(
        LengthRates(
            "source",
            (9, 99),
            (estimate(11), estimate(22)),
            {"m": (estimate(33), estimate(44))},
            {"m": {"fabricated": (estimate(55), estimate(66))}},
        ),
    ),
    annotators=(AuthorCount("ann", 12, 3, {"faithful": 9}),),
    agreement=(FIGURES,),
    recorded=(),
    chains=None,
)


def test_statistics_tell_labels_lengths_rates_and_authors() -> None:
    labels, by_model, lengths, rates, types, people, agreement = terminal_tables(*stats_view(STATS))
    assert labels[1] == {
        "label": "unfaithful",
        "reading": "not fine",
        "n": "19",
        "share": "38.0%",
        "95% interval": "34.0% to 43.0%",
    }
    assert by_model == [
        {"LLM": "m", "n": "1,044", "faithful": "44.0 [40-49]", "unfaithful": "55.0 [51-60]"}
    ]
    assert lengths == [
        {
            "length": "source, words",
            "n": "40",
            "lower quartile": "11",
            "median": "22",
            "upper quartile": "33",
            "maximum": "44",
        }
    ]
    assert rates[1] == {
        "LLM": "m",
        "0-9": "33.0 [29-38] n=1,033",
        "10-99": "44.0 [40-49] n=1,044",
    }
    assert types == [
        {
            "LLM": "m",
            "label": "fabricated",
            "0-9": "55.0 [51-60] n=1,055",
            "10-99": "66.0 [62-71] n=1,066",
        }
    ]
    assert people == [
        {"name": "ann", "labels": "faithful 9", "verdicts": "12", "failures": "3"},
    ]
    assert agreement == [
        {
            "unit": "sentence",
            "taxonomy": "binary",
            "annotators": "3",
            "ratings": "77",
            "alpha [95% interval] units": str(FIGURES.alpha),
        }
    ]


def test_calibration_tells_what_was_and_what_is() -> None:
    view = calibration_view(
        "about", [("threshold", "0.5", "0.4")], {"F1": estimate(30)}, {"F1": estimate(40)}
    )
    settings, figures = terminal_tables(*view)
    assert settings == [{"": "threshold", "before": "0.5", "after": "0.4"}]
    assert figures == [
        {"figure": "F1", "when": "before", "value": str(estimate(30))},
        {"figure": "", "when": "after", "value": str(estimate(40))},
    ]


def test_overlaps_tell_each_hash() -> None:
    found = Overlaps(70, 60, 5, ("xsum", "cnn"), (Overlap("xsum", 12, 8, 90),), {})
    [[row]] = terminal_tables(*overlap_view(found))
    assert row == {"corpus": "xsum", "h80": "12", "h200": "8", "its sources": "90"}
