"""Results that stand in fences: what a benchmark or server printed, line by line, and rows of JSON."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from hubcmp.facts import Scalar
from hubcmp.readers.card import settings
from hubcmp.readers.card.axes import axis
from hubcmp.readers.card.claims import DRAFT_KEYS, Claim
from hubcmp.readers.card.figures import Figure
from hubcmp.readers.card.launch import JsonRow, json_rows, line_of, metric_of_key
from hubcmp.readers.card.meaning import meaning_of
from hubcmp.readers.card.page import Fence
from hubcmp.readers.card.prose import claims_of_sentence
from hubcmp.readers.card.reach import Context
from hubcmp.readers.card.subjects import BASELINE, Identity
from hubcmp.readers.card.text import Text
from hubcmp.readers.card.values import metric_for, value_of

LANGUAGES = ("", "text", "txt", "log", "console", "output", "plaintext")
"""Languages of fences that hold what a program printed."""
MOST_LINES = 400
"""Lines of such a fence that are read."""
_PAIR = re.compile(
    r"(?P<label>[A-Za-z#][A-Za-z0-9 #()%/._-]{1,48}?)\s{0,4}[:=]\s{0,60}"
    r"(?P<value>[~≈]?\d[\d,]{0,12}(?:\.\d{1,8})?\s?(?:%|[x×](?!\w)|tok(?:ens?)?/s)?)(?![\w.]\d|[A-Za-z])"
)
_LOOSE = re.compile(r"\s{0,20}(?!--|[$#>{\"'])[\w()/ .%-]{2,40}\s{1,20}[~≈]?\d")
"""A result without a colon: "tokens/s 78.4 (baseline 38.8)"."""
_TIMING = re.compile(
    r"(?:^|(?<!prompt)\s)eval time\s{0,4}=.{0,120}?(?P<value>\d{1,6}(?:\.\d{1,4})? (?:tokens per second|t/s))"
)
"""What llama.cpp prints of its decoding: "eval time = 21034.55 ms / 901 tokens (23.35 ms per token, 42.83 tokens per second)"."""
_COMMAND = re.compile(r"^\s{0,20}(?:--[a-z]|[$>{\"']|\w+ -{1,2}\w)|\\$")
_FROM_ZERO = re.compile(r"\bpos(?:ition)?[-_ ]?0\b", re.IGNORECASE)
_SETTINGS = {
    "successful requests": "prompts",
    "maximum request concurrency": "concurrency",
    "max request concurrency": "concurrency",
    "max concurrency": "concurrency",
}
"""Lines of a benchmark's summary that tell how it was run; other labels are those of table heads."""


def claims_of_fence(
    fence: Fence, context: Context, identity: Identity, subject: str | None, block: int
) -> Iterator[Claim]:
    """Yield the results of a fence; `subject` is the drafter that a command before it launched."""
    found = list(_of_json(fence, context, subject, block))
    yield from found
    if not found and fence.info.lower() in LANGUAGES:
        for claim in _of_lines(fence, context, identity, block):
            yield replace(claim, subject=claim.subject or subject)


def _of_json(fence: Fence, context: Context, subject: str | None, block: int) -> Iterator[Claim]:
    """Yield the figures of JSON rows that hold an accept length."""
    for row in json_rows(fence.text):
        if not any(meaning_of(key).metric == "accept_length" for key in row.values):
            continue
        bound = {s.key: s.value for k, v in row.values.items() for s in settings.find(f"{k}={v}") if s.key}
        counted = next(
            (row.values[k] for k in ("num_questions", "num_prompts", "num_samples") if k in row.values), None
        )
        bound |= {} if counted is None else {"prompts": counted}
        label = next((str(v) for k, v in row.values.items() if meaning_of(k).role == "benchmark"), row.under)
        whose = BASELINE if _drafts_nothing(row) else subject
        for key, value in row.values.items():
            metric = metric_of_key(key)
            if metric and isinstance(value, int | float) and not isinstance(value, bool):
                figure = Figure(0, 0, str(value), value, "plain")
                number, line = value_of(figure, metric), line_of(fence.text, key, row.line)
                if number is not None and metric_for(figure, metric):
                    conditions = {**context.conditions, **bound}
                    yield Claim(metric, number, row.raws[key], line, block, label or context.label, whose, conditions)


def _drafts_nothing(row: JsonRow) -> bool:
    """Whether a row's draft settings are all null, as for the run without speculation."""
    named = [k for k in row.nulls if {s.key for s in settings.find(f"{k}=1")} & DRAFT_KEYS]
    return bool(named) and not any(
        {s.key for s in settings.find(f"{k}={v}")} & DRAFT_KEYS for k, v in row.values.items()
    )


def _of_lines(fence: Fence, context: Context, identity: Identity, block: int) -> Iterator[Claim]:
    """Yield the figures that a program printed, "Acceptance length: 2.49", each line for itself."""
    lines = list(islice(fence.text.plain.split("\n"), MOST_LINES))
    if any(_COMMAND.search(line) for line in lines):
        return
    bound = replace(context, conditions={**context.conditions, **_told(lines)})
    later = 1 if any(_FROM_ZERO.search(line) for line in lines) else 0
    percent = False
    for n, line in enumerate(lines):
        if line.rstrip().endswith(":"):
            percent = "(%)" in line
        for text in _results(line, percent):
            for claim in claims_of_sentence(Text(text, fence.text.line + n), bound, identity, block):
                shift = later if claim.position and not _FROM_ZERO.search(text) else 0
                position = claim.position + shift if claim.position else None
                yield replace(claim, position=position, raw=claim.raw if claim.raw in line else claim.raw.rstrip("%"))


def _results(line: str, percent: bool) -> Iterator[str]:
    """Yield "label: value" for each result of a line; a percentage that only its label or head tells gets its sign."""
    if timing := _TIMING.search(line):
        yield f"decode speed: {timing['value']}"
        return
    pairs = [m for m in _PAIR.finditer(line) if (said := meaning_of(m["label"].strip())).metric and not said.decoy]
    for pair in pairs:
        label, value = pair["label"].strip(), pair["value"].strip()
        in_percent = "(%)" in label or (percent and line[:1].isspace())
        yield f"{label.replace('(%)', '').strip()}: {value}{'%' if in_percent and value[-1].isdigit() else ''}"
    if not pairs and _LOOSE.match(line):
        yield line.strip()


def _told(lines: list[str]) -> Mapping[str, Scalar]:
    """Return the settings that a benchmark's summary gives with one value."""
    values: dict[str, set[int]] = {}
    for line in lines:
        for pair in _PAIR.finditer(line):
            label = pair["label"].strip()
            key = _SETTINGS.get(label.lower()) or axis(label)
            if key in ("prompts", "concurrency", "batch_size") and pair["value"].strip().isdigit():
                values.setdefault(key, set()).add(int(pair["value"]))
    return {key: found.pop() for key, found in values.items() if len(found) == 1}
