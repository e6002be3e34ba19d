"""The card reader on whole cards: every figure with its line, and no other's figure as this drafter's own."""

import json
from pathlib import Path

import pytest

from hubcmp.document import BytesDocument
from hubcmp.facts import Evidence, Fact, Source, Span
from hubcmp.labels import canonical
from hubcmp.readers import Reading
from hubcmp.readers.card import PLUGIN, may_count

FIXTURES = Path(__file__).parents[2] / "fixtures" / "readers" / "card"
CARDS = sorted(FIXTURES.glob("*__*.md"))
CHECKED = ("num_steps", "topk", "num_draft_tokens", "num_speculative_tokens", "batch_size", "concurrency", "temperature",
           "tensor_parallel", "engine", "hardware", "target_dtype", "prompts", "max_tokens")  # fmt: skip


def card(text: str | bytes, name: str = "org/Some-Drafter") -> Reading:
    content = text if isinstance(text, bytes) else text.encode()
    return PLUGIN.read(BytesDocument(Source(name, "sha256:0", "README.md"), content))


def figures(reading: Reading, *metrics: str) -> list[Fact]:
    return [f for f in reading.facts if isinstance(f.value, Span) and (not metrics or f.metric in metrics)]


def line(fact: Fact) -> int:
    return int(fact.sources[0].where.removeprefix("line "))


def same(got: object, want: object) -> bool:
    if isinstance(got, str) and isinstance(want, str):
        return canonical(got) in canonical(want) or canonical(want) in canonical(got)
    return got == want


@pytest.fixture(params=CARDS, ids=lambda p: p.stem, scope="module")
def pair(request: pytest.FixtureRequest) -> tuple[list[Fact], list[dict[str, object]]]:
    path = request.param
    reading = PLUGIN.read(BytesDocument(Source(path.name, "sha256:0", path.name), path.read_bytes()))
    wanted = json.loads(path.with_name(path.name + ".golden.json").read_text())["claims"]
    return figures(reading), wanted


def test_figures_lines_and_subjects(pair: tuple[list[Fact], list[dict[str, object]]]) -> None:
    facts, wanted = pair
    got = sorted((line(f), f.metric, f.position or 0, f.subject.partition(":")[0], round(f.number, 9)) for f in facts)
    want = sorted(
        (c["line"], c["metric"], c.get("position", 0), str(c["subject"]).partition(":")[0], round(float(c["value"]), 9))  # type: ignore[arg-type]
        for c in wanted
    )
    assert got == want


def test_only_cards_without_a_word_of_size_are_left_unread_where_parameters_are_asked_for() -> None:
    silent = []
    for path in CARDS:
        wanted = json.loads(path.with_name(path.name + ".golden.json").read_text())["claims"]
        counts = any(claim["metric"] == "parameters" for claim in wanted)
        may = may_count(BytesDocument(Source(path.name, "sha256:0", path.name), path.read_bytes()))
        assert may or not counts, path.name
        silent += [] if may else [path.name]
    assert len(silent) > len(CARDS) / 4


def test_labels_and_conditions(pair: tuple[list[Fact], list[dict[str, object]]]) -> None:
    facts, wanted = pair
    right = total = 0
    for claim in (c for c in wanted if c["subject"] == "self"):
        place = (claim["line"], claim["metric"], claim["raw"], round(float(claim["value"]), 9), claim.get("stat"))  # type: ignore[arg-type]
        fact = next(f for f in facts if (line(f), f.metric, f.raw, round(f.number, 9), f.stat) == place)
        want = {k: v for k, v in claim["conditions"].items() if k in CHECKED}  # type: ignore[attr-defined]
        got = {k: v for k, v in fact.conditions.items() if k in CHECKED}
        total += len(want)
        right += sum(same(got.get(k), v) for k, v in want.items()) - len(set(got) - set(want))
        assert fact.approx == claim.get("approx", False), claim
    assert right >= 0.9 * total


def test_the_local_draft_of_a_first_comparison() -> None:
    reading = card((FIXTURES / "local-draft.md").read_text(), "./ckpt")
    by = {f.metric: f for f in figures(reading)}
    assert (by["training_samples"].number, line(by["training_samples"])) == (37_000, 9)
    assert (by["parameters"].number, by["parameters"].approx) == (2.6e9, True)
    assert (by["accept_length"].number, by["accept_length"].approx, by["accept_length"].label) == (2.1, True, None)
    assert by["accept_length"].conditions == {"num_steps": 2, "num_draft_tokens": 3}
    target = next(f for f in reading.facts if f.metric == "target_model")
    assert (target.text, target.evidence) == ("moonshotai/Kimi-K2.5", Evidence.DECLARED)


