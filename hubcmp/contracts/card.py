"""The contract of `hubcmp card`: one object per card."""

from hubcmp.contracts._base import NONE, Contract, Versioned
from hubcmp.facts import Evidence, Scalar


class Claim(Contract):
    """One figure that a card claims, with the line it stands on."""

    metric: str
    value: float
    """A rate is a fraction; "+80%" is a speedup of 1.80."""
    unit: str
    benchmark: str | None
    subject: str
    """"self", "baseline" or "other:NAME"."""
    conditions: dict[str, Scalar]
    """What the card binds to the figure."""
    line: int
    raw: str
    position: int | None = None
    stat: str | None = None
    approx: bool = False
    nearby: dict[str, Scalar] = NONE
    """What stands elsewhere on the card; never compared."""


class Candidate(Contract):
    """What a card says about its target or algorithm."""

    value: str
    evidence: Evidence
    method: str
    line: int


class Choice(Candidate):
    """The strongest candidate, with the others beside it."""

    candidates: tuple[Candidate, ...] = ()


class Trouble(Contract):
    """What went wrong with a card."""

    where: str
    message: str


class Card(Versioned):
    """What one card claims."""

    source: str
    revision: str
    metadata: dict[str, object]
    """The front matter."""
    claims: list[Claim]
    target: Choice | None
    algorithm: Choice | None
    problems: list[Trouble]
