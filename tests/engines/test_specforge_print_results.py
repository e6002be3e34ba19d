"""Golden samples of specforge.print_results.stdout."""

import pytest

from tests.golden_runs import check, samples


@pytest.mark.parametrize("name", samples("specforge_print_results"))
def test_golden(name: str) -> None:
    check("specforge_print_results", name)