@pytest.mark.parametrize(
    "sentence",
    [
        "EAGLE-3 can give 2-3x speedups in general.",
        "The head is 6.25x smaller than the full one.",
        "Draft vocabulary of 32,000 tokens with 99.1% coverage.",
        "GSM8K accuracy stays at 84.2%.",
        "Training took 9,279 steps and 3 epochs, loss 1.9.",
        "The target has 120 billion total parameters, 5 billion activated.",
        "Over 20,000 downloads since 2026-03-01.",
        "At batch 8 the TTFT is 81 ms and TPOT 6.1 ms.",
        "Against Medusa our head is 1.3x faster.",
        "The earlier claim of accept length 3.9 was wrong.",
        "No value can exceed accept length 4 here.",
    ],
)
def test_what_is_no_claim(sentence: str) -> None:
    own = [f for f in figures(card(f"# Some-Drafter EAGLE3\n\n{sentence}\n")) if f.subject == "self"]
    assert own == []


def test_chinese_cards_are_read() -> None:
    text = "# 草稿 EAGLE3\n\n训练数据约 50万条对话。在 MT-bench 上吞吐量从 52 tokens/s 提升到 98 tokens/s,平均接受长度 2.95。\n"
    found = {(f.metric, f.subject): f.number for f in figures(card(text))}
    assert found == {
        ("training_samples", "self"): 500_000, ("throughput_tok_s", "baseline"): 52,
        ("throughput_tok_s", "self"): 98, ("accept_length", "self"): 2.95,
    }  # fmt: skip


def test_figures_in_pictures_only_give_no_claim() -> None:
    assert (
        figures(card("# D\n\n## Performance\n\n| Throughput | AL |\n|---|---|\n| ![1.8x](a.png) | ![3.2](b.png) |\n"))
        == []
    )


def test_sets_and_figures_listed_respectively() -> None:
    found = figures(card("# D\n\nAccept length was 3.1, 2.7 and 2.2 on HumanEval, GSM8K and MT-Bench respectively.\n"))
    assert [(f.label, f.number) for f in found] == [("HumanEval", 3.1), ("GSM8K", 2.7), ("MT-Bench", 2.2)]


def test_settings_elsewhere_are_nearby_and_never_bound() -> None:
    text = "# D\n\n## Results\n\n| Dataset | AL |\n|---|---|\n| GSM8K | 2.9 |\n\n## Usage\n\n```\nvllm serve a/b --tp 8\n```\n"
    (fact,) = figures(card(text))
    assert fact.conditions == {}
    assert fact.nearby == {"tensor_parallel": 8, "engine": "vLLM"}


@pytest.mark.parametrize(
    ("rows", "word"),
    [
        ("| MT-Bench | 4.6 |", "exceeds"),
        ("| MT-Bench | 2.6 |\n| GSM8K | 2.9 |\n| Average | 3.4 |", "average"),
    ],
)
def test_contradictions_on_a_card_are_reported(rows: str, word: str) -> None:
    reading = card(f"# D\n\n## Results\n\nWith K=3:\n\n| Set | Accept length |\n|---|---|\n{rows}\n")
    assert [p for p in reading.problems if word in p.message]


def test_per_position_rates_are_checked_against_the_length() -> None:
    head = "# D\n\n| Set | AL | a0 | a1 |\n|---|---|---|---|\n"
    assert card(head + "| GSM8K | 2.25 | 0.75 | 0.5 |\n").problems == ()
    assert len(card(head + "| GSM8K | 2.95 | 0.75 | 0.5 |\n").problems) == 1


def test_a_speedup_that_its_own_row_refutes() -> None:
    head = "# D EAGLE3\n\n| Set | Baseline tok/s | EAGLE3 tok/s | Speedup |\n|---|---|---|---|\n"
    assert card(head + "| GSM8K | 100 | 150 | 1.50x |\n").problems == ()
    assert "1.500x" in card(head + "| GSM8K | 100 | 150 | 1.90x |\n").problems[0].message
