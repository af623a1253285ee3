"""Summaries of the released corpora: what the rules do not turn is as `embedded` says."""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.codec import verify
from assay.core.examples import Example
from assay.datasets.corpus import load_corpus
from assay.detectors.discourse.offline import OfflineDiscourse
from assay.detectors.embedded.detector import EmbeddedDetector
from tests.detectors.discourse.scripts import hangs_under_its_sentence, of_kind, verdict
from tests.judging import judge_all, judge_one

pytestmark = pytest.mark.soak


def shortest_stories(folder: Path) -> list[Example]:
    stories = [each.example for each in load_corpus("storysumm", folder)]
    return sorted(stories, key=lambda each: len(each.source.text))


@pytest.mark.shared_data
def test_sentences_of_real_summaries_keep_their_verdict_unless_a_rule_turns_it(
    shared_data: Path,
) -> None:
    chosen = shortest_stories(shared_data)[:2]
    plain, ours = judge_all(EmbeddedDetector(), chosen), judge_all(OfflineDiscourse(), chosen)
    for before, after in zip(plain, ours, strict=True):
        sentences = of_kind(after, "sentence")
        assert [each.unit for each in sentences] == [each.unit for each in before.findings]
        for old, new in zip(map(verdict, before.findings), map(verdict, sentences), strict=True):
            if "rule of thumb" not in new.note:
                assert new.label is not None
                assert old.label is not None
                assert new.label.coarse == old.label.coarse
                assert new.label.rank <= old.label.rank
                assert new.score == pytest.approx(old.score, abs=1e-3)


@pytest.mark.shared_data
def test_parts_of_real_summaries_stand_where_they_are_said_to(shared_data: Path) -> None:
    story = replace(shortest_stories(shared_data)[0], units=())
    judgement = judge_one(OfflineDiscourse(), story)
    assert len(of_kind(judgement, "claim")) >= len(of_kind(judgement, "sentence"))
    assert not judgement.failures
    assert verify(judgement, story) == judgement
    assert all(hangs_under_its_sentence(each.unit, judgement) for each in judgement.parts)
