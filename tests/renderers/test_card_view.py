"""The JSON contract of `hubcmp card`, and its report."""

from hubcmp.answers import Card, Cards
from hubcmp.document import BytesDocument
from hubcmp.errors import Problem
from hubcmp.facts import Source
from hubcmp.readers.card import PLUGIN
from hubcmp.renderers import render
from hubcmp.renderers._blocks import Paragraph, Table
from hubcmp.renderers._views.card import view

TEXT = """---
license: mit
base_model: a/Foo-7B
---
# Foo EAGLE3

Accept length is ~2.5 on GSM8K (K=3), speedup 1.5x. Trained on 10K samples.

Per-position acceptance: 0.8 / 0.6
"""


def answer(text: str = TEXT) -> Cards:
    reading = PLUGIN.read(BytesDocument(Source("org/foo", "abc", "README.md"), text.encode()))
    return Cards((Card("org/foo", "abc", "README.md", reading, (Problem("config.json", "missing"),)),))


def test_the_contract() -> None:
    (data,) = view(answer()).data  # type: ignore[misc]
    assert list(data) == [
        "schema_version",
        "source",
        "revision",
        "metadata",
        "claims",
        "target",
        "algorithm",
        "problems",
    ]
    assert data["metadata"] == {"license": "mit", "base_model": "a/Foo-7B"}
    first = next(c for c in data["claims"] if c["metric"] == "accept_length")
    assert first == {
        "metric": "accept_length", "value": 2.5, "unit": "tokens/step", "benchmark": "GSM8K", "subject": "self",
        "conditions": {"num_speculative_tokens": 3}, "line": 7, "raw": "~2.5", "approx": True,
    }  # fmt: skip
    samples = next(c for c in data["claims"] if c["metric"] == "training_samples")
    assert isinstance(samples["value"], int)
    assert [c["position"] for c in data["claims"] if "position" in c] == [1, 2]
    assert data["target"] == {
        "value": "a/Foo-7B",
        "evidence": "declared",
        "method": "front matter base_model",
        "line": 3,
    }
    assert data["algorithm"]["value"] == "EAGLE-3"
    assert data["problems"][0] == {"where": "config.json", "message": "missing"}


def test_the_report_has_a_table_per_card() -> None:
    (section,) = view(answer()).layout().sections
    (table,) = [b for b in section.blocks if isinstance(b, Table)]
    assert table.head[-1] == "line"
    assert "accept length" in table.rows[1][0].text or "accept length" in table.rows[0][0].text
    assert "num_speculative_tokens=3" in " ".join(row[4].text for row in table.rows)


def test_a_card_without_claims_says_so() -> None:
    (section,) = view(answer("# Foo\n")).layout().sections
    assert any(isinstance(b, Paragraph) and "No claim" in b.text for b in section.blocks)


def test_a_card_that_could_not_be_read() -> None:
    (data,) = view(Cards((Card("org/foo", "", "", None),))).data  # type: ignore[misc]
    assert (data["claims"], data["target"], data["algorithm"]) == ([], None, None)


def test_it_renders_as_json() -> None:
    assert '"benchmark": "GSM8K"' in render(answer(), "json")
