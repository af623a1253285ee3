"""FaithBench's tables: how often LLMs hallucinate, how well detectors notice, how annotators agree.

Tables 1 and 2 use the 750 summaries and the annotators that the paper selects (`faithbench-paper`),
with the worst class that anyone marked in a summary as its label; benign is faithful.

Table 3 has single sentences. One is faithful only if all its labels are consistent: benign counts
as hallucinated, unlike in Table 2. RAGAS and TruLens judged claims: a sentence is faithful if every
claim of it is fully supported, also if none was made of it. The paper joins these two wrongly.

Agreement: each annotator's worst class of a sample is a rating; an annotator who marked nothing in
a sample rated it consistent, and a class outside the reading is a missing rating. All 800 samples
count, so the raw files are read: the corpus `faithbench-paper` leaves out the 50 that the tables
skip. The authors take the classes as the numbers 0, 1, 2 (interval alpha), average over the 16
batches, count a batch with one class only as 1, and see no class in a sub-label that lacks its
parent. The standard way is nominal alpha over all batches together, a sub-label being its parent.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Judgement
from assay.core.labels import Label
from assay.core.readings import reading
from assay.core.taxonomies import FAITHBENCH
from assay.core.units import RESPONSE
from assay.core.verdicts import Failure, Outcome
from assay.datasets.corpora.faithbench import ANNOTATED, annotator_of, annotators_of
from assay.datasets.corpora.raw_files import RawRow, read_json, read_rows
from assay.evaluation.levels import Counting, find_levels
from assay.evaluation.reproduce.cells import Figure
from assay.evaluation.reproduce.tables import ReleasedData
from assay.evaluation.responses import gather
from assay.metrics import balanced_accuracy, krippendorff_alpha, macro_f1
from assay.metrics.arrays import Floats, Ints

# The paper's name of an LLM -> its name in the data.
MODELS = {
    "GPT-4o": "openai/gpt-4o",
    "GPT-3.5-Turbo": "openai/GPT-3.5-Turbo",
    "Qwen2.5-7B": "Qwen/Qwen2.5-7B-Instruct",
    "Phi-3-mini": "microsoft/Phi-3-mini-4k-instruct",
    "Claude-3.5-Sonnet": "Anthropic/claude-3-5-sonnet-20240620",
    "Command-R": "cohere/command-r-08-2024",
    "Llama-3.1-70B": "meta-llama/Meta-Llama-3.1-70B-Instruct",
    "Llama-3.1-8B": "meta-llama/Meta-Llama-3.1-8B-Instruct",
    "Gemini-1.5-Flash": "google/gemini-1.5-flash-001",
    "Mistral-7B": "mistralai/Mistral-7B-Instruct-v0.3",
}
# The paper's name of a detector -> its name in the data.
DETECTORS = {
    "HHEM-2.1": "hhem-2.1",
    "HHEM-2.1-English": "hhem-2.1-english",
    "HHEM-2.1-Open": "hhem-2.1-open",
    "HHEM-1": "hhem-1",
    "AlignScore-base": "alignscore-base",
    "AlignScore-large": "alignscore-large",
    "True-Teacher": "trueteacher",
    "True-NLI": "true-nli",
    "GPT-4-Turbo": "gpt-4-turbo",
    "GPT-4o": "gpt-4o",
    "O1-Mini": "o1-mini",
    "O3-Mini": "o3-mini",
    "MiniCheck-Roberta": "minicheck-roberta-large",
    "MiniCheck-Deberta": "minicheck-deberta-v3-large",
    "MiniCheck-Flan-T5": "minicheck-flan-t5-large",
}
AS_LABELLED = Counting(refusals="judged")  # a summary that declines counts by its label
CLASSES = ("unwanted", "questionable", "benign")
SENTENCES = "faithbench/faithbench_sentence_level"
CLAIM_JUDGES = {"RAGAS": "ragas", "TruLens": "trulens"}
# Its predictions are not in the file at all, where true-nli's are there and empty.
LEFT_OUT_WHERE_MISSING = ("o3-mini",)


def table1_figures(data: ReleasedData) -> Iterator[Figure]:
    """The share of each LLM's summaries that count as hallucinated at each of the three levels."""
    responses = gather(data.load("faithbench-paper"), [GOLD.name])
    places = {name: place for place, name in enumerate(responses.models)}
    counts = [
        responses.counts(responses.classes(GOLD.name, level, AS_LABELLED))[:, :2].tolist()
        for level in find_levels([FAITHBENCH.name])
    ]
    for row, model in MODELS.items():
        for last, level in enumerate(counts, start=1):
            hallucinated, faithful = level[places[model]] if model in places else (0, 0)
            n = hallucinated + faithful
            share = 100 * hallucinated / n if n else None
            yield Figure(row, "+".join(CLASSES[:last]), share, n)


