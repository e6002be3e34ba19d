"""Time, requests and bytes of `hubcmp` on a loopback Hub that answers after 40 ms, beside huggingface_hub's own reader.

Usage: python benchmarks/hub.py [RUNS]. Each run is a new process with an empty cache, start-up included; the median counts.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.hub import COMMIT, Blob, Hub, Repository, header

LATENCY = 0.04
LOCAL = str(Path(__file__).parents[1] / "fixtures" / "story" / "recorded-ckpt")
PEER = "from huggingface_hub import get_safetensors_metadata as get; import sys; [get(ref) for ref in sys.argv[1:]]"
BY_HAND = """
import sys
from huggingface_hub import HfApi, get_safetensors_metadata, hf_hub_download
for ref in sys.argv[1:]:
    HfApi().model_info(ref, files_metadata=True)
    for name in ("config.json", "README.md"):
        open(hf_hub_download(ref, name)).read()
    get_safetensors_metadata(ref)
"""
"""What a person would write to have info, config, card and header of each drafter."""
DRAFTER = ["org/drafter"]


@dataclass(frozen=True)
class Case:
    """A command, how it is run, and whether the cache is filled first."""

    title: str
    command: list[str]
    warm: bool = False


def repositories() -> dict[str, Repository]:
    """A drafter, two more, and a target in 62 shards with headers of some 195 kB each."""
    shapes = {"lm_head.weight": [32000, 7168], "fc.weight": [7168, 21504], "midlayer.mlp.up_proj.weight": [18432, 7168]}
    drafter: dict[str, Blob | bytes] = {
        "config.json": b'{"architectures": ["LlamaForCausalLMEagle3"], "model_type": "llama", "hidden_size": 7168}',
        "README.md": b"# A drafter\n\nAccept length 3.1 on MT-Bench.\n",
        "model.safetensors": header(table(shapes)),
    }
    large: dict[str, Blob | bytes] = {"config.json": drafter["config.json"], "README.md": b"# A target\n"}
    weight_map: dict[str, str] = {}
    for n in range(1, 63):
        names = {f"model.layers.{n}.mlp.experts.{e}.up_proj.weight_packed": [2048, 896] for e in range(1500)}
        large[f"model-{n:05}-of-00062.safetensors"] = header(table(names))
        weight_map |= dict.fromkeys(names, f"model-{n:05}-of-00062.safetensors")
    large["model.safetensors.index.json"] = json.dumps({"weight_map": weight_map}).encode()
    return {"org/drafter": Repository(drafter), "org/second": Repository(drafter), "org/third": Repository(drafter),
            "org/target": Repository(large)}  # fmt: skip


def table(shapes: dict[str, list[int]]) -> dict[str, object]:
    """Return a safetensors header of BF16 tensors with these shapes."""
    rows, at = {}, 0
    for name, shape in shapes.items():
        end = at + 2 * shape[0] * shape[1]
        rows[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, end]}
        at = end
    return rows


def cases() -> list[Case]:
    hubcmp = [sys.executable, "-m", "hubcmp"]
    peer = [sys.executable, "-c", PEER]
    three = ["org/drafter", "org/second", "org/third"]
    return [
        Case("python", [sys.executable, "-c", "pass"]),
        Case("params, one drafter", [*hubcmp, "params", *DRAFTER]),
        Case("huggingface_hub, one drafter", [*peer, *DRAFTER]),
        Case("compare, one drafter, local", [*hubcmp, "compare", *DRAFTER, LOCAL]),
        Case("by hand, one drafter", [sys.executable, "-c", BY_HAND, *DRAFTER]),
        Case("compare, three drafters", [*hubcmp, "compare", *three]),
        Case("by hand, three drafters", [sys.executable, "-c", BY_HAND, *three]),
        Case("params, 62 shards", [*hubcmp, "params", "org/target"]),
        Case("huggingface_hub, 62 shards", [*peer, "org/target"]),
        Case("params, warm cache, pinned", [*hubcmp, "params", f"org/drafter@{COMMIT}"], warm=True),
        Case("compare, warm cache, pinned", [*hubcmp, "compare", *(f"{ref}@{COMMIT}" for ref in three)], warm=True),
    ]


def measure(case: Case, hub: Hub, runs: int) -> tuple[float, int, int]:
    """Return the median seconds and the requests and body bytes of the last run."""
    times = []
    with tempfile.TemporaryDirectory() as home:
        for n in range(runs + case.warm):
            folder = Path(home, "warm" if case.warm else str(n))
            environment = {**os.environ, "HF_ENDPOINT": hub.endpoint, "HF_HOME": str(folder), "NO_PROXY": "127.0.0.1"}
            hub.reset()
            began = time.perf_counter()
            subprocess.run(
                case.command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            )
            times.append(time.perf_counter() - began)
    return statistics.median(times[case.warm :]), len(hub.requests), hub.sent


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with Hub(repositories(), LATENCY) as hub:
        print(f"{'case':32} {'seconds':>8} {'requests':>9} {'bytes':>12}")
        for case in cases():
            seconds, requests, sent = measure(case, hub, runs)
            print(f"{case.title:32} {seconds:8.2f} {requests:9} {sent:12,}")


if __name__ == "__main__":
    main()
