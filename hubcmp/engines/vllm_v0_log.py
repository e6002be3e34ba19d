"""vLLM's V0 engine (0.6.x): "Speculative metrics" lines, cumulative since the start.

The printed "accepted tokens" also count positions behind a rejection, so accepted drafts are emitted tokens minus steps.
"""

import re
from dataclasses import replace

from hubcmp.acceptance import Run
from hubcmp.document import Document
from hubcmp.engines._counts import Counts
from hubcmp.engines._text import blocks, head, is_json
from hubcmp.engines._vllm_config import conditions, settings, version
from hubcmp.facts import Scalar
from hubcmp.readers import Reader, Reading

FORMAT = "vllm.v0_spec_log"
_FIELDS = re.compile(
    rb"Speculative metrics: Draft acceptance rate: ([\d.na]{1,8}), System efficiency: ([\d.na]{1,8}), Number of speculative tokens: "
    rb"(\d{1,3}), Number of accepted tokens: (\d{1,15}), Number of draft tokens: (\d{1,15}), Number of emitted tokens: (\d{1,15})(?=\D)"
)
Row = tuple[int, int, int]
"""(speculative tokens, drafted, emitted) of one line."""


def recognises(document: Document) -> bool:
    """Return whether the head holds a V0 line."""
    start = head(document)
    return not is_json(start) and b"Speculative metrics: " in start


def read(document: Document) -> Reading:
    """Return one run: the last line of each server start, summed over restarts."""
    raw: dict[str, str] = {}
    release, lines = None, 0
    lasts: list[Row] = []
    for block in blocks(document):
        raw, release = raw or settings(block), release or version(block)
        for found in _FIELDS.finditer(block):
            row = int(found[3]), int(found[5]), int(found[6])
            lines += 1
            restarted = not lasts or row[0] != lasts[-1][0] or row[1] < lasts[-1][1] or row[2] < lasts[-1][2]
            lasts = [*lasts, row] if restarted else [*lasts[:-1], row]
    base = Run(
        "vllm",
        FORMAT,
        document.source,
        release,
        kind="exact",
        window="since server start (cumulative lines)",
        n_windows=lines,
    )
    return Reading(FORMAT, runs=(_run(replace(base, settings=raw), lasts[-100:]),))


def _run(base: Run, lasts: list[Row]) -> Run:
    """Steps = drafted / k, accepted = emitted - steps."""
    total = Counts()
    for k, drafted, emitted in lasts:
        steps = drafted / k if k else 0.0
        if steps and emitted >= steps:
            total.add(steps, emitted - steps, drafted)
    depths = {k for k, _, _ in lasts}
    depth = depths.pop() if len(depths) == 1 else None
    known: dict[str, Scalar] = {"num_speculative_tokens": depth, "draft_length": depth} if depth else {}
    run = replace(base, num_spec_tokens=depth, conditions={**conditions(base.settings), **known})
    return replace(total.fill(run), samples=())


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read, lines=True)
