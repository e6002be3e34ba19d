"""Units of resampling (requests, log windows) in bounded memory, for the bootstrap that compares two runs."""

from hubcmp.acceptance import Sample

LIMIT = 4096
"""Most samples that are kept; beyond it, neighbours are merged, which keeps their sums and their order."""


class Samples:
    """Collects (steps, accepted) pairs; `coarse` turns True once pairs were merged, so callers may add sums from then on."""

    def __init__(self) -> None:
        self._pairs: list[tuple[float, float]] = []
        self.coarse = False

    def add(self, steps: float, accepted: float) -> None:
        """Add one unit: `steps` verify steps that accepted `accepted` drafts. Units without a step are left out."""
        if steps <= 0:
            return
        self._pairs.append((steps, accepted))
        if len(self._pairs) >= LIMIT:
            self._merge()

    def _merge(self) -> None:
        pairs = self._pairs
        self._pairs = [(a[0] + b[0], a[1] + b[1]) for a, b in zip(pairs[::2], pairs[1::2], strict=False)]
        self.coarse = True

    def extend(self, later: "Samples") -> None:
        """Add what was collected from a later part of the same source."""
        self._pairs += later._pairs
        while len(self._pairs) >= LIMIT:
            self._merge()

    def freeze(self) -> tuple[Sample, ...]:
        """Return what was collected, in order."""
        return tuple(Sample(steps, accepted) for steps, accepted in self._pairs)
