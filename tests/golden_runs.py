"""Golden samples of benchmark readers: a file, what must be derived from it, and what must stay null."""

import json
from pathlib import Path
from typing import Any

from hubcmp import measurements
from hubcmp.acceptance import Run
from hubcmp.measurements import Benchmark
from hubcmp.sources._files import open_document

FIXTURES = Path(__file__).parents[1] / "fixtures"
FIELDS = (
    "steps", "drafted", "accepted", "accept_length", "draft_acceptance_rate", "per_position", "output_throughput",
    "num_spec_tokens", "n_requests",
)  # fmt: skip


def samples(module: str, room: str = "engines") -> list[str]:
    """Names of a reader's samples that have golden figures."""
    return sorted(p.name.removesuffix(".golden.json") for p in (FIXTURES / room / module).glob("*.golden.json"))


def measure(*paths: Path) -> Benchmark:
    return measurements.read([open_document(str(path)) for path in paths], "..".join(str(p) for p in paths))


def check(module: str, name: str, room: str = "engines") -> None:
    """Read one sample and compare every field that its golden file names."""
    folder = FIXTURES / room / module
    want = json.loads((folder / f"{name}.golden.json").read_text())
    before = [folder / want["pair_with"]] if "pair_with" in want else []
    got = measure(*before, folder / name)
    assert (got.format, got.engine) == (want["format"], want.get("engine")), got.problems
    wanted = want.get("records") or [want]
    assert len(got.runs) == len(wanted)
    for run, expected in zip(got.runs, wanted, strict=True):
        compare(run, expected, want.get("tolerance", {}))


def compare(run: Run, want: dict[str, Any], tolerance: dict[str, float]) -> None:
    for field in FIELDS:
        if field in want or field in want.get("not_derivable", ()):
            value = getattr(run, field)
            assert close(value, want.get(field), max(tolerance.get(field, 0), 6e-7)), (field, value, want.get(field))


def close(got: object, want: object, tolerance: float) -> bool:
    if isinstance(want, list):
        return (
            isinstance(got, tuple)
            and len(got) == len(want)
            and all(close(g, w, tolerance) for g, w in zip(got, want, strict=True))
        )
    if isinstance(want, int | float) and isinstance(got, int | float):
        return abs(got - want) <= max(tolerance, 1e-6 * abs(want))
    return got == want
