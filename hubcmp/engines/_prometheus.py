"""Prometheus text: one scrape, the difference of two, and the counters that vLLM, LMDeploy and llama.cpp share."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts, ratio
from hubcmp.engines._text import figure, head, is_json, lines
from hubcmp.errors import Problem
from hubcmp.facts import Scalar
from hubcmp.readers import Reading

Labels = tuple[tuple[str, str], ...]
_SERIES = re.compile(
    r"([a-zA-Z_:][\w:]{0,200})(?:\{((?:[^\"}]|\"(?:[^\"\\]|\\.){0,1000}\"){0,4000})\})?\s{1,20}(\S{1,40})"
)
_LABEL = re.compile(r'(\w{1,80})="((?:[^"\\]|\\.){0,1000})"')
MOST_SERIES = 200_000
"""Most series kept of one scrape."""


@dataclass(frozen=True, slots=True)
class Scrape:
    """The series of one engine: {(name without prefix and _total, labels): value}; of repeated scrapes the last."""

    series: Mapping[tuple[str, Labels], float]
    created: Mapping[tuple[str, Labels], float]

    def total(self, name: str) -> float | None:
        """Return the sum over all labels, None when there is no such series."""
        found = [value for (series, _), value in self.series.items() if series == name]
        return sum(found) if found else None

    def mean(self, name: str) -> float | None:
        """Return the plain mean over all labels of a gauge, zeros (idle or not measured) left out."""
        found = [value for (series, _), value in self.series.items() if series == name and value > 0]
        return sum(found) / len(found) if found else None

    def positions(self, name: str) -> list[float]:
        """Return the sums by the label `position`, in order; empty when a position is missing."""
        sums: dict[int, float] = {}
        for (series, labels), value in self.series.items():
            place = dict(labels).get("position", "")
            if series == name and place.isdecimal() and len(place) <= 3:
                sums[int(place)] = sums.get(int(place), 0.0) + value
        return [sums[i] for i in sorted(sums)] if sorted(sums) == list(range(len(sums))) else []

    def since(self, before: "Scrape", counters: frozenset[str]) -> "Scrape | None":
        """Return the differences of the counters (gauges as they are), or None when the server restarted in between."""
        if any(self.created.get(key, value) != value for key, value in before.created.items()):
            return None
        if any(key[0] in counters and self.series.get(key, 0.0) < value for key, value in before.series.items()):
            return None
        now = {k: v - before.series.get(k, 0.0) if k[0] in counters else v for k, v in self.series.items()}
        return Scrape(now, self.created)


def scrapes(document: Document, prefix: str) -> bool:
    """Return whether the head is a scrape with series of `prefix`."""
    start = head(document)
    return not is_json(start) and bool(re.search(rb"(?m)^(?:# (?:TYPE|HELP) )?" + re.escape(prefix.encode()), start))


def scrape(document: Document, prefix: str) -> Scrape:
    """Return the series whose names start with `prefix`, and the start times that show a restart."""
    series: dict[tuple[str, Labels], float] = {}
    created: dict[tuple[str, Labels], float] = {}
    for line in lines(document):
        found = _SERIES.match(line)
        value = figure(found[3]) if found else None
        if not found or value is None or len(series) > MOST_SERIES:
            continue
        labels = tuple(sorted(_LABEL.findall(found[2] or "")))
        if found[1] == "process_start_time_seconds" or (found[1].startswith(prefix) and found[1].endswith("_created")):
            created[found[1], labels] = value
        elif found[1].startswith(prefix):
            series[found[1].removeprefix(prefix).removesuffix("_total"), labels] = value
    return Scrape(series, created)


GENERATED = ("generation_tokens", "tokens_predicted")
"""Counters of generated tokens, as the engines name them."""
COUNTERS = frozenset(
    {
        "spec_decode_num_drafts",
        "spec_decode_num_draft_tokens",
        "spec_decode_num_accepted_tokens",
        "spec_decode_num_accepted_tokens_per_pos",
        *GENERATED,
    }
)
"""The counters N, D, A and accepted per position, as three engines name them, and generated tokens."""
RUNNING = ("num_requests_running", "num_running_reqs", "requests_processing")
"""Gauges of the requests under way, as the engines name them."""
BETWEEN = "run between two scrapes (all traffic of the server)"
"""The window of what two scrapes give."""


def counted(found: Scrape, run: Run, fixed_depth: bool = True) -> Run:
    """Return the run that the shared counters give; `fixed_depth`: the engine has one series per draft position."""
    counts = Counts()
    steps, drafted = found.total("spec_decode_num_drafts"), found.total("spec_decode_num_draft_tokens")
    taken = found.total("spec_decode_num_accepted_tokens")
    places = found.positions("spec_decode_num_accepted_tokens_per_pos")
    if steps and drafted is not None and taken is not None:
        counts.add(steps, taken, drafted, places)
    depth = (len(places) or ratio(drafted or 0.0, steps or 0.0)) if fixed_depth and steps else None
    conditions: dict[str, Scalar] = dict(run.conditions) | (
        {"num_speculative_tokens": depth, "draft_length": depth} if depth else {}
    )
    return replace(counts.fill(replace(run, kind="exact")), num_spec_tokens=depth, conditions=conditions, samples=())


def running(document: Document) -> float | None:
    """Return how many requests were under way at a scrape, None when it does not tell."""
    found = [value for (name, _), value in scrape(document, "").series.items() if name.rpartition(":")[2] in RUNNING]
    return sum(found) if found else None


def generated(found: Scrape) -> dict[str, object]:
    """Return the tokens generated between two scrapes, as something reported."""
    tokens = next((total for name in GENERATED if (total := found.total(name)) is not None), None)
    return {} if tokens is None else {"generated_tokens": tokens}


def difference(before: Document, after: Document, prefix: str, run: Run, fixed_depth: bool = True) -> Reading:
    """Return the run between two scrapes of an engine with the shared counters; `run` says whose."""
    found = scrape(after, prefix).since(scrape(before, prefix), COUNTERS)
    if found is None:
        return restarted(run, after)
    return Reading(run.format, runs=(replace(counted(found, run, fixed_depth), reported=generated(found)),))


def restarted(run: Run, document: Document) -> Reading:
    """Return the empty reading of two scrapes with a restart between them."""
    message = "the counters fell or the start time changed between the scrapes: the server restarted, so there is no run to report"
    return Reading(run.format, engine=run.engine, problems=(Problem(str(document.source), message, failed=True),))
