"""Summaries of the released corpora: what the rules do not turn is as `embedded` says."""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.verdicts import Verdict
from assay.datasets.corpus import load_corpus
from assay.detectors.discourse.card import facts
from assay.detectors.discourse.offline import OfflineDiscourse
from assay.detectors.embedded.detector import EmbeddedDetector
from tests.detectors.discourse.scripts import of_kind, verdict


@pytest.mark.shared_data
def test_sentences_of_real_summaries_keep_their_verdict_unless_a_rule_turns_it(
    shared_data: Path,
) -> None:
    stories = sorted(load_corpus("storysumm", shared_data), key=lambda each: len(each.source.text))
    plain, ours = EmbeddedDetector(), OfflineDiscourse()
    chosen = stories[:2]
    for before, after in zip(plain.detect(chosen), ours.detect(chosen), strict=True):
        sentences = of_kind(after, "sentence")
        assert [each.unit for each in sentences] == [each.unit for each in before.outcomes]
        for old, new in zip(map(verdict, before.outcomes), map(verdict, sentences), strict=True):
            if "rule of thumb" not in new.note:
                assert new.label is not None
                assert old.label is not None
                assert new.label.coarse == old.label.coarse
                assert new.label.rank <= old.label.rank
                assert new.score == pytest.approx(old.score, abs=1e-3)


@pytest.mark.shared_data
def test_parts_of_real_summaries_stand_where_they_are_said_to(shared_data: Path) -> None:
    stories = sorted(load_corpus("storysumm", shared_data), key=lambda each: len(each.source.text))
    [judgement] = OfflineDiscourse().detect([replace(stories[0], units=())])
    text = stories[0].response.text
    assert len(of_kind(judgement, "claim")) >= len(of_kind(judgement, "sentence"))
    for outcome in judgement.outcomes:
        assert isinstance(outcome, Verdict)
        assert all(span.verify(text) for span in outcome.unit.spans)


def test_card_tells_what_it_is() -> None:
    assert "English only" in facts()["language"]
    assert "connectives" in facts()["word lists"]