def table2_figures(data: ReleasedData) -> Iterator[Figure]:
    """Detectors against labels; benign is faithful, and a missing prediction counts as wrong."""
    annotated = data.load("faithbench-paper")
    gold = [_is_faithful(_label(each), "faithbench") for each in annotated]
    recorded = [_by_detector(each) for each in annotated]
    for row, detector in DETECTORS.items():
        if any(detector in said for said in recorded):
            words = [_says_faithful(said.get(detector), RESPONSE) for said in recorded]
            yield from score_rows(row, gold, words)


def table3_figures(data: ReleasedData) -> Iterator[Figure]:
    """Every detector with recorded predictions; those on claims paired in both ways."""
    sentences = [
        (_by_detector(each), finding.id, _is_faithful(finding.label, "faithbench-strict"))
        for each in data.load("faithbench-sentences")
        for gold in each.gold
        for finding in gold.findings
    ]
    truths = [truth for *_, truth in sentences]
    for row, detector in DETECTORS.items():
        if any(detector in said for said, *_ in sentences):
            words = [_says_faithful(said.get(detector), unit) for said, unit, _ in sentences]
            yield from score_rows(row, *_without_missing(detector, truths, words))
    for row, detector in CLAIM_JUDGES.items():
        by_position = _in_order_of_file(data, detector)
        if len(by_position) == len(truths):
            yield from score_rows(f"{row}, paired by position", truths, by_position)
        joined = [_lacks_refuted_claims(said.get(detector), unit) for said, unit, _ in sentences]
        yield from score_rows(f"{row}, joined by sample", truths, joined)


def score_rows(row: str, gold: Sequence[bool], said: Sequence[bool | None]) -> Iterator[Figure]:
    """Balanced accuracy and macro F1 in percent; where nothing was said, that counts as wrong."""
    predicted = [
        not truth if word is None else word for truth, word in zip(gold, said, strict=True)
    ]
    metrics = {"balanced accuracy": balanced_accuracy, "macro F1": macro_f1}
    for name, metric in metrics.items():
        value = metric(gold, predicted)
        yield Figure(row, name, None if value is None else 100 * value, len(gold))


def _label(annotated: Annotated) -> Label:
    """The class of a summary: the label of the whole that no single annotator gave."""
    found = (said.finding(RESPONSE) for said in annotated.gold if said.author == GOLD)
    return next(each.label for each in found if each and each.label)


def _is_faithful(label: Label | None, name: str) -> bool:
    return label is not None and reading(name)(label) == "faithful"


def _by_detector(annotated: Annotated) -> dict[str, Judgement]:
    return {said.author.name: said for said in annotated.recorded}


def _says_faithful(judgement: Judgement | None, unit: str) -> bool | None:
    """True if a detector called a unit faithful: by its label, or a score from 0.5 up."""
    finding = judgement.finding(unit) if judgement else None
    return None if finding is None or finding.failure else finding.leaning == "faithful"


def _without_missing(
    detector: str, gold: list[bool], said: list[bool | None]
) -> tuple[list[bool], list[bool | None]]:
    if detector not in LEFT_OUT_WHERE_MISSING:
        return gold, said
    kept = [place for place, word in enumerate(said) if word is not None]
    return [gold[place] for place in kept], [said[place] for place in kept]


