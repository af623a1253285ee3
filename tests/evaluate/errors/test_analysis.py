"""The whole analysis tells how far it is."""

from dataclasses import replace

from assay.core.examples import Judgement
from assay.evaluate.errors.analysis import Wanted, analyse_errors
from assay.evaluate.localization.hearing import Asking
from assay.evaluate.localization.offline import OfflineMatcher
from tests.evaluate.errors.cases import PLACE, gold_of
from tests.evaluate.localization.stories import WRECK


def test_detector_of_sentences_tells_of_each_judgement_and_first_how_many_there_are() -> None:
    corpus = [gold_of((PLACE, ""), example=replace(WRECK, id=str(n))) for n in range(3)]
    ticks: list[Judgement] = []
    said: list[str] = []
    asking = Asking(tick=ticks.append, say=said.append)
    report = analyse_errors("d", corpus, Wanted("overlap", sample=1), OfflineMatcher(), asking)
    assert [judgement.example.id for judgement in ticks] == ["0", "1", "2"]
    assert len(said) == 1
    assert "overlap first judges all 3 examples" in said[0]
    assert report.is_complete
