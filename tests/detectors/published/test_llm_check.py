"""`llm-check` says what the paper's formulas say, computed here in double precision."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers")

import torch
import transformers

from assay.core.errors import InputError
from assay.core.verdicts import Failure
from assay.detectors.local import LocalOptions
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.llm_check import LlmCheck, falling, open_llm_check
from assay.detectors.published.scores import Claim, Scored
from tests.detectors.published import causal_checkpoints
from tests.detectors.published.causal_texts import HARBOUR, OWN, ResponseText, response_texts

KINDS = ("attention", "hidden", "perplexity", "window-entropy", "logit-entropy")
NEAR = 1e-4


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return causal_checkpoints.llama(tmp_path_factory.mktemp("llama"))


def opened(folder: Path, **settings: str) -> LlmCheck:
    choice = ModelChoice("llm-check", str(folder), None, "sentence", settings)
    return open_llm_check(choice, LocalOptions())


def claims_of(texts: Sequence[ResponseText]) -> list[Claim]:
    return [
        Claim(text.source, text.response[a:b], text.question, "en", text.response, (a, b))
        for text in texts
        for a, b in text.places
    ]


def raw(found: Scored | Failure) -> float:
    assert isinstance(found, Scored)
    return float(found.note.rstrip(".").replace(" score", "").split(" at ")[0].split()[-1])


class Formulas:
    """The scores of a response by the formulas of the paper, from all that a model gives out."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model: Any = transformers.AutoModelForCausalLM.from_pretrained(
            folder, attn_implementation="eager", dtype=torch.float64
        )

    def scores(self, text: ResponseText, layers: dict[str, int]) -> dict[str, list[float]]:
        asked = f"Summarize the following text. Use only what it says.\n\n{text.source}"
        if text.question:
            asked = f"{text.source}\n\nAnswer the following question. Use only the text above."
            asked += f"\n\n{text.question}"
        before = f"<|user|> {asked.strip()}</s>\n<|assistant|> "
        said = self.tokenizer(
            before + text.response.strip(), return_offsets_mapping=True, add_special_tokens=False
        )
        ids, places = np.array(said["input_ids"]), np.array(said["offset_mapping"])
        with torch.no_grad():
            out = self.model(
                torch.tensor([said["input_ids"]]), output_attentions=True, output_hidden_states=True
            )
        weights = out.attentions[layers["attention"]][0].numpy()
        states = out.hidden_states[layers["hidden"]][0].numpy()
        logits = out.logits[0].numpy()
        shift = len(before) - (len(text.response) - len(text.response.lstrip()))
        found: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for start, end in text.places:
            own = (places[:, 0] < end + shift) & (places[:, 1] > start + shift)
            tokens = np.flatnonzero(own)
            for kind, value in self.slice_scores(tokens, ids, weights, states, logits).items():
                found[kind].append(value)
        return found

    def slice_scores(
        self, tokens: Any, ids: Any, weights: Any, states: Any, logits: Any
    ) -> dict[str, float]:
        itself = np.array([head[tokens, tokens] for head in weights])
        vectors = states[tokens].T
        centring = np.eye(len(vectors)) - 1 / len(vectors)
        covariance = vectors.T @ centring @ vectors + 0.001 * np.eye(len(tokens))
        top = np.sort(logits[tokens], axis=1)[:, -50:]
        chances = softmax(logits[tokens - 1])[np.arange(len(tokens)), ids[tokens]]
        return {
            "attention": sum(np.log(head).mean() for head in itself),
            "hidden": np.log(np.linalg.svd(covariance, compute_uv=False)).mean(),
            "perplexity": np.exp(-np.log(chances).mean()),
            "window-entropy": entropies(softmax(logits[tokens])).max(),
            "logit-entropy": entropies(softmax(top)).mean(),
        }


def softmax(logits: Any) -> Any:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def entropies(chances: Any) -> Any:
    return -(chances * np.log(np.maximum(chances, 1e-300))).mean(axis=1)


def differences(folder: Path, texts: Sequence[ResponseText], kinds: Sequence[str]) -> list[float]:
    """The greatest relative difference of each kind of score."""
    layers = {"attention": 3, "hidden": 2}  # of four: 21 and 20 thirty-seconds, rounded
    formulas = Formulas(folder)
    theirs = [formulas.scores(text, layers) for text in texts]
    found = []
    for kind in kinds:
        ours = [raw(each) for each in opened(folder, score=kind).score(claims_of(texts))]
        expected = [value for each in theirs for value in each[kind]]
        pairs = zip(ours, expected, strict=True)
        found.append(max(abs(a - b) / max(1, abs(b)) for a, b in pairs))
    return found


def test_scores_are_those_of_the_formulas(llama: Path) -> None:
    assert max(differences(llama, OWN, KINDS)) < NEAR


