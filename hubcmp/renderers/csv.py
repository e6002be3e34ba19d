"""CSV for spreadsheets and data frames: one record per line, and no text that a spreadsheet would run as a formula.

A comparison gives one line per figure and drafter, cards one per claim, benchmarks one per result,
ledgers one per role, checks one per finding.
"""

import csv
import io
import math
from collections.abc import Iterator
from typing import Any

from hubcmp.renderers import Renderer
from hubcmp.renderers._blocks import View
from hubcmp.renderers._plain import visible

Record = dict[str, Any]

_FORMULA = ("=", "+", "-", "@", "\\t", "\\r", "＝", "＋", "－", "＠")
"""Starts that make a spreadsheet compute a text."""
_CELL = (
    "state",
    "value",
    "low",
    "high",
    "unit",
    "evidence",
    "method",
    "raw",
    "position",
    "stat",
    "conditions",
    "nearby",
)


def draw(view: View) -> str:
    """Return the figures as CSV with a header line; only the header when there is none."""
    data: Any = view.data
    records = list(_figures(data) if isinstance(data, dict) else (record for item in data for record in _items(item)))
    columns = list(dict.fromkeys(key for record in records for key in record))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns or ["empty"])
    writer.writerows([_field(record.get(column)) for column in columns] for record in records)
    return text.getvalue()


def _figures(data: Record) -> Iterator[Record]:
    """Yield one record per row and drafter of a comparison; the first drafter has no difference to itself."""
    for row in data["rows"]:
        deltas = [None, *row["deltas"][1:]] if row["deltas"] else [None] * len(row["cells"])
        for drafter, cell, delta in zip(data["drafters"], row["cells"], deltas, strict=True):
            yield {
                **{key: row[key] for key in ("section", "metric", "title", "benchmark")},
                **{"drafter": drafter["ref"], "revision": drafter["revision"]},
                **{key: cell.get(key) for key in _CELL},
                **{"delta": delta, "why_not": cell["reason"] or row["why_not"]},
                "sources": [" ".join(filter(None, (s["ref"], s["path"], s["where"]))) for s in cell["sources"]],
            }


def _items(item: Record) -> Iterator[Record]:
    """Yield the records of one card, benchmark source, checked drafter, ledger or depth."""
    part = next((part for part in ("claims", "records") if part in item), None)
    if part is not None:
        yield from ({"source": item["source"], "revision": item.get("revision")} | record for record in item[part])
    elif "checks" in item:
        head = {key: item[key] for key in ("ref", "revision", "family", "target", "engine")}
        yield from (head | finding for finding in item["checks"])
    elif "by_role" in item:
        for role, count in item["by_role"].items():
            head = {"ref": item["ref"], "revision": item["revision"], "role": role, "count": count}
            yield head | item["status_evidence"][role]
    else:
        yield item


def _field(value: object) -> object:
    """Return one field: numbers as they are, everything else as one line of harmless text."""
    if isinstance(value, float):
        return "" if not math.isfinite(value) else int(value) if value == int(value) else value
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    return _harmless(_written(value))


def _written(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}={_written(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_written, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _harmless(text: str) -> str:
    """Return text on one line, with a quote in front where it would start a formula."""
    line = visible(text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t"))
    return f"'{line}" if line.lstrip().startswith(_FORMULA) else line


PLUGIN = Renderer(endings=(".csv",), draw=draw)
