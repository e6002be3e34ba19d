"""Golden samples of sglang.prometheus."""

import pytest

from hubcmp.document import BytesDocument
from hubcmp.engines.sglang_prometheus import between
from hubcmp.facts import Source
from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("sglang_prometheus"))
def test_golden(name: str) -> None:
    check("sglang_prometheus", name)


def scrape(steps: int, tokens: int) -> BytesDocument:
    lines = f"sglang:spec_verify_calls_total {steps}\nsglang:generation_tokens_total {tokens}\n"
    return BytesDocument(Source("x"), lines.encode())


@pytest.mark.parametrize(
    ("steps", "tokens", "length", "why"), [(10, 25, 2.5, ""), (10, 9, None, "fewer tokens"), (0, 9, None, "no step")]
)
def test_steps_of_earlier_requests_give_no_length(steps: int, tokens: int, length: float | None, why: str) -> None:
    (run,) = between(scrape(100, 200), scrape(100 + steps, 200 + tokens)).runs
    assert run.accept_length == length
    assert why in run.why.get("accept_length", "")
