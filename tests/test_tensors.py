"""Tensor tables: columns and rows say the same, and names and shapes are checked."""

import gc

import pytest

from hubcmp.errors import FormatError
from hubcmp.tensors import MAX_NAME, Tensor, TensorTable, check_names, check_shapes, collector_paused

ROWS = (Tensor("a", "BF16", (2, 3), 0, 12, "f"), Tensor("b", "F32", (), 12, 16, "f"))


def test_a_table_gives_its_rows_back() -> None:
    table = TensorTable.of(ROWS, format="safetensors", file="f", header_bytes=8)
    assert table.tensors == ROWS
    assert (len(table), table.payload_bytes) == (2, 16)
    assert table.find("b") == ROWS[1]
    assert table.find("c") is None


def test_elements_are_the_product_of_the_shape() -> None:
    assert [row.elements for row in ROWS] == [6, 1]


@pytest.mark.parametrize("names", [["a\n"], ["a\x1b[0m"], ["a\u202eb"], ["x" * (MAX_NAME + 1)], ["\ud800"]])
def test_odd_names_are_refused(names: list[str]) -> None:
    with pytest.raises(FormatError):
        check_names(names, "here")


@pytest.mark.parametrize("shape", [[-1], [1.0], [True], [None], ["1"], [[1]], [2**54], [2**30, 2**30], [1] * 17])
def test_odd_shapes_are_refused(shape: list[object]) -> None:
    with pytest.raises(FormatError):
        check_shapes([shape], "here")


def test_ordinary_names_and_shapes_pass() -> None:
    check_names(["model.layers.0.weight", "ü"], "here")
    check_shapes([[], [0], [3, 4]], "here")


def _fail() -> None:
    with collector_paused():
        assert not gc.isenabled()
        raise ValueError("x")


def test_the_collector_runs_again_after_a_failure() -> None:
    with pytest.raises(ValueError, match="x"):
        _fail()
    assert gc.isenabled()
