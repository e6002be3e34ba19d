"""Counting training samples: every row once, whatever the file, and what cannot be counted is said, not guessed."""

import gzip
import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hubcmp import api
from hubcmp.cli import cli
from hubcmp.errors import FormatError, SourceError, UsageError
from hubcmp.facts import Evidence, Fact
from hubcmp.sources import _rows
from hubcmp.sources._rows import count_rows
from tests.test_story import RECORDED, THEIRS, build

pyarrow = importlib.import_module("pyarrow")
SAMPLE = json.dumps({"conversations": [{"from": "human", "value": "a\nb {}"}]}).encode()


def parquet(path: Path, rows: int) -> None:
    table = pyarrow.table({"text": ["x"] * rows})
    importlib.import_module("pyarrow.parquet").write_table(table, path, row_group_size=7)


def arrow(path: Path, rows: int, new: Callable[..., Any] = pyarrow.ipc.new_file) -> None:
    table = pyarrow.table({"text": ["x"] * rows})
    with pyarrow.OSFile(str(path), "wb") as sink, new(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=9)


def stream(path: Path, rows: int) -> None:
    arrow(path, rows, pyarrow.ipc.new_stream)


def lines(path: Path, rows: int) -> None:
    path.write_bytes((SAMPLE + b"\n") * rows)


@pytest.mark.parametrize("write", [lines, parquet, arrow, stream])
@pytest.mark.parametrize("rows", [1, 37, 1000])
def test_every_format_counts_the_same(tmp_path: Path, write: Callable[[Path, int], None], rows: int) -> None:
    file = tmp_path / "train"  # without an ending: the content tells
    write(file, rows)
    found = count_rows(str(file))
    assert found.count == rows
    assert found.source.path == str(file)
    assert found.how


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (SAMPLE, 1), (SAMPLE + b"\n", 1), (SAMPLE + b"\r\n" + SAMPLE + b"\r\n", 2), (b"\xef\xbb\xbf" + SAMPLE + b"\n\n \n" + SAMPLE, 2),
        (b"", 0), (b"\n\n", 0), (b"  {}  \n{}", 2),
    ],
)  # fmt: skip
def test_lines(tmp_path: Path, content: bytes, rows: int) -> None:
    (tmp_path / "t.jsonl").write_bytes(content)
    assert count_rows(str(tmp_path / "t.jsonl")).count == rows


def pieces(content: bytes, size: int) -> Iterator[bytes]:
    return (content[i : i + size] for i in range(0, len(content), size))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
def test_where_a_piece_ends_does_not_matter(size: int) -> None:
    content = b"\n".join([SAMPLE, b"", b"  " + SAMPLE + b"\r", SAMPLE])
    assert _rows._lines(pieces(content, size), "t") == 3


def test_a_line_longer_than_memory_is_one_line() -> None:
    chunk = b"x" * (1 << 20)
    many = (b'{"a": "', *[chunk] * 64, b'"}\n{}')
    assert _rows._lines(iter(many), "t") == 2


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'[{"a": 1}, {"a": 2}]', 1),
        (b'{\n  "a": 1\n}\n', 1),
        (SAMPLE + b"\n" + SAMPLE[:-9], 2),
        (b"instruction,output\nx,y\n", 1),
        (b"\x00" * 100, 1),
    ],
)
def test_what_is_not_one_sample_per_line_is_refused(tmp_path: Path, content: bytes, line: int) -> None:
    (tmp_path / "t.json").write_bytes(content)
    with pytest.raises(FormatError, match=f"line {line} is no JSON object of its own"):
        count_rows(str(tmp_path / "t.json"))


def test_compressed_and_in_shards(tmp_path: Path) -> None:
    for i in range(3):
        (tmp_path / f"part-{i}.jsonl.gz").write_bytes(gzip.compress((SAMPLE + b"\n") * 5))
    found = count_rows(str(tmp_path / "part-*.jsonl.gz"))
    assert (found.count, found.source.where) == (15, "3 files")


@pytest.mark.parametrize("start", [b"PAR1", b"ARROW1\x00\x00", b"\xff\xff\xff\xff"])
@pytest.mark.parametrize("rest", [b"", b"\x00" * 64, b"\xff" * 64, b"PAR1" * 16])
def test_broken_files_give_one_line(tmp_path: Path, start: bytes, rest: bytes) -> None:
    (tmp_path / "t").write_bytes(start + rest)
    with pytest.raises(FormatError, match="no whole Parquet or Arrow file") as caught:
        count_rows(str(tmp_path / "t"))
    assert "\n" not in str(caught.value)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        count_rows(str(tmp_path / "t.jsonl"))
    with pytest.raises(SourceError, match="no file matches"):
        count_rows(str(tmp_path / "*.jsonl"))
    with pytest.raises(SourceError, match="a folder"):
        count_rows(str(tmp_path))


def test_without_pyarrow_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet(tmp_path / "t.parquet", 3)
    monkeypatch.setitem(importlib.import_module("sys").modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'hubcmp\[data\]'"):
        count_rows(str(tmp_path / "t.parquet"))


def test_the_fact_is_observed_and_says_who_named_the_file(tmp_path: Path) -> None:
    lines(tmp_path / "t.jsonl", 12)
    fact = api.training_samples(str(tmp_path / "t.jsonl"))
    assert isinstance(fact, Fact)
    assert (fact.number, fact.unit, fact.evidence) == (12, "samples", Evidence.OBSERVED)
    assert "given by the user" in fact.method


def test_on_the_command_line_it_outranks_the_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(build(tmp_path / "work"))
    lines(Path("t.jsonl"), 36_912)
    call = ["compare", THEIRS, "./ckpt", "--train-data", "./ckpt=t.jsonl", *RECORDED, "--format", "json"]
    done = CliRunner().invoke(cli, call)
    assert done.exit_code == 0, done.output
    row = next(row for row in json.loads(done.stdout)["rows"] if row["metric"] == "training_samples")
    ours = row["cells"][1]
    assert (ours["value"], ours["evidence"], ours["sources"][0]["path"]) == (36912, "observed", "t.jsonl")
    assert [rival["value"] for rival in ours["rivals"]] == [37000]
    assert row["delta"] == 36_912 - 1_400_000


def test_a_file_that_cannot_be_counted_leaves_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(build(tmp_path / "work"))
    done = CliRunner().invoke(
        cli, ["compare", THEIRS, "./ckpt", "--train-data", "no-such.jsonl", *RECORDED, "--format", "json"]
    )
    assert done.exit_code == 3
    data = json.loads(done.stdout)
    assert any("no-such.jsonl: no such file" in warning["message"] for warning in data["warnings"])
    assert next(row for row in data["rows"] if row["metric"] == "training_samples")["cells"][1]["value"] == 37000
