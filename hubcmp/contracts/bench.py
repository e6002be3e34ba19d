"""The contract of `hubcmp bench`: one object per source, one record per result."""

from typing import Literal

from pydantic import Field

from hubcmp.contracts._base import Contract, Versioned
from hubcmp.facts import Scalar


class Record(Contract):
    """One result in the normal form; null where the source cannot yield a figure, with the reason in `why`."""

    engine: str | None
    format: str
    kind: Literal["exact", "derived", "reported"] = Field(alias="class")
    """exact: steps, drafted and accepted are known; derived: some are inferred; reported: a printed, rounded figure."""
    window: str | None
    where: str
    weighting: str | None
    """Over what the accept length was averaged."""
    n_windows: int | None
    n_requests: int | None
    num_spec_tokens: int | None
    steps: float | None
    """Verify steps."""
    drafted: float | None
    """Drafted tokens."""
    accepted: float | None
    """Accepted draft tokens, without the bonus token."""
    accept_length: float | None
    """Tokens per verify step, the bonus token included."""
    draft_acceptance_rate: float | None
    """accepted / drafted, a fraction."""
    per_position: list[float] | None
    """Share of steps that accepted draft 1, 2 ..."""
    output_throughput: float | None
    """tok/s of the whole run."""
    decode_throughput: float | None
    """tok/s, mean of the decode lines while the batch is constant."""
    dataset: str | None
    batch_size: int | None
    config: dict[str, Scalar]
    """Settings of speculation."""
    settings: dict[str, str]
    """The server's arguments."""
    reported: dict[str, object]
    """Figures as the source prints them, by their own names."""
    samples: int
    """Units that can be resampled."""
    why: dict[str, str]


class Bench(Versioned):
    """One benchmark source in the normal form."""

    source: str
    format: str | None
    engine: str | None
    engine_version: str | None
    window: str | None
    exact: bool
    records: list[Record]
    warnings: list[str]
