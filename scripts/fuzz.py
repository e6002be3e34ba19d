"""Mutated weight files, many of them: none may crash a reader, and no count may differ from what safetensors itself reads.

    python scripts/fuzz.py [MUTATIONS] [SEED]

Half of the mutations hit a safetensors file, a quarter each a torch zip and the pickle inside one. Whatever hubcmp accepts, the
safetensors library must accept with the same names, shapes and dtypes; refusing more than the library does is allowed.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from math import prod
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import safetensors

from hubcmp.document import BytesDocument
from hubcmp.errors import HubcmpError
from hubcmp.facts import Source
from hubcmp.readers import Reader, Reading, readers
from hubcmp.tensors import DTYPE_BITS
from tests.weights import encode, header, pickled, torch_zip

SHAPES = {"fc.weight": (4, 6), "norm.weight": (4,), "d2t": (3,)}
TOKENS = (
    b"9",
    b"-1",
    b"0",
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b",",
    b":",
    b"1e9",
    b"null",
    b"true",
    b'"F32"',
    b"BF16",
    b"18446744073709551615",
)
"""Pieces that keep a header near to JSON, where plain bit flips would only break it."""


def flip(data: bytearray, chance: random.Random) -> None:
    """Change one byte."""
    data[chance.randrange(len(data))] = chance.randrange(256)


def cut(data: bytearray, chance: random.Random) -> None:
    """Take a piece out."""
    at = chance.randrange(len(data))
    del data[at : at + chance.randrange(1, 9)]


def insert(data: bytearray, chance: random.Random) -> None:
    """Put a telling piece in."""
    at = chance.randrange(len(data))
    data[at:at] = chance.choice(TOKENS)


def double(data: bytearray, chance: random.Random) -> None:
    """Repeat a piece."""
    at = chance.randrange(len(data))
    data[at:at] = data[at : at + chance.randrange(1, 40)]


KINDS: tuple[Callable[[bytearray, random.Random], None], ...] = (flip, cut, insert, double)


def mutate(seed: bytes, chance: random.Random) -> bytes:
    """Return the seed with one to three changes."""
    data = bytearray(seed)
    for _ in range(chance.randint(1, 3)):
        chance.choice(KINDS)(data, chance)
        data = data or bytearray(b"\0")
    return bytes(data)


def tried(reader: Reader, name: str, content: bytes) -> Reading | None:
    """Return what a reader makes of the content, None when it refuses it in one line."""
    try:
        return reader.read(BytesDocument(Source("fuzz", "sha", name), content))
    except HubcmpError as error:
        if "\n" in str(error):
            raise AssertionError(f"more than one line: {error}") from error
        return None


def agree(reading: Reading, content: bytes) -> None:
    """Compare an accepted file with what the safetensors library reads of it; it knows no dtype that hubcmp merely names."""
    assert reading.tensors is not None
    if any(t.dtype not in DTYPE_BITS for t in reading.tensors.tensors):
        return
    ours = sorted((t.name, t.dtype, t.shape) for t in reading.tensors.tensors)
    theirs = sorted((n, t["dtype"], tuple(t["shape"])) for n, t in safetensors.deserialize(content))
    assert ours == theirs, f"{ours} against {theirs}"


def cases(chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield (reader, mutated file) without end."""
    table = header(SHAPES, {"fc.weight": "BF16", "norm.weight": "F32", "d2t": "I64"})
    plain = encode(table) + bytes(max(t["data_offsets"][1] for t in table.values()))
    sizes, inside = [2 * prod(shape) for shape in SHAPES.values()], pickled(SHAPES)
    archive = torch_zip(inside, sizes)
    while True:
        yield "safetensors", mutate(plain, chance)
        yield "torch_pickle", mutate(archive, chance)
        yield "safetensors", mutate(plain, chance)
        yield "torch_pickle", torch_zip(mutate(inside, chance), sizes)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    weights, tally = readers("weights"), Counter[str]()
    for kind, content in islice(cases(random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)), count):
        reading = tried(weights[kind], "model.safetensors" if kind == "safetensors" else "pytorch_model.bin", content)
        tally[f"{kind} {'accepted' if reading else 'refused'}"] += 1
        if reading and kind == "safetensors":
            agree(reading, content)
    print(", ".join(f"{key} {value:,}" for key, value in sorted(tally.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
