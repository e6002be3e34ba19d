"""Acceptance lines of llama.cpp's server: one per request, and cumulative statistics at higher verbosity."""

import re
from dataclasses import dataclass, field

from hubcmp.engines._counts import Counts
from hubcmp.engines._text import figure

_REQUEST = re.compile(
    r"draft acceptance(?: rate)? {0,4}= {0,4}(?:[\d.]{1,12}|-?nan) {0,4}\( {0,12}(\d{1,12}) accepted / {0,12}(\d{1,12}) generated\)"
    r"(?:, mean (?:acceptance length|len) {0,4}= {0,8}([\d.]{1,12}))?(?:, acceptance rate per position = \(([\d., ]{1,600})\))?"
)
_TOTAL = re.compile(
    r"statistics {1,40}([\w.+-]{1,60}): [^\n]{0,200}?#gen drafts = {0,12}(\d{1,12}), #acc drafts = {0,12}\d{1,12}, "
    r"#gen tokens = {0,12}(\d{1,12}), #acc tokens = {0,12}(\d{1,12})(?:[^\n]{0,80}?#acc rate/pos = \(([\d., ]{1,600})\))?"
)
SYNTHETIC = "synthetic speculative acceptance is enabled"
"""What the server says when --spec-synth-len or --spec-synth-rates is set."""

Total = tuple[float, float, float, list[float]]
"""(drafts, drafted, accepted, per-position rates) since the server started."""


@dataclass
class Acceptance:
    """What a log says: requests with their sums, `steps` of those that print a mean length, and cumulative totals.

    `unknown` holds the drafted tokens of requests whose steps cannot be told (no length printed, or no draft accepted);
    `totals` the last totals per implementation, a new list entry after each restart.
    """

    requests: int = 0
    drafted: float = 0.0
    accepted: float = 0.0
    unknown: float = 0.0
    steps: Counts = field(default_factory=Counts)
    totals: dict[str, list[Total]] = field(default_factory=dict)
    simulated: bool = False
    span: tuple[int, int] = (0, 0)

    def add(self, number: int, line: str) -> None:
        """Add one line of the log."""
        self.simulated = self.simulated or SYNTHETIC in line
        total = _TOTAL.search(line) if "#gen drafts" in line else None
        request = _REQUEST.search(line) if "draft acceptance" in line else None
        if total:
            self._total(total)
        if request:
            self._request(request)
        if total or request:
            self.span = self.span[0] or number, number

    def _request(self, found: re.Match[str]) -> None:
        accepted, drafted, length = float(found[1]), float(found[2]), figure(found[3])
        self.requests += 1
        self.drafted += drafted
        self.accepted += accepted
        if not length or length <= 1 or not accepted:
            self.unknown += drafted
            return
        steps = round(accepted / (length - 1))
        self.steps.add(steps, accepted, drafted, [p * steps for p in _rates(found[4])])

    def _total(self, found: re.Match[str]) -> None:
        drafts, drafted, accepted = (float(found[i]) for i in (2, 3, 4))
        seen = self.totals.setdefault(found[1], [])
        if seen and seen[-1][0] <= drafts:
            seen.pop()
        if len(seen) < 1000:
            seen.append((drafts, drafted, accepted, _rates(found[5])))

    def counted(self) -> Counts | None:
        """Return the exact counts of the statistics lines: the last of every start and implementation, summed."""
        total = Counts()
        for drafts, drafted, accepted, rates in (last for lasts in self.totals.values() for last in lasts):
            total.add(drafts, accepted, drafted, [p * drafts for p in rates])
        return total if total.steps else None


def _rates(printed: str | None) -> list[float]:
    values = [figure(p.strip()) for p in printed.split(",")] if printed else []
    rates = [value for value in values if value is not None]
    return rates if len(rates) == len(values) else []
