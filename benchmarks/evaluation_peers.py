"""Other evaluators' metrics that need no model, over answers of `benchmarks.evaluation`; runs in their environment.

    python evaluation_peers.py ragas answers.jsonl

Each row is one metric: CPU seconds for all answers, and the values that it gives to right refusals.
"""

import json
import math
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

Record = dict[str, Any]
Score = Callable[[Record], float]


def ragas() -> Iterator[tuple[str, Score]]:
    from ragas import SingleTurnSample
    from ragas.metrics import IDBasedContextPrecision, IDBasedContextRecall, StringPresence

    for metric in (StringPresence(), IDBasedContextPrecision(), IDBasedContextRecall()):

        def score(record: Record, metric: Any = metric) -> float:
            sample = SingleTurnSample(
                user_input=record["question"],
                response=record["text"],
                reference=(record["contains"] or [""])[0],
                retrieved_context_ids=record["found"],
                reference_context_ids=record["marked"],
            )
            return metric.single_turn_score(sample)

        yield type(metric).__name__, score


def deepeval() -> Iterator[tuple[str, Score]]:
    from deepeval.metrics import ExactMatchMetric
    from deepeval.test_case import LLMTestCase

    metric = ExactMatchMetric()

    def score(record: Record) -> float:
        expected = (record["contains"] or [""])[0]
        case = LLMTestCase(input=record["question"], actual_output=record["text"], expected_output=expected)
        metric.measure(case)
        return metric.score

    yield "ExactMatchMetric", score


# To add one: a function above that yields a metric's name and its score of one record, and what pip installs.
PEERS = {"ragas": "ragas rapidfuzz langchain-community<0.4", "deepeval": "deepeval"}
METRICS = {"ragas": ragas, "deepeval": deepeval}


def main(name: str, path: str) -> None:
    """Print a row of Markdown for each metric."""
    warnings.simplefilter("ignore")
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    for metric, score in METRICS[name]():
        score(records[0])
        start = time.process_time()
        scores = [score(record) for record in records]
        seconds = time.process_time() - start
        refusals = [s for s, record in zip(scores, records, strict=True) if record["refused"] and not record["covered"]]
        values = Counter("NaN" if math.isnan(value) else f"{value:.2f}" for value in refusals)
        told = ", ".join(f"{value} ({count} of {len(refusals)})" for value, count in sorted(values.items()))
        print(f"| {name} | {metric} | {seconds:.2f} | {told} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
