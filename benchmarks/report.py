"""Time of a large report: N drafters on M benchmarks, compared, laid out, written in full and within a comment's budget.

Usage: python benchmarks/report.py [DRAFTERS [BENCHMARKS [RUNS]]] (default 40 60 5). The median counts; `base` is the time that
this machine takes to write the same figures as JSON text, so that machines can be told apart.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from hubcmp import contracts
from hubcmp.comparison import Comparison, compare
from hubcmp.drafter import Drafter
from hubcmp.gates import parse
from hubcmp.judgement import judge
from hubcmp.redaction import redact
from hubcmp.renderers import render
from hubcmp.renderers._budget import Budget
from tests.build import drafter, figure

CONDITIONS = {"num_steps": 3, "topk": 1, "num_draft_tokens": 4, "includes_bonus": True, "prompts": 80, "temperature": 0}
GATES = ["accept_length < 2.0", "accept_length drops > 5%", "accept_length drops > 2% with n >= 80 or unknown"]


def population(drafters: int, benchmarks: int) -> list[Drafter]:
    """Drafters of one target with an accept length on every benchmark."""
    return [
        drafter(
            f"organisation-{i}/drafter-of-some-target-{i}",
            *(figure(2 + (i * 7 + j * 13) % 100 / 100, f"Benchmark {j}", **CONDITIONS) for j in range(benchmarks)),
        )
        for i in range(drafters)
    ]


def measure(work: Callable[[], object], runs: int) -> float:
    """Return the median seconds of `work`."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def cases(answer: Comparison, drafters: list[Drafter]) -> list[tuple[str, Callable[[], object]]]:
    gates = [parse(text) for text in GATES]
    saved = render(answer, "json").encode()
    figures = [fact.number for d in drafters for fact in d.figures]
    return [
        ("base", lambda: [json.dumps(figures) for _ in range(100)]),
        ("compare", lambda: compare(drafters)),
        ("judge three gates", lambda: judge(gates, answer)),
        ("markdown, whole", lambda: render(answer, "markdown")),
        ("markdown, for a comment", lambda: render(answer, "markdown", Budget(), "drafter")),
        ("html", lambda: render(answer, "html")),
        ("json", lambda: render(answer, "json")),
        ("json, read back", lambda: contracts.read(saved, "saved.json")),
        ("csv", lambda: render(answer, "csv")),
        ("private names replaced", lambda: redact(answer, "/home/user", private=True)),
    ]


def main() -> None:
    drafters, benchmarks, runs = (int(text) for text in [*sys.argv[1:], *("40", "60", "5")[len(sys.argv) - 1 :]])
    people = population(drafters, benchmarks)
    answer = compare(people)
    print(f"{drafters} drafters x {benchmarks} benchmarks")
    for title, work in cases(answer, people):
        print(f"{title:26} {measure(work, runs):8.3f} s")
    comment = render(answer, "markdown", Budget(), "drafter")
    print(f"comment: {len(comment):,} characters, {len(comment.encode()):,} bytes")


if __name__ == "__main__":
    main()
