"""Whose the columns and rows of a table are, settled over the whole axis: "Ours" or one target among several decides its neighbours."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hubcmp.facts import Scalar
from hubcmp.labels import slug
from hubcmp.readers.card.axes import axis, axis_value
from hubcmp.readers.card.cells import split_head
from hubcmp.readers.card.claims import DRAFT_KEYS
from hubcmp.readers.card.grid import Grid
from hubcmp.readers.card.rows import Row, from_one, row_of
from hubcmp.readers.card.subjects import BASELINE, SELF, Identity, latest, plain_name, settle, subject_of, versions

_MARKED = re.compile(
    r"\((?:final|released?|this[^()]{0,20}|uploaded|published|ours|current|shipped)\)|←|⭐|✅", re.IGNORECASE
)
"""The row of a table of versions that is the published one."""
_PART = re.compile(r"[–—−-]\s?(?=[A-Za-z])|(?:w/o|without|no|minus)\s", re.IGNORECASE)


def column_subjects(grid: Grid, values: Sequence[int], identity: Identity) -> dict[int, str | None]:
    """Settle which of the value columns are whose, from their heads."""
    heads = [grid.columns[x].text for x in values]
    bare = [grid.columns[x].rest or head for x, head in zip(values, heads, strict=True)]
    found = [
        BASELINE
        if any(grid.columns[x].conditions.get(key) == 0 for key in DRAFT_KEYS)
        else None
        if grid.columns[x].delta
        else _subject_of_head(head, grid.columns[x].rest, identity)
        for x, head in zip(values, heads, strict=True)
    ]
    if listed := versions(heads) or versions(bare):
        found = [listed[i] or s for i, s in enumerate(found)]
        return dict(zip(values, found, strict=True))
    return dict(zip(values, _fallback(settle(heads, found, identity), heads), strict=True))


def read_rows(grid: Grid, identity: Identity) -> list[Row]:
    """Read the key cells of every body row, with whose each row is."""
    rows = [row_of(cells, grid) for cells in grid.rows]
    rows = [replace(r, conditions={**r.conditions, **note}) for r, note in zip(rows, grid.noted, strict=True)]
    axes = [x for role in ("method", "version", "config") for x in grid.keys if grid.columns[x].role == role]
    for x in axes[:1]:
        texts = [row[x].plain for row in grid.rows]
        subjects = _row_subjects(texts, grid.columns[x].role, identity)
        subjects = _without_parts(subjects, texts)
        foreign = _foreign(rows, identity)
        rows = [
            replace(r, subject=_settled(s, text, elsewhere) or r.subject)
            for r, s, text, elsewhere in zip(rows, subjects, texts, foreign, strict=True)
        ]
    if not axes:
        marked = [any(_MARKED.search(cell.plain) for cell in row) for row in grid.rows]
        if any(marked) and not all(marked):
            rows = [
                r if mark or r.subject else replace(r, subject=f"other:{plain_name(row[0].plain)}")
                for r, mark, row in zip(rows, marked, grid.rows, strict=True)
            ]
    return [replace(r, position=p) for r, p in zip(rows, from_one([r.position for r in rows]), strict=True)]


def _without_parts(subjects: Sequence[str | None], texts: Sequence[str]) -> list[str | None]:
    """In an ablation the rows that take something away ("– without TTT") are other drafters than the whole one."""
    parts = [bool(_PART.match(text.strip())) for text in texts]
    if all(parts):
        return list(subjects)
    return [
        f"other:{plain_name(t)}" if part and s != BASELINE else s
        for s, t, part in zip(subjects, texts, parts, strict=True)
    ]


def column_settings(grid: Grid, values: Sequence[int]) -> Mapping[int, dict[str, Scalar]]:
    """Return the settings that rows of settings give to each value column ("Questions | 80 | 200")."""
    found: dict[int, dict[str, Scalar]] = {}
    for cells in grid.rows:
        key = axis(cells[grid.keys[0]].plain) if grid.keys else None
        for x in values if key else ():
            value = axis_value(key or "", cells[x].plain)
            if value is not None:
                found.setdefault(x, {})[key or ""] = value
    return found


def _settled(subject: str | None, text: str, elsewhere: bool) -> str | None:
    return f"other:{plain_name(text)}" if elsewhere and subject in (SELF, None) else subject


def _foreign(rows: Sequence[Row], identity: Identity) -> list[bool]:
    """Say of each row of a table that lists drafters of several targets whether its target is not the card's own.

    Of more than two, the card's own is only the one that the drafter is named after.
    """
    found = [slug(str(r.conditions.get("target_model", ""))) for r in rows]
    several = len(set(found) - {""})
    named = [bool(target) and any(target in name for name in identity.names) for target in found]
    if several > 2 or (several == 2 and not any(target in identity.targets for target in found)):
        return [not own or not any(named) for own in named]
    return [False] * len(rows)


def _row_subjects(texts: Sequence[str], role: str, identity: Identity) -> list[str | None]:
    """Settle whose each row is; among versions the published one is this drafter's."""
    found = settle(texts, [subject_of(t, identity, role in ("method", "version")) for t in texts], identity)
    if role == "version" and SELF not in found:
        found[latest(texts)] = SELF
    return _fallback(found, texts)


def _fallback(found: Sequence[str | None], texts: Sequence[str]) -> list[str | None]:
    """Beside plain decoding, the only other entry is this drafter ("Without | With")."""
    rest = [i for i, s in enumerate(found) if s != BASELINE and texts[i].strip()]
    out = list(found)
    lone = BASELINE in found and len(rest) == 1 and (found[rest[0]] or "").startswith("other:")
    if lone and any(w in texts[rest[0]].lower() for w in ("with", "spec", "draft", "on", "enabled", "投机")):
        out[rest[0]] = SELF
    return out


def _subject_of_head(head: str, rest: str, identity: Identity) -> str | None:
    """Return whose a column is by its head; what is left of the head without its metric names another drafter ("MTP-1 AL")."""
    if _first_piece(head) == "":
        return None
    found = subject_of(head, identity)
    bare = subject_of(rest, identity) if rest else None
    return bare if found is None or (found.startswith("other:") and bare) else found


def _first_piece(head: str) -> str:
    pieces = split_head(head)
    return pieces[0] if len(pieces) == 1 else ""
