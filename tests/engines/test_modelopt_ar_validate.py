"""Golden samples of modelopt.ar_validate.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("modelopt_ar_validate"))
def test_golden(name: str) -> None:
    check("modelopt_ar_validate", name)
