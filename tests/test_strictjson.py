"""Strict JSON: one object, each key once, no endless nesting."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubcmp.errors import FormatError
from hubcmp.strictjson import MAX_DEPTH, parse_object

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_ordinary_objects_come_back_unchanged(value: dict[str, object]) -> None:
    assert parse_object(json.dumps(value).encode(), "here") == value


def test_nothing_that_is_no_number_stays() -> None:
    assert parse_object(b'{"a": NaN, "b": [Infinity, -Infinity]}', "here") == {"a": None, "b": [None, None]}


def test_a_key_twice_is_fine_only_when_it_says_the_same() -> None:
    assert parse_object(b'{"a": 1, "a": 1}', "here") == {"a": 1}
    with pytest.raises(FormatError, match="twice"):
        parse_object(b'{"x": {"a": 1, "a": 2}}', "here")


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 10_000, 200_000])
def test_nesting_is_bounded(levels: int) -> None:
    with pytest.raises(FormatError, match="nested"):
        parse_object(b'{"a":' + b"[" * levels + b"]" * levels + b"}", "here")
