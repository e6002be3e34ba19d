"""Launch commands and JSON in fences: which target and draft they serve, their settings, and result lines pasted as JSON."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from hubcmp.facts import Scalar
from hubcmp.readers.card.meaning import meaning_of
from hubcmp.readers.card.text import Text

_PATH = r"[\s=:\"'`]{1,6}<?([\w.-]{1,96}/[\w.-]{1,96}|[\w./-]{3,200})>?"
_TARGET = re.compile(
    rf"(?:--(?:model-path|model|target-model-path|target|base-model-path)\b{_PATH}|vllm serve\s{{1,4}}([\w.-]{{1,96}}/[\w.-]{{1,96}}"
    rf"|[\w./-]{{3,200}})|LLM\(\s{{0,20}}model\s?={_PATH}|\bmodel=[\"']([\w.-]{{1,96}}/[\w.-]{{1,96}})[\"'])"
)
_DRAFT = re.compile(
    rf"(?:--(?:speculative-)?draft(?:er)?-?(?:model)?(?:-path)?\b{_PATH}|--spec-draft-model\b{_PATH}"
    rf"|-md\s{{1,4}}([\w./-]{{3,200}}))|speculative[_-](?:config|model)[^\n]{{0,200}}?[\"']model[\"']\s?:\s?[\"']([\w./-]{{3,200}})[\"']"
    rf"|[\"']model[\"']\s?:\s?[\"']([\w.-]{{1,96}}/[\w.-]{{1,96}})[\"']"
)
_LIST = re.compile(r"\"([^\"\n]{1,80})\"\s{0,8}:\s{0,8}\[")
_LOOK_BACK = 20_000
_JSON = re.compile(r"\{[^{}]{2,4000}\}")


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch command of a fence: the target and the draft it names ("" when it names none), and their line."""

    target: str
    draft: str
    line: int


def launch_of(text: Text) -> Launch | None:
    """Return what a fence launches, or None when it is no launch command."""
    draft = _DRAFT.search(text.plain)
    draft_name = next((g for g in draft.groups() if g), "") if draft else ""
    target = next((m for m in _TARGET.finditer(text.plain) if _named(m) != draft_name), None)
    if not target and not draft:
        return None
    offset = target.start() if target else draft.start() if draft else 0
    return Launch(_named(target) if target else "", draft_name, text.line_at(offset))


def _named(match: re.Match[str]) -> str:
    return next((g for g in match.groups() if g), "")


@dataclass(frozen=True, slots=True)
class JsonRow:
    """A flat JSON object of a fence: its numbers and texts, the numbers as written, the keys that are null.

    `line` is where it starts, `under` the name of the list it stands in ("" none).
    """

    values: Mapping[str, Scalar]
    raws: Mapping[str, str]
    nulls: tuple[str, ...]
    line: int
    under: str


def json_rows(text: Text) -> Iterator[JsonRow]:
    """Yield the flat JSON objects of a fence."""
    for match in _JSON.finditer(text.plain):
        try:
            row = json.loads(match[0], parse_float=Decimal)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and row:
            raws = {str(k): str(v) for k, v in row.items() if isinstance(v, int | Decimal)}
            plain = {str(k): float(v) if isinstance(v, Decimal) else v for k, v in row.items()}
            flat = {k: v for k, v in plain.items() if isinstance(v, str | int | float | bool) and not _wild(v)}
            nulls = tuple(k for k, v in plain.items() if v is None)
            yield JsonRow(flat, raws, nulls, text.line_at(match.start()), _list_name(text.plain, match.start()))


def _list_name(text: str, offset: int) -> str:
    """Return the key of the list that an offset lies in, "" when it lies in none."""
    before = text[max(0, offset - _LOOK_BACK) : offset]
    opened = list(_LIST.finditer(before))
    return opened[-1][1] if opened and "]" not in before[opened[-1].end() :] else ""


def line_of(text: Text, key: str, start_line: int) -> int:
    """Return the line of a key of a JSON object that starts on `start_line`."""
    for offset in re.finditer(re.escape(f'"{key}"'), text.plain):
        line = text.line_at(offset.start())
        if line >= start_line:
            return line
    return start_line


def metric_of_key(key: str) -> str | None:
    """Return the metric of a key of JSON or metadata; a bare "speed" beside an accept length is a throughput."""
    meaning = meaning_of(key.replace("_", " "))
    metric = meaning_of(key).metric or meaning.metric
    return "throughput_tok_s" if key.lower() in ("speed", "tps") else None if meaning.decoy and not metric else metric


def _wild(value: object) -> bool:
    return isinstance(value, float) and not abs(value) < 1e15
