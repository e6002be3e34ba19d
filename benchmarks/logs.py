"""Throughput and memory of reading server logs, beside grep on the same file.

    python benchmarks/logs.py LOG [LOG ...]

Give logs of SGLang or vLLM of any size (1 GB is the case that matters). Prints seconds, MB/s, the peak memory of hubcmp with its
worker processes added, and the share of `grep -c "accept len"`.
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

REPEATS = 3
HUBCMP = (sys.executable, "-m", "hubcmp", "bench", "--format", "json")
GREP = ("grep", "-c", "accept len")


def seconds(command: tuple[str, ...], log: str) -> float:
    """Best wall time of several runs, start of the program included."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        # a pipe, because grep stops at the first match when its output goes nowhere
        subprocess.run([*command, log], capture_output=True, check=False)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    print(f"{'log':30} {'MB':>7} {'grep s':>8} {'hubcmp s':>9} {'MB/s':>7} {'share':>6} {'peak MB':>8}")
    for log in sys.argv[1:]:
        size = Path(log).stat().st_size / 1e6
        grep, ours = seconds(GREP, log), seconds(HUBCMP, log)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        name, cores = Path(log).name, os.cpu_count() or 1
        print(
            f"{name:30} {size:7.0f} {grep:8.2f} {ours:9.2f} {size / ours:7.0f} {grep / ours:6.2f} {peak:5.0f} x {cores}"
        )


if __name__ == "__main__":
    main()