@pytest.mark.soak
def test_scores_of_real_responses_are_those_of_the_formulas(llama: Path, shared_data: Path) -> None:
    texts = response_texts(shared_data)[1:]
    assert sum(len(text.places) for text in texts) >= 200
    assert max(differences(llama, texts, KINDS[:3])) < NEAR


def test_other_architectures_are_read(tmp_path: Path) -> None:
    folder = causal_checkpoints.qwen(tmp_path)
    assert max(differences(folder, OWN[:2], ("attention", "hidden"))) < NEAR


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_says_what_single_responses_say(llama: Path, kind: str) -> None:
    claims = claims_of(OWN[:5])
    single = [raw(each) for each in opened(llama, score=kind).score(claims)]
    choice = ModelChoice("llm-check", str(llama), None, "sentence", {"score": kind})
    together = [
        raw(each) for each in open_llm_check(choice, LocalOptions(batch_size=5)).score(claims)
    ]
    assert together == pytest.approx(single, rel=NEAR)


def test_the_last_hidden_states_are_those_after_the_norm(llama: Path) -> None:
    ours = [
        raw(each) for each in opened(llama, score="hidden", layer="4").score(claims_of(OWN[:1]))
    ]
    layers = {"attention": 3, "hidden": 4}
    assert ours == pytest.approx(Formulas(llama).scores(OWN[0], layers)["hidden"], rel=NEAR)


def test_a_sentence_alone_is_a_response_of_its_own(llama: Path) -> None:
    claims = claims_of(OWN[:1])
    alone = [Claim(claim.source, claim.text) for claim in claims]
    assert opened(llama, alone="yes").score(claims) == opened(llama).score(alone)
    assert opened(llama, alone="yes").score(claims)[1] != opened(llama).score(claims)[1]


def test_high_raw_scores_can_be_the_faithful_ones(llama: Path) -> None:
    low, high = (
        opened(llama, faithful=side).score(claims_of(OWN[:1]))[0] for side in ("low", "high")
    )
    assert isinstance(low, Scored)
    assert isinstance(high, Scored)
    assert low.score + high.score == pytest.approx(1)
    assert low.note == high.note


def test_the_map_falls_and_is_half_at_the_reference() -> None:
    values = [falling(each) for each in (-50.0, -1.0, 0.0, 1.0, 50.0)]
    assert values == sorted(values, reverse=True)
    assert values[2] == 0.5  # a raw attention score of -174 for 32 heads


def test_what_does_not_fit_has_no_score(tmp_path: Path) -> None:
    folder = causal_checkpoints.llama(tmp_path, max_position_embeddings=200)
    long, short = opened(folder).score(
        [Claim(HARBOUR * 9, "It was."), Claim("It was quiet.", "It was.")]
    )
    assert isinstance(long, Failure)
    assert long.reason == "too_long"
    assert "the model reads 200" in long.detail
    assert isinstance(short, Scored)


def test_an_empty_response_has_no_score(llama: Path) -> None:
    found = opened(llama).score([Claim(HARBOUR, " \n", "", "en", " \n", (0, 2))])[0]
    assert isinstance(found, Failure)
    assert found.reason == "invalid"


def test_a_model_without_a_form_of_chat_reads_plain_text(tmp_path: Path) -> None:
    folder = causal_checkpoints.llama(tmp_path, None)
    network = opened(folder).reader.network
    assert network.tokenizer.chat_template is None
    assert all(isinstance(each, Scored) for each in opened(folder).score(claims_of(OWN)))


def test_a_prompt_of_the_users_changes_version_and_scores(llama: Path, tmp_path: Path) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text("Read this for $$5: $source", encoding="utf-8")
    own, ours = opened(llama, prompt=str(file)), opened(llama)
    assert own.version != ours.version
    assert own.score(claims_of(OWN[:1])) != ours.score(claims_of(OWN[:1]))


@pytest.mark.parametrize("words", ["No place for it.", "$source and $more", "$source for $5"])
def test_a_file_that_is_no_prompt_is_refused(llama: Path, tmp_path: Path, words: str) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text(words, encoding="utf-8")
    with pytest.raises(InputError, match="no prompt"):
        opened(llama, prompt=str(file))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"layer": "4"}, "is 0 to 3, not 4"),
        ({"layer": "five"}, "not five"),
        ({"layer": "0", "score": "hidden"}, "is 1 to 4, not 0"),
        ({"layer": "1", "score": "perplexity"}, "has no layer"),
        ({"score": "entropy"}, "window-entropy"),
        ({"faithful": "yes"}, "low"),
        ({"alone": "maybe"}, "no, yes"),
        ({"dtype": "int4"}, "bfloat16"),
    ],
)
def test_wrong_settings_are_refused(llama: Path, settings: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        opened(llama, **settings)
