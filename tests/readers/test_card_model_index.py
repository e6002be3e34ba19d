"""Results in a card's metadata: speculation figures are claims with their lines, scores of tasks are not."""

import pytest

from hubcmp.document import BytesDocument
from hubcmp.facts import Fact, Source, Span
from hubcmp.readers import Reading
from hubcmp.readers.card import PLUGIN

INDEX = """---
base_model: org/Target-8B
model-index:
- name: x
  results:
  - task: {type: text-generation}
    dataset: {name: MT-Bench, type: mt_bench}
    metrics:
    - type: accept_length
      value: 3.12
      name: Accept length (T=0)
    - type: accuracy
      value: 71.2
  - task: {type: text-generation}
    dataset: {type: gsm8k}
    metrics:
    - {type: speedup, value: 2.1x}
---
# EAGLE-3
"""


def read(text: str) -> Reading:
    return PLUGIN.read(BytesDocument(Source("org/x", "sha256:0", "README.md"), text.encode()))


def claims(reading: Reading) -> list[Fact]:
    return [f for f in reading.facts if isinstance(f.value, Span)]


def test_figures_of_speculation_are_claims_with_their_lines() -> None:
    length, speedup = claims(read(INDEX))
    assert (length.metric, length.number, length.label, length.sources[0].where) == (
        "accept_length", 3.12, "MT-Bench", "line 10",
    )  # fmt: skip
    assert length.conditions == {"temperature": 0}
    assert (speedup.metric, speedup.number, speedup.label, speedup.sources[0].where) == (
        "speedup", 2.1, "gsm8k", "line 17",
    )  # fmt: skip


@pytest.mark.parametrize("index", ["none yet", "[]", "[1, 2]", "{name: x}", "[{name: x, results: later}]"])
def test_what_is_no_list_of_results_is_one_problem_with_its_line(index: str) -> None:
    reading = read(f"---\nlicense: mit\nmodel-index: {index}\n---\n# EAGLE-3\n\nGSM8K accept length 2.9\n")
    assert [f.number for f in claims(reading)] == [2.9]
    assert [p.where for p in reading.problems if "model-index" in p.message] == ["README.md line 3"]


def test_odd_entries_are_no_claims() -> None:
    odd = INDEX.replace("value: 3.12", "value: [3.12]").replace("{type: speedup, value: 2.1x}", "speedup")
    assert claims(read(odd)) == []
