# mypy: disable-error-code="import-not-found"
"""Runs DeepEval's faithfulness over a file of examples; started by llm_overhead.py, in its Python.

Run: python deepeval_faithfulness.py FILE.jsonl BASE_URL CONCURRENCY
"""

import json
import sys
from pathlib import Path

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import FaithfulnessMetric
from deepeval.models import OpenAIModel
from deepeval.test_case import LLMTestCase


def main(path: str, base_url: str, concurrency: str) -> None:
    """Ends with an error where an example got no score."""
    cases = [
        LLMTestCase(
            input=row["question"],
            actual_output=row["response"],
            retrieval_context=[row["source"]],
        )
        for row in map(json.loads, Path(path).read_text(encoding="utf-8").splitlines())
    ]
    model = OpenAIModel(model="gpt-4o-mini", base_url=base_url, api_key="none")
    result = evaluate(
        cases,
        metrics=[FaithfulnessMetric(model=model)],
        async_config=AsyncConfig(max_concurrent=int(concurrency)),
        display_config=DisplayConfig(
            show_indicator=False, print_results=False, inspect_after_run=False
        ),
        cache_config=CacheConfig(write_cache=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    found = [data for test in result.test_results for data in test.metrics_data or []]
    if missing := len(cases) - sum(data.score is not None for data in found):
        sys.exit(f"{missing} of {len(cases)} examples have no score")


if __name__ == "__main__":
    main(*sys.argv[1:])
