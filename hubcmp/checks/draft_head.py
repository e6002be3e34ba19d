"""The head: one that the config declares and the file lacks is filled with the target's or with noise."""

from collections.abc import Iterator

from hubcmp.checks import Check, Finding, Subject
from hubcmp.families import lineage


def look(subject: Subject) -> Iterator[Finding]:
    """Yield whether the head that the config implies is stored."""
    ledger = subject.drafter.ledger
    if ledger is None or not subject.headers:
        return
    stored, head = "lm_head" in ledger.by_role, subject.role("lm_head")
    tied = subject.drafter.settings.get("tie_word_embeddings")
    sources = subject.sources("draft_vocab_size", "tie_word_embeddings")
    own = subject.whole("draft_vocab_size")
    if not stored and own and own != subject.whole("vocab_size"):
        message = (
            f"draft_vocab_size is {own:,}, but no lm_head is stored: engines fill it with the target's or with noise"
        )
        yield subject.fault(message, sources)
    elif not stored and "mtp" in lineage(subject.family):
        yield subject.warning(
            "no head of its own is stored; some engines look for shared_head.head all the same", sources
        )
    elif stored and tied is not None and tied.value is True:
        message = "tie_word_embeddings is true, yet a head is stored: an engine that ties them ignores it"
        yield subject.warning(message, sources)
    elif head is not None:
        yield subject.fine(f"{head.name} {list(head.shape)} is stored", (ledger.source(head), *sources))


PLUGIN = Check("head", look)
