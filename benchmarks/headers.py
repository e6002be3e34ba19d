"""How long a full ledger takes beside json.loads of the same headers, for a target of 1 T parameters on the local disk.

    python benchmarks/headers.py [FOLDER]

Without a folder a sparse one is generated: 61 shards, 140,000 tensors, a few MB on the disk. Times are the best of several
runs in one process, so that imports and the disk are out of the picture.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hubcmp.document import Bundle
from hubcmp.parameters import account
from hubcmp.reference import Reference
from hubcmp.sources import Access
from hubcmp.sources.local import PLUGIN
from scripts.sparse import write_safetensors

SHARDS, EXPERTS, HIDDEN, WIDTH = 61, 384, 7168, 2048
RUNS = 7


def generate(folder: Path) -> None:
    """Write one decoder layer of FP8 experts per shard, with its scales, and the index."""
    weight_map = {}
    for layer in range(SHARDS):
        shapes: dict[str, tuple[str, list[int]]] = {}
        for expert in range(EXPERTS):
            for name, rows, columns in (
                ("gate_proj", WIDTH, HIDDEN),
                ("up_proj", WIDTH, HIDDEN),
                ("down_proj", HIDDEN, WIDTH),
            ):
                stem = f"model.layers.{layer}.mlp.experts.{expert}.{name}.weight"
                shapes[stem] = ("F8_E4M3", [rows, columns])
                shapes[f"{stem}_scale_inv"] = ("F32", [rows // 128, columns // 128])
        path = f"model-{layer + 1}-of-{SHARDS}.safetensors"
        write_safetensors(_packed(shapes), folder / path)
        weight_map |= dict.fromkeys(shapes, path)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


def _packed(shapes: dict[str, tuple[str, list[int]]]) -> dict[str, object]:
    at, header = 0, {}
    for name, (dtype, shape) in shapes.items():
        end = at + shape[0] * shape[1] * (4 if dtype == "F32" else 1)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, end]}
        at = end
    return header


def parse(folder: Path) -> list[object]:
    """Do what is the least that anyone must do: read and parse every header."""
    headers = []
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as file:
            headers.append(json.loads(file.read(int.from_bytes(file.read(8), "little"))))
    return headers


def best(work: Callable[[], object]) -> float:
    """Return the shortest of several runs in seconds of the processor."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
        del result
    return min(times)


def measure(folder: Path) -> None:
    """Print both times and their ratio."""
    bundle: Bundle = PLUGIN.fetch(Reference(str(folder), "folder", str(folder)), Access())
    ledger = account(bundle)
    floor, full = best(lambda: parse(folder)), best(lambda: account(bundle))
    print(
        f"{ledger.tensor_count:,} tensors, {ledger.params_total_excl_buffers:,} parameters in {len(ledger.files.counted)} files"
    )
    print(f"json.loads {floor:.2f} s, full ledger {full:.2f} s, ratio {full / floor:.2f} (goal: at most 2)")


def main() -> None:
    if len(sys.argv) > 1:
        measure(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        measure(Path(folder))


if __name__ == "__main__":
    main()
