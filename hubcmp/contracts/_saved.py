"""A saved comparison, read back: whatever the file says is checked before anything of it is believed."""

import re
from collections.abc import Iterator

from pydantic import ValidationError

from hubcmp.comparison import Comparison
from hubcmp.contracts._base import Measure, Named
from hubcmp.contracts.compare import Compare
from hubcmp.errors import FormatError
from hubcmp.metrics import METRICS
from hubcmp.strictjson import parse_object

LIMIT = 64 << 20
"""Bytes of a saved comparison; one of 40 drafters and 60 benchmarks stays below."""
GREATEST = 2**63
"""Numbers beyond this are no counts, sizes or rates of anything."""
_KEYS = {"schema_version", "tool", "drafters", "verdict"}
_INERT = re.compile(r"""(?:[\w@%+=:,./ -]|'[^']*'|"'")*""")
_SETTINGS = ("configuration", "recipe")
"""Sections whose rows hold settings, not figures."""
_LAUNCHES = ("vllm serve ", "python -m sglang.launch_server ")


def is_saved(content: bytes) -> bool:
    """Whether the content looks like a saved comparison, as cheaply as can be told; `read` decides."""
    return all(f'"{key}"'.encode() in content for key in _KEYS) and content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"


def read(content: bytes, where: str) -> Comparison:
    """Return the Comparison that `hubcmp compare --format json` wrote. Raises FormatError, one line, for anything else."""
    found = parse_object(content, where)
    if not found.keys() >= _KEYS:
        raise FormatError(f"{where}: no saved comparison; write one with hubcmp compare ... --format json")
    try:
        _refuse_numbers(found)
        saved = Compare.model_validate_json(content.removeprefix(b"\xef\xbb\xbf"))
        for trouble in _contradictions(saved):
            raise ValueError(trouble)
        return saved.as_comparison()
    except ValidationError as error:
        raise FormatError(f"{where}: no saved comparison that this hubcmp can read; {_first(error)}") from None
    except ValueError as error:
        raise FormatError(f"{where}: the saved comparison contradicts itself; {error}") from None


def _first(error: ValidationError) -> str:
    """Return the first thing that is wrong, with its place."""
    found = error.errors(include_url=False, include_input=False)
    place = ".".join(str(part) for part in found[0]["loc"])
    more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
    return f"{place or 'the whole'}: {found[0]['msg']}{more}"


def _refuse_numbers(value: object) -> None:
    """Raise ValueError for a number that is none of ours."""
    level = [value]
    while level:
        for item in level:
            if isinstance(item, int | float) and not abs(item) < GREATEST:
                raise ValueError("a number is out of range")
        parts = [item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list)]
        level = [item for part in parts for item in part]


def _contradictions(saved: Compare) -> Iterator[str]:
    """Yield what does not fit together: reports count on it."""
    n, refs = len(saved.drafters), {d.ref for d in saved.drafters}
    if n < 2:
        yield f"{n} drafters where at least two are compared"
    for row in saved.rows:
        if len(row.cells) != n or len(row.deltas) not in (0, n):
            yield f"row {row.title!r} has {len(row.cells)} cells and {len(row.deltas)} deltas for {n} drafters"
        if len(row.intervals) not in (0, n) or any(pair and pair[0] > pair[1] for pair in row.intervals):
            yield f"row {row.title!r} has intervals that do not fit its {n} drafters"
        figures: list[Measure] = [cell for cell in row.cells if cell.evidence is not None]
        figures += [rival for cell in row.cells for rival in cell.rivals]
        if row.section not in _SETTINGS and not (row.metric in METRICS and all(f.is_number for f in figures)):
            yield f"row {row.title!r} holds something else than figures of a known metric"
        if row.section in _SETTINGS and row.deltas:
            yield f"row {row.title!r} subtracts settings"
    if any(len(axis.values) != n for axis in saved.axes):
        yield f"an axis without a value for each of {n} drafters"
    yield from _wrong_references(saved, n, refs)
    yield from _wrong_figures(saved)


def _wrong_references(saved: Compare, n: int, refs: set[str]) -> Iterator[str]:
    """Yield what names a drafter that is not there."""
    if any(not 0 < gap.position < n for gap in saved.reconciliations):
        yield "a gap in parameters of a drafter that is not there"
    if not {*(e.ref for e in saved.estimates), *(table.ref for table in saved.what_if)} <= refs:
        yield "an estimate about a drafter that is not there"


def _wrong_figures(saved: Compare) -> Iterator[str]:
    """Yield figures, tables and commands that are none."""
    facts: list[Named] = [fact for drafter in saved.drafters for fact in (*drafter.facts, *drafter.rivals)]
    facts += [fact for estimate in saved.estimates for fact in estimate.inputs]
    if not all(fact.metric in METRICS and fact.is_number for fact in facts):
        yield "a fact that is no figure of a known metric"
    for table in saved.what_if:
        whole = all(len(row) == len(table.costs) > 0 for row in table.cells) and len(table.cells) == len(table.lengths)
        if not whole or table.plain <= 0 or any(cost <= 0 for _, cost in table.costs):
            yield f"the what-if of {table.ref} is no table of speeds"
    if any(not _is_launch(command) for command in saved.runs_to_settle):
        yield "a command that is no launch of a server"


def _is_launch(command: str) -> bool:
    """Whether a command, copied into a shell, only launches a server: what a shell might act upon stands in quotes."""
    return command.startswith(_LAUNCHES) and command.isprintable() and _INERT.fullmatch(command) is not None
