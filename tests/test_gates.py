"""The grammar of gates: what is understood, and one line of advice for what is not."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubcmp.errors import UsageError
from hubcmp.gates import Gate, parse
from hubcmp.metrics import METRICS


def gate(text: str, metric: str, label: str, test: str, limit: float, **rest: object) -> Gate:
    return Gate(text, METRICS[metric], label, test, limit, **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "expected",
    [
        gate("accept_length < 2.0", "accept_length", "", "<", 2.0),
        gate("accept_length<2", "accept_length", "", "<", 2),
        gate("  accept_length   <=  2.0 ", "accept_length", "", "<=", 2.0),
        gate("params_trainable > 1.5B", "params_trainable", "", ">", 1_500_000_000),
        gate("payload_bytes >= 6GB", "payload_bytes", "", ">=", 6_000_000_000),
        gate("speedup < 1.2x", "speedup", "", "<", 1.2),
        gate("accept_rate < 50%", "accept_rate", "", "<", 0.5),
        gate("accept_length drops > 5%", "accept_length", "", "drops", 0.05, relative=True),
        gate("accept_length drops > 5 %", "accept_length", "", "drops", 0.05, relative=True),
        gate("accept_length drops > 0.1 if comparable", "accept_length", "", "drops", 0.1, comparable=True),
        gate("params_trainable rises > 10%", "params_trainable", "", "rises", 0.1, relative=True),
        gate("accept_length[MT-Bench] < 2.0", "accept_length", "MT-Bench", "<", 2.0),
        gate("accept_length [HumanEval (Code)] changes > 3%", "accept_length", "HumanEval (Code)", "changes", 0.03, relative=True),
        gate("accept_length < 2.0 with n >= 100", "accept_length", "", "<", 2.0, samples=100),
        gate(
            "accept_length < 2.0 if comparable with n >= 100 or unknown",
            "accept_length", "", "<", 2.0, comparable=True, samples=100, strict=True,
        ),
    ],
    ids=lambda g: g.text,
)  # fmt: skip
def test_understood(expected: Gate) -> None:
    assert parse(expected.text) == expected


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "write for example"),
        ("accept_length", "write for example"),
        ("accept_length falls > 5%", "write for example"),
        ("accept_length drops 5%", "write for example"),
        ("acceptance < 2.0", "acceptance is no metric; there are: accept_length, accept_rate"),
        ("accept_length < two", "not a quantity"),
        ("accept_length < nan", "not a quantity"),
        ("accept_length < 1e999", "not a quantity"),
        ("accept_length < 5%", "a share needs a baseline; write accept_length drops > 5%"),
        ("accept_rate < 50", "a rate is written as a fraction"),
        ("accept_length drops > -5%", "out of range"),
        ("accept_length < 2.0 with n > 100", "is not understood; there are: if comparable, with n >= N, or unknown"),
        ("accept_length < 2.0 and speedup < 1", "is not understood"),
        ("params_trainable > 2B with n >= 100", "is counted, not sampled"),
        ("__import__('os').system('true') < 1", "write for example"),
    ],
)
def test_refused_with_one_line_of_advice(text: str, advice: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(text)
    assert advice in str(error.value)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(f"--fail-on {text!r}: ")


@given(st.text(max_size=80))
def test_any_text_is_a_gate_or_one_line(text: str) -> None:
    with contextlib.suppress(UsageError):
        parse(text)
    with pytest.raises(UsageError) as error:
        parse(text + " ?")
    assert len(str(error.value).splitlines()) == 1
