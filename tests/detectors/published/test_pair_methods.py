"""The classifiers of pairs on texts of our own, without a reference."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from assay.core.errors import InputError, UnknownNameError
from assay.core.verdicts import Failure
from assay.detectors.published.alignscore import open_alignscore
from assay.detectors.published.infuse import open_infuse
from assay.detectors.published.minicheck import open_minicheck
from assay.detectors.published.nli import open_nli
from assay.detectors.published.pairs import PairReader
from assay.detectors.published.scores import Claim, Scored
from assay.detectors.published.summac import Convolution, open_summac, read_convolution, zero_shot
from tests.detectors.published import checkpoints, pair_checkpoints
from tests.detectors.published.records import CPU, choice
from tests.detectors.published.text_pairs import HARBOUR

LONG = " ".join(f"Pier {n} was built in {1900 + n} of oak and iron." for n in range(90))


@pytest.fixture(scope="module")
def albert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pair_checkpoints.albert(tmp_path_factory.mktemp("albert"))


@pytest.fixture(scope="module")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkpoints.roberta(tmp_path_factory.mktemp("roberta"))


@pytest.fixture(scope="module")
def aligned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pair_checkpoints.alignscore(tmp_path_factory.mktemp("aligned"))


def _one(scorer: Any, source: str, claim: str) -> Scored:
    found = scorer.score([Claim(source, claim)])[0]
    assert isinstance(found, Scored)
    return found


def test_a_score_does_not_depend_on_what_is_scored_beside_it(albert: Path) -> None:
    claims = [Claim(LONG, "Pier 7 is of oak."), Claim(HARBOUR, "Ferries leave."), Claim("", "No.")]
    for opened in (open_nli, open_summac, open_infuse):
        scorer = opened(choice("x", albert), CPU)
        together = [each.score for each in scorer.score(claims)]
        alone = [scorer.score([claim])[0].score for claim in claims]
        assert together == pytest.approx(alone, abs=1e-5)


def test_a_long_source_is_read_in_chunks_that_cover_it(albert: Path) -> None:
    scorer = open_nli(choice("nli", albert), CPU)
    seen: list[str] = []

    class Spy:
        network, window, cut = scorer.reader.network, scorer.reader.window, "first"
        room = PairReader.room

        def read(self, pairs: Any) -> list[list[float]]:
            seen.extend(first for first, _ in pairs)
            return [[0.1 * n, 0, 0] for n in range(len(pairs))]

    spied: Any = Spy()
    found = _one(replace(scorer, reader=spied), LONG, "Pier 7 is of oak.")
    assert len(seen) > 1
    assert "".join(" ".join(seen).split()) == "".join(LONG.split())
    assert [LONG[start:end] for start, end in found.evidence] == [seen[-1]]
    assert f"the best of {len(seen)} chunks" in found.note


def test_a_sentence_without_end_is_halved_until_it_fits(albert: Path) -> None:
    scorer = open_nli(choice("nli", albert), CPU)
    rows = scorer.reader.encode([("word " * 3000, "A claim.")])
    assert [len(row["input_ids"]) for row in rows] == [512]
    found = _one(scorer, "word " * 3000, "A claim.")
    assert "chunks" in found.note


def test_a_claim_that_fills_the_window_has_no_verdict_of_nli(albert: Path) -> None:
    found = open_nli(choice("nli", albert), CPU).score([Claim(HARBOUR, "word " * 3000)])[0]
    assert isinstance(found, Failure)
    assert found.reason == "too_long"


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("yes/no/maybe", "which class of .* is entailment cannot be told from yes/no/maybe"),
        ("entailment/other", "has 3 classes, but labels names 2"),
        ("entailment/entails/neutral", "cannot be told"),
    ],
)
def test_a_label_map_that_does_not_fit_is_refused(labels: str, said: str, albert: Path) -> None:
    with pytest.raises(InputError, match=said):
        open_nli(choice("nli", albert, labels=labels), CPU)


def test_a_label_map_names_the_class_that_counts(albert: Path) -> None:
    usual = open_nli(choice("nli", albert), CPU)
    named = open_nli(choice("nli", albert, labels="neutral/contradiction/entailment"), CPU)
    assert (usual.entailed, named.entailed) == (0, 2)


def test_an_empty_source_supports_nothing(roberta: Path) -> None:
    found = _one(open_minicheck(choice("minicheck", roberta), CPU), " \n", "It rains.")
    assert (found.score, found.note) == (0.0, "The source is empty.")


def test_minicheck_quotes_the_chunk_that_counts_and_says_what_is_cut(roberta: Path) -> None:
    scorer = open_minicheck(choice("minicheck", roberta), CPU)
    found = _one(scorer, LONG, "Pier 7 is of oak.")
    assert len(found.evidence) == 1
    assert "Chunk and claim are cut off" not in found.note
    assert "cut off at 512 tokens" in _one(scorer, "word" * 1000, "It is.").note


def test_a_checkpoint_of_another_kind_is_refused(albert: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is of type 'albert', not t5, roberta or deberta-v2"):
        open_minicheck(choice("minicheck", albert), CPU)
    three = checkpoints.roberta(tmp_path, 3)
    with pytest.raises(InputError, match="has 3 classes; MiniCheck has 2"):
        open_minicheck(choice("minicheck", three), CPU)
    with pytest.raises(InputError, match=r"has 0 files \*.ckpt; one is wanted"):
        open_alignscore(choice("alignscore", albert), CPU)


def test_alignscore_takes_the_mean_of_its_sentences(aligned: Path) -> None:
    scorer = open_alignscore(choice("alignscore", aligned), CPU)
    claims = ["Ferries leave each hour.", "Mrs. Ito is away."]
    alone = [_one(scorer, HARBOUR, claim).score for claim in claims]
    assert _one(scorer, HARBOUR, " ".join(claims)).score == pytest.approx(sum(alone) / 2, abs=1e-5)


def test_alignscore_without_splitting_says_how_much_it_read(aligned: Path) -> None:
    scorer = open_alignscore(choice("alignscore", aligned, mode="nli"), CPU)
    found = _one(scorer, LONG, "Pier 7 is of oak.")
    assert found.read is not None
    tokens = scorer.reader.network.tokenizer(LONG[: found.read], "Pier 7 is of oak.")["input_ids"]
    assert len(tokens) == 512
    assert _one(scorer, HARBOUR, "Pier 7 is of oak.").read is None


def test_alignscore_refuses_other_modes_and_other_files(aligned: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="nli_sq"):
        open_alignscore(choice("alignscore", aligned, mode="nli_sq"), CPU)
    unsafe = pair_checkpoints.alignscore(tmp_path / "unsafe", callbacks=Path("x"))
    with pytest.raises(InputError, match="contains more than weights, which is not loaded"):
        open_alignscore(choice("alignscore", unsafe), CPU)
    other = pair_checkpoints.alignscore(tmp_path / "other", state_dict={"a": torch.zeros(1)})
    with pytest.raises(InputError, match="is not of AlignScore: it has no base_model"):
        open_alignscore(choice("alignscore", other), CPU)


def test_summac_zero_shot_by_hand() -> None:
    entailed = np.array([[0.9, 0.2], [0.4, 0.3]])
    contradicted = np.array([[0.0, 0.5], [0.1, 0.4]])
    # (0.9 - 0.1 + 0.3 - 0.5) / 2 = 0.3, and (0.3 + 1) / 2 = 0.65
    assert zero_shot(entailed, contradicted) == pytest.approx(0.65)


def test_summac_convolution_by_hand() -> None:
    layer = Convolution(
        (0, 0.5, 1), np.array([1.0, 2.0]), 0.5, np.array([[1.0, 0, 0], [0, 0, 2.0]]), np.zeros(2)
    )
    # Counts 1, 1 and 2, 0: values 3.5 and 2.5, mean 3; logits 3 and 6; 1 / (1 + e^-3) = 0.952574
    entailed = np.array([[0.9, 0.2], [0.4, 0.3]])
    assert layer(entailed, entailed) == pytest.approx(0.952574, abs=1e-6)


def test_summac_says_that_nothing_can_be_compared(albert: Path) -> None:
    found = _one(open_summac(choice("summac", albert), CPU), HARBOUR, "Yes.")
    assert found.score == 0.5
    assert "no sentences of more than 10 characters" in found.note


def test_summac_reads_a_hundred_sentences(albert: Path) -> None:
    source = " ".join(f"Boat {n} is at sea today." for n in range(120))
    found = _one(open_summac(choice("summac", albert), CPU), source, "Boat 7 is at sea today.")
    assert found.read is not None
    assert source[: found.read].endswith("Boat 99 is at sea today.")


def test_a_convolution_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not there; the authors' is summac_conv_vitc"):
        read_convolution(str(tmp_path / "none.bin"))
    with pytest.raises(InputError, match="it is for 150 bins"):
        read_convolution(str(pair_checkpoints.convolution(tmp_path / "three.bin", 150)))
    torch.save({"path": tmp_path}, tmp_path / "unsafe.bin")
    with pytest.raises(InputError, match="cannot be read"):
        read_convolution(str(tmp_path / "unsafe.bin"))
    torch.save({"mlp.weight": torch.zeros(1)}, tmp_path / "other.bin")
    with pytest.raises(InputError, match="it has other weights"):
        read_convolution(str(tmp_path / "other.bin"))


class _Scripted:
    """Probabilities of entailment and neutral by the premise; 0.1 and 0.1 backwards."""

    def __init__(self, said: dict[str, tuple[float, float]]) -> None:
        self.said = said

    def read(self, pairs: Any) -> list[list[float]]:
        return [[*self.said.get(first, (0.1, 0.1))] for first, _ in pairs]


def test_infuse_stops_where_neutral_rises(albert: Path) -> None:
    scorer = open_infuse(choice("infuse", albert), CPU)
    said = {"One is red.": (0.3, 0.6), "Two is blue.": (0.8, 0.5), "Six is tall.": (0.2, 0.9)}
    said |= {
        "One is red.Two is blue.": (0.7, 0.4),
        "One is red.Two is blue.Six is tall.": (0.9, 0.45),
    }
    source = "One is red. Two is blue. Six is tall."
    script: Any = _Scripted(said)
    by_script = replace(scorer, reader=script, entailed=0, neutral=1)
    found = _one(by_script, source, "It has a colour.")
    # Neutral 0.5, 0.4, 0.45: the second premise is the last that counts.
    assert found.score == 0.7
    assert [source[a:b] for a, b in found.evidence] == ["One is red.", "Two is blue."]


def test_infuse_reads_all_sentences_where_neutral_falls(albert: Path) -> None:
    scorer = open_infuse(choice("infuse", albert), CPU)
    said = {"One is red.": (0.8, 0.6), "Two is blue.": (0.3, 0.7)}
    said |= {"One is red.Two is blue.": (0.9, 0.2)}
    script: Any = _Scripted(said)
    by_script = replace(scorer, reader=script, entailed=0, neutral=1)
    found = _one(by_script, "One is red. Two is blue.", "It has a colour.")
    assert (found.score, len(found.evidence)) == (0.9, 2)


def test_infuse_refuses_another_direction(albert: Path) -> None:
    with pytest.raises(InputError, match="reverse is yes or no, not 'both'"):
        open_infuse(choice("infuse", albert, reverse="both"), CPU)
