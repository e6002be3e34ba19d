"""The founding case on bundled evidence: a published drafter against a checkpoint of full size, with two server logs.

The checkpoint is a sparse file (5.2 GB apparent, nothing on the disk). Where the disk keeps no holes, its recorded header
stands in for it.
"""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.sparse import write_safetensors  # noqa: E402

STORY = ROOT / "fixtures" / "story"
DEMO = ROOT / "demo"
ENOUGH = 64 << 20
"""Bytes that a disk without holes may take before the demo turns to the recorded header."""


def keeps_holes(folder: Path) -> bool:
    """Whether a file with a hole takes no room here."""
    probe = folder / "probe"
    with probe.open("wb") as file:
        file.truncate(ENOUGH)
    kept = probe.stat().st_blocks * 512 < ENOUGH // 2
    probe.unlink()
    return kept


def prepare() -> str:
    """Lay out the demo's folder and return the checkpoint as compare takes it."""
    shutil.rmtree(DEMO, ignore_errors=True)
    (DEMO / "ckpt").mkdir(parents=True)
    for log in ("ours.log", "plain.log"):
        shutil.copy(STORY / log, DEMO / log)
    if not keeps_holes(DEMO):
        shutil.copytree(STORY / "recorded-ckpt", DEMO / "ckpt", dirs_exist_ok=True)
        return "./ckpt"
    for name in ("config.json", "README.md"):
        shutil.copy(STORY / "ckpt" / name, DEMO / "ckpt" / name)
    header = json.loads((STORY / "ckpt" / "model.safetensors.header.json").read_text())
    write_safetensors(header, DEMO / "ckpt" / "model.safetensors")
    return "./ckpt"


def main() -> int:
    ours = prepare()
    shown = [
        "hubcmp",
        "compare",
        "AQ-MedAI/Kimi-K2-Instruct-eagle3",
        ours,
        "--bench",
        f"{ours}=ours.log",
        "--plain",
        f"{ours}=plain.log",
    ]
    options = ["--offline", "--cache", "../fixtures/recorded"]
    print(f"$ cd demo && {shlex.join([*shown, *options])}\n", flush=True)
    return subprocess.run([sys.executable, "-m", *shown, *options], cwd=DEMO, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
