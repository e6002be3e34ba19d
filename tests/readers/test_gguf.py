"""GGUF headers: names, shapes in the usual order, block formats; every length is bounded."""

import struct
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hubcmp.document import BytesDocument
from hubcmp.errors import FormatError
from hubcmp.facts import Source
from hubcmp.parameters import account
from hubcmp.readers import Reading
from hubcmp.readers.gguf import read
from tests.weights import bundle

CONTENT = (Path(__file__).parents[2] / "fixtures" / "readers" / "gguf" / "model.gguf").read_bytes()


def opened(content: bytes) -> Reading:
    return read(BytesDocument(Source("test", "sha", "model.gguf"), content))


def test_a_header_gives_names_shapes_and_bytes() -> None:
    reading = opened(CONTENT)
    assert reading.tensors is not None
    assert {t.name: (t.dtype, t.shape, t.end - t.start) for t in reading.tensors.tensors} == {
        "token_embd.weight": ("F32", (7, 32), 896),
        "blk.0.attn_q.weight": ("Q4_0", (32, 32), 576),
        "output_norm.weight": ("F32", (32,), 128),
    }
    assert reading.metadata["general.architecture"] == "llama"
    assert reading.tensors.header_bytes % 32 == 0


def test_quantised_blocks_count_parameters_not_bytes() -> None:
    ledger = account(bundle(BytesDocument(Source("test", "sha", "model.gguf"), CONTENT)))
    assert (ledger.format, ledger.params_total_excl_buffers, ledger.by_role["attention"]) == ("gguf", 1280, 1024)


def start(tensors: int = 0, pairs: int = 0) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, pairs)


def pair(kind: int, value: bytes) -> bytes:
    return struct.pack("<Q", 1) + b"k" + struct.pack("<I", kind) + value


HOSTILE = {
    "not GGUF": b"GGML" + bytes(60),
    "version 1": b"GGUF" + struct.pack("<IQQ", 1, 0, 0),
    "cut": CONTENT[:100],
    "data cut": CONTENT[:-400],
    "too many tensors": start(tensors=2**40),
    "too many settings": start(pairs=2**40),
    "a text without end": start(pairs=1) + pair(8, struct.pack("<Q", 2**60)),
    "a list without end": start(pairs=1) + pair(9, struct.pack("<IQ", 8, 2**60)),
    "a list of numbers without end": start(pairs=2) + pair(9, struct.pack("<IQ", 4, 2**60)),
    "a list in a list": start(pairs=1) + pair(9, struct.pack("<IQ", 9, 1)),
    "an unknown kind": start(pairs=1) + pair(99, b""),
    "an unknown type": start(tensors=1) + struct.pack("<Q", 1) + b"t" + struct.pack("<IQIQ", 1, 32, 999, 0),
    "rank": start(tensors=1) + struct.pack("<Q", 1) + b"t" + struct.pack("<I", 10**6),
    "half a block": start(tensors=1) + struct.pack("<Q", 1) + b"t" + struct.pack("<IQIQ", 1, 31, 2, 0),
    "alignment": start(pairs=1) + struct.pack("<Q", 17) + b"general.alignment" + struct.pack("<II", 4, 2**31),
    "alignment of text": start(pairs=1)
    + struct.pack("<Q", 17)
    + b"general.alignment"
    + struct.pack("<IQ", 8, 1)
    + b"x",
    "huge shape": start(tensors=1) + struct.pack("<Q", 1) + b"t" + struct.pack("<IQQIQ", 2, 2**62, 2**62, 0, 0),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_headers_are_refused(content: bytes) -> None:
    with pytest.raises(FormatError) as refusal:
        opened(content)
    assert "\n" not in str(refusal.value)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 600), st.integers(0, 255))
def test_one_changed_byte_is_read_or_refused(at: int, byte: int) -> None:
    content = bytearray(CONTENT)
    content[at] = byte
    with suppress(FormatError):
        opened(bytes(content))
