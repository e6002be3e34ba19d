"""Results that `hubcmp bench --format json` saved: read back as they were."""

from collections.abc import Iterator
from typing import Any, Literal

from hubcmp.acceptance import Run, Sample
from hubcmp.document import Document
from hubcmp.engines._json import counts, get, items, keys, number, objects, whole, word
from hubcmp.facts import Scalar, Source
from hubcmp.readers import Reader, Reading

FORMAT = "hubcmp.bench"
MOST_UNITS = 10_000
Kind = Literal["exact", "derived", "reported"]
_KINDS: dict[str, Kind] = {"exact": "exact", "derived": "derived", "reported": "reported"}


def recognises(document: Document) -> bool:
    """Return whether the head holds the keys of the `bench` contract."""
    return {"schema_version", "source", "format", "records"} <= keys(document)


def read(document: Document) -> Reading:
    """Return the saved runs; each names the source it was made from."""
    saved = [item for _, item in objects(document)]
    runs = [
        _run(document, f"$[{i}].records[{j}]", item, record)
        for i, item in enumerate(saved)
        for j, record in enumerate(items(item, "records"))
        if isinstance(record, dict)
    ]
    formats = {word(item, "format") or FORMAT for item in saved}
    return Reading(formats.pop() if len(formats) == 1 else FORMAT, runs=tuple(runs))


def _run(document: Document, where: str, item: dict[str, Any], record: dict[str, Any]) -> Run:
    spot = Source(document.source.ref, document.source.revision, document.source.path, where)
    return Run(
        engine=word(record, "engine"),
        format=word(record, "format") or word(item, "format") or FORMAT,
        source=spot,
        engine_version=word(item, "engine_version"),
        kind=_KINDS.get(word(record, "class") or "", "reported"),
        weighting=word(record, "weighting"),
        window=word(record, "window") or word(item, "window"),
        n_windows=whole(record, "n_windows"),
        n_requests=whole(record, "n_requests"),
        num_spec_tokens=whole(record, "num_spec_tokens"),
        steps=number(record, "steps"),
        drafted=number(record, "drafted"),
        accepted=number(record, "accepted"),
        accept_length=number(record, "accept_length"),
        draft_acceptance_rate=number(record, "draft_acceptance_rate"),
        per_position=tuple(counts(get(record, "per_position"))) or None,
        output_throughput=number(record, "output_throughput"),
        decode_throughput=number(record, "decode_throughput"),
        dataset=word(record, "dataset"),
        batch_size=whole(record, "batch_size"),
        conditions=_scalars(get(record, "config")),
        settings={key: str(value) for key, value in _scalars(get(record, "settings")).items()},
        samples=tuple(_units(record)),
        reported={**_scalars(get(record, "reported")), "saved_from": word(item, "source") or "not stated"},
        why={key: str(value) for key, value in _scalars(get(record, "why")).items()},
    )


def _units(record: dict[str, Any]) -> Iterator[Sample]:
    """Yield the units of resampling; what is no pair of counts is left out."""
    for unit in items(record, "units")[:MOST_UNITS]:
        pair = counts(unit)
        if len(pair) == 2 and pair[0] > 0 and pair[1] >= 0:
            yield Sample(*pair)


def _scalars(value: Any) -> dict[str, Scalar]:
    """Return the plain values of an object, long ones left out."""
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(k)[:100]: v for k, v in pairs if isinstance(v, str | bool) or number(v) is not None}


PLUGIN = Reader(format=FORMAT, kind="benchmark", recognises=recognises, read=read)
