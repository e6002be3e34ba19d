"""The safetensors reader: a sound header gives its table in at most two reads, anything else is refused in one line."""

import json
import struct
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hubcmp.document import BytesDocument
from hubcmp.errors import FormatError
from hubcmp.facts import Source
from hubcmp.readers.safetensors import read
from tests.weights import SparseDocument, encode, header, safetensors

FIXTURE = Path(__file__).parents[2] / "fixtures" / "readers" / "safetensors" / "model.safetensors"
SOUND = header({"a.weight": (4, 8), "b.weight": (8,)})


def raw(content: bytes, size: int | None = None) -> SparseDocument:
    return SparseDocument(Source("test", "sha", "model.safetensors"), content, len(content) if size is None else size)


def test_a_real_file_gives_every_column() -> None:
    table = read(BytesDocument(Source("f", "sha", "model.safetensors"), FIXTURE.read_bytes())).tensors
    assert table is not None
    assert {t.name: (t.dtype, t.shape) for t in table.tensors} == {
        "d2t": ("I64", (3,)), "t2d": ("BOOL", (7,)), "fc.weight": ("BF16", (4, 12)), "lm_head.weight": ("BF16", (3, 4)),
        "midlayer.hidden_norm.weight": ("BF16", (4,)),
    }  # fmt: skip
    assert table.payload_bytes == FIXTURE.stat().st_size - table.header_bytes
    assert table.metadata == {"format": "pt"}
    found = table.find("fc.weight")
    assert found is not None
    assert found.elements == 48
    assert table.find("gone") is None


def test_nothing_but_the_header_is_read() -> None:
    document = safetensors(header({f"layers.{n}.weight": (2, 2) for n in range(4000)}))
    table = read(document).tensors
    assert table is not None
    assert (len(table), len(document.reads)) == (4000, 2)
    assert max(offset + n for offset, n in document.reads) == table.header_bytes


@pytest.mark.parametrize("length", [99_993, 99_994, 100_000, 100_001])
def test_headers_at_the_edge_of_a_first_range_are_whole(length: int) -> None:
    text = json.dumps(SOUND).encode()
    content = struct.pack("<Q", length) + text + b" " * (length - len(text))
    table = read(raw(content, len(content) + 80)).tensors
    assert table is not None
    assert (table.header_bytes, len(table)) == (length + 8, 2)


def test_a_pipe_of_unknown_size_is_read_without_its_end() -> None:
    document = safetensors(SOUND)
    document.size = None  # type: ignore[assignment]
    document.read = lambda offset, n: document.start[offset : offset + n]  # type: ignore[method-assign]
    table = read(document).tensors
    assert table is not None
    assert len(table) == 2


def with_entry(**change: object) -> bytes:
    return encode({**SOUND, "a.weight": {**SOUND["a.weight"], **change}})


TWICE = b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
INNER = b'{"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
ESCAPED = (
    b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\\u0061":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
)


