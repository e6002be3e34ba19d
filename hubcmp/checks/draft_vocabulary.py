"""A reduced draft vocabulary: head rows, map and marks must fit one another, or every drafted token is another one."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hubcmp.checks import Check, Finding, Subject, whole
from hubcmp.parameters import TokenMap, mapped


def look(subject: Subject) -> Iterator[Finding]:
    """Yield whether head, `d2t` and `t2d` fit the vocabularies."""
    draft = subject.whole("draft_vocab_size")
    full = whole(subject.target, "vocab_size") or subject.whole("vocab_size")
    if not draft or not full or not subject.headers:
        return
    found = [*_sizes(subject, draft, full), *(_values(subject, subject.token_map, full) if subject.token_map else ())]
    yield from found
    if not found:
        read = "" if subject.token_map or draft == full else " by their sizes; the map's values were not read"
        sources = subject.sources("draft_vocab_size", "vocab_size")
        yield subject.fine(f"head and vocabulary map fit {draft:,} of {full:,} ids{read}", sources)


def _sizes(subject: Subject, draft: int, full: int) -> Iterator[Finding]:
    """Yield what the shapes and dtypes contradict."""
    head, offsets, marks = subject.role("lm_head"), subject.tensor("d2t"), subject.tensor("t2d")
    sources = subject.sources("draft_vocab_size", "vocab_size", tensors=(offsets, marks))
    if head and head.shape[0] != draft:
        message = f"{head.name} has {head.shape[0]:,} rows, but draft_vocab_size is {draft:,}"
        yield subject.fault(message, sources)
    if draft < full and offsets is None:
        message = f"a draft vocabulary of {draft:,} of {full:,} ids without d2t: engines take the first ids instead"
        yield subject.fault(message, sources)
    for tensor, rows, what in ((offsets, draft, "draft"), (marks, full, "target")):
        if tensor and tensor.shape != (rows,):
            message = f"{tensor.name} has the shape {list(tensor.shape)} for a {what} vocabulary of {rows:,}"
            yield subject.fault(message, sources)
    for tensor, dtype in ((offsets, "I64"), (marks, "BOOL")):
        if tensor and tensor.dtype != dtype:
            cast = f"{tensor.name} is {tensor.dtype} instead of {dtype}; a converter may have cast it"
            yield (
                subject.fault(cast, sources) if tensor.dtype.startswith(("F", "BF")) else subject.warning(cast, sources)
            )


def _values(subject: Subject, found: TokenMap, full: int) -> Iterator[Finding]:
    """Yield what the map's values contradict: they are offsets, so that id + offset rises strictly inside the vocabulary."""
    ids, sources = mapped(found.offsets), subject.sources(tensors=(subject.tensor("d2t"),))
    kept = [i for i, mark in enumerate(found.kept) if mark]
    fits = bool(ids) and _rises(ids) and ids[0] >= 0 and ids[-1] < full
    if fits and (not kept or kept == ids):
        if not any(found.offsets) and len(ids) < full:
            message = f"{found.name} holds zeros only: never set, so draft ids mean the vocabulary's first ids"
            yield subject.fault(message, sources)
    elif list(found.offsets) == kept or (not kept and _rises(found.offsets)):
        yield subject.fault(f"{found.name} holds absolute ids where offsets (id - position) belong", sources)
    elif fits:
        message = f"{found.name} leads to {len(ids):,} ids, t2d marks {len(kept):,}, and they are not the same"
        yield subject.fault(message, sources)
    else:
        yield subject.fault(f"{found.name} leads to ids that do not rise or lie outside the vocabulary", sources)


def _rises(ids: Sequence[int]) -> bool:
    return all(a < b for a, b in pairwise(ids))


PLUGIN = Check("draft vocabulary and its map", look)
