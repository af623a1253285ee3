"""XSumFaith: workers, majorities, and where marked spans stand."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.texts import Span
from assay.datasets.corpora.raw_files import RawRow
from assay.datasets.corpora.xsumfaith import CARD, _place, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import Said, gold_of


def mark(
    span: str, start: int, end: int, kind: str = "extrinsic", worker: str = "wid_0"
) -> dict[str, Any]:
    return {
        "worker_id": worker,
        "hallucination_type": kind,
        "hallucinated_span": span,
        "hallucinated_span_start": str(start),
        "hallucinated_span_end": str(end),
    }


def nothing(worker: str = "wid_0") -> dict[str, Any]:
    return mark("NULL", -1, -1, "NULL", worker)


def read(folder: Path, repairs: Repairs, summary: str, *marks: dict[str, Any]) -> Annotated:
    row = {"bbcid": "1", "system": "Gold", "source": "The cat sat.", "summary": summary}
    with gzip.open(folder / CARD.files[0].path, "wt", encoding="utf-8") as file:
        file.write(json.dumps({**row, "annotations": marks}))
    return next(load(folder, repairs))


def marked(annotated: Annotated) -> list[Said]:
    return [verdict for verdict in gold_of(annotated) if verdict.unit.kind == "span"]


@pytest.mark.shared_data
def test_workers_spans_and_repairs_are_the_stated_ones(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    assert Counter(annotated.example.response.model for annotated in examples) == dict.fromkeys(
        ("BERTS2S", "Gold", "PtGen", "TConvS2S", "TranS2S"), 500
    )
    assert len({annotated.example.source.id for annotated in examples}) == 500
    gold = [verdict for annotated in examples for verdict in gold_of(annotated)]
    whole = [each for each in gold if each.unit.kind == "response"]
    assert Counter(each.author for each in whole) == {
        "gold": 2500,
        "wid_0": 2500,
        "wid_1": 2500,
        "wid_2": 2499,
    }
    # All three find an error in 2,160 summaries, two in 85; one tie.
    pooled = Counter(str(each.label) for each in whole if each.author == "gold")
    assert pooled == {"unfaithful": 2160 + 85 + 1, "faithful": 183 + 72 - 1}
    spans = [each for each in gold if each.unit.kind == "span"]
    assert Counter(each.note for each in spans) == {"extrinsic": 7860, "intrinsic": 2537}
    assert all(each.unit.spans for each in spans)
    # Of 11,185 annotations 7,819 fit 1-based offsets; 1,054 + 845 + 640 fit once an escaped quote
    # counts as one character; 788 mark nothing; 39 have a line break and no offsets.
    assert corpus.repairs.counts == {
        "span-1-based": 7819,
        "span-1-based-escaped": 2539,
        "span-searched": 39,
        "escaped-quote": 851,
        "span-without-type": 7,
        "null-beside-spans": 11,
        "tie": 1,
    }


def test_offsets_begin_at_one(tmp_path: Path) -> None:
    repairs = Repairs()
    (span,) = marked(read(tmp_path, repairs, "the dog sat", mark("dog", 5, 8)))
    assert (span.unit.start, span.unit.end) == (4, 7)
    assert (str(span.label), span.note, span.author) == ("unfaithful", "extrinsic", "wid_0")
    assert repairs.counts == {"span-1-based": 1}


@pytest.mark.parametrize(
    ("quote", "start", "end", "place"),
    [
        ("sat on it", 11, 20, 11),  # after one escaped quote: the offsets look 0-based
        ("the cat\\'s", 1, 10, 0),  # around it: the end looks inclusive
        ("cat\\'s sat", 5, 14, 4),
    ],
)
def test_an_escaped_quote_counts_as_one_character(
    quote: str, start: int, end: int, place: int, tmp_path: Path
) -> None:
    repairs = Repairs()
    (span,) = marked(read(tmp_path, repairs, "the cat\\'s sat on it", mark(quote, start, end)))
    assert (span.unit.text, span.unit.start) == (quote, place)
    assert repairs.counts == {"span-1-based-escaped": 1, "escaped-quote": 1}


def test_offsets_choose_between_two_places(tmp_path: Path) -> None:
    summary = "``it\\'s\\'\\'a dog, it\\'s a dog"
    plain = summary.replace("\\'", "'")
    start = plain.rindex("dog") + 1
    (span,) = marked(read(tmp_path, Repairs(), summary, mark("dog", start, start + 3)))
    assert span.unit.start == summary.rindex("dog")


@given(st.data())
def test_any_span_of_a_summary_with_escapes_is_found(data: st.DataObject) -> None:
    pieces = data.draw(st.lists(st.sampled_from(["\\'", "a", "b", " "]), min_size=1, max_size=30))
    start = data.draw(st.integers(0, len(pieces) - 1))
    end = data.draw(st.integers(start + 1, len(pieces)))
    before, quote = "".join(pieces[:start]), "".join(pieces[start:end])
    marked = mark(quote, start + 1, end + 1)
    place = _place("".join(pieces), RawRow(marked, Path("x")), Repairs())
    assert place == Span("response", len(before), len(before) + len(quote), quote)


def test_a_span_with_a_line_break_is_searched_without_it(tmp_path: Path) -> None:
    repairs = Repairs()
    (span,) = marked(read(tmp_path, repairs, "the dog sat", mark("\\nthe dog", 0, 8)))
    assert (span.unit.text, span.unit.start) == ("the dog", 0)
    assert repairs.counts == {"span-searched": 1}


def test_a_span_that_is_not_there_has_no_offsets(tmp_path: Path) -> None:
    repairs = Repairs()
    (span,) = marked(read(tmp_path, repairs, "the dog sat", mark("a cow", 1, 6)))
    assert (span.unit.text, span.unit.spans) == ("a cow", ())
    assert repairs.counts == {"span-unlocated": 1}


def test_workers_agree_by_majority(tmp_path: Path) -> None:
    marks = [nothing("wid_0"), mark("dog", 5, 8, "intrinsic", "wid_1"), nothing("wid_2")]
    annotated = read(tmp_path, Repairs(), "the dog sat", *marks)
    whole = [each for each in gold_of(annotated) if each.kind == "response"]
    assert [(each.author, str(each.label)) for each in whole] == [
        ("gold", "faithful"),
        ("wid_0", "faithful"),
        ("wid_1", "unfaithful"),
        ("wid_2", "faithful"),
    ]
    assert gold_of(annotated)[2].note == "intrinsic"


def test_two_workers_who_disagree_are_a_tie(tmp_path: Path) -> None:
    repairs = Repairs()
    annotated = read(tmp_path, repairs, "the dog sat", nothing(), mark("dog", 5, 8, worker="wid_1"))
    assert str(gold_of(annotated)[0].label) == "unfaithful"
    assert repairs.counts == {"span-1-based": 1, "tie": 1}


def test_a_span_without_a_type_is_not_counted_as_marked(tmp_path: Path) -> None:
    repairs = Repairs()
    annotated = read(tmp_path, repairs, "the dog sat", mark("dog", -1, -1, "NULL"))
    assert [str(each.label) for each in gold_of(annotated)] == ["faithful", "faithful"]
    assert repairs.counts == {"span-without-type": 1}


def test_spans_count_more_than_a_null_beside_them(tmp_path: Path) -> None:
    repairs = Repairs()
    annotated = read(tmp_path, repairs, "the dog sat", nothing(), mark("dog", 5, 8))
    assert str(gold_of(annotated)[1].label) == "unfaithful"
    assert repairs.counts == {"span-1-based": 1, "null-beside-spans": 1}


def test_an_unknown_type_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'odd' is not one of"):
        read(tmp_path, Repairs(), "the dog sat", mark("dog", 5, 8, "odd"))
