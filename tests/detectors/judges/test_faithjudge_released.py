"""`faithjudge` over the released peers and judged responses."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from assay.core.examples import Annotated
from assay.datasets.corpus import load_corpus
from assay.detectors.judges.faithjudge import FaithJudge
from assay.detectors.judges.judging import one_line
from assay.detectors.judges.peers import PeerLimits, PeerPool
from assay.llm.client import Request, Scripted
from assay.llm.fences import Fences
from assay.text.markup import visible
from tests.detectors.judges.scripts import echo, load
from tests.judging import judge_all

pytestmark = pytest.mark.soak


def fenced(request: Request, title: str) -> list[str]:
    """The texts between the marks of a title, such as `PEER 1`, in the order of the prompt."""
    text = request.messages[-1].content
    code = text.partition("SOURCE ")[2][:8]
    marks = rf"<<<{title} {code}>>>\n(.*?)\n<<<END {title} {code}>>>"
    return [one_line(each) for each in re.findall(marks, text, re.DOTALL)]


@pytest.mark.shared_data
def test_every_released_peer_is_judged_by_the_others(shared_data: Path) -> None:
    peers = list(load_corpus("faithjudge-peers", shared_data))
    examples = [peer.example for peer in peers]
    client = Scripted(echo)
    judgements = judge_all(load("faithjudge", client, lambda: peers), examples)
    counts: Counter[tuple[str, str]] = Counter()
    for example, judgement in zip(examples, judgements, strict=True):
        basis = judgement.verdicts[0].note.partition(".")[0]
        counts[example.task, basis] += 1
    assert counts == {
        ("faithbench-summary", "9 annotated peers"): 720,  # ten summaries of each of 72 articles
        ("ragtruth-summary", "5 annotated peers"): 516,  # six responses to each source
        ("ragtruth-qa", "5 annotated peers"): 450,
        ("ragtruth-qa", "4 annotated peers"): 45,
        ("ragtruth-qa", "3 annotated peers"): 8,
        ("ragtruth-data2txt", "5 annotated peers"): 558,
    }
    candidates = Counter(one_line(visible(each.response.text).text) for each in examples)
    assert Counter(fenced(request, "RESPONSE")[0] for request in client.requests) == candidates
    for request in client.requests:
        shown = fenced(request, r"PEER \d+")
        assert fenced(request, "RESPONSE")[0] not in shown
        assert len(shown) == len(fenced(request, r"PEER \d+ ANNOTATIONS"))


@pytest.mark.shared_data
@pytest.mark.parametrize(("characters", "trimmed"), [(40_000, 0), (20_000, 81), (10_000, 494)])
def test_trimming_keeps_the_limit_on_released_data(
    shared_data: Path, characters: int, trimmed: int
) -> None:
    peers = list(load_corpus("faithjudge-peers", shared_data))
    judge = FaithJudge(PeerPool.of(peers), PeerLimits(characters=characters))
    told = 0
    for peer in peers:
        shown = judge.peers_shown(peer.example)
        assert shown.peers
        assert len(shown.render(Fences(shown.texts))) <= characters
        told += f"left out to stay within {characters:,} characters" in shown.basis
    assert told == trimmed


@pytest.mark.shared_data
def test_judged_responses_have_the_released_peers_and_never_themselves(shared_data: Path) -> None:
    client = Scripted(echo)

    def peers() -> Iterable[Annotated]:
        return load_corpus("faithjudge-peers", shared_data)

    pool = PeerPool.of(peers())
    counts: Counter[tuple[str, int]] = Counter()
    sample = []
    for place, judged in enumerate(load_corpus("faithjudge-judged", shared_data)):
        example = judged.example
        found = len(pool.peers_for(example))
        counts[example.task, found] += 1
        if found == 9 or place % 50 == 0:
            sample.append(example)
    assert counts == {
        ("faithbench-summary", 10): 3_310,
        ("faithbench-summary", 9): 2,  # word for word one of the peers, which is left out
        ("ragtruth-summary", 6): 3_956,
        ("ragtruth-summary", 0): 2_944,  # a part of the annotated responses is not released here
        ("ragtruth-qa", 6): 3_450,
        ("ragtruth-qa", 5): 414,
        ("ragtruth-qa", 4): 92,
        ("ragtruth-qa", 0): 2_438,
        ("ragtruth-data2txt", 6): 4_278,
        ("ragtruth-data2txt", 0): 2_622,
    }
    judgements = judge_all(load("faithjudge", client, peers), sample)
    assert not any(judgement.failures for judgement in judgements)
    assert len(client.requests) == len(sample) == 473
    for request in client.requests:
        assert fenced(request, "RESPONSE")[0] not in fenced(request, r"PEER \d+")


@pytest.mark.shared_data
def test_sentences_of_faithbench_have_no_copy_of_their_response_among_the_peers(
    shared_data: Path,
) -> None:
    """Both corpora have the same summaries, in which white space differs, as in the articles."""
    pool = PeerPool.of(load_corpus("faithjudge-peers", shared_data))
    judge = FaithJudge(pool)
    counts: Counter[int] = Counter()
    for annotated in load_corpus("faithbench-sentences", shared_data):
        example = annotated.example
        shown = judge.peers_shown(example).peers
        counts[len(shown)] += 1
        said = "".join(example.response.text.split())
        assert said not in ["".join(peer.example.response.text.split()) for peer in shown]
    # Three articles have other summaries in the two corpora, which are no copies of each other.
    assert counts == {0: 50, 9: 721, 10: 29}
