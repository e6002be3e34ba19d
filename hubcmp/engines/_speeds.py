"""Throughput of log lines while the batch is constant: the figure that two servers can be compared by."""

from dataclasses import dataclass, field


@dataclass
class Speeds:
    """Adds up tok/s per log line until a second batch size shows up. `batches` are the numbers of running requests seen."""

    batches: set[int] = field(default_factory=set)
    lines: int = 0
    total: float = 0.0

    @property
    def constant(self) -> bool:
        """Whether no two batch sizes were seen yet, so that it is worth going on."""
        return len(self.batches) <= 1

    def add(self, batch: int, speed: float) -> None:
        """Add one line with `batch` running requests."""
        self.batches.add(batch)
        self.lines += 1
        self.total += speed

    def extend(self, later: "Speeds") -> None:
        """Add the lines of a later part of the same log."""
        self.batches |= later.batches
        self.lines += later.lines
        self.total += later.total

    @property
    def batch(self) -> int | None:
        """The batch size when it is the same everywhere."""
        return next(iter(self.batches)) if len(self.batches) == 1 else None

    @property
    def mean(self) -> float | None:
        """Mean tok/s of the lines when the batch is the same everywhere."""
        return self.total / self.lines if self.lines and self.batch is not None else None
