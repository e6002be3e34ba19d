"""Where the constants of `hubcmp.acceptance` come from, and how well they hold: lengths at another draft depth.

    python benchmarks/decay.py [FILE.jsonl]

Reads public measurements (one JSON object a line: target, drafter, benchmark, batch_size, num_steps, topk, accept_length), by
default the bundled half of them. DECAY is the value with the least mean error; SPREAD and OWN_SPREAD are chosen so that
intervals cover about 90 %.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from statistics import fmean

from hubcmp import acceptance
from hubcmp.acceptance import Estimate

DATA = Path(__file__).parents[1] / "fixtures" / "dashboard" / "specbundle.jsonl"
Points = dict[tuple[str, str], dict[int, float]]
"""{(drafter, benchmark): {depth: accept length}}, chains only."""


def points(lines: Sequence[str]) -> Points:
    found: dict[tuple[str, str], dict[int, list[float]]] = {}
    for row in map(json.loads, lines):
        if row["topk"] == 1 and row["accept_length"]:
            key = (f"{row['target']} {row['drafter']}", row["benchmark"])
            found.setdefault(key, {}).setdefault(row["num_steps"], []).append(row["accept_length"])
    return {key: {depth: fmean(values) for depth, values in depths.items()} for key, depths in found.items()}


def pairs(data: Points) -> Iterator[tuple[tuple[str, str], int, int]]:
    for key, depths in data.items():
        yield from ((key, a, b) for a, b in permutations(sorted(depths), 2))


def error(data: Points, decay: float, among: Callable[[str], bool] = lambda drafter: True) -> float:
    """Mean absolute error in per cent of the general decay over all pairs of depths."""
    misses = []
    for (drafter, benchmark), a, b in pairs(data):
        if among(drafter):
            depths = data[drafter, benchmark]
            got = acceptance.length_at(acceptance.first_rate(depths[a], a, decay), b, decay)
            misses.append(abs(got / depths[b] - 1) * 100)
    return fmean(misses)


def best(data: Points, among: Callable[[str], bool] = lambda drafter: True) -> float:
    return min((n / 200 for n in range(180, 203)), key=lambda decay: error(data, decay, among))


def own(data: Points, key: tuple[str, str], a: int, b: int) -> Estimate | None:
    """The estimate from the same drafter's other benchmarks."""
    decays = [
        acceptance.decay_of((depths[a], a), (depths[b], b))
        for other, depths in data.items()
        if other[0] == key[0] and other != key and a in depths and b in depths
    ]
    return acceptance.at_own_depth(data[key][a], a, b, decays) if decays else None


def table(data: Points, title: str, estimate: Callable[[tuple[str, str], int, int], Estimate | None]) -> None:
    print(f"\n{title}\nfrom to   pairs  mean |error| %  largest %  inside the interval %")
    rows: dict[tuple[int, int], list[tuple[float, bool]]] = {}
    for key, a, b in pairs(data):
        if (found := estimate(key, a, b)) is not None:
            true = data[key][b]
            inside = found.interval.low <= true <= found.interval.high
            rows.setdefault((a, b), []).append((abs(found.value / true - 1) * 100, inside))
    for (a, b), got in sorted(rows.items()):
        errors = [e for e, _ in got]
        print(
            f"{a:4d} {b:2d} {len(got):7d} {fmean(errors):15.2f} {max(errors):10.1f} {100 * fmean(i for _, i in got):18.0f}"
        )
    every = [item for got in rows.values() for item in got]
    misses, inside = [miss for miss, _ in every], 100 * fmean(hit for _, hit in every)
    print(f"    all {len(every):6d} {fmean(misses):15.2f} {max(misses):10.1f} {inside:18.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=DATA)
    data = points(parser.parse_args().file.read_text().splitlines())
    drafters = sorted({drafter for drafter, _ in data})
    print(
        f"{len(drafters)} drafters, {len(data)} drafter-and-benchmark pairs, {len(list(pairs(data)))} pairs of depths"
    )
    print(
        f"best decay {best(data):.3f}; in use {acceptance.DECAY}; a constant rate (1.0) misses by {error(data, 1.0):.2f} %"
    )
    left_out = sorted({best(data, lambda d, out=drafter: d != out) for drafter in drafters})  # type: ignore[misc]
    print(f"leaving out any one drafter: {', '.join(f'{decay:.3f}' for decay in left_out)}")
    table(data, "the general decay", lambda key, a, b: acceptance.at_depth(data[key][a], a, b))
    table(data, "the drafter's own decay, from its other benchmarks", lambda key, a, b: own(data, key, a, b))


if __name__ == "__main__":
    main()
