"""One id for all spellings of a benchmark; qualifiers and other sets kept apart."""

import pytest

from hubcmp.labels import canonical, known, language, qualifier


@pytest.mark.parametrize("label", ["MT-Bench", "MTBench", "mt_bench", "MT Bench (80)", "mtbench"])
def test_spellings_of_one_set(label: str) -> None:
    assert canonical(label) == "mtbench"


@pytest.mark.parametrize(
    ("one", "other"),
    [("HumanEval", "HumanEval+"), ("MATH", "MATH-500"), ("AIME 2025", "AIME 2026"), ("C-Eval", "CMMLU")],
)
def test_sets_that_only_look_alike(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


def test_unknown_labels_give_their_slug() -> None:
    assert canonical("Real K2.7 traffic") == "realk27traffic"
    assert canonical("(all)") == "all"
    assert not known("Real K2.7 traffic")


def test_qualifiers_are_kept_apart() -> None:
    assert qualifier("HumanEval (164)") == "164"
    assert qualifier("GSM8K") == ""
    assert canonical("Average") == canonical("平均") == "mean"


def test_the_language_of_prompts_is_told_by_the_brackets() -> None:
    assert [language(x) for x in ("GSM8K (Chinese)", "GSM8K (80, zh)", "GSM8K（中文）", "GSM8K (80)", "German QA")] == [
        "zh", "zh", "zh", "", "",
    ]  # fmt: skip
