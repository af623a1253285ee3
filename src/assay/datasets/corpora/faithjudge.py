"""FaithJudge: annotated peer responses of four tasks, and what its judge said of 46 LLMs."""

from assay.datasets.cards import Card, File

TASKS = ("faithbench-summary", "ragtruth-summary", "ragtruth-qa", "ragtruth-data2txt")

_ORIGIN = "https://github.com/vectara/FaithJudge"
_REVISION = "ca35eb45d0d32cffd5ddc2d6513c4e8342cb9f5d"
_LICENCE = "none stated (RAGTruth itself: MIT; FaithBench itself: CC BY-NC-SA 4.0)"
_PAPER = "Benchmarking LLM Faithfulness in RAG with Evolving Leaderboards (arXiv 2505.04847)"

PEERS = Card(
    name="faithjudge-peers",
    title="FaithJudge, the annotated responses that its judge is shown",
    origin=_ORIGIN,
    revision=_REVISION,
    licence=_LICENCE,
    taxonomy="faithbench",
    unit_kind="span",
    splits=(),
    folder="faithjudge",
    files=(
        File(
            "eval_data/faithbench_summary.jsonl",
            "fc3060e138fcc9b43b0d800c5e3f765c8e68065e6e81488a4c8096a188c45bbc",
            upstream="eval_data/faithbench_summary.jsonl",
        ),
        File("eval_data/ragtruth_summary.jsonl"),
        File("eval_data/ragtruth_qa.jsonl"),
        File("eval_data/ragtruth_data2txt.jsonl"),
    ),
    loader="assay.datasets.corpora.faithjudge_examples:load_peers",
    paper=_PAPER,
    labels="FaithBench's summaries: the release's majority label, each annotator's worst class "
    "(consistent if the annotator marked nothing), and a verdict for each marked span. RAGTruth's "
    "tasks: marked spans in ragtruth4 and a binary verdict on the response, as in ragtruth.",
    defects=(
        "an annotator who marked nothing is an empty list without a name: the place in the list, "
        "which is fixed within a batch, tells who it is",
        "FaithBench's defects: see faithbench-paper",
        "one majority label is not that of the annotators' worst classes",
    ),
    notes="faithbench_summary.jsonl is as released; of the RAGTruth files a part of the lines.",
)

JUDGED = Card(
    name="faithjudge-judged",
    title="FaithJudge, the judged responses of 46 LLMs",
    origin=_ORIGIN,
    revision=_REVISION,
    licence=_LICENCE,
    taxonomy="binary",
    unit_kind="response",
    splits=(),
    folder="faithjudge",
    files=(
        File("sources.jsonl.gz"),
        *(File(f"judged/{task}.jsonl.gz") for task in TASKS),
    ),
    loader="assay.datasets.corpora.faithjudge_examples:load_judged",
    paper=_PAPER,
    labels="No gold. The judge (o3-mini with annotated peer responses) is recorded under the name "
    "faithjudge-o3-mini: Consistent is faithful, Inconsistent unfaithful, and Invalid is a failure "
    "with the reason invalid, which the leaderboard counts as hallucinated.",
    defects=("machine labels", "3 responses are Invalid"),
    notes="Converted: the judge's prompt is left out, and the sources have a file of their own.",
)