def _lacks_refuted_claims(judgement: Judgement | None, sentence: str) -> bool:
    """True if no claim made of a sentence is refuted."""
    claims = judgement.children(sentence) if judgement else ()
    return all(_is_supported(claim.outcome) for claim in claims)


def _is_supported(outcome: Outcome) -> bool:
    """True if a claim is fully supported: by its label, or a score of 1."""
    if isinstance(outcome, Failure):
        return False
    return outcome.score == 1 if outcome.label is None else outcome.leaning == "faithful"


def _in_order_of_file(data: ReleasedData, detector: str) -> list[bool | None]:
    """The same for each sentence of the raw file, as if it were in the order of the labels."""
    path = data.root / SENTENCES / f"processed_{detector}_claim_level_preds.jsonl"
    results = (row.row("results") for row in read_rows(path))
    return [
        all(prediction == 1 for prediction in each.row(sentence)["claim_preds"])
        for each in results
        for sentence in each
    ]


GRADES = ("Consistent", "Benign", "Questionable", "Unwanted")
READINGS = {
    "consistent / unwanted": (0, np.nan, np.nan, 1),
    "consistent / benign / unwanted": (0, 1, np.nan, 2),
    "consistent + benign / questionable / unwanted": (0, 0, 1, 2),
}
Batch = tuple[list[RawRow], list[str]]


def agreement_figures(data: ReleasedData) -> Iterator[Figure]:
    """Krippendorff's alpha of three readings of the classes, in both ways."""
    batches = list(_read_batches(data))
    plain = [_ratings(*batch, parents=False) for batch in batches]
    merged = [_ratings(*batch, parents=True) for batch in batches]
    samples = sum(len(rows) for rows, _ in batches)
    for row, numbers in READINGS.items():
        scale = np.array(numbers, dtype=np.float64)
        alphas = [krippendorff_alpha(scale[table], level="interval") for table in plain]
        mean = float(np.mean([1.0 if alpha is None else alpha for alpha in alphas]))
        yield Figure(row, "alpha, authors' convention", mean, samples)
        pooled = krippendorff_alpha(_side_by_side([scale[table] for table in merged]))
        yield Figure(row, "alpha, nominal and pooled", pooled, samples)


def _read_batches(data: ReleasedData) -> Iterator[Batch]:
    """The samples of each batch and the annotators that count in it."""
    path = data.file("faithbench/paper_annotations/selection.json")
    folder = path.parent
    selected = RawRow(read_json(path), path)["selected_annotators"]
    for number in ANNOTATED:
        rows = list(read_rows(folder / f"batch_{number}_annotation.json"))
        everyone = annotators_of([row["annotations"] for row in rows])
        yield rows, list(selected.get(str(number)) or everyone)


def _ratings(rows: list[RawRow], annotators: list[str], *, parents: bool) -> Ints:
    """The worst class of each sample by each annotator, as places in `GRADES`."""
    table = np.zeros((len(annotators), len(rows)), dtype=np.int64)
    for sample, row in enumerate(rows):
        for annotation in row["annotations"]:
            who = annotator_of(annotation)
            if who in annotators:
                place = annotators.index(who), sample
                table[place] = max(table[place], _worst(annotation["label"], parents))
    return table


def _worst(labels: list[str], parents: bool) -> int:
    names = [label.partition(".")[0] if parents else label for label in labels]
    return max((GRADES.index(name) for name in names if name in GRADES), default=0)


def _side_by_side(tables: list[Floats]) -> Floats:
    """One table of all units; raters who did not see a batch have no rating there."""
    raters = max(len(table) for table in tables)
    gaps = [((0, raters - len(table)), (0, 0)) for table in tables]
    padded = [
        np.pad(table, gap, constant_values=np.nan) for table, gap in zip(tables, gaps, strict=True)
    ]
    return np.hstack(padded)
