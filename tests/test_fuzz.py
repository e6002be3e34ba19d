"""The fuzz script itself: a short run agrees with the safetensors library, and it does find a wrong count."""

import random

import pytest

from hubcmp.document import BytesDocument
from hubcmp.facts import Source
from hubcmp.readers import readers
from scripts import fuzz
from tests.weights import encode, header


def test_a_short_run_finds_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["fuzz.py", "400", "7"])
    assert fuzz.main() == 0
    assert "safetensors refused" in capsys.readouterr().out


def test_a_wrong_count_is_found() -> None:
    table = header({"fc.weight": (4, 6)})
    content = encode(table) + bytes(48)
    reading = readers("weights")["safetensors"].read(BytesDocument(Source("x", "", "model.safetensors"), content))
    other = encode(header({"fc.weight": (6, 4)})) + bytes(48)
    fuzz.agree(reading, content)
    with pytest.raises(AssertionError, match="against"):
        fuzz.agree(reading, other)


def test_mutations_change_the_file() -> None:
    assert sum(fuzz.mutate(b"seed of some length", random.Random(n)) != b"seed of some length" for n in range(50)) > 45
