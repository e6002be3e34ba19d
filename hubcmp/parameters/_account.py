"""One bundle to its ledger: read the headers, decide the family, book every tensor, name what is missing or stale."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from hubcmp.document import Bundle
from hubcmp.errors import Problem
from hubcmp.facts import Evidence, Fact, Source, Span
from hubcmp.families._dimensions import Dimensions
from hubcmp.families._frameworks import framework_of
from hubcmp.families._recognition import Clues, recognise
from hubcmp.families._roles import strip
from hubcmp.parameters._booking import book
from hubcmp.parameters._files import Files, read_files
from hubcmp.parameters._form import absent_roles, closed_form
from hubcmp.parameters._groups import Group, Key, group, select
from hubcmp.parameters._ledger import Ledger, Outside
from hubcmp.parameters._schemes import schemes
from hubcmp.parameters._scope import TARGET, drafters_inside, hosted, inside
from hubcmp.readers import Reading
from hubcmp.tensors import TensorTable, collector_paused

Tables = tuple[TensorTable, ...]

MAX_KINDS = 20_000
"""Most kinds of tensors (names without numbers) over all files; a target of 61 shards has some 3,000."""
DTYPE_BYTES = {"float32": 4, "float": 4, "float64": 8, "float8_e4m3fn": 1}
"""Bytes of a config's dtype where it is not two."""


def account(bundle: Bundle, config: Reading | None = None) -> Ledger:
    """Return the ledger of a bundle; `config` is the reading of its config.json, if there is one.

    Never raises for what a file holds: a refused file becomes a problem of the ledger, and what remains is booked.
    """
    facts = {fact.metric: fact for fact in config.facts} if config else {}
    with collector_paused():
        files = read_files(bundle)
        tables, groups, outside = _part(files.tables, bundle.part)
        endless = len(groups) > MAX_KINDS
        tables, groups = ((), {}) if endless else (tables, groups)
        names = frozenset(re.sub(r"\d+", "#", strip(item.name)) for item in groups.values())
        ledger = Ledger(
            ref=bundle.ref,
            revision=bundle.revision,
            decision=recognise(Clues(facts, names, bundle.resolved or bundle.ref)),
            framework=framework_of(facts, names),
            format=files.tables[0].format if files.tables else files.choice.format,
            files=files.choice,
            outside=outside,
            dtypes=_dtypes(groups.values()),
            tables=tables,
            declared=_declared(files, bundle),
            warnings=files.warnings,
            problems=(*files.problems, *_missing(bundle, files.tables, tables, endless)),
        )
        sizes = Dimensions(facts)
        quantised = schemes(config.metadata if config else {})
        return _finish(book(ledger, groups, sizes, quantised), sizes) if groups else _estimate(ledger, bundle, facts)


def _part(tables: Tables, part: str) -> tuple[Tables, Mapping[Key, Group], Outside]:
    """Keep what is meant of a target with a drafter inside: the drafter, one of several by name, or the target without them.

    Also return the groups of what stays, and what lies outside it; where there is no such drafter nothing stays.
    """
    groups = group(tables)
    guests = drafters_inside(groups, tables)
    if part not in ("", TARGET, *guests.values()):
        return (), {}, Outside()
    if not hosted(tables, guests) and (part in ("", TARGET) or len(set(guests.values())) == 1):
        return tables, groups, Outside()
    chosen = tuple(prefix for prefix, name in guests.items() if part in ("", TARGET, name))
    kept = [[own != (part == TARGET) for own in inside(table, chosen)] for table in tables]
    mine = tuple(select(table, keep) for table, keep in zip(tables, kept, strict=True))
    rest = tuple(select(table, [not keep for keep in kept]) for table, kept in zip(tables, kept, strict=True))
    elements = sum(item.elements for item in group(rest).values())
    outside = Outside(sum(map(len, rest)), elements, sum(table.payload_bytes for table in rest))
    return tuple(table for table in mine if len(table)), group(mine), outside


def _missing(bundle: Bundle, stored: Tables, kept: Tables, endless: bool) -> tuple[Problem, ...]:
    """Say why nothing is left of what was read: names that never repeat, or a part that is not there."""
    if not stored or kept:
        return ()
    absent = f"holds no drafter named {bundle.part}; leave out #{bundle.part} for all of it"
    why = f"more than {MAX_KINDS:,} kinds of tensors; refused, because no model has so many" if endless else absent
    return (Problem(bundle.ref, why, failed=True),)


def _dtypes(groups: Iterable[Group]) -> Mapping[str, int]:
    sums: Counter[str] = Counter()
    for item in groups:
        sums[item.dtype] += item.elements
    return dict(sums)


def _declared(files: Files, bundle: Bundle) -> Mapping[str, int]:
    """Collect the totals that the repository states about itself."""
    stated = {f"{files.index.path} metadata.{key}": n for key, n in files.index.declared.items()} if files.index else {}
    hub = bundle.info.get("safetensors")
    total = hub.get("total") if isinstance(hub, dict) else None
    return {**stated, "Hub safetensors.total": total} if type(total) is int else stated


def _finish(ledger: Ledger, sizes: Dimensions) -> Ledger:
    """Add the closed form, what is absent, and the warnings that need the sums."""
    ledger = replace(ledger, absent=absent_roles(ledger, sizes))
    warnings = (*ledger.warnings, *_stale(ledger), *_tied(ledger, sizes))
    return replace(ledger, closed_form=closed_form(ledger, sizes), warnings=warnings)


def _stale(ledger: Ledger) -> list[str]:
    """Name totals that the repository states and its headers refute; a target around the drafter makes them another count."""
    if ledger.outside.tensors:
        return []
    held = {"total_size": (ledger.payload_bytes,)}
    counts = (ledger.elements_total_all_tensors, ledger.params_total_excl_buffers)
    return [
        f"{place} says {stated:,}, the headers hold {held.get(place.rpartition('.')[2], counts)[0]:,}: the headers count"
        for place, stated in ledger.declared.items()
        if stated not in held.get(place.rpartition(".")[2], counts)
    ]


def _tied(ledger: Ledger, sizes: Dimensions) -> list[str]:
    shapes = {e.role: e.shape for e in ledger.entries if e.role in ("embedding", "lm_head")}
    if sizes.flag("tie_word_embeddings") and len(shapes) == 2 and len(set(shapes.values())) == 1:
        return [
            "lm_head is a possible duplicate of the embedding (tie_word_embeddings is true); equality not checked (no weights read)"
        ]
    return []


def _estimate(ledger: Ledger, bundle: Bundle, facts: Mapping[str, Fact]) -> Ledger:
    """Estimate the stored elements from the files' sizes and the config's dtype, where no header could be read."""
    sizes = [f.size for f in bundle.files if f.path in ledger.files.counted]
    total = sum(size for size in sizes if size)
    if not total or None in sizes or ledger.problems:
        return ledger
    dtype = str(facts["dtype"].value) if "dtype" in facts else ""
    width = DTYPE_BYTES.get(dtype, 2)
    source = Source(bundle.ref, bundle.revision, ledger.files.counted[0], f"{total:,} bytes")
    span = Span.of(total // width)
    method = f"file size / {width} bytes ({dtype or 'dtype not stated'}), buffers included"
    fact = Fact("params_stored", span, "params", Evidence.ESTIMATED, method, (source,), approx=True)
    return replace(
        ledger,
        estimate=fact,
        warnings=(*ledger.warnings, "no header was read: the count is an estimate from the file's size"),
    )