def framed(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


HOSTILE = {
    "length of 2**64 - 1": struct.pack("<Q", 2**64 - 1) + b"{}",
    "length beyond the file": struct.pack("<Q", 10_000) + b"{}",
    "length 0": struct.pack("<Q", 0) + b"{}",
    "short": b"\x00\x01",
    "no brace": framed(b"[1, 2]"),
    "not JSON": framed(b'{"a": }'),
    "not UTF-8": framed(b'{"\xff": 1}'),
    "deep": framed(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "deep enough to recurse": framed(b'{"a":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_001),
    "duplicate key": framed(TWICE) + b"\0",
    "duplicate key inside": framed(INNER) + b"\0",
    "duplicate key behind an escape": framed(ESCAPED) + b"\0",
    "overlap": encode({**SOUND, "b.weight": {"dtype": "BF16", "shape": [8], "data_offsets": [60, 76]}}),
    "hole": encode({**SOUND, "b.weight": {"dtype": "BF16", "shape": [8], "data_offsets": [70, 86]}}),
    "same range twice": encode({**SOUND, "c": SOUND["b.weight"]}),
    "negative dimension": with_entry(shape=[-4, -8]),
    "float dimension": with_entry(shape=[4.0, 8]),
    "bool dimension": with_entry(shape=[True, 32]),
    "NaN dimension": framed(b'{"a":{"dtype":"U8","shape":[NaN],"data_offsets":[0,1]}}') + b"\0",
    "huge dimensions": with_entry(shape=[2**31, 2**31, 2**31]),
    "a number of many digits": framed(b'{"a":{"dtype":"U8","shape":[' + b"9" * 5_000 + b'],"data_offsets":[0,1]}}'),
    "rank": with_entry(shape=[1] * 17 + [32]),
    "F4 that fills no byte": encode({"a": {"dtype": "F4", "shape": [3], "data_offsets": [0, 1]}}) + b"\0",
    "size mismatch": with_entry(shape=[4, 9]),
    "name too long": encode({"n" * 513: SOUND["a.weight"]}) + bytes(64),
    "control characters in a name": encode({"a\x1b[2J": SOUND["a.weight"]}) + bytes(64),
    "offsets of text": with_entry(data_offsets=["0", "64"]),
    "three offsets": with_entry(data_offsets=[0, 32, 64]),
    "entry is a number": encode({"a": 5}),
    "entry lacks its dtype": encode({"a": {"shape": [1], "data_offsets": [0, 1]}}) + b"\0",
    "metadata is a list": encode({"__metadata__": [], **SOUND}) + bytes(80),
    "metadata holds a number": encode({"__metadata__": {"a": 1}, **SOUND}) + bytes(80),
    "too many tensors": framed(b"{" + b",".join(b'"%d":{}' % n for n in range(200_100)) + b"}"),
    "a million texts in the metadata": framed(
        b'{"__metadata__":{' + b",".join(b'"%d":""' % n for n in range(1_300_000)) + b"}}"
    ),
    "a name of 16 MB": framed(b'{"' + b"n" * (16 << 20) + b'":1}'),
    "a name of escapes": framed(b'{"' + b"\\u0041" * (2 << 20) + b'":1}'),
    "a list of a million numbers": framed(b'{"a":[' + b"1," * 5_000_000 + b"1]}"),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_headers_are_refused_in_one_line(content: bytes) -> None:
    document = raw(content)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError) as refusal:
            read(document)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300
    assert peak < 50_000_000


@pytest.mark.parametrize("more", [1, 8, 10**9])
def test_trailing_bytes_are_refused(more: int) -> None:
    document = safetensors(SOUND)
    document.size += more
    with pytest.raises(FormatError, match="the file holds"):
        read(document)


def test_a_truncated_body_is_refused_wherever_it_ends() -> None:
    whole = safetensors(SOUND)
    for size in range(whole.size):
        with pytest.raises(FormatError):
            read(raw(whole.start[:size], size))


def test_an_unknown_dtype_is_named_and_its_size_not_doubted() -> None:
    entries = {
        "a": {"dtype": "F3", "shape": [5], "data_offsets": [0, 2]},
        "b": {"dtype": "U8", "shape": [1], "data_offsets": [2, 3]},
    }
    reading = read(raw(encode(entries) + bytes(3)))
    assert "F3" in reading.problems[0].message
    assert reading.tensors is not None
    assert reading.tensors.names == ("a", "b")


def test_escapes_and_odd_but_legal_headers_are_read() -> None:
    entries = {
        "__metadata__": {"note": 'a "quoted" \\ text'},
        "ü.weight": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
    }
    table = read(raw(encode(entries) + bytes(4))).tensors
    assert table is not None
    assert (table.names, table.shapes) == (("ü.weight",), ((),))
    empty = read(raw(encode({}))).tensors
    assert empty is not None
    assert len(empty) == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ENTRY = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["BF16", "U8", "F4", "F3"]) | JSON,
        "shape": st.lists(st.integers(-1, 9), max_size=3) | JSON,
        "data_offsets": st.lists(st.integers(-1, 99), max_size=3) | JSON,
    }
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.text(max_size=8), ENTRY | JSON, max_size=4), st.integers(0, 200))
def test_any_json_is_read_or_refused(value: dict[str, object], data: int) -> None:
    content = encode(value) + bytes(data)
    try:
        table = read(raw(content)).tensors
    except FormatError:
        return
    assert table is not None
    assert table.payload_bytes == data


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with suppress(FormatError):
        read(raw(content))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 300), st.integers(0, 255))
def test_one_changed_byte_never_gives_a_table_that_does_not_fit(at: int, byte: int) -> None:
    whole = bytearray(FIXTURE.read_bytes())
    whole[at % len(whole)] = byte
    try:
        table = read(raw(bytes(whole))).tensors
    except FormatError:
        return
    assert table is not None
    assert table.header_bytes + table.payload_bytes == len(whole)
