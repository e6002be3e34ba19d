"""speculators' acceptance.csv and perf_results.csv: one row per subset with the difference of vLLM's counters."""

import csv
from dataclasses import replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts, ratio
from hubcmp.engines._text import REPORT_LIMIT, figure, head, is_json, text
from hubcmp.errors import FormatError, Problem
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "speculators.acceptance.csv"
NAMES = frozenset({"acceptance_at_pos_0", "num_accepted_tokens"})
"""Columns that no other table has."""
MIXED_ENGINES = (
    "the per-position rates do not add up to accept length - 1 (with several engines this tool keeps one engine's counts per "
    "position): left out"
)


def recognises(document: Document) -> bool:
    """Return whether the first line names the columns."""
    start = head(document)
    first = start.lstrip(b"\xef\xbb\xbf\r\n").split(b"\n")[0].decode("utf-8", "replace")
    columns = [name.strip('" \r') for name in first.split(_separator(first))]
    return not is_json(start) and len(columns) > 3 and not NAMES.isdisjoint(columns)


def read(document: Document) -> Reading:
    """Return one run per row."""
    content = text(document, REPORT_LIMIT).lstrip("\ufeff\n")
    separator = _separator(content.partition("\n")[0])
    # a spreadsheet that separates by semicolons may write 0,8 for 0.8
    content = content if separator == "," else content.replace(",", ".")
    rows = csv.DictReader(content.splitlines(), delimiter=separator)
    try:
        pairs = [_run(document, number, row) for number, row in enumerate(rows, 2)]
    except csv.Error as error:
        raise FormatError(f"{document.source}: not readable as CSV ({error}); check that the file is whole") from None
    runs = tuple(run for run in pairs if run is not None)
    lost = any("per_position" in run.why for run in runs)
    problems = (Problem(str(document.source), MIXED_ENGINES),) if lost else ()
    return Reading(FORMAT, runs=runs, problems=problems)


def _separator(first: str) -> str:
    """Return what separates the columns of a first line."""
    return max(",;\t", key=first.count)


def _run(document: Document, number: int, row: dict[str | None, str | None]) -> Run | None:
    n, drafted, taken = (figure(row.get(f"num_{name}")) for name in ("drafts", "draft_tokens", "accepted_tokens"))
    if n is None or taken is None:
        return None
    places = [value for i in range(64) if (value := figure(row.get(f"acceptance_at_pos_{i}"))) is not None]
    total = Counts()
    total.add(n, taken, drafted, [p * n for p in places])
    depth = ratio(drafted or 0, n) or len(places) or None
    known: dict[str, Scalar] = {"num_speculative_tokens": depth, "draft_length": depth} if depth else {}
    base = Run(
        engine="vllm",
        format=FORMAT,
        source=document.source.at(f"line {number}"),
        kind="exact",
        window="run delta per subset",
        num_spec_tokens=depth,
        dataset=row.get("subset") or None,
        conditions={"engine": "vllm", **known},
        reported={name: value for name in ("output_tps_median",) if (value := figure(row.get(name))) is not None},
    )
    run = replace(total.fill(base), samples=())
    if places and run.per_position is None and n:
        return replace(run, reported={**run.reported, "per_position": places}, why={"per_position": MIXED_ENGINES})
    return run


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
