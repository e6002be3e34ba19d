"""Time, requests and bytes of `hubcmp` on a loopback Hub that answers after 40 ms, beside what one would do without it.

Usage: python benchmarks/hub.py [RUNS]. The two of a pair take turns, each run a new process, start-up included, with an
empty cache unless it says warm. Bytecode is compiled before the first counted run, as an installation does. Medians count.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
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
IMPORTS = """
from concurrent.futures import Future
from hubcmp import api, cli, loading
loading._prepare(("hubcmp.parameters", "hubcmp.renderers._views.params", "hubcmp.readers.card.whole"), [Future()])
"""
ALL_IMPORTS = f"{IMPORTS}import hubcmp.judgement, hubcmp.renderers._views.compare"
"""The modules that a run loads anyway."""


@dataclass(frozen=True)
class Pair:
    """A command, what it is set against, and how many times that one's seconds it may take (None: no goal)."""

    title: str
    command: list[str]
    peer: list[str]
    goal: float | None = None
    warm: bool = False


@dataclass
class Series:
    """The seconds of a command's runs, with the requests and body bytes of the last one."""

    times: list[float] = field(default_factory=list)
    requests: int = 0
    sent: int = 0

    @property
    def seconds(self) -> float:
        """The median."""
        return statistics.median(self.times)


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


def pairs() -> list[Pair]:
    python, hubcmp = [sys.executable, "-c"], [sys.executable, "-m", "hubcmp"]
    one, three, pinned = ["org/drafter"], ["org/drafter", "org/second", "org/third"], f"org/drafter@{COMMIT}"
    warm = [f"{ref}@{COMMIT}" for ref in three]
    return [
        Pair("--help | import click", [*hubcmp, "--help"], [*python, "import click"], 1.5),
        Pair("params, one drafter | huggingface_hub", [*hubcmp, "params", *one], [*python, PEER, *one], 0.6),
        Pair("compare with a folder | by hand", [*hubcmp, "compare", *one, LOCAL], [*python, BY_HAND, *one], 0.8),
        Pair("compare, three | by hand", [*hubcmp, "compare", *three], [*python, BY_HAND, *three], 0.5),
        Pair("params, 62 shards | huggingface_hub", [*hubcmp, "params", "org/target"], [*python, PEER, "org/target"]),
        Pair("params, warm, pinned | its imports", [*hubcmp, "params", pinned], [*python, IMPORTS], None, warm=True),
        Pair(
            "compare, warm, pinned | its imports", [*hubcmp, "compare", *warm], [*python, ALL_IMPORTS], 1.3, warm=True
        ),
    ]


def run(command: list[str], hub: Hub, home: Path, bytecode: Path, series: Series) -> None:
    """Run a command once, with `home` for its cache, and note what it took."""
    environment = {**os.environ, "HF_ENDPOINT": hub.endpoint, "HF_HOME": str(home), "NO_PROXY": "127.0.0.1"}
    environment |= {"PYTHONPYCACHEPREFIX": str(bytecode), "PYTHONPATH": str(Path(__file__).parents[1])}
    for name in ("PYTHONDONTWRITEBYTECODE", "HF_TOKEN"):
        environment.pop(name, None)
    hub.reset()
    began = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    series.times.append(time.perf_counter() - began)
    series.requests, series.sent = len(hub.requests), hub.sent


def measure(pair: Pair, hub: Hub, runs: int) -> tuple[Series, Series]:
    """Return the runs of a pair; the first of each fills caches and does not count."""
    ours, theirs = Series(), Series()
    with tempfile.TemporaryDirectory() as folder:
        for n in range(runs + 1):
            for command, series in ((pair.command, ours), (pair.peer, theirs)):
                home = Path(folder, "warm" if pair.warm else f"{n}{series is ours}")
                run(command, hub, home, Path(folder, "bytecode"), series)
    del ours.times[0], theirs.times[0]
    return ours, theirs


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with Hub(repositories(), LATENCY) as hub:
        print(f"{'pair':38} {'seconds':>15} {'ratio':>6} {'goal':>5} {'requests':>9} {'bytes':>23}")
        for pair in pairs():
            ours, theirs = measure(pair, hub, runs)
            times, ratio = f"{ours.seconds:.2f} | {theirs.seconds:.2f}", ours.seconds / theirs.seconds
            requests, sent = f"{ours.requests} | {theirs.requests}", f"{ours.sent:,} | {theirs.sent:,}"
            print(f"{pair.title:38} {times:>15} {ratio:6.2f} {pair.goal or '':>5} {requests:>9} {sent:>23}")


if __name__ == "__main__":
    main()
