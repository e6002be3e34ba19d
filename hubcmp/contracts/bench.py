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
    units: list[tuple[float, float]] = Field(default_factory=list)
    """[verify steps, accepted drafts] of each request or log window, neighbours pooled to at most 250; left out when there are none."""
    why: dict[str, str]


class Change(Contract):
    """One metric of a run against the like run of the first source."""

    metric: str
    """"accept_length", "draft_acceptance_rate" or "throughput_tok_s"."""
    first: float
    second: float
    change: float
    """second - first."""
    low: float | None
    high: float | None
    """Ends of the 95 % interval of the change (bootstrap over requests or windows); null when there are no units."""
    shown: bool | None
    """Whether the interval leaves out zero; null without an interval."""
    units: tuple[int, int]
    """Requests or windows on the two sides."""
    depth: int | None
    """Draft depth that both lengths were brought to, when theirs differ."""
    estimated: bool
    note: str


class Trial(Contract):
    """One run against the like run of the first source."""

    sentence: str
    """The trial in one sentence."""
    first: str
    second: str
    """The source, with the drafter's name where a source holds several."""
    what: str
    """Data and batch size, as far as they are stated."""
    differences: list[Change]
    refused: list[str]
    """Why figures are not set against each other."""
    apart: list[str]
    """What else differs, such as the engine's version."""


class Speed(Contract):
    """One run beside plain decoding of the same server."""

    what: str
    speedup: float | None
    cycle_cost: float | None
    """Plain decode steps that one draft-and-verify cycle costs; also the break-even accept length."""
    why: str
    """What it rests on, or why there is none."""


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
    against_first: list[Trial] = Field(default_factory=list)
    """Further sources only."""
    against_plain: list[Speed] = Field(default_factory=list)
    """Only with --plain."""
