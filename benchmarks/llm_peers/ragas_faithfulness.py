# mypy: disable-error-code="import-not-found"
"""Runs ragas' faithfulness over a file of examples; started by llm_overhead.py, in ragas' Python.

Run: python ragas_faithfulness.py FILE.jsonl BASE_URL CONCURRENCY
"""

import json
import sys
from pathlib import Path

from openai import AsyncOpenAI
from ragas import EvaluationDataset, RunConfig, evaluate
from ragas.llms import llm_factory
from ragas.metrics import Faithfulness


def main(path: str, base_url: str, concurrency: str) -> None:
    """Ends with an error where an example got no score."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    rows = [
        {
            "user_input": row["question"],
            "response": row["response"],
            "retrieved_contexts": [row["source"]],
        }
        for row in map(json.loads, lines)
    ]
    client = AsyncOpenAI(base_url=base_url, api_key="none")
    result = evaluate(
        EvaluationDataset.from_list(rows),
        metrics=[Faithfulness()],
        llm=llm_factory("gpt-4o-mini", client=client),
        run_config=RunConfig(max_workers=int(concurrency)),
        show_progress=False,
    )
    scores = [score["faithfulness"] for score in result.scores]
    if missing := sum(score != score for score in scores):  # NaN stands for a failure
        sys.exit(f"{missing} of {len(rows)} examples have no score")


if __name__ == "__main__":
    main(*sys.argv[1:])
