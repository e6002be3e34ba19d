"""Throughput and memory of reading server logs, beside grep on the same file.

    python benchmarks/logs.py LOG [LOG ...]

Give logs of SGLang or vLLM of any size (1 GB is the case that matters). Prints seconds, MB/s, the throughput as a share of that of
`grep -c "accept len"` in the same run, the same share by processor time (for a machine that others use meanwhile), and the peak
memory of one hubcmp process times the number of processes.
"""

import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

REPEATS = 3
HUBCMP = (sys.executable, "-m", "hubcmp", "bench", "--format", "json")
GREP = ("grep", "-c", "accept len")


@dataclass
class Best:
    """Best wall and processor seconds of several runs, start of the program included."""

    wall: float = float("inf")
    processor: float = float("inf")

    def run(self, command: tuple[str, ...], log: str) -> None:
        """Run once more."""
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        # a pipe, because grep stops at the first match when its output goes nowhere
        subprocess.run([*command, log], capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.wall, self.processor = min(self.wall, time.perf_counter() - start), min(self.processor, used)


def main() -> None:
    cores = os.cpu_count() or 1
    print(
        f"{'log':30} {'MB':>6} {'grep s':>7} {'hubcmp s':>8} {'MB/s':>6} {'share':>6} {'idle share':>10} {'peak MB':>8}"
    )
    for log in sys.argv[1:]:
        size = Path(log).stat().st_size / 1e6
        grep, ours = Best(), Best()
        for _ in range(REPEATS):
            grep.run(GREP, log)
            ours.run(HUBCMP, log)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        # what the share would be if no other program took processor time from the worker processes
        idle = grep.processor / (ours.processor / cores)
        print(
            f"{Path(log).name:30} {size:6.0f} {grep.wall:7.2f} {ours.wall:8.2f} {size / ours.wall:6.0f} "
            f"{grep.wall / ours.wall:6.2f} {idle:10.2f} {peak:4.0f} x {cores}"
        )


if __name__ == "__main__":
    main()
