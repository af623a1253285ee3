"""One claim of 100,000 characters without a pause: a verdict or `too_long`, and soon."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.detectors.published.alignscore import open_alignscore
from assay.detectors.published.hhem import open_hhem
from assay.detectors.published.infuse import open_infuse
from assay.detectors.published.lettuce import open_lettuce
from assay.detectors.published.minicheck import open_minicheck
from assay.detectors.published.nli import open_nli
from assay.detectors.published.scores import Claim, Scored
from assay.detectors.published.summac import open_summac
from assay.detectors.published.trueteacher import open_t5
from tests.detectors.published import checkpoints, pair_checkpoints
from tests.detectors.published.records import CPU, choice

SOURCE = "The ferry sank in 1986. Fishermen rescued twelve people."
ENDLESS = {"digits": "7", "clauses": "it ran, "}
LONG = 20  # seconds, of which each takes less than two where nothing else runs

Made = Callable[[Path], Path]
OPENED: dict[str, tuple[Callable[..., Any], Made]] = {
    "minicheck": (open_minicheck, checkpoints.roberta),
    "minicheck of T5": (open_minicheck, checkpoints.t5),
    "nli": (open_nli, pair_checkpoints.albert),
    "infuse": (open_infuse, pair_checkpoints.albert),
    "summac": (open_summac, pair_checkpoints.albert),
    "alignscore": (open_alignscore, pair_checkpoints.alignscore),
    "trueteacher": (open_t5, checkpoints.answering_t5),
    "true-nli": (open_t5, checkpoints.answering_t5),
    "hhem": (open_hhem, checkpoints.hhem),
    "lettuce": (open_lettuce, checkpoints.modernbert),
}


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("name", OPENED)
def test_endless_claim_or_source_ends_soon(name: str, kind: str, tmp_path: Path) -> None:
    open_it, make = OPENED[name]
    scorer = open_it(choice(name.partition(" ")[0], make(tmp_path)), CPU)
    endless = ENDLESS[kind] * (100_000 // len(ENDLESS[kind]))
    claims = [Claim(SOURCE, endless), Claim(endless, "It sank."), Claim(SOURCE, "It sank.")]
    begun = time.process_time()
    found = scorer.score(claims)
    assert time.process_time() - begun < LONG
    assert all(isinstance(each, Scored) or each.reason == "too_long" for each in found)
    assert isinstance(found[2], Scored)
