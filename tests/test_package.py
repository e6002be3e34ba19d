"""The public door: what it names exists, is sorted, and the errors form one tree."""

import hubcmp
from hubcmp import errors


def test_exported_members() -> None:
    assert sorted(hubcmp.__all__) == hubcmp.__all__
    assert all(getattr(hubcmp, name) is not None for name in hubcmp.__all__)
    assert dir(hubcmp) == hubcmp.__all__


def test_unknown_name_says_so() -> None:
    assert not hasattr(hubcmp, "nothing_of_the_kind")


def test_every_error_is_one_line_of_advice() -> None:
    for kind in (errors.UsageError, errors.FormatError, errors.SourceError):
        assert issubclass(kind, errors.HubcmpError)
        assert str(kind("what; what to do")) == "what; what to do"
